"""Who is at work in a home: a claim counts if its process lives and is the one that was meant."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.core.text import PlainText
from hermes_tui.hermes.holder import local_pid
from hermes_tui.hermes.life import Life, Table
from hermes_tui.hermes.processes import Processes, processes
from hermes_tui.hermes.values import Conversation, Running
from tests.hermes.real import real

PROC = Path("/proc")

NOW = 1_000.0

ON_LINUX = pytest.mark.skipif(not PROC.joinpath("stat").exists(), reason="only Linux tells when a process started")


@pytest.fixture
def another() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for the end of its input."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.fixture
def ended() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def write(home: Path, name: str, content: object) -> None:
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def started_ticks(pid: int) -> int:
    process = Table().look(pid)
    assert process.started_ticks is not None
    return process.started_ticks


def started_at(pid: int) -> float:
    process = Table().look(pid)
    assert process.started_at is not None
    return process.started_at


def entry(pid: int, started: float | None = None, **keys: object) -> dict[str, object]:
    return {
        "session_id": "s1",
        "surface": "cli",
        "pid": pid,
        "process_start_time": started,
        "started_at": 900.0,
        **keys,
    }


def conversation(pid: int | None, since: float, until: float) -> Conversation:
    return Conversation("s1", PlainText(""), "cli", busy_since=since, busy_until=until, busy_by=pid)


def test_a_home_in_which_nothing_ran_has_no_processes(tmp_path: Path) -> None:
    assert processes(tmp_path, (), NOW) == Processes()


@ON_LINUX
def test_a_gateway_that_runs_is_told_once(tmp_path: Path, another: subprocess.Popen[bytes]) -> None:
    record = {"pid": another.pid, "kind": "hermes-gateway", "start_time": started_ticks(another.pid)}
    write(tmp_path, "gateway.pid", record)
    write(tmp_path, "gateway_state.json", record | {"gateway_state": "running"})

    found = processes(tmp_path, (), NOW)

    assert found == Processes((Running(another.pid, "gateway", None, started_at(another.pid)),))


def test_a_gateway_that_was_told_to_end_leaves_a_stale_state(tmp_path: Path, ended: int) -> None:
    write(tmp_path, "gateway_state.json", {"pid": ended, "start_time": 5, "gateway_state": "running"})

    found = processes(tmp_path, (), NOW)

    assert found.alive == ()
    assert found.stale == (f"gateway_state.json still says running of process {ended}, which has ended.",)


@pytest.mark.parametrize("state", ["stopped", "startup_failed"])
def test_a_gateway_that_says_that_it_ended_is_nothing_to_tell(tmp_path: Path, ended: int, state: str) -> None:
    write(tmp_path, "gateway_state.json", {"pid": ended, "start_time": 5, "gateway_state": state})

    assert processes(tmp_path, (), NOW) == Processes()


@ON_LINUX
def test_a_number_that_was_given_out_again_is_another_process(tmp_path: Path, another: subprocess.Popen[bytes]) -> None:
    write(tmp_path, "gateway.pid", {"pid": another.pid, "start_time": started_ticks(another.pid) - 500})
    write(tmp_path, "runtime/active_sessions.json", {"entries": [entry(another.pid, started_at(another.pid) - 60)]})
    turn = conversation(another.pid, started_at(another.pid) - 60, started_at(another.pid) + 60)

    found = processes(tmp_path, [turn], started_at(another.pid))

    assert found.alive == ()
    assert [sentence.endswith("which is another one by now.") for sentence in found.stale] == [True, True, True]


@ON_LINUX
def test_open_sessions_and_turns_in_flight_are_told(tmp_path: Path, another: subprocess.Popen[bytes]) -> None:
    begun = started_at(another.pid)
    write(tmp_path, "runtime/active_sessions.json", {"entries": [entry(another.pid, begun), entry(another.pid, begun)]})

    found = processes(tmp_path, [conversation(another.pid, begun + 10, begun + 310)], begun + 20)

    assert found.stale == found.doubts == ()
    assert found.alive == (Running(another.pid, "cli", "s1", 900.0), Running(another.pid, "turn", "s1", begun + 10))


def test_a_session_whose_process_was_killed_is_stale(tmp_path: Path, another: subprocess.Popen[bytes]) -> None:
    write(tmp_path, "runtime/active_sessions.json", {"entries": [entry(another.pid)]})
    assert [running.session for running in processes(tmp_path, (), NOW).alive] == ["s1"]

    another.kill()
    os.waitid(os.P_PID, another.pid, os.WEXITED | os.WNOWAIT)  # ended, and its parent has not looked yet
    found = processes(tmp_path, (), NOW)

    if Table().tells_starts:
        assert found.alive == ()
        assert found.stale == (
            f"active_sessions.json says that session s1 is open in process {another.pid}, which has ended.",
        )


@pytest.mark.parametrize(("pid", "until"), [(None, NOW + 60), (1, NOW - 1)])
def test_a_lease_that_ran_out_or_is_of_another_container_tells_nothing(
    tmp_path: Path, pid: int | None, until: float
) -> None:
    assert processes(tmp_path, [conversation(pid, NOW - 300, until)], NOW) == Processes()


def test_a_turn_of_a_process_that_ended_is_stale(tmp_path: Path, ended: int) -> None:
    found = processes(tmp_path, [conversation(ended, NOW - 100, NOW + 200)], NOW)

    assert found.alive == ()
    assert found.given_up == {"s1"}
    assert found.stale == (
        f"state.db says that a turn of session s1 is in flight in process {ended}, which has ended.",
    )


def test_of_many_claims_the_first_are_told_and_the_others_counted() -> None:
    told = tuple(PlainText(f"{number}.") for number in range(8))
    assert Processes(stale=told[:5]).notes == told[:5]
    assert Processes(stale=told[:7], doubts=told[7:]).notes == (*told[:5], "3 more such claims are left out here.")


@pytest.mark.parametrize("pid", [0, -1])
def test_a_number_that_stands_for_many_processes_is_none_that_lives(pid: int) -> None:
    assert Table().look(pid).life is Life.ENDED


def test_a_lease_without_a_process_is_of_nobody_here() -> None:
    assert local_pid("pid=0:turn=a") is None
    assert local_pid("pid=12:turn=a") == 12


def test_where_starts_are_not_told_existence_counts_and_that_is_said(
    tmp_path: Path, another: subprocess.Popen[bytes], ended: int
) -> None:
    write(tmp_path, "gateway.pid", {"pid": another.pid, "start_time": 1})
    write(tmp_path, "runtime/active_sessions.json", [entry(ended, 1.0)])

    found = processes(tmp_path, (), NOW, Table(tmp_path / "no proc"))

    assert found.alive == (Running(another.pid, "gateway"),)
    assert len(found.stale) == 1
    assert "does not say when a process started" in found.doubts[0]


def test_who_has_a_session_open_is_known_where_a_list_is_kept(tmp_path: Path, another: subprocess.Popen[bytes]) -> None:
    assert processes(tmp_path, (), NOW).registered is None
    write(tmp_path, "runtime/active_sessions.json", {"entries": []})
    assert processes(tmp_path, (), NOW).registered == frozenset()
    entries = [{"pid": another.pid, "session_id": "open"}, {"pid": 1 << 30, "session_id": "killed"}]
    write(tmp_path, "runtime/active_sessions.json", {"entries": entries})
    assert processes(tmp_path, (), NOW).registered == frozenset({"open"})


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '"\\ud800', '{"pid": 1e999}', "9" * 5_000, "\ufeff{"])
def test_a_file_that_is_half_or_something_else_breaks_nothing(tmp_path: Path, content: str) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    for file in (tmp_path / "gateway.pid", tmp_path / "gateway_state.json", runtime / "active_sessions.json"):
        file.write_text(content)

    found = processes(tmp_path, (), NOW)

    assert (found.alive, found.stale) == ((), ())


def test_a_file_that_cannot_be_read_is_a_doubt(tmp_path: Path) -> None:
    (tmp_path / "gateway.pid").mkdir()
    (tmp_path / "gateway_state.json").write_text("{half")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "active_sessions.json").write_text(" " * 1_000_001)

    assert [sentence.split()[0] for sentence in processes(tmp_path, (), NOW).doubts] == [
        "gateway.pid",
        "gateway_state.json",
        "active_sessions.json",
    ]


@pytest.mark.parametrize("pid", [0, -1, True, 1.5, None, "x", "9" * 40, [1], 1 << 70])
def test_what_is_no_process_number_claims_nothing_alive(tmp_path: Path, pid: object) -> None:
    write(tmp_path, "gateway.pid", {"pid": pid})
    write(
        tmp_path, "runtime/active_sessions.json", {"entries": [{"pid": pid}, None, 5, [], {"pid": pid, "surface": 5}]}
    )

    assert processes(tmp_path, (), NOW).alive == ()


@pytest.mark.parametrize(
    "content", [str(os.getpid()), json.dumps({"pid": str(os.getpid())})], ids=["a number", "in a table"]
)
def test_a_process_number_alone_as_older_versions_wrote_it_is_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "gateway.pid").write_text(content)

    assert [running.pid for running in processes(tmp_path, (), NOW).alive] == [os.getpid()]


@ON_LINUX
def test_a_name_with_blanks_and_brackets_does_not_move_the_fields(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu 1 2\nbtime 1000\n")
    folder = tmp_path / str(os.getpid())
    folder.mkdir()
    (folder / "stat").write_text(f"{os.getpid()} (a) Z (b) S " + " ".join(map(str, range(1, 19))) + " 4200 0")

    process = Table(tmp_path).look(os.getpid())

    assert (process.life, process.started_ticks) == (Life.ALIVE, 4_200)
    assert process.started_at == 1_000.0 + 4_200 / os.sysconf("SC_CLK_TCK")


AT_WORK = """
import json, sys
from pathlib import Path
from gateway.status import _build_pid_record, write_runtime_status
from hermes_cli.active_sessions import try_acquire_active_session
(Path(sys.argv[1]) / "gateway.pid").write_text(json.dumps(_build_pid_record()))
write_runtime_status(gateway_state="running")
held = try_acquire_active_session(session_id="s7", surface="tui", config={"max_concurrent_sessions": 5})
print("at work", flush=True)
sys.stdin.read(1)
"""


@ON_LINUX
@pytest.mark.parametrize("version", ["19", "22"])
def test_the_real_hermes_signs_with_the_start_that_is_looked_for(tmp_path: Path, version: str) -> None:
    command = [str(real(version)), "-c", AT_WORK, str(tmp_path)]
    environment = {"HERMES_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as hermes:
        assert hermes.stdout is not None
        assert hermes.stdout.readline() == b"at work\n"

        running = processes(tmp_path, (), NOW)
        hermes.kill()
        hermes.wait()
        after = processes(tmp_path, (), NOW)

    assert [(one.pid, one.kind, one.session) for one in running.alive] == [
        (hermes.pid, "gateway", None),
        (hermes.pid, "tui", "s7"),
    ]
    assert running.stale == running.doubts == ()
    assert after.alive == ()
    assert [sentence.split()[0] for sentence in after.stale] == [
        "gateway.pid",
        "gateway_state.json",
        "active_sessions.json",
    ]
