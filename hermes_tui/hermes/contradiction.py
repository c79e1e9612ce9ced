"""A verdict and the requests that it is about: which refusal says that it was wrong (M38, C98)."""

from collections.abc import Iterable
from typing import Final

from hermes_tui.core.facts import Facts
from hermes_tui.core.session import Session
from hermes_tui.core.verdict import CachedVerdict, Hold, Verdict
from hermes_tui.hermes.story import LIMITED, SAME_MOMENT_SECONDS, Story
from hermes_tui.hermes.values import Login

LIES_SECONDS: Final = 300.0
"""A verdict and a refusal no further apart contradict each other: so long Hermes believes a verdict."""


def newest(facts: Facts, session: Session) -> CachedVerdict | None:
    """Return what the usage endpoint said last about the session's primary."""
    route = session.requested
    about = [
        verdict
        for verdict in facts.verdicts.values()
        if (verdict.key.provider, verdict.key.model) == (route.provider, route.model)
    ]
    return max(about, key=lambda verdict: verdict.asked_at, default=None)


def refused_at(provider: str, logins: Iterable[Login], story: Story) -> tuple[float, ...]:
    """Return when requests to `provider` were answered 429: by its logins, and by what a session's log tells.

    A session that was restored without its pool writes a refusal into no login: its log alone tells of it.
    """
    benched = tuple(login.status_at for login in logins if login.code == LIMITED and login.status_at is not None)
    failed = story.failed
    told = failed is not None and failed.code == LIMITED and failed.provider in ("", provider)
    return (*benched, failed.time) if failed is not None and told else benched


def contradicts(refusals: Iterable[float], asked_at: float) -> float | None:
    """Return the last of `refusals` that came so soon after a verdict of quota that both cannot be, None without."""
    return max((at for at in refusals if 0 <= at - asked_at <= LIES_SECONDS), default=None)


def hold_of(verdict: CachedVerdict, login: Login, stories: Iterable[Story]) -> Hold | None:
    """Return the mark of a verdict of quota that a refusal contradicts, None for any other.

    Where Hermes had that answer in hand when the login was refused (it took back the credential that had just failed),
    the endpoint says still what was wrong then.
    """
    if verdict.verdict is not Verdict.QUOTA or verdict.usage is None or login.benched_until is None:
        return None
    told = tuple(stories)
    refusals = [at for story in told for at in refused_at(login.provider, (login,), story)]
    again = [story.same_again.time for story in told if story.same_again is not None]
    at = contradicts(refusals, verdict.asked_at)
    if at is None and any(abs(time - (login.status_at or 0.0)) <= SAME_MOMENT_SECONDS for time in again):
        at = login.status_at
    return Hold(verdict.key.subject, verdict.usage, at, login.benched_until, 0) if at is not None else None
