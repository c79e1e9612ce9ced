"""Homes that a real Hermes has filled: read, judged by its rules, and left as they were."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.core.acts import ResetCooldown
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.errors import UsageError
from hermes_tui.core.event import AttemptFailed, Event, FallbackActivated, PrimaryRestored, RestoreFailed
from hermes_tui.core.judging import judged
from hermes_tui.core.session import Phase, Role
from hermes_tui.hermes.configuration import read_configuration
from hermes_tui.hermes.homes import find_home
from hermes_tui.hermes.reader import BUSY_SECONDS, HomeReader
from hermes_tui.hermes.source import HermesHome
from hermes_tui.hermes.values import Home, HomeConfiguration
from hermes_tui.wiring import open_home
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.state.homes import Writer, change, make, session

HomeOf = Callable[[Build, str], Path]

NEW, OLD = Build.HERMES_22, Build.HERMES_19

DIAGNOSES = {
    (NEW, "quota_out"): Code.WAITING_FOR_RESET,
    (NEW, "poolless"): Code.WAITING_FOR_RESET,
    (NEW, "lying"): Code.LYING_PROBE,
    (NEW, "two"): Code.CREDENTIAL_NOT_TRIED,
    (NEW, "restored"): Code.ON_PRIMARY,
    (NEW, "dead"): Code.CREDENTIAL_DEAD,
    (OLD, "quota_out"): Code.NO_EARLY_REOPEN,
    (OLD, "lying"): Code.NO_EARLY_REOPEN,
    (OLD, "two"): Code.NO_EARLY_REOPEN,
    (OLD, "restored"): Code.ON_PRIMARY,
    (OLD, "dead"): Code.CREDENTIAL_DEAD,
}


def opened(build: Build, home: Path) -> HermesHome:
    """Return the home as a source, with the release that filled it on the PATH."""
    newest = max(path.stat().st_mtime for path in home.rglob("*") if path.is_file())
    return open_home(home, {"PATH": str(interpreter(build).parent)}, lambda: newest + 60)


def contents(home: Path) -> dict[str, str]:
    """Return a digest of every file below `home`, by its place."""
    files = (path for path in home.rglob("*") if path.is_file())
    return {str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def told(source: HermesHome, kind: type[Event]) -> list[Event]:
    return [event for _, event in source.snapshot().events if isinstance(event, kind)]


@pytest.mark.parametrize(("build", "story"), DIAGNOSES, ids=[f"{build.value} {story}" for build, story in DIAGNOSES])
def test_what_became_of_a_session_is_told_by_the_rules_of_the_hermes_that_ran_it(
    home_of: HomeOf, build: Build, story: str
) -> None:
    home = home_of(build, story)
    before = contents(home)
    source = opened(build, home)
    (state,) = source.snapshot().sessions
    way, diagnosis = judged(source.snapshot().facts, state.row, source.now())
    assert diagnosis.code is DIAGNOSES[build, story], diagnosis.facts
    assert bool(way.gates) is state.row.on_fallback
    assert str(state.row.requested) == "openai-codex/gpt-5.5"
    assert source.snapshot().problem is None
    assert contents(home) == before


def test_c124_the_route_that_serves_is_named_and_the_one_that_was_asked_for(home_of: HomeOf) -> None:
    (state,) = opened(NEW, home_of(NEW, "quota_out")).snapshot().sessions
    assert (str(state.row.active), state.row.position) == ("custom:backup/small", 1)


async def test_what_happened_and_what_was_said_can_be_read(home_of: HomeOf) -> None:
    source = opened(NEW, home_of(NEW, "lying"))
    assert len(told(source, FallbackActivated)) == len(told(source, AttemptFailed)) == 4
    assert len(told(source, PrimaryRestored)) == len(told(source, RestoreFailed)) == 3
    (state,) = source.snapshot().sessions
    said = await source.messages(state.name)
    assert [message.role for message in said[:2]] == [Role.USER, Role.ASSISTANT]
    assert said[1].text == "Reply 1 of gpt-5.5 by openai-codex."


async def test_the_history_of_a_session_is_that_of_its_logs(home_of: HomeOf) -> None:
    source = opened(NEW, home_of(NEW, "two"))
    (state,) = source.snapshot().sessions
    everything = await source.history(state.name, 0.0)
    assert everything == source.snapshot().events
    assert await source.history("another", 0.0) == ()
    assert await source.history(None, source.now()) == ()


def test_c122_a_home_that_is_looked_at_again_and_again_is_byte_for_byte_as_it_was(home_of: HomeOf) -> None:
    home = home_of(NEW, "quota_out")
    before, reader = contents(home), HomeReader(find_home(home, {}, home), None)
    first = reader.look(1.0)
    assert all(reader.look(float(second)) is first for second in range(2, 300))
    assert contents(home) == before


async def test_a_cleared_cooldown_is_in_the_file_and_on_the_screen(home_of: HomeOf) -> None:
    home = home_of(NEW, "two")
    source = opened(NEW, home)
    source.now = lambda: _stamped(home)
    await source.execute(ResetCooldown(CredentialKey("openai-codex", "work")))
    rows = json.loads((home / "auth.json").read_text())["credential_pool"]["openai-codex"]
    assert [row["last_status"] for row in rows] == [None, None]
    facts = source.snapshot().facts
    (row,) = (row for row in facts.credentials.values() if row.key.label == "work")
    assert row.cooldown is None
    assert row.cleared_at == rows[0]["status_cleared_at"]
    (state,) = source.snapshot().sessions
    assert judged(facts, state.row, source.now())[1].code is Code.RESTORE_DUE


def _stamped(home: Path) -> float:
    return (home / "auth.json").stat().st_mtime + 1


def test_c117_a_file_that_cannot_be_read_says_so_and_keeps_what_it_said(home_of: HomeOf) -> None:
    home = home_of(NEW, "quota_out")
    reader = HomeReader(find_home(home, {}, home), None)
    before = reader.look(1.0)
    whole = (home / "auth.json").read_bytes()
    (home / "auth.json").write_bytes(whole[: len(whole) // 2])
    broken = reader.look(2.0)
    assert broken.logins is before.logins
    assert [name for name, _ in broken.troubles] == ["auth.json"]
    (home / "auth.json").write_bytes(whole)
    mended = reader.look(3.0)
    assert mended.troubles == ()
    assert mended.logins == before.logins


def test_a_broken_file_that_has_not_changed_is_tried_again_now_and_then_alone(
    home_of: HomeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = home_of(NEW, "poolless")
    (home / "config.yaml").write_text("model: [")
    reader, tries = HomeReader(find_home(home, {}, home), None), []

    def read(which: Home) -> HomeConfiguration:
        tries.append(which)
        return read_configuration(which)

    monkeypatch.setattr("hermes_tui.hermes.reader.read_configuration", read)
    for second in (1.0, 1.3, 1.6, 5.9, 6.0, 6.3):
        assert [name for name, _ in reader.look(second).troubles] == ["config.yaml"]
    assert len(tries) == 2


def test_a_newer_format_is_read_as_far_as_it_is_known_and_says_so(home_of: HomeOf) -> None:
    home = home_of(NEW, "poolless")
    document = json.loads((home / "auth.json").read_text())
    (home / "auth.json").write_text(json.dumps(document | {"version": 99}))
    with closing(sqlite3.connect(home / "state.db")) as database, database:
        database.execute("UPDATE schema_version SET version = 99")
    reading = HomeReader(find_home(home, {}, home), None).look(1.0)
    assert [name for name, _ in reading.troubles] == ["auth.json", "state.db"]
    assert reading.logins.rows
    assert reading.conversations


def test_a_changed_file_is_in_the_next_look(home_of: HomeOf) -> None:
    home = home_of(NEW, "poolless")
    reader = HomeReader(find_home(home, {}, home), None)
    before = reader.look(1.0)
    file = home / "config.yaml"
    file.write_text(file.read_text().replace("small", "larger"))
    after = reader.look(2.0)
    assert after.configuration is not None
    assert [entry.model for entry in after.configuration.chain] == ["larger"]
    assert after.logins is before.logins


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A home with one session and files that say little."""
    home = make("22", tmp_path / "home")
    (home / "config.yaml").write_text("model: {provider: openai-codex, default: gpt-5.5}\n")
    (home / "auth.json").write_text('{"version": 1, "credential_pool": {}}\n')
    change(home, session("s1", 100.0, title="weekly"))
    return home


