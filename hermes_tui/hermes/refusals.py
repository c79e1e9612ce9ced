"""Refusals that the log alone tells of: a session that was restored without its pool writes none into `auth.json`."""

from collections.abc import Iterable
from dataclasses import replace

from hermes_tui.hermes.story import LIMITED, Story
from hermes_tui.hermes.values import Conversation, Login


def with_refusals(
    logins: Iterable[Login], stories: Iterable[Story], conversations: Iterable[Conversation]
) -> tuple[Login, ...]:
    """Return the logins with what is newer than their rows: a refusal in the log, or an answer since it was cleared.

    Of a provider's only login: where there are several nobody says which it was. An answer ends a refusal, too.
    """
    rows = tuple(logins)
    refused = [story for story in stories if story.failed is not None and story.failed.code == LIMITED]
    answers = [(one.provider, one.last_seen or 0.0) for spoken in conversations for one in spoken.served]
    alone = [login for login in rows if sum(one.provider == login.provider for one in rows) == 1]
    return tuple(_as_it_is(login, refused, answers) if login in alone else login for login in rows)


def _as_it_is(login: Login, refused: Iterable[Story], answers: Iterable[tuple[str, float]]) -> Login:
    answered = max((at for provider, at in answers if provider == login.provider), default=0.0)
    if login.cleared_at is not None and login.cleared_at < answered:
        login = replace(login, cleared_at=None)
    known = max(answered, login.status_at or 0.0, login.cleared_at or 0.0, login.benched_until or 0.0)
    newer = (
        (story.failed, story.backoff)
        for story in refused
        if story.failed is not None and story.failed.provider == login.provider and story.failed.time > known
    )
    failed, backoff = max(newer, key=lambda told: told[0].time, default=(None, None))
    if failed is None or backoff is None or backoff.until is None:
        return login
    return replace(
        login,
        status="exhausted",
        status_at=failed.time,
        code=failed.code,
        reason=f"{failed.reason} {failed.text}",
        message=failed.text,
        reset_at=backoff.until if "provider" in backoff.reason else None,
        benched_until=backoff.until,
        in_log_alone=True,
    )
