"""The loop whose time jumps."""

import asyncio
import time

import pytest

from hermes_tui.simulator import JumpingLoop, jumping, run_jumping

from .bench import ask, serving


@jumping
async def test_a_sleep_of_a_year_takes_no_time() -> None:
    loop, started = asyncio.get_running_loop(), time.process_time()
    await asyncio.sleep(365 * 86400)
    assert loop.time() >= 365 * 86400
    assert time.process_time() - started < 1


@jumping
async def test_timers_fire_in_their_order_whoever_asked_first() -> None:
    fired: list[int] = []

    async def wait(seconds: int) -> None:
        await asyncio.sleep(seconds)
        fired.append(seconds)

    await asyncio.gather(wait(300), wait(1), wait(20))
    assert fired == [1, 20, 300]


@jumping
async def test_bytes_on_their_way_are_not_overtaken_by_a_timeout() -> None:
    async with serving() as (_, client):
        for _ in range(50):
            async with asyncio.timeout(1.0):
                assert (await ask(client)).status_code == 200
    assert asyncio.get_running_loop().time() < 1


@jumping
async def test_two_hundred_requests_five_minutes_apart_go_over_real_http() -> None:
    started = time.process_time()
    async with serving() as (simulator, client):
        for _ in range(200):
            assert (await ask(client)).status_code == 200
            await asyncio.sleep(301)
        assert len(simulator.requests) == 200
    assert asyncio.get_running_loop().time() >= 200 * 301
    assert time.process_time() - started < 10


@jumping
async def test_time_does_not_jump_over_a_working_thread() -> None:
    async with asyncio.timeout(60):
        await asyncio.to_thread(time.sleep, 0.05)
    assert 0 < asyncio.get_running_loop().time() < 30


def test_it_is_cleaned_up_when_the_coroutine_fails() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def fail() -> None:
        loops.append(asyncio.get_running_loop())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_jumping(fail)
    assert loops[0].is_closed()


def test_a_runner_takes_it_as_its_loop_factory() -> None:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(asyncio.sleep(1000))
        assert runner.get_loop().time() >= 1000
