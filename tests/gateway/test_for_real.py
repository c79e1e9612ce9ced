"""Sessions of a real Hermes on the dashboard, as a person there runs them: both releases, the bridge inside.

Its primary is a Codex account that can run out, its fallback a model that does what the test says.
"""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from textual.pilot import Pilot

from hermes_tui.core.acts import NewSession, SendPrompt
from hermes_tui.core.event import FallbackActivated, QuestionAsked, SessionInterrupted
from hermes_tui.core.preview import Confirm
from hermes_tui.core.session import Phase, Role
from hermes_tui.core.snapshot import SessionState
from hermes_tui.hermes.source import HermesHome
from hermes_tui.simulator import Mode, Reopen, SetMode, Simulator
from hermes_tui.tui.app import HermesApp
from hermes_tui.wiring import open_home
from tests.bridge.bridged import put_bridge
from tests.gateway.scripted import Call, Held, Scripted, scripted, take_fallback
from tests.hermes.lab.agent import hermes_environment
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import BACKUP, DAY, PRIMARY, make_world
from tests.tui.driving import STILL, everything, press, settle

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_SECONDS = 120.0
ON_PRIMARY = f"of gpt-5.5 by {PRIMARY}."


@dataclass
class Hosted:
    """A home whose sessions run here, and both sides of it."""

    build: Build
    home: Path
    source: HermesHome
    simulator: Simulator
    model: Scripted

    @property
    def one(self) -> SessionState:
        (state,) = self.source.snapshot().sessions
        return state

    async def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            assert time.monotonic() < deadline, self.source.snapshot().sessions
            await asyncio.sleep(0.02)

    async def say(self, prompt: str, *script: str | Call | Held) -> None:
        """Send a prompt; the fallback says what stands in the script."""
        self.model.play(prompt, *script)
        await self.source.execute(SendPrompt(self.one.name, prompt))

    async def rest(self) -> None:
        await self.until(lambda: self.one.row.phase is Phase.IDLE and self.one.live is None)

    @property
    def texts(self) -> list[tuple[Role, str]]:
        return [(message.role, message.text) for message in self.one.messages]

    def run_out(self) -> None:
        self.simulator.world.apply(SetMode(provider=PRIMARY, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY))

    def events(self, kind: type) -> list[object]:
        return [event for _, event in self.source.snapshot().events if isinstance(event, kind)]


@pytest_asyncio.fixture(params=Build, ids=lambda build: build.value, scope="module", loop_scope="module")
async def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Hosted]:
    """Yield one home for all tests here: a Hermes takes seconds to start."""
    build, home = request.param, tmp_path_factory.mktemp("hosted") / "home"
    async with Simulator(make_world()) as simulator:
        with scripted() as model:
            make_home(home, build, simulator.base_url, fallback=Fallback.POOLLESS, logins=["work"])
            take_fallback(home, f"{simulator.base_url}/{BACKUP}/v1", model.address)
            put_bridge(home)
            environ = hermes_environment(home, plugins=True)
            environ["PATH"] = f"{interpreter(build).parent}:{environ['PATH']}"
            source = open_home(home, environ, time.time)
            watching = asyncio.ensure_future(source.watch())
            yield Hosted(build, home, source, simulator, model)
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


@pytest_asyncio.fixture(loop_scope="module")
async def out(here: Hosted) -> Hosted:
    """Return the home with a session at rest on its fallback, whatever happened before."""
    here.run_out()
    if not here.source.snapshot().sessions:
        await here.source.execute(NewSession("work", prompt="Begin."))
        await here.rest()
    if not here.one.row.on_fallback:
        await here.say("Out?", "Out.")
        await here.rest()
        await here.until(lambda: here.one.row.on_fallback)
    return here


@asynccontextmanager
async def dashboard(here: Hosted) -> AsyncIterator[tuple[HermesApp, Pilot[None]]]:
    app = HermesApp(here.source, look=STILL)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        yield app, pilot


