"""Nothing jumps: the cursor keeps its row, what is read stays in place, and only what changed is painted."""

import random
from dataclasses import replace
from typing import Any, ClassVar

from hermes_tui.core.event import ActPerformed
from hermes_tui.core.session import Session
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import plain
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.themes import DARK
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.line import text_of
from tests.tui.driving import dashboard, main, settle, shown
from tests.tui.fakes import NIGHTLY, NOW, story_snapshot

CHANGES = 250


def _with_sessions(snapshot: Snapshot, rows: list[Session]) -> Snapshot:
    facts = replace(snapshot.facts, sessions={row.name: row for row in rows})
    return replace(snapshot, facts=facts, sessions=tuple(SessionState(row, "own") for row in rows))


def _marked(panel: Panel) -> str:
    """Return the line that the panel highlights."""
    assert panel._marked is not None
    return text_of(panel.lines[panel._marked])


async def test_c138_the_cursor_stays_on_its_session_while_rows_come_and_go_and_are_resorted() -> None:
    dice = random.Random(17)
    rows = [replace(NIGHTLY, name=f"agent-{number:02}") for number in range(30)]
    app, book = dashboard(_with_sessions(story_snapshot(), rows))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = main(app)
        panel = screen.panels[1]
        panel.move(17)
        for change in range(CHANGES):
            before = [row.name for row in rows]
            stood = before.index(str(screen.selection.session))
            match dice.randrange(5):
                case 0:
                    rows.insert(dice.randint(0, len(rows)), replace(NIGHTLY, name=f"new-{change:03}"))
                case 1 if len(rows) > 2:
                    del rows[dice.randrange(len(rows))]
                case 2:
                    dice.shuffle(rows)
                case 3:
                    at = dice.randrange(len(rows))
                    rows[at] = replace(rows[at], position=dice.randint(0, 2), turns=change)
                case _:
                    panel.move(dice.randint(-3, 3))
                    stood = before.index(str(screen.selection.session))
            await book.turn(_with_sessions(book.snapshot(), list(rows)))
            book.offset += dice.choice((0.0, 0.3, 1.0))
            app.tick()
            names = [row.name for row in rows]
            if before[stood] in names:
                assert screen.selection.session == before[stood]
            assert panel.key == ("own", screen.selection.session)
            assert screen.selection.session in names
            assert str(screen.selection.session) in _marked(panel)
        await settle(pilot)
        assert any(f"› {screen.selection.session}" in line for line in shown(app))


async def test_what_arrives_does_not_move_the_events_that_are_read() -> None:
    snapshot = story_snapshot()
    app, book = dashboard(snapshot)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        panel = main(app).panels[6]
        await pilot.press("6", "j", "j")
        await settle(pilot)
        read, place = [text_of(line) for line in panel.lines[2:]], panel._marked
        assert place == 2
        for number in range(20, 40):
            act = ActPerformed(time=NOW, session="triage", act=f"act {number}", target="x", effect=plain("done"))
            page = book.snapshot()
            await book.turn(replace(page, events=(*page.events, (number, act))))
            app.tick()
            assert panel._marked == place
            assert [text_of(line) for line in panel.lines[2:]][: len(read) - 3] == read[: len(read) - 3]


async def test_the_dashboard_that_stands_still_paints_its_clock_alone() -> None:
    class Watched(HermesApp):
        painted: ClassVar[list[tuple[int, int, int]]] = []

        def _display(self, _screen: Any, renderable: Any) -> None:
            self.painted.extend(getattr(renderable, "spans", ()))

    _, book = dashboard()
    snapshot = book.snapshot()
    quiet = replace(snapshot, facts=replace(snapshot.facts, sessions={}), sessions=(), events=())
    await book.turn(replace(quiet, facts=replace(quiet.facts, credentials={}, verdicts={}, holds={}, trials={})))
    app = Watched(book, look=replace(dashboard()[0].look, theme=DARK))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.painted.clear()
        for _ in range(5):
            book.offset += 1.0
            app.tick()
            await pilot.pause()
        assert app.painted
        assert {y for y, _, _ in app.painted} == {0}
        assert max(end - start for _, start, end in app.painted) <= len("14:07:22")
