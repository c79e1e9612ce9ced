"""Who takes an edited configuration, and when: said before it is saved (M44)."""

from dataclasses import dataclass, fields
from enum import StrEnum

from hermes_tui.core.configuration import Configuration, Settings
from hermes_tui.core.lifecycle import take_chain
from hermes_tui.core.plans import archived
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText


class When(StrEnum):
    """When a change takes effect; the value is how a person says it."""

    NOW = "now"
    NEXT_TURN = "at its next turn"
    TURN_ENDED = "when its turn has ended"


@dataclass(frozen=True, slots=True)
class Taking:
    """What an edited configuration means to one session, or to all of them where `session` is None."""

    session: str | None
    what: PlainText
    when: When


def takings(snapshot: Snapshot, configuration: Configuration, now: float) -> tuple[Taking, ...]:
    """Return what `configuration` would change for whom: settings first, then sessions in their order."""
    before = snapshot.facts.configuration
    found = (
        [Taking(None, what, When.NOW) for what in _settings(before.settings, configuration.settings)] if before else []
    )
    for state in snapshot.sessions:
        taking = _of_session(state, configuration, now)
        if taking is not None:
            found.append(taking)
    there = {state.name for state in snapshot.sessions} | {row.name for row in archived(snapshot.facts)}
    found += [
        Taking(plan.name, PlainText(f"begins on {configuration.routes_of(plan)[0].route}"), When.NOW)
        for plan in configuration.sessions
        if plan.name not in there
    ]
    return tuple(found)


def _settings(before: Settings, after: Settings) -> list[PlainText]:
    changed = [(field.name, getattr(before, field.name), getattr(after, field.name)) for field in fields(Settings)]
    return [PlainText(f"{name} {old} › {new}") for name, old, new in changed if old != new]


def _of_session(state: SessionState, configuration: Configuration, now: float) -> Taking | None:
    row = state.row
    if configuration.plan(row.name) is None and not row.created_by_user:
        return Taking(row.name, PlainText("ends: it is not in the file any more"), _when(row, When.TURN_ENDED))
    after = take_chain(row, configuration, now).value
    if (after.requested, after.chain) == (row.requested, row.chain):
        return None
    return Taking(row.name, PlainText(_stand(row, after)), _when(row, When.NEXT_TURN))


def _when(row: Session, later: When) -> When:
    return When.NOW if row.phase is Phase.IDLE else later


def _stand(before: Session, after: Session) -> str:
    """Say where the session stands with the new chain."""
    length = len(after.chain)
    if after.requested.key != before.requested.key and not after.on_fallback:
        return f"takes {after.requested} as its primary, {_entries(length)}"
    if not before.on_fallback:
        return f"stays on its primary, {_entries(length)}"
    if after.on_fallback:
        return f"stays on {after.active}, now entry {after.position} of {length}"
    return f"goes back to {after.requested}: {before.active} has left the chain"


def _entries(length: int) -> str:
    return f"with {length} entr{'y' if length == 1 else 'ies'} behind it" if length else "with nothing behind it"