async def showing(pilot: Pilot[None], *texts: str) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(text not in everything(pilot.app) for text in texts):
        assert time.monotonic() < deadline, everything(pilot.app)
        await asyncio.sleep(0.05)
        await pilot.pause()
    return everything(pilot.app)


async def test_a_session_is_started_from_the_dashboard_and_its_reply_is_shown_as_the_home_keeps_it(
    here: Hosted,
) -> None:
    async with dashboard(here) as (_, pilot):
        await press(pilot, "n")
        text = await showing(pilot, "New session in Hermes of ")
        assert f"starts on {PRIMARY}/gpt-5.5 › custom/small" in " ".join(text.replace("┃", " ").split())
        await press(pilot, *"work", "enter", *"Begin.", "ctrl+s")
        await showing(pilot, "you · ", ON_PRIMARY, "IDLE", "on primary")
        assert here.one.mine
        await here.until(lambda: len(here.source._reading.conversations[0].served) == 1)
        await here.source._look()
        assert here.texts == [(Role.USER, "Begin."), (Role.ASSISTANT, f"Reply 1 {ON_PRIMARY}")]
        stored = await here.source.messages("work")
        assert here.one.messages == stored


async def test_a_limit_of_two_days_is_shown_like_that_of_a_session_of_our_own(out: Hosted) -> None:
    row = out.one.row
    assert (str(row.active), row.position, row.on_fallback) == ("custom/small", 1, True)
    assert row.cooldown is not None
    await out.until(lambda: out.events(FallbackActivated) != [])
    left = out.events(FallbackActivated)[0]
    assert isinstance(left, FallbackActivated)
    assert (left.session, left.model) == ("work", "small")
    async with dashboard(out) as (_, pilot):
        await showing(pilot, "1 of 1 session off their primary", "custom/small", "1/1")


async def test_a_reply_is_seen_while_it_streams_and_a_stopped_turn_costs_one_request(out: Hosted) -> None:
    out.model.play("Tell me", Held("It begins ", "and ends."))
    async with dashboard(out) as (_, pilot):
        await press(pilot, "i", *"Tell me", "enter")
        await showing(pilot, "It begins", "RUN", "live")
        await press(pilot, "escape")
        await press(pilot, "x")
        await showing(pilot, "Stop work's turn?")
        await press(pilot, "y")
        await showing(pilot, "IDLE")
    assert out.model.asked == 1
    await out.say("Go on.", "Here I am.")
    await out.rest()
    assert out.texts[-1] == (Role.ASSISTANT, "Here I am.")


async def test_a_fault_that_ends_no_turn_is_told_beside_it_and_what_waits_comes_behind(out: Hosted) -> None:
    file = out.home / "config.yaml"
    before = file.read_text()
    file.write_text(before.replace("provider: openai-codex", "provider: anthropic", 1))  # nobody is signed in there
    try:
        await out.say("Tell me", Held("It begins ", "and ends."))
        await out.until(lambda: out.one.live is not None and "It begins" in out.one.live.text)
    finally:
        file.write_text(before)
    assert out.one.trouble is not None
    assert "Could not switch to configured model" in out.one.trouble
    assert await out.source.execute(SendPrompt("work", "And then?")) == "work takes it when its turn has ended"
    out.model.goes_on.set()
    await out.until(lambda: (Role.USER, "And then?") in out.texts)
    await out.rest()
    wanted = ["It begins and ends.", "Well."]
    await out.until(lambda: [text for role, text in out.texts if role is Role.ASSISTANT][-2:] == wanted)


async def test_a_forced_restore_brings_a_session_that_runs_here_home_at_its_next_turn(out: Hosted) -> None:
    out.simulator.world.apply(Reopen(provider=PRIMARY))
    await out.until(lambda: out.source._memory.processes == 1 and bool(out.source._memory.sessions))
    async with dashboard(out) as (_, pilot):
        await showing(pilot, "Force restore (asks first)")
        await press(pilot, "b")
        await showing(pilot, "before its reset?")
        await press(pilot, "y")
        await showing(pilot, "Asked for: force restore at the next")
        await out.say("Are you back?")
        await showing(pilot, "all on their primary")
    await out.rest()
    assert ON_PRIMARY in out.texts[-1][1]


