"""However the program ends: the terminal is as it was, the end comes, the work is accounted for (C134, C140)."""

import fcntl
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.core.event import SessionInterrupted
from hermes_tui.storage.ledger import SqliteLedger
from tests.terminal.boxes import count, crooked
from tests.terminal.codes import left, strangers
from tests.terminal.conftest import PATIENCE_SECONDS, Open, Terminal
from tests.terminal.hostile import Provider

HANGING_SECONDS = 600.0
"""How long what hangs would hang: no test waits for that."""

FILE = """\
[primary]
provider = "local"
model = "small"
[providers.local]
base_url = "{url}"
api_key = "ending0key0of0nobody"
{more}
[[sessions]]
name = "docs"
"""


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a provider that takes requests and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(200)
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


@pytest.fixture
def files(tmp_path: Path, silent: str) -> dict[str, str]:
    """A session whose provider never answers."""
    return home(tmp_path, silent)


def home(folder: Path, url: str, more: str = "") -> dict[str, str]:
    path = folder / "hermes-tui.toml"
    path.write_text(FILE.format(url=url, more=more), encoding="utf-8")
    return {"HERMES_TUI_CONFIG": str(path), "HERMES_TUI_STATE": str(folder / "state")}


def patched(code: str) -> tuple[str, str]:
    """Return the program with `code` run before it, as the interpreter takes it."""
    return "-c", f"{code}\nfrom hermes_tui.cli import main\nmain([])"


def at_work(screen: Terminal) -> Terminal:
    """Wait for the dashboard and have its session run a turn."""
    screen.shows("docs", "on primary", "Help")
    screen.press("i")
    screen.shows("Prompt docs")
    screen.press("Go on.\r")
    screen.shows("RUN")
    screen.leave_prompt()
    return screen


def asked_to_quit(screen: Terminal) -> None:
    """Quit as a person does while a turn runs."""
    screen.settled()
    screen.press("q")
    screen.shows("Quit while")
    screen.press("y")


def interrupted(files: dict[str, str]) -> bool:
    """Tell whether the state holds that a turn was cut off."""
    ledger = SqliteLedger.open(Path(files["HERMES_TUI_STATE"]), read_only=True)
    try:
        return any(isinstance(event, SessionInterrupted) for _, event in ledger.tail(0))
    finally:
        ledger.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_c134_a_signal_leaves_a_clean_terminal_and_a_turn_that_is_noted_as_interrupted(
    terminal: Open, files: dict[str, str], number: signal.Signals
) -> None:
    screen = at_work(terminal(100, 30, environment=files))
    screen.kill(number)
    assert screen.ends() == 0
    assert left(screen.written).is_clean
    assert interrupted(files)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_c134_a_signal_on_the_first_page_leaves_a_clean_terminal(
    terminal: Open, tmp_path: Path, number: signal.Signals
) -> None:
    screen = terminal(80, 24, environment={"HERMES_TUI_CONFIG": str(tmp_path / "none.toml")})
    screen.shows("There is no configuration yet")
    screen.kill(number)
    assert screen.ends() == 0
    assert left(screen.written).is_clean


def test_c134_the_program_stops_for_the_shell_and_goes_on_where_it_was(terminal: Open) -> None:
    screen = terminal(80, 24, "demo")
    screen.shows("nightly-docs", "Help")
    screen.kill(signal.SIGTSTP)
    screen.until(lambda _: left(screen.written).is_clean, "a clean terminal")
    screen.kill(signal.SIGCONT)
    screen.until(lambda _: "1049" in left(screen.written).modes, "the dashboard's own screen")
    screen.press("?")
    screen.shows("esc closes")
    screen.press("\x1b")
    screen.until(lambda text: "esc closes" not in text, "the help is closed")
    assert screen.leave() == 0
    assert left(screen.written).is_clean


