"""How the plugin comes into a process and leaves it: once, without a trace, and else the next one tidies up."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes_tui.bridge import plugin
from hermes_tui.bridge.live import LiveHome
from tests.bridge.knocking import as_hermes, knocked, place, threads

PROGRAM = """
import os, signal, sys
from pathlib import Path
from hermes_tui.bridge import plugin
from tests.bridge.knocking import hermes_of
sys.modules.update(hermes_of(Path(sys.argv[1])))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
plugin.register(None)
print("open", flush=True)
match sys.stdin.readline():
    case "return": pass
    case "leave at once": os._exit(0)
"""


@contextmanager
def process(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process into which the plugin has come."""
    command = [sys.executable, "-c", PROGRAM, str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == "open\n"
        yield one
        one.kill()


def end(one: "subprocess.Popen[str]", how: str | signal.Signals) -> None:
    if isinstance(how, str):
        one.communicate(how)
    else:
        one.send_signal(how)
    one.wait()


@pytest.mark.parametrize("how", ["return", signal.SIGINT, signal.SIGTERM], ids=str)
def test_a_process_that_ends_as_it_should_leaves_no_socket(tmp_path: Path, how: str | signal.Signals) -> None:
    with process(tmp_path) as one:
        assert place(tmp_path, one.pid).is_socket()
        end(one, how)
        assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("how", ["leave at once", signal.SIGKILL], ids=str)
def test_a_socket_that_was_left_is_not_shown_and_gone_when_the_next_begins(
    tmp_path: Path, how: str | signal.Signals
) -> None:
    home = LiveHome(tmp_path)
    with process(tmp_path) as one:
        assert [process.pid for process in home.look().processes] == [one.pid]
        end(one, how)
        looks = [home.look(), home.look()]
        assert [(look.processes, look.troubles) for look in looks] == [((), ()), ((), ())]
        assert place(tmp_path, one.pid).is_socket()
    with process(tmp_path) as next_one:
        assert list((tmp_path / "run").iterdir()) == [place(tmp_path, next_one.pid)]
    home.close()


class Loading:
    """What Hermes gives a plugin when it loads it, and what it calls when it unloads it."""

    def __init__(self) -> None:
        self._unloading: list[Callable[[], object]] = []

    def on_unload(self, callback: Callable[[], object]) -> None:
        self._unloading.append(callback)

    def unload(self) -> None:
        for callback in reversed(self._unloading):
            callback()
        for thread in threads():
            thread.join(60)


def test_a_plugin_that_is_loaded_twice_serves_once_and_again_after_it_was_unloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    as_hermes(monkeypatch, tmp_path)
    first, second, third = Loading(), Loading(), Loading()
    for loading in (first, second):
        plugin.register(loading)
    assert [record.getMessage().partition("hermes-tui-")[0] for record in caplog.records] == [
        f"The bridge of hermes-tui stays closed: {tmp_path}/run/"
    ]
    assert len(threads()) == 1
    with knocked(tmp_path) as caller:
        assert caller.ask(do="state")["result"]["agents"] == []
    first.unload()
    assert (threads(), list((tmp_path / "run").iterdir())) == ([], [])
    plugin.register(third)
    with knocked(tmp_path) as caller:
        assert caller.ask(do="state")["result"]["agents"] == []
    third.unload()


@pytest.mark.parametrize("name", ["a\nhome", "é" * 100, "h" * 200], ids=["two lines", "100 letters", "200 letters"])
def test_a_home_of_any_name_has_a_bridge_and_one_that_is_moved_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home, loading = tmp_path / name, Loading()
    home.mkdir()
    as_hermes(monkeypatch, home)
    plugin.register(loading)
    live = LiveHome(home)
    (one,) = live.look().processes
    assert "\n" not in one.home
    live.close()
    moved = LiveHome(home.rename(tmp_path / "moved"))
    assert [process.pid for process in moved.look().processes] == [os.getpid()]
    moved.close()
    loading.unload()
    assert list((tmp_path / "moved" / "run").iterdir()) == []
