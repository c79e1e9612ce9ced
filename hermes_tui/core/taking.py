"""Who takes an edited configuration, and when: said before it is saved (M44)."""

from dataclasses import fields
from enum import StrEnum

from hermes_tui.core.configuration import Configuration, SessionPlan, Settings
from hermes_tui.core.lifecycle import take_chain
from hermes_tui.core.plans import archived, written_plan
from hermes_tui.core.route import Link, Route
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class When(StrEnum):
    """When a change takes effect; the value is how a person says it."""

    NOW = "now"
    NEXT_RUN = "when it runs next"
    TURN_ENDED = "after the turn that runs"
    COOLED_DOWN = "after its own cooldown"
    STARTED_AGAIN = "when it is started again"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Taking:
    """What an edited configuration means to one session, or to all of them where `session` is None.

    `before` and `after` are the routes of the session, the primary first. `loses` tells that the route that it is on
    is not among them any more.
    """

    session: str | None
    what: PlainText
    when: When
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    loses: bool = False


def takings(snapshot: Snapshot, configuration: Configuration, now: float) -> tuple[Taking, ...]:
    """Return what `configuration` would change for whom: settings first, then sessions in their order.

    Sessions that a changed chain or primary of the file does not reach are told too, with the reason.
    """
    before = snapshot.facts.configuration
    found = (
        [Taking(None, what, When.NOW) for what in _settings(before.settings, configuration.settings)] if before else []
    )
    shared = before is not None and configuration.routes_of(None) != before.routes_of(None)
    for state in snapshot.sessions:
        taking = _of_session(state, configuration, now) or (_untouched(state.row, configuration) if shared else None)
        if taking is not None:
            found.append(taking)
    there = {state.name for state in snapshot.sessions} | {row.name for row in archived(snapshot.facts)}
    found += [_beginning(plan, configuration) for plan in configuration.sessions if plan.name not in there]
    return tuple(found)


def _beginning(plan: SessionPlan, configuration: Configuration) -> Taking:
    primary, chain = configuration.routes_of(plan)
    return Taking(plan.name, PlainText(f"begins on {primary.route}"), When.NOW, (), _names(primary.route, chain))


def _names(primary: Route, chain: tuple[Link, ...]) -> tuple[str, ...]:
    return (str(primary), *(str(link.route) for link in chain))


def _settings(before: Settings, after: Settings) -> list[PlainText]:
    changed = [(field.name, getattr(before, field.name), getattr(after, field.name)) for field in fields(Settings)]
    return [PlainText(f"{name} {old} › {new}") for name, old, new in changed if old != new]


def _of_session(state: SessionState, configuration: Configuration, now: float) -> Taking | None:
    row = state.row
    before = _names(row.requested, row.chain)
    if configuration.plan(row.name) is None and not row.created_by_user:
        what = PlainText("ends: it is not in the file any more")
        return Taking(row.name, what, _when(state), before, loses=True)
    after = take_chain(row, configuration, now).value
    if (after.requested, after.chain) == (row.requested, row.chain):
        return None
    loses = row.on_fallback and not after.on_fallback
    return Taking(
        row.name, PlainText(_stand(row, after)), _when(state), before, _names(after.requested, after.chain), loses
    )


def _untouched(row: Session, configuration: Configuration) -> Taking | None:
    """Say why a change of what the file gives to all does not reach a session."""
    plan = written_plan(configuration, row)
    if plan is not None and plan.chain is not None:
        why = "keeps the chain of its own that the file gives it"
    elif row.switched:
        why = f"keeps {row.requested}, which you switched it to"
    elif plan is not None and plan.primary is not None:
        why = "keeps the primary of its own that the file gives it"
    else:
        return None
    return Taking(row.name, PlainText(why), When.NEVER)


def _when(state: SessionState) -> When:
    if state.row.phase is not Phase.IDLE:
        return When.TURN_ENDED
    return When.NOW if state.mine or state.owner is not None else When.NEXT_RUN


def _stand(before: Session, after: Session) -> str:
    """Say where the session stands with the new chain."""
    length = len(after.chain)
    if after.requested.key != before.requested.key and not after.on_fallback:
        return f"takes {after.requested} as its primary, {entries_behind(length)}"
    if not before.on_fallback:
        return f"stays on its primary, {entries_behind(length)}"
    if after.on_fallback:
        return f"stays on {after.active}, now entry {after.position} of {length}"
    return f"goes back to {after.requested}: {before.active} has left the chain"


def entries_behind(length: int) -> str:
    """Say how many entries a session has behind its primary."""
    return f"with {length} entr{'y' if length == 1 else 'ies'} behind it" if length else "with nothing behind it"
