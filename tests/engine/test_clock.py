"""The engine's clock: its speed, its limits, and a wall clock that somebody sets (M23)."""

import asyncio
import itertools
import time

import pytest

from hermes_tui.engine.clock import SLEEP_IS_COUNTED, EngineClock
from tests.engine.theatre import START, play


def _clock(**options: float) -> EngineClock:
    return EngineClock(start=START, elapsed=asyncio.get_running_loop().time, **options)


@play
async def test_a_faster_clock_waits_less() -> None:
    clock, before = _clock(speed=60.0), asyncio.get_running_loop().time()
    await clock.sleep(600)
    assert clock.now() == pytest.approx(START + 600)
    assert asyncio.get_running_loop().time() - before == pytest.approx(10)


@play
async def test_m11_a_watchdog_bites_after_silence_and_not_while_it_is_touched() -> None:
    clock = _clock()

    async def five_signs_of_life() -> None:
        async with clock.watchdog(30) as watchdog:
            for _ in range(5):
                await clock.sleep(25)
                watchdog.touch(30)
            await clock.sleep(100)

    with pytest.raises(TimeoutError):
        await five_signs_of_life()
    assert clock.now() == pytest.approx(START + 5 * 25 + 30)


@play
async def test_m11_a_watchdog_may_become_less_patient() -> None:
    clock = _clock()

    async def one_sign_of_life() -> None:
        async with clock.watchdog(120) as watchdog:
            watchdog.touch(10)
            await clock.sleep(100)

    with pytest.raises(TimeoutError):
        await one_sign_of_life()
    assert clock.now() == pytest.approx(START + 10)


@play
async def test_a_watchdog_leaves_a_cancellation_from_outside_alone() -> None:
    clock = _clock()

    async def watched() -> None:
        async with clock.watchdog(30):
            await clock.sleep(100)

    task = asyncio.ensure_future(watched())
    await clock.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_m23_a_wall_clock_that_is_set_is_noticed_once(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    wall, elapsed = [START], [0.0]
    monkeypatch.setattr(time, "time", lambda: wall[0])
    clock = EngineClock(elapsed=lambda: elapsed[0])
    wall[0], elapsed[0] = START + 60, 60.0
    assert clock.wall_step() == 0.0
    wall[0] += step
    assert clock.wall_step() == (step if step < 0 or SLEEP_IS_COUNTED else 0.0)
    assert clock.wall_step() == 0.0


def test_m23_a_laptops_sleep_is_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, elapsed = [START], [0.0]
    monkeypatch.setattr(time, "time", lambda: wall[0])
    clock = EngineClock(elapsed=lambda: elapsed[0])
    wall[0], elapsed[0] = START + 8 * 3600, 8 * 3600.0
    assert clock.wall_step() == 0.0


@pytest.mark.parametrize("held_up_at", range(1, 10))
def test_m23_a_process_that_is_held_up_between_two_looks_sees_no_step(
    monkeypatch: pytest.MonkeyPatch, held_up_at: int
) -> None:
    seconds, looks = [0.0], itertools.count(1)

    def look(since: float) -> float:
        seen = since + seconds[0]
        seconds[0] += 3600.0 if next(looks) == held_up_at else 0.0
        return seen

    monkeypatch.setattr(time, "time", lambda: look(START))
    clock = EngineClock(elapsed=lambda: look(0.0))
    assert [clock.wall_step(), clock.wall_step()] == [0.0, 0.0]
