"""Sessions as workers, starting and leaving."""

import asyncio
from dataclasses import replace

import pytest

from hermes_tui.core.errors import StateError
from hermes_tui.core.ports import Running
from hermes_tui.tui import app as app_module
from hermes_tui.tui.app import HermesApp
from tests.tui.driving import dashboard, everything, settle, toasts
from tests.tui.fakes import story_snapshot


async def forever() -> None:
    """Wait for ever."""
    await asyncio.Event().wait()


async def test_each_session_is_a_worker_of_its_own_group() -> None:
    app, _ = dashboard()
    async with app.run_test() as pilot:
        first, second = app.spawn("one", forever()), app.spawn("two", forever())
        await pilot.pause()
        groups = {worker.group for worker in app.workers if worker.group.startswith("session:")}
        assert groups == {"session:one", "session:two"}
        first.cancel()
        await first.wait()
        assert {worker.group for worker in app.workers if worker.is_running} >= {"session:two"}
        second.cancel()
        await second.wait()


async def test_giving_up_waiting_for_a_session_does_not_end_it() -> None:
    app, _ = dashboard()
    async with app.run_test() as pilot:
        running = app.spawn("one", forever())
        waiting = asyncio.ensure_future(running.wait())
        await pilot.pause()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await pilot.pause()
        assert any(worker.name == "one" and worker.is_running for worker in app.workers)


async def test_c140_a_session_that_fails_stops_the_engine_line_not_the_app() -> None:
    app, book = dashboard()

    async def fail() -> None:
        raise ValueError("[/] oops")

    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        running: Running = app.spawn("nightly-docs", fail())
        await running.wait()
        await settle(pilot)
        assert "The engine stopped: nightly-docs: ValueError: [/] oops." in everything(app)
        assert toasts(app) == ["nightly-docs: ValueError: [/] oops"]
        await pilot.press("R")
        await settle(pilot)
        assert "The engine stopped" not in everything(app)
        assert book.done
        assert app.is_running


async def test_the_engine_starts_after_the_first_frame() -> None:
    seen: list[str] = []

    async def start(app: HermesApp) -> None:
        seen.append(everything(app))
        app.spawn("one", forever())

    app, _ = dashboard(start=start)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert len(seen) == 1
        assert "1 Sessions" in seen[0]


async def test_an_engine_that_does_not_start_says_so() -> None:
    async def start(app: HermesApp) -> None:
        raise StateError("/home/somebody/.local/state/hermes-tui/state.db: the disk is full; nothing was written")

    app, _ = dashboard(start=start)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "The engine stopped: engine: /home/somebody/" in everything(app)
        assert "nothing was written" in everything(app)
        assert "R restarts it." in everything(app)


async def test_what_runs_is_stopped_once_on_the_way_out() -> None:
    stops: list[int] = []

    async def stop() -> None:
        stops.append(1)

    snapshot = story_snapshot()
    app, _ = dashboard(replace(snapshot, sessions=()), stop=stop)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("q")
        await pilot.pause()
    assert stops == [1]


async def test_c140_a_stop_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "STOP_SECONDS", 0.05)
    app, _ = dashboard(replace(story_snapshot(), sessions=()), stop=forever)
    async with asyncio.timeout(60), app.run_test() as pilot:
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0


async def test_c140_a_worker_of_the_library_that_fails_is_told() -> None:
    app, _ = dashboard()

    async def fail() -> None:
        raise ValueError("[/] oops")

    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        app.screen.run_worker(fail())
        await settle(pilot)
        assert any("ValueError: [/] oops" in told for told in toasts(app))
        assert app.is_running
