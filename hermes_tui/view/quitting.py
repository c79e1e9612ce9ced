"""What is asked before the program ends: what runs here, what becomes of it, and what waits."""

from collections.abc import Sequence
from typing import Final

from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import OURS, SessionState, Snapshot
from hermes_tui.view.words import count

OWN_END: Final = "what has streamed so far is not kept; the sessions go on at the next start."
HERMES_END: Final = "Hermes keeps what was said; a prompt opens it again."


def quitting(snapshots: Sequence[Snapshot]) -> tuple[str, str] | None:
    """Return the question and what quitting does, None where nothing would be broken off or lost."""
    mine = [one for whole in snapshots for one in whole.sessions if one.mine]
    turns, waiting = sum(map(_runs, mine)), sum(map(_queued, mine))
    if not turns and not waiting:
        return None
    while_ = [count(turns, "turn runs", "turns run")] if turns else []
    while_ += [count(waiting, "prompt waits", "prompts wait")] if waiting else []
    told = [
        f"{', '.join(names)}: {OWN_END if whole.runs_new == OURS else HERMES_END}"
        for whole in snapshots
        if (names := [one.name for one in whole.sessions if one.mine and _runs(one)])
    ]
    told += ["What waits is lost."] if waiting else []
    if any(one.owner is not None and not one.mine for whole in snapshots for one in whole.sessions):
        told.append("What other processes run goes on.")
    return f"Quit while {' and '.join(while_)}?", " ".join(told)


def _runs(state: SessionState) -> bool:
    return state.row.phase is not Phase.IDLE


def _queued(state: SessionState) -> int:
    return state.live.queued if state.live is not None else 0