STOPPED_IN_A_PICTURE = """
import os, signal
from hermes_tui.tui.writer import Writer
offered, signals = Writer._offered, [signal.SIGTSTP]
def offered_half(writer, data):
    if len(data) < 1000 or not signals:
        return offered(writer, data)
    rest = data[os.write(writer._descriptor, data[:501]) :]
    os.kill(os.getpid(), signals.pop())
    return rest
Writer._offered = offered_half
"""


def test_c134_a_picture_is_whole_before_the_program_stops_for_the_shell(terminal: Open, files: dict[str, str]) -> None:
    screen = terminal(80, 24, environment=files, program=patched(STOPPED_IN_A_PICTURE))
    screen.until(lambda _: b"\x1b[?1049l" in screen.written and left(screen.written).is_clean, "a clean terminal")
    screen.kill(signal.SIGCONT)
    screen.shows("docs", "Help")
    assert screen.leave() == 0
    assert left(screen.written).is_clean
    assert strangers(screen.written) == []


HANGS_AT_ITS_END = """
import time
from textual.drivers.linux_driver import LinuxDriver
stopped, hangs = LinuxDriver.disable_input, [600]
def disable_input(driver):
    if hangs:
        time.sleep(hangs.pop())
    stopped(driver)
LinuxDriver.disable_input = disable_input
"""


def test_c140_an_end_that_hangs_while_it_gives_the_terminal_back_leaves_a_clean_one(
    terminal: Open, files: dict[str, str]
) -> None:
    screen = terminal(80, 24, environment=files, program=patched(HANGS_AT_ITS_END))
    screen.shows("docs", "Help")
    screen.press("q")
    assert screen.ends() == 0
    assert left(screen.written).is_clean


FAULTS = {
    "a handler": "from hermes_tui.tui.screens.main import MainScreen as broken\nname = 'on_resize'",
    "a timer": "from hermes_tui.tui.app import HermesApp as broken\nname = 'tick'",
    "drawing": "from hermes_tui.tui.widgets.lines import Lines as broken\nname = 'render_line'",
    "a message": "from hermes_tui.tui.screens.main import MainScreen as broken\nname = '_marked'",
}

FAIL = """
import itertools
{fault}
whole, calls = getattr(broken, name), itertools.count()
def fail(*a, **k):
    if next(calls) > {after}:
        raise RuntimeError("[/] \\x1b[2J header Bearer ending0key0of0nobody")
    return whole(*a, **k)
setattr(broken, name, fail)
"""


@pytest.mark.parametrize("where", FAULTS)
def test_c134_a_fault_in_the_program_leaves_a_clean_terminal_and_says_where_its_traceback_is(
    terminal: Open, files: dict[str, str], where: str
) -> None:
    code = FAIL.format(fault=FAULTS[where], after={"a message": 0, "a handler": 1}.get(where, 8))
    screen = terminal(100, 30, environment=files, program=patched(code))
    screen.until(lambda text: "docs" in text or "RuntimeError" in text, "the dashboard or its end")
    screen.resize(90, 28)
    screen.press("1jjkk")
    assert screen.ends() == 1
    assert left(screen.written).is_clean
    told = screen.written.decode().rpartition("\x1b[?1004l")[2]
    kept = Path(files["HERMES_TUI_STATE"]) / "crash.txt"
    for words in ("RuntimeError: [/] ␛[2J header Bearer <", f"in {kept}", "the state is safe"):
        assert words in told
    traceback = kept.read_text(encoding="utf-8")
    assert "in fail" in traceback
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "ending0key0of0nobody" not in told + traceback


def test_c140_a_worker_that_fails_is_told_and_ends_nothing(terminal: Open, files: dict[str, str]) -> None:
    code = (
        "import hermes_tui.commands.dashboard as d\n"
        "async def fail(*a): raise RuntimeError('[/] \\x1b[2J [@click=app.quit]x ending0key0of0nobody')\n"
        "d.watch_configuration = fail"
    )
    screen = terminal(100, 30, environment=files, program=patched(code))
    screen.shows("The engine stopped: configuration: RuntimeError: [/] ␛[2J [@click=app.quit]x <")
    assert screen.leave() == 0
    assert b"ending0key0of0nobody" not in screen.written
    assert b"\x1b[2J" not in screen.written


