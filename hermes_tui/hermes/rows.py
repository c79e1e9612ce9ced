"""A reading as the rows that every screen shows: routes, credentials, sessions."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from hermes_tui.core.configuration import Configuration, Member, Pool, Strategy
from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, Death
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.route import Route
from hermes_tui.core.session import Departure, Phase, Session, SessionCooldown, WaitKind
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.asked import asked_for, serving_elsewhere
from hermes_tui.hermes.in_memory import as_in_memory
from hermes_tui.hermes.links import CODEX, is_same_route, link_of, placed
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.reasons import reason_of
from hermes_tui.hermes.story import NO_STORY, Story
from hermes_tui.hermes.values import Conversation, Entry, Home, Login, Release

SIGNED_IN = "signed in"
"""What a login is called that Hermes has not used yet."""

HERMES = "Hermes"
"""The program whose credentials a home's are."""

BENCHED_BEFORE_022_SECONDS = 60.0
"""How long a session of an older Hermes stays away from its primary after a limit."""

ENDED_SECONDS = 86_400.0
"""For so long a session that has ended stays among the others: one may start it again."""


def rows(reading: Reading, keymap: Keymap = NO_CHANGE) -> Facts:
    """Return the facts of a home, without the mechanism that judges them; `keymap` are the keys of the screen."""
    return RowMaker(keymap).rows(reading)


class RowMaker:
    """Makes the rows of one reading after another; one that is made of the same as before is the same object."""

    def __init__(self, keymap: Keymap = NO_CHANGE) -> None:
        self._keymap = keymap
        self._configured: tuple[tuple[object, ...], Configuration | None] = ((), None)
        self._sessions: dict[str, tuple[tuple[object, ...], Session]] = {}

    def rows(self, reading: Reading) -> Facts:
        """Return the facts of a home, without the mechanism that judges them."""
        made_of = (reading.home, reading.configuration, reading.logins)
        if made_of != self._configured[0]:
            self._configured = made_of, configuration_of(reading, self._keymap)
        facts = Facts(self._configured[1])
        for login in reading.pool:
            facts.put(_credential(login))
        self._sessions = {one.id: self._session(one, reading) for one in reading.conversations}
        for _, session in self._sessions.values():
            facts.put(session)
        return facts

    def _session(self, conversation: Conversation, reading: Reading) -> tuple[tuple[object, ...], Session]:
        """Return the row of a session, with all that it is made of."""
        name, story = reading.names[conversation.id], reading.stories.get(conversation.id, NO_STORY)
        put_aside_at, live = _put_aside_at(conversation, reading.at), reading.memory.session(conversation.id)
        is_closed, turn = reading.is_closed(conversation), reading.hosted.get(conversation.id)
        is_here, file = conversation.id in reading.hosted, reading.configuration
        made_of = (name, conversation, story, file, reading.release, put_aside_at, live, is_closed, is_here, turn)
        known = self._sessions.get(conversation.id)
        if known is not None and known[0] == made_of:  # quick: readings keep what has not changed
            return known
        row = replace(_session(name, conversation, story, reading, is_closed=is_closed), archived_at=put_aside_at)
        row = row if live is None else as_in_memory(row, live, file)
        return made_of, _as_hosted(row, turn) if is_here else row


def _as_hosted(row: Session, turn_since: float | None) -> Session:
    """Return the row of a session that runs here: whether a turn does is known sooner than any file tells."""
    phase = Phase.IDLE if turn_since is None else Phase.RUNNING
    return replace(row, phase=phase, turn_started_at=turn_since, archived_at=None)


def configuration_of(reading: Reading, keymap: Keymap = NO_CHANGE) -> Configuration | None:
    """Return what the file of a home says, None where it asks for no model."""
    file = reading.configuration
    if file is None or file.primary is None:
        return None
    strategies = dict(file.strategies)
    timeouts = dict(file.request_timeouts)
    providers = dict.fromkeys(login.provider for login in reading.logins.rows)
    pools = tuple(
        Pool(
            provider,
            provider,
            tuple(_member(login, reading.home) for login in reading.logins.rows if login.provider == provider),
            Strategy(strategies[provider]) if strategies.get(provider) in set(Strategy) else Strategy.FILL_FIRST,
            reopens_early=provider == CODEX,
            request_timeout_seconds=timeouts.get(provider, Pool("", "", ()).request_timeout_seconds),
            used_by=HERMES,
        )
        for provider in providers
    )
    return Configuration(
        link_of(file.primary),
        tuple(link_of(entry) for entry in file.chain),
        (*pools, *_without_row((file.primary, *file.chain), providers, reading.logins.signed_in)),
        origin=one_line(str(reading.home.path / "config.yaml")),
        loaded_at=file.modified_at,
        warnings=file.warnings,
        keymap=keymap,
    )


