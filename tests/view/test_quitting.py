"""What is asked before the program ends."""

from dataclasses import replace

import pytest

from hermes_tui.core.session import Phase
from hermes_tui.core.snapshot import AT_REST, SessionState, Snapshot
from hermes_tui.view.quitting import HERMES_END, OWN_END, quitting
from tests.tui import situations

STORY = situations.story()


def page(*states: SessionState, **told: object) -> Snapshot:
    return replace(STORY, sessions=states, **told)  # type: ignore[arg-type]


def state(name: str, *, runs: bool = False, queued: int = 0, mine: bool = True) -> SessionState:
    before = STORY.sessions[0]
    row = replace(before.row, name=name, phase=Phase.RUNNING if runs else Phase.IDLE)
    return replace(before, row=row, mine=mine, owner=7, live=replace(AT_REST, queued=queued))


@pytest.mark.parametrize(
    ("states", "question", "effect"),
    [
        ((state("a", runs=True),), "Quit while 1 turn runs?", f"a: {OWN_END}"),
        ((state("a", queued=1),), "Quit while 1 prompt waits?", "What waits is lost."),
        (
            (state("a", runs=True, queued=2), state("b", runs=True), state("c", runs=True, mine=False)),
            "Quit while 2 turns run and 2 prompts wait?",
            f"a, b: {OWN_END} What waits is lost. What other processes run goes on.",
        ),
    ],
)
def test_what_would_be_broken_off_or_lost_is_asked_about(
    states: tuple[SessionState, ...], question: str, effect: str
) -> None:
    assert quitting([page(*states)]) == (question, effect)


def test_a_home_keeps_what_was_said() -> None:
    asked = quitting([page(state("a", runs=True), runs_new="Hermes of home")])
    assert asked == ("Quit while 1 turn runs?", f"a: {HERMES_END}")


def test_who_breaks_nothing_off_is_asked_nothing() -> None:
    assert quitting([page(state("a"), state("b", runs=True, queued=3, mine=False))]) is None
