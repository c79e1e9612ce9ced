"""Sessions of a home that run here: shown before the home knows them, and as it has them once it does."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from hermes_tui.core.acts import AnswerQuestion, ArchiveSession, NewSession, SendPrompt, StopTurn, SwitchModel
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ActPerformed, QuestionAsked, SessionInterrupted
from hermes_tui.core.preview import Confirm, Ready, Refused
from hermes_tui.core.question import Answer, Question
from hermes_tui.core.session import Message, Phase, Role
from hermes_tui.core.snapshot import OURS, Live, SessionState
from hermes_tui.core.text import PlainText
from hermes_tui.gateway.values import Hosted, Said
from hermes_tui.hermes.hosted import HostedSessions, unsaved
from hermes_tui.hermes.hosted_previews import Ground
from hermes_tui.hermes.hosting import Lost
from hermes_tui.hermes.memory import Memory, OpenSession
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.source import HermesHome
from hermes_tui.hermes.values import Running
from tests.hermes.made import FREE, ID, NOW, PRIMARY, conversation, reading
from tests.hermes.test_source import Shelf

FRESH = "20260528_130000_ffffff"
TRUE = PlainText("May it run this?")
QUESTION = Question("1/choice", TRUE, PlainText("rm -r x"), (Answer("deny", PlainText("Deny")),))


@dataclass
class MadeHost:
    """Does nothing but remember. Implements `hermes.hosting.Host`."""

    hosted: dict[str, Hosted] = field(default_factory=dict)
    done: list[tuple[str, ...]] = field(default_factory=list)
    on_change: Callable[[], None] = lambda: None
    while_it_starts: Callable[[], None] = lambda: None

    def sessions(self) -> Mapping[str, Hosted]:
        return self.hosted

    async def start(self, title: str, prompt: str) -> None:
        self.done.append(("start", title, prompt))
        self.hosted[FRESH] = Hosted(FRESH, PlainText(title), 4711, NOW)
        self.on_change()

    @asynccontextmanager
    async def ready(self) -> AsyncIterator[None]:
        self.done.append(("ready",))
        await asyncio.sleep(0)
        self.while_it_starts()
        yield

    async def open(self, conversation: str, title: str, prompt: str) -> None:
        await asyncio.sleep(0)
        self.done.append(("open", conversation, title, prompt))
        self.hosted[conversation] = Hosted(conversation, PlainText(title), 4711, NOW, in_turn=True)

    async def prompt(self, conversation: str, prompt: str) -> bool:
        self.done.append(("prompt", conversation, prompt))
        return self.hosted[conversation].in_turn

    async def stop(self, conversation: str) -> None:
        self.done.append(("stop", conversation))

    async def answer(self, conversation: str, key: str, answer: str) -> None:
        self.done.append(("answer", conversation, key, answer))

    async def let_go(self, conversation: str) -> None:
        self.done.append(("let go", conversation))

    async def end(self) -> None:
        self.hosted.clear()


class Spoken(Shelf):
    """A shelf whose sessions have said something."""

    stored: tuple[Message, ...] = ()

    def messages(self, conversation: str) -> tuple[Message, ...]:  # noqa: ARG002 - the home's
        return self.stored


class Here:
    """A home with one session of its own, and one that runs here."""

    def __init__(self, *readings: Reading) -> None:
        self.host = MadeHost()
        self.shelf = Spoken(*(readings or (reading(FREE),)))
        self.sessions = HostedSessions(self._open, Ground(Path("/work")))
        self.source = HermesHome(self.shelf, lambda: NOW, hosted=self.sessions)

    def _open(self, on_change: Callable[[], None], _on_lost: Lost) -> MadeHost:
        self.host.on_change = on_change
        return self.host

    def put(self, **told: object) -> None:
        """Have the session that runs here stand so."""
        before = self.host.hosted[FRESH]
        self.host.hosted[FRESH] = replace(before, **told)  # type: ignore[arg-type]
        self.sessions.on_change()

    @property
    def state(self) -> SessionState:
        found = self.source.snapshot().session("fresh")
        assert found is not None
        return found


@pytest.fixture
async def here() -> Here:
    """Return a home in which a session was started just now."""
    one = Here()
    await one.source.execute(NewSession("fresh", prompt="Begin."))
    return one


async def test_a_session_is_shown_at_once_though_the_home_does_not_know_it(here: Here) -> None:
    assert here.host.done == [("start", "fresh", "Begin.")]
    assert (here.state.mine, here.state.owner, here.state.row.phase) == (True, 4711, Phase.IDLE)
    assert str(here.state.row.requested) == f"{PRIMARY}"
    assert [state.name for state in here.source.snapshot().sessions] == ["fresh", "weekly"]
    (told,) = [event for _, event in here.source.snapshot().events if isinstance(event, ActPerformed)]
    assert (told.act, told.session) == ("new_session", "fresh")


async def test_no_row_is_another_while_a_reply_streams(here: Here) -> None:
    here.put(in_turn=True, turn_since=NOW)
    before = here.source.snapshot()
    here.put(text=PlainText("So far"), doing=PlainText("terminal: ls"))
    after = here.source.snapshot()
    assert after.revision > before.revision
    assert after.facts is before.facts
    assert here.state.row is before.sessions[0].row
    assert here.state.row.phase is Phase.RUNNING
    assert here.state.live == Live(PlainText("So far"), NOW, doing=PlainText("terminal: ls"))
    assert after.sessions[1] is before.sessions[1]


async def test_what_was_said_here_stands_until_the_home_has_it_and_never_twice(here: Here) -> None:
    said = (Said(Role.USER, PlainText("Begin."), NOW), Said(Role.ASSISTANT, PlainText("I begin."), NOW + 1))
    here.put(said=said)
    assert [message.text for message in here.state.messages] == ["Begin.", "I begin."]
    here.shelf.stored = (Message(FRESH, 7, Role.USER, PlainText("Begin."), NOW + 0.1),)
    here.shelf.readings = (reading(FREE, spoken=replace(conversation(), id=FRESH, title=PlainText(""))),)
    await here.source._look()
    assert [(message.number, message.text) for message in here.state.messages] == [(7, "Begin."), (8, "I begin.")]
    messages = here.state.messages
    here.put(text=PlainText("more"))
    assert here.state.messages is messages


def stored(*texts: tuple[Role, str]) -> tuple[Message, ...]:
    return tuple(Message("s", at, role, PlainText(text), NOW + at) for at, (role, text) in enumerate(texts, 1))


def heard(*texts: str) -> tuple[Said, ...]:
    told = (Said(Role.ASSISTANT, PlainText(text), NOW + 1) for text in texts)
    return (Said(Role.USER, PlainText("Do it."), NOW), *told)


@pytest.mark.parametrize(
    ("said", "kept", "in_turn", "left"),
    [
        (heard("One."), (), True, ["Do it.", "One."]),
        (heard("One."), ((Role.USER, "Do it, as Hermes writes it down."),), True, ["One."]),
        (heard("One.", "Two."), ((Role.USER, "Do it."), (Role.ASSISTANT, "One.\n(calls terminal)")), True, ["Two."]),
        (heard("One."), ((Role.USER, "Do it."), (Role.ASSISTANT, "(calls terminal)")), False, ["One."]),
        (heard("One."), ((Role.USER, "Do it."), (Role.ASSISTANT, "In other words.")), False, []),
        (heard("One."), ((Role.USER, "Do it."), (Role.ASSISTANT, "In other words.")), True, ["One."]),
        (heard("A  b\n" * 300), ((Role.USER, "Do it."), (Role.ASSISTANT, "A b " * 110)), True, []),
    ],
)
def test_what_is_not_among_the_stored_messages_yet(
    said: tuple[Said, ...], kept: tuple[tuple[Role, str], ...], in_turn: bool, left: list[str]
) -> None:
    assert [one.text for one in unsaved(said, stored(*kept), in_turn=in_turn)] == left


def test_a_turn_before_is_not_taken_for_this_one() -> None:
    before = (Message("s", 1, Role.USER, PlainText("Do it."), NOW - 5),)
    assert [one.text for one in unsaved(heard(), before, in_turn=True)] == ["Do it."]


async def test_a_session_that_runs_here_is_written_to_stopped_answered_and_let_go(here: Here) -> None:
    here.host.done.clear()
    assert here.source.preview(StopTurn("fresh")) == Refused(PlainText("fresh has no turn running"))
    here.put(in_turn=True, turn_since=NOW, question=QUESTION)
    assert here.state.question == QUESTION
    assert await here.source.execute(SendPrompt("fresh", "Go on.")) == "fresh takes it when its turn has ended"
    assert isinstance(here.source.preview(StopTurn("fresh")), Confirm)
    await here.source.execute(StopTurn("fresh"))
    old = AnswerQuestion("fresh", "2/choice", "once")
    assert here.source.preview(old) == Refused(PlainText("fresh does not ask that any more"))
    said = await here.source.execute(AnswerQuestion("fresh", "1/choice", "deny"))
    assert said == "fresh has your answer, Deny, to: May it run this? rm -r x"
    assert isinstance(here.source.preview(ArchiveSession("fresh")), Confirm)
    await here.source.execute(ArchiveSession("fresh"))
    assert here.host.done == [
        ("prompt", FRESH, "Go on."),
        ("stop", FRESH),
        ("answer", FRESH, "1/choice", "deny"),
        ("let go", FRESH),
    ]


async def test_a_session_that_begins_to_wait_for_an_answer_is_an_event_and_one_that_goes_on_waiting_is_none(
    here: Here,
) -> None:
    def asked() -> list[tuple[str | None, str, str]]:
        told = (event for _, event in here.source.snapshot().events if isinstance(event, QuestionAsked))
        return [(event.session, event.text, event.about) for event in told]

    long = replace(QUESTION, about=PlainText("rm -r x\n  && make"))
    here.put(in_turn=True, turn_since=NOW, question=long)
    once = [("fresh", TRUE, "rm -r x && make")]
    assert asked() == once
    here.put(doing=PlainText("waits"))
    here.put(question=replace(QUESTION, key="1/other"))
    assert asked() == once
    here.put(question=None)
    here.put(question=replace(QUESTION, key="2/choice"))
    assert asked() == [*once, ("fresh", TRUE, "rm -r x")]


async def test_a_lost_session_says_why_and_what_helps(here: Here) -> None:
    one = replace(here.host.hosted.pop(FRESH), queued=2)
    here.shelf.readings = (reading(FREE, spoken=replace(conversation(), id=FRESH, title=PlainText("fresh"))),)
    here.sessions.on_lost(one, PlainText("was killed by signal 9"))
    here.sessions.on_change()
    await here.source._look()
    assert not here.state.mine
    assert here.state.trouble == (
        "Its Hermes was killed by signal 9. What waited to be sent (2) is lost. A prompt opens it here again."
    )
    told = [event for _, event in here.source.snapshot().events if isinstance(event, SessionInterrupted)]
    assert [(event.session, event.why) for event in told] == [
        ("fresh", "its Hermes (process 4711) was killed by signal 9")
    ]


async def test_a_lost_session_is_no_trouble_once_somebody_else_has_it(here: Here) -> None:
    one = here.host.hosted.pop(FRESH)
    alone = reading(FREE, spoken=replace(conversation(), id=FRESH, title=PlainText("fresh")))
    here.sessions.on_lost(one, PlainText("was killed by signal 9"))
    for owner, is_trouble in ((one.pid, True), (99, False), (None, False)):
        running = (Running(owner, "cli", FRESH),) if owner is not None else ()
        here.shelf.readings = (replace(alone, running=running),)
        await here.source._look()
        assert (here.state.trouble is not None) is is_trouble


async def test_what_nobody_has_open_is_opened_here_after_a_question() -> None:
    here = Here()
    answer = here.source.preview(SendPrompt("weekly", "Go on."))
    assert isinstance(answer, Confirm)
    assert answer.question == "Open weekly here?"
    assert "its tools work in /work" in answer.effect
    assert await here.source.execute(SendPrompt("weekly", "Go on.")) == "weekly is open here; sent to it"
    assert here.host.done == [("ready",), ("open", ID, "weekly", "Go on.")]


async def test_two_prompts_at_once_open_it_once() -> None:
    here = Here()
    prompts = (SendPrompt("weekly", "Go on."), SendPrompt("weekly", "And then?"))
    assert await asyncio.gather(*map(here.source.execute, prompts)) == [
        "weekly is open here; sent to it",
        "weekly takes it when its turn has ended",
    ]
    assert [done for done in here.host.done if done != ("ready",)] == [
        ("open", ID, "weekly", "Go on."),
        ("prompt", ID, "And then?"),
    ]


async def test_what_somebody_opens_while_hermes_starts_is_left_to_them() -> None:
    here = Here()
    elsewhere = replace(reading(FREE), running=(Running(99, "cli", ID),))
    here.host.while_it_starts = lambda: setattr(here.shelf, "readings", (elsewhere,))
    with pytest.raises(RefusedError, match="process 99 has it open: write to it there"):
        await here.source.execute(SendPrompt("weekly", "Go on."))
    assert here.host.done == [("ready",)]


async def test_what_was_closed_here_is_opened_again_though_our_own_hermes_still_names_it(here: Here) -> None:
    page = reading(FREE)
    here.source._memory = Memory({ID: OpenSession(4711, PRIMARY, PRIMARY)}, processes=1)
    here.shelf.readings = (replace(page, running=(Running(4711, "tui", ID),)),)
    await here.source._look()
    weekly = here.source.snapshot().session("weekly")
    assert weekly is not None
    assert weekly.owner is None
    assert isinstance(here.source.preview(SendPrompt("weekly", "Go on.")), Confirm)


@pytest.mark.parametrize("text", ["/reset", "/compress now", "/model-x\n"])
async def test_a_command_of_hermes_is_not_paid_for_as_text(here: Here, text: str) -> None:
    answer = here.source.preview(SendPrompt("fresh", text))
    assert isinstance(answer, Refused)
    assert "is a command, which Hermes takes on its own screen" in answer.reason


@pytest.mark.parametrize("text", ["/etc/passwd is broken", " /reset", "/ is full", "/usr/bin"])
async def test_what_only_looks_like_a_command_is_sent(here: Here, text: str) -> None:
    assert isinstance(here.source.preview(SendPrompt("fresh", text)), Ready)


OPEN = OpenSession(99, PRIMARY, PRIMARY)


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (replace(reading(FREE), running=(Running(99, "cli", ID),)), "process 99 has it open"),
        (replace(reading(FREE), memory=Memory({ID: OPEN}, processes=1)), "process 99 has it open"),
        (reading(FREE, spoken=conversation(busy_since=NOW, busy_until=NOW + 9, busy_by=99)), "process 99 has it open"),
        (reading(FREE, spoken=conversation(busy_since=NOW, busy_until=NOW + 9)), "another process has it open"),
        (reading(FREE, spoken=replace(conversation(), surface="telegram")), "write to it in Hermes"),
    ],
)
async def test_what_somebody_may_have_open_is_left_to_them(page: Reading, why: str) -> None:
    here = Here(page)
    if page.memory.processes:
        here.source._memory = page.memory
    answer = here.source.preview(SendPrompt("weekly", "Go on."))
    assert isinstance(answer, Refused)
    assert why in answer.reason
    with pytest.raises(RefusedError, match=why):
        await here.source.execute(SendPrompt("weekly", "Go on."))
    assert here.host.done == []


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (NewSession("weekly"), "there is a session weekly already"),
        (NewSession(" "), "a session needs a name"),
        (NewSession("x" * 61), "the name has 61 characters: take out 1"),
        (NewSession("new", every_seconds=60.0, prompt="x"), "sends nothing by the clock"),
        (NewSession("new", like="weekly"), "makes sessions like its config.yaml"),
    ],
)
async def test_a_session_that_cannot_be_made_is_refused_with_the_reason(wanted: NewSession, why: str) -> None:
    here = Here()
    answer = here.source.preview(wanted)
    assert isinstance(answer, Refused)
    assert why in answer.reason


async def test_what_a_new_session_will_be_is_said_before() -> None:
    here = Here()
    assert here.source.snapshot().runs_new == "Hermes of home"
    answer = here.source.preview(NewSession("new", prompt="Begin."))
    assert answer == Ready(
        PlainText(
            "new starts on openai-codex/gpt-5.5 › custom:fb/small with this prompt; its tools work in /work. "
            "Starting Hermes takes a few seconds."
        )
    )


async def test_a_home_whose_hermes_was_not_found_says_that() -> None:
    why = PlainText("there is no `hermes` command on the PATH")
    source = HermesHome(Shelf(reading(FREE)), lambda: NOW, hosted=HostedSessions(None, Ground(Path("/work"), why)))
    assert source.snapshot().runs_new is None
    assert source.preview(NewSession("new")) == Refused(why)
    assert source.snapshot().runs_new != OURS


def test_nothing_that_runs_a_hermes_is_loaded_before_a_session_is_to_run_there(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("model: {default: m, provider: p}\n")
    code = (
        "import sys, pathlib, hermes_tui.tui.app\nfrom hermes_tui.wiring import open_home\n"
        "home = open_home(pathlib.Path(sys.argv[1]), {}, lambda: 1.0)\nhome.look()\n"
        "print([name for name in sys.modules if name.startswith('hermes_tui.gateway')])"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_another_model_is_chosen_in_hermes_once_the_session_is_closed_here(here: Here) -> None:
    answer = here.source.preview(SwitchModel("fresh", "zai", "glm"))
    assert answer == Refused(PlainText("close it here and open it in Hermes: there /model chooses another"))