async def test_what_may_do_harm_is_asked_denied_and_allowed_on_the_screen(out: Hosted, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    async with dashboard(out) as (_, pilot):
        for keys, is_left in ((("enter",), True), (("up", "enter"), False)):
            await out.say("Remove it.", Call("terminal", {"command": f"rm -r {victim}"}), "Well then.")
            await showing(pilot, "1 session asks you", "ASKS YOU", "May it run this", "now: terminal: ")
            assert victim.exists()
            await press(pilot, "i")
            await showing(pilot, "Allow this once", "Allow this kind for the session", "Deny")
            await press(pilot, *keys)
            await showing(pilot, "IDLE")
            assert victim.exists() is is_left
    asked = out.events(QuestionAsked)[-2:]
    assert [str(victim) in event.about for event in asked if isinstance(event, QuestionAsked)] == [True] * 2
    assert out.texts[-1] == (Role.ASSISTANT, "Well then.")
    assert out.texts.count((Role.ASSISTANT, "Well then.")) == 2


async def test_a_question_of_the_agent_is_answered_by_choice_and_in_own_words(out: Hosted) -> None:
    question = {"question": "Which colour?", "choices": ["red", "blue"]}
    async with dashboard(out) as (_, pilot):
        for keys, answer in ((("up", "up", "enter"), "blue"), (("up", "enter", *"green", "enter"), "green")):
            asked = {"questions": [question]} if out.build is Build.HERMES_22 else question
            await out.say("Ask me.", Call("clarify", asked), "Thanks.")
            await showing(pilot, "Which colour?", "ASKS YOU")
            await press(pilot, "i")
            await showing(pilot, "Another answer, in your own words", "Give no answer")
            await press(pilot, *keys)
            await showing(pilot, "IDLE")
            assert answer in out.model.results[-1]


async def test_a_hermes_that_is_killed_is_said_the_session_is_opened_again_and_quitting_ends_it(
    out: Hosted,
) -> None:
    await out.say("Hold.", Held("I was about to"))
    await out.until(lambda: out.one.live is not None and "about to" in out.one.live.text)
    async with dashboard(out) as (app, pilot):
        assert out.one.owner is not None
        os.kill(out.one.owner, signal.SIGKILL)
        await showing(pilot, "was killed by signal 9", "A prompt opens it here again.")
        told = out.events(SessionInterrupted)[-1]
        assert isinstance(told, SessionInterrupted)
        assert (told.session, "killed by signal 9" in told.why) == ("work", True)
        assert not out.one.mine
        await out.until(lambda: isinstance(out.source.preview(SendPrompt("work", "?")), Confirm))
        await press(pilot, "i")
        await showing(pilot, "Open work here?", "Nobody has it open.")
        await press(pilot, "y")
        await showing(pilot, "Prompt work")
        await press(pilot, *"Still there?", "enter")
        await out.until(lambda: (Role.USER, "Still there?") in out.texts)
        await out.rest()
        await press(pilot, "escape")
        assert out.one.owner is not None
        hermes = psutil.Process(out.one.owner)
        await out.say("Work.", Call("terminal", {"command": "sleep 3600"}))
        await out.until(lambda: any("sleep" in name for name in names(hermes)))
        family = [hermes, *hermes.children(recursive=True)]
        assert len({os.getsid(one.pid) for one in family}) > 1
        app.stops.append(out.source.close)
        await press(pilot, "q")
        await press(pilot, "y")
        await out.until(lambda: not any(one.is_running() for one in family))


def names(hermes: psutil.Process) -> list[str]:
    """Return what a Hermes runs; one of them may end right now."""
    with suppress(psutil.Error):
        return [one.name() for one in hermes.children(recursive=True)]
    return []
