"""The user's command: run for what happens, with the sentence as its last argument; what it does harms nobody."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import tomlkit

from hermes_tui.commands.hook import HOOK_SECONDS, Hook
from hermes_tui.commands.telling import Means, Teller
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import FallbackActivated, SessionCreated
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.ports import Ledger
from hermes_tui.core.session import Departure, Session
from hermes_tui.core.telling import REMINDER, Occasion, Wanted
from hermes_tui.core.text import PlainText, plain
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.action import SetMode
from hermes_tui.simulator.mode import Mode
from hermes_tui.view.telling import Notice
from hermes_tui.wiring import open_ledger
from tests.cli.conftest import Provider, Run
from tests.core.made import away, session
from tests.engine.theatre import HOUR, START, play

LIMIT = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)
BACKUP_LIMIT = SetMode(provider="backup", mode=Mode.USAGE_LIMIT, resets_in=7200.0)

WRITER = """
import json, os, sys
told = [sys.argv[2:], os.environ["HERMES_TUI_EVENT"], os.environ["HERMES_TUI_SESSION"]]
try:
    open("/dev/tty").close()
    told.append("a terminal")
except OSError:
    told.append("no terminal")
open(sys.argv[1], "a").write(json.dumps(told) + "\\n")
"""


def writing_to(path: Path) -> list[str]:
    """Return a command that writes what it was told as a line of `path`."""
    return [sys.executable, "-c", WRITER, str(path), "$(id)"]


def told_in(path: Path) -> list[list[object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def configure(home: Path, **tell: object) -> None:
    """Add a [tell] table to the configuration."""
    path = home / "hermes-tui.toml"
    document = tomlkit.parse(path.read_text())
    document["tell"] = tell
    path.write_text(tomlkit.dumps(document))


def test_a_run_tells_of_the_fallback_by_the_command(program: Run, home: Path, provider: Provider) -> None:
    configure(home, command=writing_to(home / "told"))
    provider.apply(LIMIT)
    done = program("run", "--prompt", "One.")
    assert (done.returncode, done.stderr) == (0, "")
    ((arguments, occasion, session, _),) = told_in(home / "told")
    assert (occasion, session) == ("fallback", "s1")
    assert isinstance(arguments, list)
    assert arguments[0] == "$(id)"
    assert "backup/small" in arguments[1]


def test_a_run_tells_of_an_exhausted_chain_before_it_ends(program: Run, home: Path, provider: Provider) -> None:
    configure(home, command=writing_to(home / "told"), on=["exhausted", "restored"])
    provider.apply(LIMIT)
    provider.apply(BACKUP_LIMIT)
    assert program("run", "--prompt", "One.").returncode == 1
    assert [told[1] for told in told_in(home / "told")] == ["exhausted"]


def test_what_happened_before_is_not_told_again(program: Run, home: Path, provider: Provider) -> None:
    provider.apply(LIMIT)
    assert program("run", "--prompt", "One.").returncode == 0
    configure(home, command=writing_to(home / "told"))
    assert program("run", "--prompt", "Two.").returncode == 0
    assert not (home / "told").exists()


def test_without_a_command_nothing_is_run_and_without_kinds_nothing_is_told(
    program: Run, home: Path, provider: Provider
) -> None:
    configure(home, command=writing_to(home / "told"), on=[], bell=True, desktop=True)
    provider.apply(LIMIT)
    done = program("run", "--prompt", "One.")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x07" not in done.stdout
    assert not (home / "told").exists()


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        (["hermes-tui-no-such-program"], "hermes-tui-no-such-program could not be started (No such file or directory)"),
        (["false"], "false ended with code 1"),
    ],
)
def test_a_command_that_fails_is_said_once_and_the_run_goes_on(
    program: Run, home: Path, provider: Provider, command: list[str], fault: str
) -> None:
    configure(home, command=command)
    provider.apply(LIMIT)
    provider.apply(BACKUP_LIMIT)
    done = program("run", "--prompt", "One.", "--prompt", "Two.")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"hermes-tui: {fault}: correct command under [tell]"]


def teller_of(
    ledger: Ledger, clock: EngineClock, means: Means, wanted: Callable[[], Wanted] = lambda: Wanted(tuple(Occasion))
) -> Teller:
    """Return who tells of all sessions but foreign ones."""
    return Teller(ledger, clock, means, wanted=wanted, runs=lambda session: session != "foreign")


class Told:
    """A means that remembers what it was given, and when."""

    def __init__(self, clock: EngineClock) -> None:
        self._clock = clock
        self.notices: list[tuple[float, Notice]] = []

    async def __call__(self, notices: Sequence[Notice]) -> None:
        self.notices += [(self._clock.now() - START, notice) for notice in notices]


def left(session: str) -> Callable[[Facts], Decision[None]]:
    """Return a decision that `session` leaves its primary."""
    words = PlainText("words")
    event = FallbackActivated(
        time=START, session=session, position=1, provider="p", model="m", left=words, reason=words, notice=words
    )
    return lambda _facts: Decision(None, (Record(event),))


@play
async def test_what_another_process_writes_is_told_and_a_burst_once_a_minute(tmp_path: Path) -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    with open_ledger(tmp_path) as mine, open_ledger(tmp_path) as theirs:
        theirs.commit(left("before"))
        mine.refresh()
        told = Told(clock)
        teller = teller_of(mine, clock, told)
        running = asyncio.ensure_future(teller.run())
        for _ in range(3):
            await clock.sleep(10.0)
            theirs.commit(left("s1"))
            mine.refresh()
        await clock.sleep(HOUR)
        mine.commit(left("s2"))
        teller.end()
        await running
    assert [(round(at), notice.session) for at, notice in told.notices] == [(10, "s1"), (70, "s1"), (3630, "s2")]
    assert told.notices[1][1].text.startswith("2 times, the last: ")


@play
async def test_what_happens_while_a_means_is_slow_is_counted_and_told_after_it(tmp_path: Path) -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    told = Told(clock)

    async def slowly(notices: Sequence[Notice]) -> None:
        await clock.sleep(90.0)
        await told(notices)

    with open_ledger(tmp_path) as ledger:
        running = asyncio.ensure_future(teller_of(ledger, clock, slowly).run())
        for _ in range(50):
            ledger.commit(left("s1"))
            await clock.sleep(1.0)
        await clock.sleep(HOUR)
        running.cancel()
    assert [(round(at), notice.text[:3]) for at, notice in told.notices] == [(90, "s1:"), (180, "49 ")]


@play
async def test_what_came_while_a_means_was_busy_is_told_before_the_end(tmp_path: Path) -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    told = Told(clock)

    async def slowly(notices: Sequence[Notice]) -> None:
        await clock.sleep(5.0)
        await told(notices)

    with open_ledger(tmp_path) as ledger:
        teller = teller_of(ledger, clock, slowly)
        running = asyncio.ensure_future(teller.run())
        for session in ("s1", "s2", "foreign"):
            ledger.commit(left(session))
            await clock.sleep(1.0)
        teller.end()
        await running
    assert [(round(at), notice.session) for at, notice in told.notices] == [(5, "s1"), (10, "s2")]


@play
async def test_what_is_wanted_counts_from_the_moment_it_changes(tmp_path: Path) -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    told, wanted = Told(clock), [Wanted()]
    with open_ledger(tmp_path) as ledger:
        running = asyncio.ensure_future(teller_of(ledger, clock, told, lambda: wanted[0]).run())
        for now_wanted in (Wanted(), Wanted((Occasion.FALLBACK,)), Wanted((Occasion.DEAD,))):
            wanted[0] = now_wanted
            ledger.commit(left("s1"))
            await clock.sleep(HOUR)
        running.cancel()
    assert [round(at) for at, _ in told.notices] == [HOUR]


def stands(session: Session) -> Callable[[Facts], Decision[None]]:
    """Return a decision that `session` stands as it is."""
    created = SessionCreated(time=START, session=session.name, provider="p", model="m")
    return lambda _facts: Decision(None, (Record(created, (session,)),))


def off(name: str, at: float = START) -> Session:
    """Return a session that left its primary at `at`."""
    return replace(away(), name=name, departure=Departure(at, FailureKind.USAGE_LIMIT, 429, None, PlainText("words")))


def home_again(name: str, *, verified: bool) -> Session:
    """Return a session on its primary; a restore that no reply has verified is a claim."""
    return replace(session(), name=name, unverified_since=None if verified else START)


@play
async def test_c126_who_stays_off_the_primary_is_told_of_again_until_a_reply_proves_it_is_back(tmp_path: Path) -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    told = Told(clock)
    with open_ledger(tmp_path) as ledger:
        for name in ("s1", "foreign"):
            ledger.commit(stands(off(name)))
        running = asyncio.ensure_future(teller_of(ledger, clock, told, lambda: Wanted((), 12 * HOUR)).run())
        for wait, then in (
            (20 * HOUR, home_again("s1", verified=False)),
            (HOUR, off("s1", START + 21 * HOUR)),
            (9 * HOUR, home_again("s1", verified=True)),
        ):
            await clock.sleep(wait)
            ledger.commit(stands(then))
        await clock.sleep(50 * HOUR)
        running.cancel()
    assert [(round(at / HOUR), notice.about, notice.session) for at, notice in told.notices] == [
        (12, REMINDER, "s1"),
        (24, REMINDER, "s1"),
    ]
    assert told.notices[1][1].text.startswith("s1 is off its primary for 1d 00h: ")


@play
async def test_a_start_reminds_of_nothing_that_was_due_before(tmp_path: Path) -> None:
    clock = EngineClock(start=START + 30 * HOUR, elapsed=asyncio.get_running_loop().time)
    told = Told(clock)
    with open_ledger(tmp_path) as ledger:
        ledger.commit(stands(off("s1")))
        running = asyncio.ensure_future(teller_of(ledger, clock, told, lambda: Wanted((), 12 * HOUR)).run())
        await clock.sleep(7 * HOUR)
        running.cancel()
    assert [round(at / HOUR) for at, _ in told.notices] == [36]


def notices(count: int) -> list[Notice]:
    return [Notice(Occasion.FALLBACK, "s1", PlainText(f"sentence {number}")) for number in range(count)]


async def faults_of(command: Sequence[str], count: int, *, speed: float = 1.0) -> list[str]:
    """Return what is said of a command that is run `count` times."""
    said: list[str] = []
    await Hook(lambda: command, EngineClock(speed=speed), said.append)(notices(count))
    return said


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody waits for does not."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")


async def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    script = f"sleep 1000 & echo $! > {tmp_path}/child; wait"
    (fault,) = await faults_of(["sh", "-c", script], 2, speed=5.0)
    assert fault == f"sh took longer than {HOOK_SECONDS:g} s and was ended: correct command under [tell]"
    child = int((tmp_path / "child").read_text())
    assert not is_alive(child)


async def test_a_command_that_fails_each_time_is_said_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "no-program")
    assert len(await faults_of([str(tmp_path / "no-program")], 3)) == 1
    assert await faults_of(["true"], 3) == []


async def test_a_command_that_the_file_has_no_more_is_not_run_for_what_is_left() -> None:
    assert await faults_of((), 2) == []


async def test_names_from_outside_reach_the_command_without_codes(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\0"
    hook = Hook(lambda: writing_to(tmp_path / "told"), EngineClock(), pytest.fail)
    await hook([Notice(Occasion.DEAD, hostile, plain(hostile))])
    ((arguments, occasion, session, _),) = told_in(tmp_path / "told")
    assert (occasion, session) == ("dead", plain(hostile))
    assert arguments == ["$(id)", plain(hostile)]