# What hangs

HANGS = {
    "a provider that never answers": "",
    "a name that nobody resolves": (
        f"import socket, time\nsocket.getaddrinfo = lambda *a, **k: time.sleep({HANGING_SECONDS})"
    ),
    "a file system that does not answer": (
        "import asyncio, threading, time\n"
        "from hermes_tui.engine.fleet import Fleet\n"
        "begin = Fleet.start\n"
        "async def start(*a, **k):\n"
        f"    asyncio.get_running_loop().run_in_executor(None, time.sleep, {HANGING_SECONDS})\n"
        "    await begin(*a, **k)\n"
        "Fleet.start = start"
    ),
    "an end that does not come": (
        "import asyncio\n"
        "from hermes_tui.engine.fleet import Fleet\n"
        f"async def close(self): await asyncio.sleep({HANGING_SECONDS})\n"
        "Fleet.close = close"
    ),
    "an end that holds everything up": (
        "import time\n"
        "from hermes_tui.engine.fleet import Fleet\n"
        f"async def close(self): time.sleep({HANGING_SECONDS})\n"
        "Fleet.close = close"
    ),
}


@pytest.mark.parametrize("what", HANGS)
def test_c140_the_program_ends_whatever_hangs(terminal: Open, tmp_path: Path, silent: str, what: str) -> None:
    url = "http://nowhere.invalid/v1" if "name" in what else silent
    screen = at_work(terminal(100, 30, environment=home(tmp_path, url), program=patched(HANGS[what])))
    asked_to_quit(screen)
    assert screen.ends() == 0
    assert left(screen.written).is_clean
    assert left(screen.written).titles == 0


def test_c140_the_program_ends_whatever_goes_wrong_while_it_gives_the_terminal_back(
    terminal: Open, files: dict[str, str]
) -> None:
    fails = (
        "from hermes_tui.tui.driver import LastingDriver\n"
        "def release(self): raise OSError('the terminal is gone')\n"
        "LastingDriver.release = release"
    )
    hangs = HANGS["an end that holds everything up"]
    screen = at_work(terminal(100, 30, environment=files, program=patched(f"{hangs}\n{fails}")))
    asked_to_quit(screen)
    assert screen.ends() == 0


SLOW_TO_LEAVE = """
import threading, time
from hermes_tui.commands.screen import END_SECONDS
from hermes_tui.tui.writer import Writer
give_up = Writer.give_up_pictures
def slowly(writer):
    if threading.current_thread() is threading.main_thread():
        time.sleep(END_SECONDS)
    give_up(writer)
Writer.give_up_pictures = slowly
"""


def test_c140_a_program_that_is_slow_to_leave_the_terminal_leaves_it_clean(
    terminal: Open, files: dict[str, str]
) -> None:
    screen = terminal(100, 30, environment=files, program=patched(SLOW_TO_LEAVE))
    screen.shows("docs", "Help")
    assert screen.leave() == 0
    assert left(screen.written).is_clean