def reader_of(home: Path) -> HomeReader:
    return HomeReader(Home(home, home), None)


def test_c122_a_busy_moment_is_not_told_before_it_has_lasted(made: Path) -> None:
    reader = reader_of(made)
    reader.look(1_000.0)

    with Writer(made, "keep it to itself") as writer:
        told = [reader.look(at).troubles for at in (1_001.0, 1_001.0 + BUSY_SECONDS - 0.1, 1_001.0 + BUSY_SECONDS)]
        shown = [one.title for one in reader.look(1_060.0).conversations]
        writer.end()

    assert told[:2] == [(), ()]
    ((name, why),) = told[2]
    assert (name, "kept busy by another process since" in why, shown) == ("state.db", True, ["weekly"])
    assert reader.look(1_200.0).troubles == ()


def test_a_clock_that_was_set_back_makes_no_busy_moment_last(made: Path) -> None:
    reader = reader_of(made)
    reader.look(1_000.0)

    with Writer(made, "keep it to itself") as writer:
        reader.look(1_001.0)
        told = reader.look(10.0).troubles
        writer.end()

    assert [name for name, _ in told] == ["state.db"]


def test_sessions_that_could_never_be_read_are_told_at_once_and_waited_for(made: Path) -> None:
    reader = reader_of(made)

    with Writer(made, "keep it to itself") as writer:
        first = reader.look(1_000.0)
        writer.end()
    after = reader.look(1_100.0)

    assert [name for name, _ in first.troubles] == ["state.db"]
    assert (first.waits, after.waits) == (True, False)
    assert [one.title for one in after.conversations] == ["weekly"]


