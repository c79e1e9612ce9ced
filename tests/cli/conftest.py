"""The command line as a person meets it: the real program in a process of its own, a real provider on loopback.

`program` forks the process from one that has loaded the program, which takes a tenth of the time of a start; what
depends on the start itself, on pipes or on signals starts `python -m hermes_tui`.
"""

import asyncio
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from hermes_tui.cli import main
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.simulator.simulator import Simulator
from tests.durability.lives import Zygote, zygote
from tests.durability.programs import Surroundings, rehearse
from tests.durability.programs import run as run_program
from tests.engine.theatre import scenario
from tests.terminal.conftest import terminal

__all__ = ["terminal"]

Run = Callable[..., subprocess.CompletedProcess[str]]


class Provider:
    """A simulator that runs in a thread of its own, for programs in other processes."""

    def __init__(self, script: Scenario) -> None:
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._goes_on = asyncio.Event()
        self.simulator = Simulator(script, now=time.time, sleep=self._sleep)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        async with self.simulator:
            self._ready.set()
            await self._stop.wait()

    def apply(self, action: Any) -> None:
        """Change the world behind the server."""
        self._loop.call_soon_threadsafe(self.simulator.world.apply, action)

    def go_on(self) -> None:
        """Let come at once what waits for its time, and what would wait from now on."""
        self._loop.call_soon_threadsafe(self._goes_on.set)

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._goes_on.wait()

    def close(self) -> None:
        """End the server."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(60)


@pytest.fixture
def script() -> Scenario:
    """A primary, a fallback and one session; a test may have its own."""
    return scenario("backup/small")


@pytest.fixture
def provider(script: Scenario) -> Iterator[Provider]:
    """The provider that the configuration points at."""
    server = Provider(script)
    yield server
    server.close()


@pytest.fixture
def home(provider: Provider, script: Scenario, tmp_path: Path) -> Path:
    """A folder with the configuration file."""
    tables = script.configuration_for(provider.simulator.base_url)
    (tmp_path / "hermes-tui.toml").write_text(tomli_w.dumps(tables), encoding="utf-8")
    return tmp_path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose files all lie below one folder."""
    return _environment(tmp_path)


def _environment(folder: Path) -> dict[str, str]:
    return os.environ | {
        "HERMES_TUI_CONFIG": str(folder / "hermes-tui.toml"),
        "HERMES_TUI_STATE": str(folder / "state"),
    }


@pytest.fixture(scope="session")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """The process that programs are forked from; it has had a turn."""
    folder, script = tmp_path_factory.mktemp("rehearsal"), scenario("backup/small")
    server = Provider(script)
    tables = script.configuration_for(server.simulator.base_url)
    (folder / "hermes-tui.toml").write_text(tomli_w.dumps(tables), encoding="utf-8")
    with zygote() as started:
        rehearse(started, Surroundings(_environment(folder), folder), "run", "--prompt", "One.")
        server.close()
        yield started


@pytest.fixture
def program(environment: dict[str, str], lives: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the program with arguments, and wait for its end."""
    output = tmp_path_factory.mktemp("output")

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        done = run_program(lives, Surroundings(environment, output, stdin), *arguments)
        return subprocess.CompletedProcess(arguments, done.exit_code, done.output, done.errors)

    return run


@pytest.fixture
def here(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the same command line in this process, which starts faster."""
    for name in ("HERMES_TUI_CONFIG", "HERMES_TUI_STATE"):
        monkeypatch.setenv(name, environment[name])

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        written = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return subprocess.CompletedProcess(arguments, ended.value.code, written.out, written.err)

    return run


def events(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """Return the events of `run --json`."""
    return [json.loads(line) for line in done.stdout.splitlines()]
