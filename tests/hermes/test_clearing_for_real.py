"""A clear, against the real packages: what their pools make of it, and what their own command leaves."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.core.errors import StateLockedError
from hermes_tui.hermes import auth_lock
from hermes_tui.hermes.clearing import clear
from hermes_tui.hermes.cooldowns import OLD_RULES, RULES
from hermes_tui.hermes.logins import read_logins
from tests.hermes.real_home import LONG_SECONDS, PROVIDER, RealHome, row

STAMPS = ("status_cleared_at", "updated_at")


@pytest.fixture(params=["22", "19"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> RealHome:
    return RealHome(tmp_path, request.param)


@pytest.fixture
def home22(tmp_path: Path) -> RealHome:
    return RealHome(tmp_path, "22")


@pytest.fixture
def home19(tmp_path: Path) -> RealHome:
    return RealHome(tmp_path, "19")


def test_a_living_pool_that_believes_the_row_exhausted_takes_it_back(home22: RealHome) -> None:
    with home22.pool() as pool:
        assert pool.ask("bench", LONG_SECONDS) == {"available": False, "status": "exhausted", "models": []}
        clear(home22.home, PROVIDER, home22.rows[0]["id"])
        assert pool.ask("look") == {"available": True, "status": "ok", "models": []}


def test_c62_what_a_living_pool_writes_next_does_not_put_the_cooldown_back(home22: RealHome) -> None:
    with home22.pool() as pool:
        pool.ask("bench", LONG_SECONDS)
        stamped_at = clear(home22.home, PROVIDER, home22.rows[0]["id"])
        pool.ask("persist")
    assert home22.rows[0]["last_status"] in (None, "ok")
    assert home22.rows[0]["last_error_reset_at"] is None
    assert home22.rows[0]["status_cleared_at"] == stamped_at


def test_c62_a_cooldown_that_comes_after_the_clear_holds(home22: RealHome) -> None:
    with home22.pool() as pool:
        pool.ask("bench", LONG_SECONDS)
        clear(home22.home, PROVIDER, home22.rows[0]["id"])
        pool.ask("look")
        assert not pool.ask("bench", LONG_SECONDS)["available"]
    assert home22.rows[0]["last_status"] == "exhausted"


def test_c62_a_pool_that_is_loaded_after_the_clear_has_the_row(home: RealHome) -> None:
    with home.pool() as pool:
        assert not pool.ask("bench", LONG_SECONDS)["available"]
        clear(home.home, PROVIDER, home.rows[0]["id"])
        assert pool.ask("load")["available"]


def test_an_old_pool_does_not_look_and_puts_the_cooldown_back(home19: RealHome) -> None:
    with home19.pool() as pool:
        pool.ask("bench", LONG_SECONDS)
        clear(home19.home, PROVIDER, home19.rows[0]["id"])
        assert home19.rows[0]["last_status"] is None
        assert not pool.ask("persist")["available"]
    assert home19.rows[0]["last_status"] == "exhausted"


def test_a_models_cooldown_in_memory_outlives_the_clear_and_comes_back(home22: RealHome) -> None:
    with home22.pool() as pool:
        pool.ask("bench-model", "gpt-5.5", LONG_SECONDS)
        clear(home22.home, PROVIDER, home22.rows[0]["id"])
        assert "model_cooldowns" not in home22.rows[0]
        assert pool.ask("persist")["models"] == ["gpt-5.5"]
    assert list(home22.rows[0]["model_cooldowns"]) == ["gpt-5.5"]


def test_a_clear_and_the_reset_of_hermes_differ_in_nothing_but_the_stamps(home: RealHome, tmp_path: Path) -> None:
    home.write(row("a"), row("b", plugin_note="kept") if "22" in str(home.interpreter) else row("b"))
    with home.pool() as pool:
        pool.ask("bench", LONG_SECONDS)
    copy = tmp_path / "copy.json"
    shutil.copy2(home.file, copy)
    target = ["login-a"] if "22" in str(home.interpreter) else []
    home.run("auth", "reset", PROVIDER, *target)
    theirs = home.file.read_bytes()
    shutil.copy2(copy, home.file)
    clear(home.home, PROVIDER, home.rows[0]["id"])
    assert _without_stamps(json.loads(theirs)) == _without_stamps(home.document)
    assert home.file.read_bytes().endswith(b"}\n") == theirs.endswith(b"}\n")
    assert home.file.stat().st_mode == copy.stat().st_mode


def test_the_other_login_keeps_its_cooldown(home22: RealHome) -> None:
    home22.write(row("a"), row("b", last_status="exhausted", last_status_at=time.time(), last_error_code=429))
    with home22.pool() as pool:
        pool.ask("bench", LONG_SECONDS)
        clear(home22.home, PROVIDER, home22.rows[0]["id"])
    assert [each["last_status"] for each in home22.rows] == [None, "exhausted"]


def test_hermes_waits_for_the_lock_that_is_held_here(home: RealHome) -> None:
    home.write(row("a", last_status="exhausted", last_status_at=time.time(), last_error_code=429))
    with auth_lock.held(home.home.path, 0):
        reset = home.start("auth", "reset", PROVIDER)
        _until(lambda: _has_open(reset.pid, home.home.path / auth_lock.LOCK_FILE))
        assert home.rows[0]["last_status"] == "exhausted"
        assert (home.home.path / auth_lock.LOCK_FILE).read_text() == f"{os.getpid()}\n"
    with reset:
        reset.communicate(timeout=60)
    assert reset.returncode == 0
    assert home.rows[0]["last_status"] is None


def test_a_clear_waits_for_the_lock_that_hermes_holds_and_says_who_that_is(home22: RealHome) -> None:
    before = home22.file.read_bytes()
    with (
        _holding(home22) as holder,
        pytest.raises(StateLockedError, match=rf"Hermes holds .*auth.lock \(pid {holder.pid}\)"),
    ):
        clear(home22.home, PROVIDER, home22.rows[0]["id"], patience_seconds=0.1)
    assert home22.file.read_bytes() == before
    assert clear(home22.home, PROVIDER, home22.rows[0]["id"], patience_seconds=0) == home22.rows[0]["status_cleared_at"]


def test_what_a_real_pool_wrote_is_read_as_it_sees_it(home: RealHome) -> None:
    rules = RULES if "22" in str(home.interpreter) else OLD_RULES
    with home.pool() as pool:
        assert not pool.ask("bench", LONG_SECONDS)["available"]
        benched = read_logins(home.home, rules).rows[0]
        clear(home.home, PROVIDER, benched.id)
        free = read_logins(home.home, rules).rows[0]
    assert (benched.status, benched.code, benched.benched_until) == ("exhausted", 429, benched.reset_at)
    assert benched.benched_until
    assert benched.benched_until - time.time() == pytest.approx(LONG_SECONDS, abs=60)
    assert (free.status, free.benched_until, free.probe_key) == ("", None, benched.probe_key)
    assert free.cleared_at
    assert benched.status_at
    assert free.cleared_at > benched.status_at


def _without_stamps(document: dict[str, Any]) -> dict[str, Any]:
    rows = [{name: each[name] for name in each if name not in STAMPS} for each in document["credential_pool"][PROVIDER]]
    whole = {name: document[name] for name in document if name not in STAMPS}
    return whole | {"credential_pool": document["credential_pool"] | {PROVIDER: rows}}


_HOLD = """
import sys
from hermes_cli.auth import _auth_store_lock
with _auth_store_lock():
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def _holding(home: RealHome) -> Iterator[subprocess.Popen[str]]:
    """Let a Hermes hold the lock."""
    command = [str(home.interpreter), "-c", _HOLD]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=home.environment, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        yield holder
        holder.communicate("\n", timeout=60)


def _until(happened: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def _has_open(pid: int, path: Path) -> bool:
    """Tell whether a process has a file open."""
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            if descriptor.readlink() == path:
                return True
    return False