def test_a_home_in_which_no_session_was_kept_yet_is_told_so_and_has_no_fault(made: Path) -> None:
    (made / "state.db").unlink()
    reading = reader_of(made).look(1_000.0)
    assert reading.troubles == ()
    logs, state = reading.notes
    assert "holds no log of Hermes yet" in logs
    assert "Hermes has kept no session in this home yet" in state
    assert not reading.waits


def test_the_sessions_that_are_left_out_are_counted(made: Path) -> None:
    change(made, *(session(f"n{number}", 200.0 + number) for number in range(204)))
    source = HermesHome(reader_of(made), lambda: 1_000.0)
    assert source.snapshot().left_out == 5
    assert len(source.snapshot().facts.sessions) == 200


def test_claims_of_processes_that_have_ended_are_noted_and_keep_no_turn_in_flight(made: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    record = {"pid": ended.pid, "gateway_state": "running"}
    (made / "gateway_state.json").write_text(json.dumps(record))
    lease = ("INSERT INTO session_turn_leases VALUES ('s1', ?, 900.0, 1200.0)", (f"pid={ended.pid}:turn=a",))
    change(made, lease)

    source = HermesHome(reader_of(made), lambda: 1_000.0)

    snapshot = source.snapshot()
    stale = [note for note in snapshot.notes if f"process {ended.pid}, which has ended." in note]
    assert [note.split()[0] for note in stale] == ["gateway_state.json", "state.db"]
    (state,) = snapshot.sessions
    assert (state.row.phase, state.owner, snapshot.problem) == (Phase.IDLE, None, None)


def test_a_turn_is_in_flight_until_its_lease_runs_out(made: Path) -> None:
    lease = ("INSERT INTO session_turn_leases VALUES ('s1', ?, 900.0, 1200.0)", ("pid=1:pidns=1:turn=a",))
    change(made, lease)
    reader = reader_of(made)

    def phase(at: float) -> list[bool]:
        return [one.busy_until is not None for one in reader.look(at).conversations]

    before = reader.look(1_000.0)
    assert (phase(1_000.0), phase(1_199.0), phase(1_200.0)) == ([True], [True], [False])
    assert before.conversations[0].busy_until == 1_200.0


def test_a_profile_without_logins_of_its_own_has_a_note_and_no_fault(made: Path) -> None:
    work = made / "profiles" / "work"
    shutil.copytree(made, work, ignore=shutil.ignore_patterns("profiles"))
    (work / "auth.json").unlink()
    reading = HomeReader(Home(work, made, "work"), None).look(1_000.0)
    assert reading.troubles == ()
    assert "the profile uses the logins of the root" in reading.notes[0]


def test_where_there_is_no_home_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_home(tmp_path / "nowhere", os.environ, lambda: 0.0)


def test_what_is_told_line_by_line_is_what_is_told_of_the_whole(home_of: HomeOf) -> None:
    home = home_of(NEW, "lying")
    whole = HomeReader(find_home(home, {}, home), None)
    whole.look(1.0)
    log = home / "logs" / "agent.log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"")
    (home / "logs" / "errors.log").write_bytes(b"")
    one_by_one = HomeReader(find_home(home, {}, home), None)
    for number, line in enumerate(lines):
        with log.open("ab") as stream:
            stream.write(line)
        one_by_one.look(1.0 + number)
    assert one_by_one.events() == whole.events() != ()


def test_what_is_forgotten_of_the_logs_takes_no_number_with_it(
    home_of: HomeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = home_of(NEW, "lying")
    whole = HomeReader(find_home(home, {}, home), None)
    whole.look(1.0)
    monkeypatch.setattr("hermes_tui.hermes.reader.HAPPENINGS", 10)
    short = HomeReader(find_home(home, {}, home), None)
    short.look(1.0)
    assert short.events()
    assert {number for number, _ in short.events()} < {number for number, _ in whole.events()}
    assert short.events()[-1][0] == whole.events()[-1][0]
    before = [number for number, _ in short.events()]
    with (home / "logs" / "agent.log").open("ab") as log:
        log.write((home / "logs" / "agent.log").read_bytes().splitlines(keepends=True)[4])
    short.look(2.0)
    after = [number for number, _ in short.events()]
    assert after[:-1] == before[-len(after) + 1 :]
    assert after[-1] > before[-1]
