"""What holds for a session's row, whatever happens."""

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import TokenKey
from hermes_tui.core.event import (
    ActPerformed,
    ChainTaken,
    ClockStepped,
    CredentialLifted,
    Event,
    FallbackActivated,
    PrimaryRestored,
    TurnCompleted,
    TurnFailed,
)
from hermes_tui.core.facts import Facts
from hermes_tui.core.session import Phase, Session, WaitKind
from hermes_tui.storage.entries import Entry


class SessionLaws:
    """A session stands somewhere in its chain, and its wait for a limit ends for a reason."""

    def examine(self, entry: Entry, before: Facts) -> None:
        """Fail where a session's row breaks a law."""
        for row in entry.rows:
            if isinstance(row, Session) and entry.event is not None:
                _is_whole(row)
                _wait_stands(row, before.sessions.get(row.name), entry.event, has_key=_brings_a_key(entry, before, row))


def _is_whole(row: Session) -> None:
    assert 0 <= row.position <= len(row.chain), f"position {row.position} of {len(row.chain)}"
    assert 0 <= row.index <= len(row.chain), f"index {row.index} of {len(row.chain)}"
    assert (row.phase is Phase.IDLE) == (row.turn_started_at is None), f"{row.phase} since {row.turn_started_at}"


def _brings_a_key(entry: Entry, before: Facts, session: Session) -> bool:
    """Tell whether a configuration has a token for the session's primary that nothing is known of."""
    loaded = [row for row in entry.rows if isinstance(row, Configuration)]
    pools = [pool for row in loaded for pool in row.pools if pool.name == session.requested.pool]
    tokens = {
        TokenKey(pool.name, member.label, member.fingerprint)
        for pool in pools
        for member in pool.members
        if not member.fault
    }
    return not tokens <= before.credentials.keys()


def _wait_stands(row: Session, before: Session | None, event: Event, *, has_key: bool) -> None:
    """A wait for a limit ends with its date, a success, a restore, another key, or what the user does.

    Leaving the primary once more arms it anew, by what its pool says then.
    """
    was = before.cooldown if before else None
    if before is None or was is None or was.kind is not WaitKind.LIMIT or was.until <= event.time:
        return
    until = row.cooldown.until if row.cooldown else None
    if isinstance(event, ClockStepped):
        expected = was.until + (event.step if was.source is Said.ASSUMED else 0.0)
        assert until == expected, f"the step left {until} of {was}"
    elif not has_key and not _ends(event, row, before):
        assert until is not None, f"{was} is gone"
        assert until >= was.until, f"{was} became {row.cooldown}"


def _ends(event: Event, row: Session, before: Session) -> bool:
    match event:
        case PrimaryRestored() | CredentialLifted():
            return True
        case TurnCompleted():
            return (event.provider, event.model) == (row.requested.provider, row.requested.model)
        case ActPerformed():
            return event.act in ("reset_cooldown", "switch_model")
        case ChainTaken():
            return row.requested != before.requested
        case FallbackActivated() | TurnFailed():
            return not before.on_fallback and row.cooldown is not None
        case _:
            return False
