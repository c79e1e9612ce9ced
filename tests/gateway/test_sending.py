"""Prompts behind a turn: each is sent once, in order, and none is lost whatever Hermes says, or leaves unsaid."""

from pathlib import Path

import pytest

from hermes_tui.core.errors import NothingReachableError
from tests.gateway.running import Running, running


async def waiting(run: Running, *prompts: str) -> None:
    """Have prompts wait behind a turn, and stop that."""
    await run.host.start("work", "hold")
    for prompt in prompts:
        assert await run.host.prompt("stored", prompt)
    assert run.one.queued == len(prompts)
    await run.host.stop("stored")


async def test_of_two_that_wait_one_is_sent_though_the_end_is_told_twice(tmp_path: Path) -> None:
    async with running("twice", tmp_path) as run:
        await waiting(run, "hold again", "next")
        await run.until(lambda: run.one.text == "So far " and run.one.said[0].text == "hold again")
        assert (run.one.in_turn, run.one.queued) == (True, 1)
        await run.host.stop("stored")
        await run.until(lambda: [said.text for said in run.one.said] == ["next", "You said next."])


async def test_what_waits_is_sent_behind_a_fault_too(tmp_path: Path) -> None:
    async with running("failing", tmp_path) as run:
        await waiting(run, "next")
        await run.until(lambda: [said.text for said in run.one.said] == ["next", "You said next."])
        assert run.one.queued == 0


async def test_one_that_is_refused_waits_for_the_users_next_and_goes_before_it(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await waiting(run, "refuse once", "second")
        await run.until(lambda: run.one.trouble == "a turn is running; what waits is sent with your next prompt")
        assert (run.one.in_turn, run.one.queued) == (False, 2)
        assert await run.host.prompt("stored", "third")
        await run.until(lambda: run.one.said[-1].text == "You said third.")
        assert run.prompted == ["hold", "refuse once", "second", "third"]


async def test_one_that_may_have_arrived_is_not_sent_again_and_says_so(tmp_path: Path) -> None:
    async with running("good", tmp_path, patience_seconds=2.0) as run:
        await waiting(run, "silence", "second")
        await run.until(lambda: "the prompt may have arrived; what waits" in run.one.trouble)
        assert run.one.queued == 1
        assert await run.host.prompt("stored", "third")
        await run.until(lambda: run.one.said[0].text == "third" and not run.one.in_turn)


async def test_what_comes_while_a_turn_winds_up_waits_for_its_end(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "linger")
        await run.until(lambda: not run.one.in_turn)
        assert await run.host.prompt("stored", "next")
        assert run.one.queued == 1


async def test_an_end_that_is_never_told_is_made_up_for_by_a_stop(tmp_path: Path) -> None:
    async with running("mum", tmp_path) as run:
        await run.host.start("work", "linger")
        await run.until(lambda: not run.one.in_turn)
        assert await run.host.prompt("stored", "next")
        await run.host.stop("stored")
        await run.until(lambda: [said.text for said in run.one.said] == ["next", "You said next."])


async def test_a_prompt_whose_turn_has_begun_has_arrived_without_an_answer(tmp_path: Path) -> None:
    async with running("good", tmp_path, patience_seconds=2.0) as run:
        await run.host.start("work", "")
        assert not await run.host.prompt("stored", "late")
        assert (run.one.in_turn, run.one.text, run.one.trouble) == (True, "I am at it.", "")


async def test_one_that_is_not_answered_at_all_may_have_arrived(tmp_path: Path) -> None:
    async with running("good", tmp_path, patience_seconds=2.0) as run:
        await run.host.start("work", "")
        with pytest.raises(NothingReachableError, match=r"no answer in 2 s: the prompt may have arrived"):
            await run.host.prompt("stored", "silence")
        assert not run.one.in_turn
        assert not await run.host.prompt("stored", "next")
