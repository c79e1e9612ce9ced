"""One session of a home at one moment: what its judge and its evidence both ask of the files and the log."""

from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import Session
from hermes_tui.core.verdict import CachedVerdict, Verdict
from hermes_tui.hermes.asked import instead_of
from hermes_tui.hermes.contradiction import contradicts, newest, refused_at
from hermes_tui.hermes.links import CODEX
from hermes_tui.hermes.memory import Belief
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.reasons import reason_of
from hermes_tui.hermes.rows import has_key, logins_of
from hermes_tui.hermes.story import LIMITED, NO_STORY
from hermes_tui.hermes.values import Conversation, Login

DEAD = "dead"


class Case:
    """A session and the logins of its primary at `now` (epoch seconds).

    `free` are those that serve as far as is known, `free_by_file` those that Hermes takes for free. `asks` tells that
    its Hermes looks whether the primary reopened early; `said` is what the usage endpoint answered last about it,
    `refusals` when requests were answered 429. `live` is what its process tells of it, where it does; `is_closed` that
    nobody has it open; `other_primary` what Hermes has for its primary in place of what it asks for.
    """

    def __init__(
        self,
        reading: Reading,
        facts: Facts,
        session: Session,
        conversation: Conversation | None,
        now: float,
    ) -> None:
        self.reading, self.session, self.conversation, self.now = reading, session, conversation, now
        id_ = conversation.id if conversation is not None else ""
        self.story, self.live = reading.stories.get(id_, NO_STORY), reading.memory.session(id_)
        self.is_closed = conversation is not None and reading.is_closed(conversation)
        self.other_primary = instead_of(session.requested, conversation, reading) if conversation is not None else None
        provider = session.requested.provider
        self.is_codex = provider == CODEX
        self.asks = reading.release is None or bool(reading.release.reopens_early)
        self.logins = tuple(logins_of(reading, provider))
        self.benched = tuple(login for login in self.logins if self.is_benched(login))
        self.free = tuple(login for login in self.logins if self.is_free(login))
        self.free_by_file = self.free or tuple(login for login in self.benched if login.in_log_alone)
        self.said: CachedVerdict | None = newest(facts, session)
        self.refusals = refused_at(provider, self.logins, self.story)

    @property
    def has_gone(self) -> bool:
        """Whether no login will serve again by itself."""
        return bool(self.logins) and all(login.status == DEAD or not has_key(login) for login in self.logins)

    @property
    def keeps_away(self) -> bool:
        """Whether the session's own cooldown lies ahead."""
        own = self.session.cooldown
        return own is not None and own.until > self.now

    @property
    def tries_anyway(self) -> bool:
        """Whether its Hermes goes back a minute after a limit, whatever date a login has: it looks into no file."""
        return not self.asks and self.story.backoff is None and not self.is_closed

    @property
    def may_reopen(self) -> bool:
        """Whether a login is benched that Hermes asks the usage endpoint about: for a quota, and for every model."""
        asked = (login for login in self.benched if not login.in_log_alone and not self._of_model(login))
        return self.is_codex and any(map(_is_of_quota, asked))

    @property
    def is_pooled(self) -> bool | None:
        """Whether the fallback has credentials of its own, None where nobody tells."""
        told = self.live.is_pooled if self.live is not None else None
        return self.story.pooled if told is None else told

    @property
    def asks_from(self) -> float | None:
        """When its Hermes asks the usage endpoint next, None where it would now, or does not tell."""
        at = self.live.checks_from if self.live is not None else None
        return at if at is not None and at > self.now else None

    @property
    def belief(self) -> Belief | None:
        """What Hermes keeps of a benched login, the newest where there are several."""
        prints = {login.fingerprint for login in self.benched}
        kept = (one for one in self.reading.memory.beliefs if one.fingerprint in prints)
        return max(kept, key=lambda one: one.asked_at, default=None)

    @property
    def has_reopened(self) -> bool:
        """Whether the usage endpoint says quota, and nothing was refused since."""
        said = self.said
        if said is None or said.verdict is not Verdict.QUOTA or not self.may_reopen:
            return False
        return all(at < said.asked_at for at in self.refusals)

    @property
    def is_contradicted(self) -> bool:
        """Whether the usage endpoint said quota, and a request was refused soon after."""
        said = self.said
        is_quota = said is not None and said.verdict is Verdict.QUOTA
        return said is not None and is_quota and contradicts(self.refusals, said.asked_at) is not None

    def until(self, login: Login) -> float | None:
        """Return when Hermes tries `login` again for the primary's model, None where it would now or never will."""
        dates = [login.benched_until, *self._of_model(login)]
        return max((date for date in dates if date is not None and date > self.now), default=None)

    def is_benched(self, login: Login) -> bool:
        """Tell whether Hermes does not try `login` now, and will later."""
        return self.until(login) is not None

    def is_of_model_alone(self, login: Login) -> bool:
        """Tell whether `login` is benched for the primary's model, and serves any other (C56)."""
        return bool(self._of_model(login)) and (login.benched_until is None or login.benched_until <= self.now)

    def _of_model(self, login: Login) -> list[float]:
        asked_for = self.session.requested.model
        return [until for model, until in login.model_cooldowns if model == asked_for and until > self.now]

    def is_free(self, login: Login) -> bool:
        """Tell whether Hermes would take `login` now."""
        return login.status != DEAD and not self.is_benched(login) and has_key(login)

    def is_expired(self, login: Login) -> bool:
        """Tell whether the access token of `login` has expired."""
        return login.expires_at is not None and login.expires_at <= self.now

    def is_blind(self, login: Login) -> bool:
        """Tell whether nobody can ask about `login`: its token has expired, and Hermes has nothing to renew it with."""
        return self.is_expired(login) and not login.can_refresh


def _is_of_quota(login: Login) -> bool:
    """Tell whether Hermes takes what benched `login` for a limit: a refused sign-in or an empty account is none."""
    said = f"{login.reason} {login.message}".lower().replace("_", " ")
    return login.code == LIMITED or any(word in said for word in ("rate limit", "usage limit", "quota"))


def why(login: Login) -> FailureKind:
    """Return why `login` was refused last."""
    return reason_of(login.code, login.reason)