def _without_row(entries: Iterable[Entry], known: Container[str], signed_in: Container[str]) -> Iterator[Pool]:
    """Yield a pool for each provider that has no row: its key stands in config.yaml, or Hermes has not used it yet."""
    for provider, entry in {entry.provider: entry for entry in entries if entry.provider not in known}.items():
        label = entry.key_reference or (SIGNED_IN if provider in signed_in else "no key")
        yield Pool(provider, provider, (Member(label, "", ""),), used_by=HERMES)


def _member(login: Login, home: Home) -> Member:
    fault = None if has_key(login) else PlainText("no token: sign in again")
    lender = one_line(str(home.root)) if login.inherited else None
    return Member(login.label, login.fingerprint, login.id, fault, login.expires_at, lender)


def has_key(login: Login) -> bool:
    """Tell whether a login can be used as far as the file says; an API key may stand elsewhere."""
    return login.has_token or login.auth_type == "api_key"


def _credential(login: Login) -> Credential:
    key = CredentialKey(login.provider, login.label)
    reason = reason_of(login.code, login.reason)
    death = cooldown = None
    if login.status == "dead":
        death = Death(login.status_at or 0.0, reason, login.code, login.message, "")
    elif login.benched_until is not None:
        cooldown = _cooldown(login, login.benched_until, reason)
    models = tuple((model, _cooldown(login, until, reason)) for model, until in login.model_cooldowns)
    return Credential(
        key,
        login.fingerprint,
        death,
        cooldown,
        models,
        login.request_count,
        cleared_at=login.cleared_at if (login.cleared_at or 0.0) > (login.status_at or 0.0) else None,
    )


def _cooldown(login: Login, until: float, reason: FailureKind) -> Cooldown:
    since = login.status_at or until
    said = Said.PROVIDER if login.reset_at is not None and login.reset_at == until else Said.ASSUMED
    return Cooldown(since, until, said, reason, login.code, login.message, "", since)


def _session(name: str, conversation: Conversation, story: Story, reading: Reading, *, is_closed: bool) -> Session:
    file = reading.configuration
    primary = asked_for(conversation, story, file)
    chain = tuple(link_of(entry) for entry in file.chain) if file is not None else ()
    away = serving_elsewhere(conversation, story, primary.route)
    position = 0
    if away is not None:
        chain, position = placed(chain, *away)
    return Session(
        name,
        primary.route,
        chain,
        primary.fault,
        position=position,
        departure=_departure(story) if away is not None else None,
        cooldown=_own_cooldown(story, reading.release) if away is not None and not is_closed else None,
        unverified_since=_unverified(conversation, story, primary.route) if away is None else None,
        phase=Phase.RUNNING if conversation.busy_until is not None else Phase.IDLE,
        turn_started_at=story.turn.time if story.turn is not None and conversation.busy_until is not None else None,
        messages=conversation.messages,
        created_by_user=True,
        made_at=conversation.started_at,
    )


def _put_aside_at(conversation: Conversation, now: float) -> float | None:
    """Return when a session ended, where that is so long ago that it is no longer among the others."""
    ended = conversation.ended_at
    return ended if ended is not None and now - ended > ENDED_SECONDS else None


def _departure(story: Story) -> Departure | None:
    if story.left is None:
        return None
    failed = story.failed
    return Departure(
        story.left.time,
        reason_of(failed.code if failed else None, f"{failed.reason} {failed.text}" if failed else story.left.reason),
        failed.code if failed else None,
        (failed.credential or None) if failed else None,
        failed.text if failed else story.left.text,
    )


def _own_cooldown(story: Story, release: Release | None) -> SessionCooldown | None:
    """Return the session's own cooldown; before 0.22 that is a minute after a limit, and no line tells of it."""
    armed, left = story.backoff, story.left
    if armed is None and left is not None and release is not None and release.reopens_early is False:
        departure = _departure(story)
        limited = departure is not None and departure.reason is not None and departure.reason.is_limit_or_billing
        until = left.time + BENCHED_BEFORE_022_SECONDS
        return SessionCooldown(WaitKind.LIMIT, left.time, until, Said.ASSUMED, approximate=True) if limited else None
    if armed is None or armed.until is None:
        return None
    said = Said.PROVIDER if "provider" in armed.reason else Said.ASSUMED
    return SessionCooldown(WaitKind.LIMIT, armed.time, armed.until, said, approximate=True)


def _unverified(conversation: Conversation, story: Story, asked: Route) -> float | None:
    """Return when the session was put back, where no answer of the primary has followed."""
    if story.back is None or story.on_fallback:
        return None
    served = (one for one in conversation.served if is_same_route(asked, one.provider, one.model))
    answers = (one.last_seen or 0.0 for one in served)
    return story.back.time if max(answers, default=0.0) < story.back.time else None


def logins_of(reading: Reading, provider: str) -> Iterator[Login]:
    """Yield the logins of a provider, in the order in which Hermes takes them."""
    return (login for login in reading.pool if login.provider == provider)
