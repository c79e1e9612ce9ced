"""Sessions that run in a child, against one that breaks every rule: nothing hangs, nothing is shown that steers."""

import asyncio
import os
import time
from pathlib import Path

import psutil
import pytest

from hermes_tui.core.errors import NothingReachableError, RefusedError
from hermes_tui.core.session import Role
from hermes_tui.gateway.asking import DENY, SKIPPED
from hermes_tui.gateway.host import GatewayHost
from hermes_tui.gateway.launching import Launch, launch_of
from tests.gateway.fake import SECRET
from tests.gateway.running import running


async def test_a_turn_is_told_as_it_goes_and_what_was_said_in_it_when_it_is_over(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "hello")
        assert run.one.conversation == "stored"
        await run.until(lambda: not run.one.in_turn)
        assert [(said.role, said.text) for said in run.one.said] == [
            (Role.USER, "hello"),
            (Role.ASSISTANT, "You said hello."),
        ]
        assert (run.one.title, run.one.text, run.one.doing, run.one.question) == ("work", "", "", None)
        assert run.one is run.one
        assert run.changes > 3


async def test_garbage_huge_lines_and_unknown_events_do_no_harm(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        assert await run.say("garbage") == "It is all right."
        assert await run.say("again") == "You said again."


async def test_nothing_that_steers_a_terminal_and_no_key_is_shown(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        said = await run.say("escape")
        assert said.isprintable()
        assert SECRET not in said
        await run.host.prompt("stored", f"approve rm -r {SECRET} \x1b[2J")
        await run.until(lambda: run.one.question is not None)
        question = run.one.question
        assert question is not None
        assert question.about.startswith("rm -r <redacted> ␛[2J\nSomething in it is hidden")


async def test_of_several_commands_that_an_answer_may_reach_none_can_be_allowed(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        served = run.host._run
        assert served is not None
        (id_,) = served.sessions
        for command in ("ls harmless", "rm -rf everything"):
            run.host._hear(served, "approval.request", id_, {"command": command})
        question = run.one.question
        assert question is not None
        assert (question.about, [answer.id for answer in question.answers]) == ("rm -rf everything", ["deny"])
        (asked,) = served.sessions[id_].questions
        reply = asked.answered(question.key, "deny").reply(id_)
        assert reply.content == {"session_id": id_, "choice": "deny", "all": True}


async def test_a_command_is_shown_whole_but_for_keys(tmp_path: Path) -> None:
    command = "ssh ada@example.org cat user-12345678 550e8400-e29b-41d4-a716-446655440000"
    async with running("good", tmp_path) as run:
        await run.host.start("work", f"approve {command}")
        await run.until(lambda: run.one.question is not None)
        question = run.one.question
        assert question is not None
        assert (question.about, [answer.id for answer in question.answers]) == (command, ["session", "once", "deny"])


async def test_a_question_that_is_too_long_for_a_line_is_told_whole(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        served = run.host._run
        assert served is not None
        (id_,) = served.sessions
        asked = "\n".join(f"{number}. Shall it be so?" for number in range(100))
        run.host._hear(served, "clarify.request", id_, {"request_id": "r", "question": asked, "choices": ["yes"]})
        question = run.one.question
        assert question is not None
        assert question.text.startswith("0. Shall it be so? 1. Shall")
        assert question.about == asked


async def test_what_a_tool_waited_for_is_asked_no_more_once_no_tool_runs(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        served = run.host._run
        assert served is not None
        (id_,) = served.sessions
        run.host._hear(served, "message.start", id_, {})
        for tool in ("1", "2"):
            run.host._hear(served, "tool.start", id_, {"tool_id": tool, "name": "terminal"})
        run.host._hear(served, "approval.request", id_, {"command": "rm -r x"})
        for tool, is_asked in (("other", True), ("2", True), ("1", False)):
            run.host._hear(served, "tool.complete", id_, {"tool_id": tool, "name": "terminal"})
            assert (run.one.question is not None) is is_asked


async def test_a_prompt_behind_a_turn_waits_and_is_sent_when_that_has_ended(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "hold it")
        await run.until(lambda: run.one.text == "So far ")
        assert await run.host.prompt("stored", "next")
        assert run.one.queued == 1
        await run.host.stop("stored")
        await run.until(lambda: [said.text for said in run.one.said] == ["next", "You said next."])
        assert run.one.queued == 0


async def test_a_child_that_dies_in_a_turn_is_told_with_its_last_words_and_another_can_be_started(
    tmp_path: Path,
) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "hello")
        await run.until(lambda: not run.one.in_turn)
        await run.host.prompt("stored", "die")
        await run.until(lambda: run.lost != [])
        assert run.lost == [("stored", "ended with code 3: KeyError: ␛[31m<redacted>")]
        assert run.host.sessions() == {}
        with pytest.raises(RefusedError, match="not open here any more"):
            await run.host.prompt("stored", "hello?")
        await run.host.open("stored", "work", "again")
        await run.until(lambda: not run.one.in_turn)
        assert run.one.said[-1].text == "You said again."


async def test_what_streams_is_told_of_a_few_times_a_second_however_fast_it_comes(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        run.changes, began = 0, time.monotonic()
        await run.say("burst")
        assert run.changes < 20 + 20 * (time.monotonic() - began)


async def test_what_a_child_that_died_had_started_goes_too(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        pid = run.one.pid
        await run.host.prompt("stored", "orphan")
        await run.until(lambda: len(group(pid)) == 2 or run.lost != [])
        members = group(pid)
        await run.until(lambda: run.lost != [])
        await run.until(lambda: not any(map(alive, {*members, *group(pid)})))


async def test_a_child_that_died_is_told_though_its_output_is_held_open_by_another(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "")
        await run.host.prompt("stored", "estranged")
        await run.until(lambda: run.lost != [])


async def test_a_child_that_cannot_start_says_why_in_a_sentence(tmp_path: Path) -> None:
    async with running("dead", tmp_path) as run:
        with pytest.raises(NothingReachableError) as told:
            await run.host.start("work", "hello")
        assert str(told.value) == (
            "Hermes did not start: ended with code 1: ModuleNotFoundError: no tui_gateway, <redacted>"
        )
        assert run.lost == []
    async with running("mute", tmp_path, start_seconds=0.3) as run:
        with pytest.raises(NothingReachableError, match=r"did not start: it took over 0.3 s"):
            await run.host.start("work", "hello")
    missing = GatewayHost(Launch(("/nowhere/python",), {}, tmp_path), time.time, lambda: None, lambda _one, _why: None)
    with pytest.raises(NothingReachableError, match="/nowhere/python cannot be started: No such file"):
        await missing.start("work", "hello")


async def test_what_hermes_has_against_it_and_a_method_that_it_lacks_are_said(tmp_path: Path) -> None:
    async with running("full", tmp_path) as run:
        with pytest.raises(RefusedError, match=r"^too many sessions ␛\[1m <redacted>$"):
            await run.host.start("work", "hello")
        assert run.host.sessions() == {}
    async with running("without-titles", tmp_path) as run:
        with pytest.raises(RefusedError, match=r"knows no session.title: another version is needed"):
            await run.host.start("work", "hello")
        assert run.host.sessions() == {}


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("sudo", '{"value": ""}'),
        ("window", '{"code": -32601, "message": "this client does not answer that"}'),
        ("old-secret", '{"password": "", "request_id": "r1"}'),
    ],
)
async def test_secrets_and_what_a_terminal_cannot_do_are_declined_at_once(
    prompt: str, answer: str, tmp_path: Path
) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", prompt)
        await run.until(lambda: not run.one.in_turn)
        assert run.one.said[-1].text == f"Answered {answer}"
        assert ("do that in Hermes" in run.one.trouble) == (prompt != "window")
        assert run.one.question is None


async def test_questions_are_answered_one_after_the_other_and_sent_together(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "clarify")
        await run.until(lambda: run.one.question is not None)
        first = run.one.question
        assert first is not None
        assert (first.text, [answer.words for answer in first.answers], first.takes_text) == (
            "Which ␛[2J colour?",
            ["red", "blue", "Give no answer"],
            True,
        )
        with pytest.raises(RefusedError, match="not asked any more"):
            await run.host.answer("stored", "another", "red")
        await run.host.answer("stored", first.key, "blue")
        second = run.one.question
        assert second is not None
        assert second.text == "Why?"
        await run.host.answer("stored", second.key, SKIPPED)
        await run.until(lambda: not run.one.in_turn)
        assert run.one.said[-1].text == 'Answered {"answers": {"q0": "blue", "q1": null}}'


async def test_nobody_can_allow_what_is_too_long_to_be_read(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", f"approve rm -r {'x' * 30_000}")
        await run.until(lambda: run.one.question is not None)
        question = run.one.question
        assert question is not None
        assert [answer.id for answer in question.answers] == [DENY]
        assert question.about.endswith("It is too long to be shown, and so to be allowed.")
        await run.host.answer("stored", question.key, DENY)
        await run.until(lambda: not run.one.in_turn)
        assert run.one.said[-1].text == 'Answered {"choice": "deny"}'


async def test_a_turn_without_a_reply_says_what_went_wrong_until_the_next_prompt(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "broken")
        await run.until(lambda: not run.one.in_turn)
        assert run.one.trouble == "Error: no route"
        assert await run.say("again") == "You said again."
        assert run.one.trouble == ""


async def test_the_process_ends_with_its_last_session_and_begins_with_the_next(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "hello")
        first = run.one.pid
        await run.host.let_go("stored")
        assert not alive(first)
        assert run.host.sessions() == {}
        await run.host.start("work", "hello")
        assert run.one.pid != first
        second = run.one.pid
    assert not alive(second)
    assert run.lost == []


async def test_who_is_still_starting_ends_too(tmp_path: Path) -> None:
    async with running("mute", tmp_path) as run:
        starting = asyncio.ensure_future(run.host.start("work", "hello"))
        await run.until(lambda: len(psutil.Process().children()) > 0)
        (child,) = psutil.Process().children()
        await run.host.end()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not child.is_running()
        assert run.lost == []


async def test_who_does_not_end_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    async with running("stubborn", tmp_path) as run:
        await run.host.start("work", "hello")
        pid = run.one.pid
        assert os.getpgid(pid) == pid
        members = group(pid)
        assert len(members) == 2
    await run.until(lambda: not any(map(alive, members)))


async def test_a_tool_that_runs_in_a_session_of_its_own_ends_with_it(tmp_path: Path) -> None:
    async with running("good", tmp_path) as run:
        await run.host.start("work", "work")
        child = psutil.Process(run.one.pid)
        await run.until(lambda: len(child.children(recursive=True)) == 2)
        tools = [one.pid for one in child.children(recursive=True)]
        assert all(os.getsid(tool) not in (os.getsid(0), os.getsid(child.pid)) for tool in tools)
    await run.until(lambda: not any(map(alive, tools)))


def alive(pid: int) -> bool:
    """Tell whether a process runs: one that nobody has asked about since it ended does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def group(leader: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if os.getpgid(int(entry.name)) == leader:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_one_release_is_started_with_the_name_that_it_forgot_to_import(tmp_path: Path) -> None:
    launch = launch_of(tmp_path, Path("/venv/bin/python"), "0.22.2.post1", {"PATH": "/bin"}, tmp_path)
    assert launch.command[:3] == ("/venv/bin/python", "-P", "-c")
    assert launch.environ == {"PATH": "/bin", "HERMES_HOME": str(tmp_path)}
    assert launch_of(tmp_path, Path("/venv/bin/python"), "0.23.0", {}, tmp_path).command == (
        "/venv/bin/python", "-P", "-m", "tui_gateway.entry",
    )  # fmt: skip