def test_c140_the_program_ends_while_another_process_holds_the_state(
    terminal: Open, files: dict[str, str], tmp_path: Path
) -> None:
    screen = at_work(terminal(100, 30, environment=files))
    with (tmp_path / "state" / "state.lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        asked_to_quit(screen)
        assert screen.ends() == 0
    assert left(screen.written).is_clean
    again = terminal(100, 30, environment=files)
    again.shows("docs", "IDLE")
    assert again.leave() == 0
    assert interrupted(files)


def test_c140_the_program_ends_while_its_users_command_hangs_and_takes_it_along(terminal: Open, tmp_path: Path) -> None:
    tells = f'[tell]\ncommand = ["sh", "-c", "echo $$ > {tmp_path}/pid; exec sleep {HANGING_SECONDS:.0f}"]\n'
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        files = home(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}/v1", f"{tells}[runtime]\nmax_retries = 1\n")
        screen = terminal(100, 30, environment=files)
        screen.shows("docs", "Help")
        screen.press("i")
        screen.shows("Prompt docs")
        screen.press("Go on.\r")
        pid = tmp_path / "pid"
        screen.until(lambda _: pid.exists() and pid.read_text().endswith("\n"), "the command runs")
        assert screen.leave() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


# A terminal that takes nothing


TALKING = """\
[primary]
provider = "local"
model = "talks"
[providers.local]
base_url = "{url}"
api_key = "ending0key0of0nobody"
[[sessions]]
name = "docs"
every = "1s"
prompt = "Go on."
"""


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    yield server
    server.close()


def frozen(terminal: Open, folder: Path, provider: Provider) -> Terminal:
    """Return a dashboard whose terminal has taken all that it takes, for nobody reads it."""
    path = folder / "hermes-tui.toml"
    path.write_text(TALKING.format(url=provider.url), encoding="utf-8")
    screen = terminal(200, 60, environment={"HERMES_TUI_CONFIG": str(path), "HERMES_TUI_STATE": str(folder / "state")})
    screen.shows("docs", "Help", "6 Events")
    screen.press("zz" * 20)
    return screen


def served(provider: Provider, times: int) -> bool:
    """Wait until `times` more requests came; tell whether they did."""
    wanted, deadline = provider.answered.get("talks", 0) + times, time.monotonic() + PATIENCE_SECONDS
    while provider.answered.get("talks", 0) < wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    return provider.answered.get("talks", 0) >= wanted


def test_c134_a_frozen_terminal_holds_no_session_up_and_shows_all_once_it_is_read_again(
    terminal: Open, tmp_path: Path, provider: Provider
) -> None:
    screen = frozen(terminal, tmp_path, provider)
    assert served(provider, 5)
    screen.until(lambda _: count(screen.cells) == 6 and not crooked(screen.cells), "six whole panels")
    assert screen.leave() == 0
    assert left(screen.written).is_clean


def test_c134_a_program_ends_while_its_terminal_is_frozen_and_leaves_it_clean(
    terminal: Open, tmp_path: Path, provider: Provider
) -> None:
    screen = frozen(terminal, tmp_path, provider)
    assert served(provider, 2)
    screen.kill(signal.SIGTERM)
    assert screen.ends_unread() == 0
    screen.rest()
    assert left(screen.written).is_clean


def test_c134_a_lost_terminal_ends_the_program_and_its_turn_is_noted(terminal: Open, files: dict[str, str]) -> None:
    screen = at_work(terminal(100, 30, environment=files))
    assert screen.hang_up() == 0
    assert interrupted(files)


def test_bytes_that_are_no_text_and_answers_that_nobody_asked_for_end_nothing(terminal: Open) -> None:
    screen = terminal(100, 30, "demo")
    screen.shows("nightly-docs", "Help")
    for sent in (b"\xff\xfe\x80", b"\x1b[1;1:3A", b"\x1b[5755296R", b"\x1b[97;1;999999999999;~", b"\x1bP1$r\x1b\\"):
        screen.send(sent)
        screen.settled()
    screen.press("?")
    screen.shows("esc closes")
    screen.press("\x1b")
    screen.until(lambda text: "esc closes" not in text, "the help is closed")
    assert screen.leave() == 0


def test_ctrl_c_says_how_to_leave(terminal: Open) -> None:
    screen = terminal(100, 30, "demo")
    screen.shows("nightly-docs", "Help")
    screen.press("\x03")
    screen.shows("q quits")
    assert screen.leave() == 0
