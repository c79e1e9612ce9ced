"""Prompts behind a turn: each is sent once, in order, and none is lost whatever Hermes says, or leaves unsaid."""

import asyncio
from pathlib import Path

import pytest

from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.gateway.session import HELD
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


async def test_what_waits_behind_a_turn_that_a_fault_ended_is_held(tmp_path: Path) -> None:
    async with running("failing", tmp_path) as run:
        await waiting(run, "next")
        await run.until(lambda: run.one.trouble == f"agent init failed; {HELD}")
        assert (run.one.in_turn, run.one.queued) == (False, 1)
        assert await run.host.prompt("stored", "more")
        await run.until(lambda: run.one.said[-1].text == "You said more.")
        assert run.prompted == ["hold", "next", "more"]


async def test_a_fault_that_ends_nothing_leaves_the_turn_and_its_question(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "switched")
        assert await run.host.prompt("stored", "next")
        await run.until(lambda: run.one.text == "It goes on.")
        question = run.one.question
        assert question is not None
        assert (run.one.in_turn, run.one.trouble) == (True, "Could not switch to configured model x")
        await run.host.answer("stored", question.key, "once")
        await run.until(lambda: run.one.said[-1].text == "You said next.")


async def test_one_that_hermes_puts_off_and_forgets_is_sent_again(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await waiting(run, "put off", "second")
        await run.until(lambda: run.one.said[-1].text == "You said second.")
        assert run.prompted == ["hold", "put off", "second"]


async def test_what_comes_behind_one_that_is_refused_waits_for_the_users_next(tmp_path: Path) -> None:
    async with running("slow", tmp_path) as run:
        await run.host.start("work", "")
        refused = asyncio.ensure_future(run.host.prompt("stored", "refuse once"))
        await run.until(lambda: run.one.in_turn)
        assert await run.host.prompt("stored", "second")
        with pytest.raises(RefusedError, match="a turn is running"):
            await refused
        assert (run.one.trouble, run.one.queued) == (f"a turn is running; {HELD}", 1)


async def test_a_session_that_is_open_under_another_id_keeps_what_waits(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "hold")
        await run.host.prompt("stored", "second")
        await run.host.open("child", "work", "third")
        assert run.one.queued == 2


async def test_one_that_cannot_be_written_to_is_not_ours(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        with pytest.raises(RefusedError, match="a turn is running"):
            await run.host.open("stored", "work", "refuse once")
        assert run.host.sessions() == {}


async def test_one_that_is_refused_waits_for_the_users_next_and_goes_before_it(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await waiting(run, "refuse once", "second")
        await run.until(lambda: run.one.trouble == f"a turn is running; {HELD}")
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


async def test_an_end_that_is_never_told_is_asked_for(tmp_path: Path) -> None:
    async with running("mum", tmp_path) as run:
        await waiting(run, "next")
        await run.until(lambda: [said.text for said in run.one.said] == ["next", "You said next."])
        await run.say("unsaid")
        assert await run.say("next") == "You said next."


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
        assert await run.say("next") == "You said next."
