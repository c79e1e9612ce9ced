"""The door of this program in its state: what others may say there, and what they are answered."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import serving
from hermes_tui.bridge.neighbours import LONGEST_REQUEST, StateNeighbours
from hermes_tui.bridge.plugin.door import LONGEST_UNSENT
from hermes_tui.core.acts import SendPrompt
from hermes_tui.core.codec import encode_command
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import TurnStarted
from hermes_tui.core.snapshot import Live
from hermes_tui.core.text import PlainText
from hermes_tui.serving import MOST_TEXT, FleetDoor, told
from tests.bridge.knocking import Caller, place, threads
from tests.engine.theatre import Theatre, play, scenario, theatre

ONE = scenario("backup/small")
ME = os.getpid()


async def asked(on: Theatre, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the door answers to each request, said one after another."""

    def ask() -> list[dict[str, Any]]:
        with Caller(on.on.state) as caller:
            return [caller.ask(**request) for request in requests]

    return await asyncio.to_thread(ask)


HELLO = {"do": "hello", "versions": [1]}


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"do": "dance"}, "does not know that: it is another version"),
        ({"do": "act"}, "expected an act"),
        ({"do": "act", "command": {"act": "fly"}}, "does not know that act"),
        ({"do": "act", "command": {"act": "send_prompt", "session": "s1"}}, "SendPrompt.text is missing"),
        ({"do": "act", "command": {"act": "send_prompt", "session": ["s1"], "text": "x"}}, "expected text"),
        ({"do": "act", "command": {"act": "reload_configuration"}}, "does not know that act"),
        ({"do": "act", "command": {"act": "stop_turn", "session": "\x1b[2J"}}, "does not run"),
        ({"do": "act", "command": {"act": "new_session", "session": "\x1b[2J"}}, "cannot be seen"),
        ({"do": "act", "command": {"act": "new_session", "session": "x", "every_seconds": float("nan")}}, "so often"),
    ],
)
def test_what_cannot_be_done_is_answered_with_the_reason_and_nothing_is_done(
    request_: dict[str, Any], why: str
) -> None:
    @play
    async def test() -> None:
        async with theatre(ONE) as on:
            door = FleetDoor(on.fleet, on.on.state)
            assert door.open() is None
            _, answer, state = await asked(on, HELLO, request_, {"do": "state"})
            assert why in answer["error"]
            assert state == {"result": {"lives": {}}}
            assert list(on.facts.sessions) == ["s1"]
            assert on.events(TurnStarted) == []
            door.close()

    test()


@play
async def test_who_speaks_another_protocol_is_told_to_start_again() -> None:
    async with theatre(ONE) as on:
        door = FleetDoor(on.fleet, on.on.state)
        door.open()
        (answer, unheard) = await asked(on, {"do": "hello", "versions": [2]}, {"do": "state"})
        assert answer["error"] == (
            f"process {ME} is another version of hermes-tui and speaks protocol 1: start it again"
        )
        assert "say hello first" in unheard["error"]
        door.close()


@play
async def test_a_long_prompt_arrives_whole() -> None:
    async with theatre(ONE) as on:
        door = FleetDoor(on.fleet, on.on.state)
        door.open()
        prompt = "Ünd weiter. " * 20_000
        assert len(prompt) < LONGEST_REQUEST
        said = await asyncio.to_thread(StateNeighbours(on.on.state).execute, ME, SendPrompt("s1", prompt))
        assert said == "sent to s1"
        await on.until(lambda: on.row().messages == 2)
        (message, _) = await on.fleet.messages("s1")
        assert message.text == prompt
        door.close()


def test_of_very_much_text_what_has_no_room_is_left_out() -> None:
    half = Live(PlainText("x" * (MOST_TEXT // 2 + 1)), sent_at=5.0)
    shown = told({"a": half, "b": half, "c": replace(half, text=PlainText("y"))})
    assert [len(one["text"]) for one in shown.values()] == [MOST_TEXT // 2 + 1, 0, 1]  # type: ignore[index]
    assert shown["b"] == {"text": "", "sent_at": 5.0, "queued": 0, "doing": ""}


def test_text_takes_as_much_room_as_it_has_bytes_on_the_line() -> None:
    lives = {"a": Live(PlainText("\N{SLEEPING SYMBOL}" * 400_000)), "b": Live(PlainText("y"))}
    assert [bool(one["text"]) for one in told(lives).values()] == [False, True]  # type: ignore[index]
    assert len(json.dumps(told(lives))) < LONGEST_UNSENT


async def _while_the_loop_is_held_up(work: Callable[[], object]) -> list[object]:
    """Return what `work` brings in a thread meanwhile, or the error that ends it."""
    found: list[object] = []

    def ask() -> None:
        try:
            found.append(work())
        except RefusedError as error:
            found.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(20)
    return found


@play
async def test_a_process_whose_loop_is_held_up_says_that_it_is_busy_in_time() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "ACT_SECONDS", 0.1)
        async with theatre(ONE) as on:
            door = FleetDoor(on.fleet, on.on.state)
            door.open()
            state = StateNeighbours(on.on.state)
            (answer,) = await _while_the_loop_is_held_up(lambda: state.execute(ME, SendPrompt("s1", "Go.")))
            assert answer == f"process {ME} is busy and has not done it yet; it may still do it"
            await on.until(lambda: on.row().messages == 2)
            door.close()


@play
async def test_an_act_that_comes_too_late_is_not_done() -> None:
    async with theatre(ONE) as on:
        door = FleetDoor(on.fleet, on.on.state)
        door.open()
        act = {"do": "act", "command": encode_command(SendPrompt("s1", "Go.")), "until": time.time() - 1.0}
        _, answer = await asked(on, HELLO, act)
        assert answer["error"] == f"process {ME} was busy for too long: nothing was done"
        assert on.events(TurnStarted) == []
        door.close()


@play
async def test_a_process_that_ends_takes_no_prompt_that_it_would_lose() -> None:
    async with theatre(ONE) as on:
        ending = asyncio.ensure_future(on.fleet.close())
        await asyncio.sleep(0)
        with pytest.raises(RefusedError):
            await on.fleet.execute_here(SendPrompt("s1", "Go."))
        await ending


@play
async def test_a_door_that_cannot_be_opened_says_why_and_sessions_run() -> None:
    async with theatre(ONE) as on:
        (on.on.state / "run").write_text("mine")
        door = FleetDoor(on.fleet, on.on.state)
        assert (door.open() or "").startswith("other screens cannot see these sessions live, nor act on them: ")
        door.close()
        assert await on.turn()


@play
async def test_a_closed_door_leaves_no_socket_and_no_thread() -> None:
    async with theatre(ONE) as on:
        door = FleetDoor(on.fleet, on.on.state)
        door.open()
        assert place(on.on.state).exists()
        assert Path(on.on.state / "run").stat().st_mode & 0o777 == 0o700
        door.close()
        for thread in threads():
            await asyncio.to_thread(thread.join, 5)
        assert threads() == []
        assert not place(on.on.state).exists()
