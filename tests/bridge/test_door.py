"""The door of the plugin: its owner alone comes in, and nobody who does can hold it up or fill it."""

import json
import os
import select
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.bridge.plugin import door as door_module
from hermes_tui.bridge.plugin.door import Closed, Door
from tests.bridge.knocking import Caller, knocked, open_door, place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door_module, "PATIENCE_SECONDS", 1.0)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def silent(home: Path) -> Door:
    return Door(str(home), lambda _: {}, lambda _: {})


def listening(path: Path) -> socket.socket:
    """Bind a socket where a bridge would have it."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    line = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_PATH)
    line.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)
    return line


def test_the_socket_and_its_folder_are_the_owner_s_alone(home: Path) -> None:
    with open_door(home):
        assert stat.S_IMODE(place(home).stat().st_mode) == 0o600
        assert stat.S_IMODE(place(home).parent.stat().st_mode) == 0o700


def test_a_folder_that_others_could_enter_is_closed_to_them(home: Path) -> None:
    (home / "run").mkdir(mode=0o755)
    with open_door(home):
        assert stat.S_IMODE((home / "run").stat().st_mode) == 0o700


def test_a_closed_door_leaves_no_socket_no_thread_and_no_descriptor(home: Path) -> None:
    before = descriptors()
    with open_door(home), knocked(home):
        assert place(home).exists()
    assert not place(home).exists()
    assert descriptors() == before


def test_a_home_with_a_path_that_is_too_long_for_sockets_has_a_door_too(home: Path) -> None:
    deep = home.joinpath(*["a-folder-with-a-long-name"] * 5)
    deep.mkdir(parents=True)
    with open_door(deep), knocked(deep) as caller:
        assert caller.ask(do="state") == {"result": {"asked": "state"}}


def test_a_folder_that_is_a_link_is_refused(home: Path) -> None:
    (home / "elsewhere").mkdir()
    (home / "run").symlink_to(home / "elsewhere")
    with pytest.raises(Closed, match="is a link or a file"):
        silent(home).open()
    assert list((home / "elsewhere").iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(home: Path) -> None:
    (home / "run").mkdir(mode=0o777)
    os.chown(home / "run", 65534, 65534)
    with pytest.raises(Closed, match="belongs to another user"):
        silent(home).open()


@pytest.mark.parametrize("made", ["file", "link", "folder"])
def test_what_stands_in_the_socket_s_place_is_neither_used_nor_taken_away(home: Path, made: str) -> None:
    path = place(home)
    path.parent.mkdir(mode=0o700)
    match made:
        case "file":
            path.write_text("mine")
        case "link":
            path.symlink_to(home / "nowhere")
        case _:
            path.mkdir()
    with pytest.raises(Closed, match="not ours to take away"):
        silent(home).open()
    assert os.path.lexists(path)


def test_a_place_where_somebody_listens_already_is_not_taken(home: Path) -> None:
    with listening(place(home)) as squatter:
        squatter.listen()
        with pytest.raises(Closed, match="not ours to take away"):
            silent(home).open()
        assert place(home).exists()


def test_what_an_earlier_process_of_the_same_number_left_is_replaced(home: Path) -> None:
    listening(place(home)).close()
    with open_door(home), knocked(home) as caller:
        assert caller.ask(do="state") == {"result": {"asked": "state"}}


def test_sockets_of_ended_processes_are_swept_and_those_of_living_ones_are_not(home: Path) -> None:
    ended, living = place(home, 2**30), place(home, os.getppid())
    for path in (ended, living):
        listening(path).close()
    (home / "run" / "another.sock").touch()
    with open_door(home):
        assert not ended.exists()
        assert living.exists()
        assert (home / "run" / "another.sock").exists()
    os.utime(living, (0, 0))
    with open_door(home):
        assert not living.exists()


def test_a_forked_child_neither_serves_nor_takes_the_socket_away_nor_keeps_askers_waiting(home: Path) -> None:
    with open_door(home) as door, knocked(home) as caller:
        (done, tell_done), (over, tell_over) = os.pipe(), os.pipe()
        if (child := os.fork()) == 0:
            door.close()
            os.write(tell_done, b".")
            os.read(over, 1)
            os._exit(0)
        try:
            os.read(done, 1)
            assert caller.ask(do="state") == {"result": {"asked": "state"}}
            assert place(home).exists()
            door.close()
            assert caller.hear() == b""
        finally:
            os.write(tell_over, b".")
            os.waitpid(child, 0)
            for one in (done, tell_done, over, tell_over):
                os.close(one)


def test_whoever_asks_how_much_the_door_takes_its_share_of_the_time_alone(home: Path) -> None:
    def work(_: object) -> None:
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass

    with open_door(home, work), knocked(home) as caller:
        caller.ask(do="state")
        began = time.monotonic()
        for _ in range(5):
            caller.ask(do="state")
        assert time.monotonic() - began >= 5 * 0.01 / door_module.SHARE


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_who_gets_through_to_the_socket_is_not_let_in(home: Path) -> None:
    with open_door(home):
        place(home).parent.chmod(0o711)  # as if somebody had opened both
        place(home).chmod(0o666)
        folder, name = os.open(home / "run", os.O_PATH), place(home).name
        read, write = os.pipe()
        if (child := os.fork()) == 0:
            os.fchdir(folder)
            os.setgroups([])
            os.setuid(65534)
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(name)
                line.sendall(b'{"do": "hello", "versions": [1]}\n')
                heard = line.recv(100)
            except OSError as error:
                heard = type(error).__name__.encode()
            os.write(write, heard or b"hung up")
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(read, 100) in (b"hung up", b"ConnectionResetError", b"BrokenPipeError")
        for one in (folder, read, write):
            os.close(one)


def test_nothing_is_told_before_hello(home: Path) -> None:
    with open_door(home), knocked(home, greeted=False) as caller:
        assert caller.ask(do="state", id=7) == {
            "error": "say hello first, with the versions that you speak",
            "id": 7,
        }


@pytest.mark.parametrize(
    "line", [b"garbage", b"[]", b"\xff\xfe", b"[" * 9_000, b'{"id": {}, "do": 5}', b'{"do": "hello"', b""]
)
def test_garbage_is_answered_with_a_sentence_and_the_next_request_as_ever(home: Path, line: bytes) -> None:
    with open_door(home), knocked(home) as caller:
        caller.say(line + b"\n")
        told = json.loads(caller.hear())
        assert "error" in told or told == {"result": {"asked": 5}}
        assert caller.ask(do="state") == {"result": {"asked": "state"}}


def test_a_fault_of_the_bridge_is_told_by_its_kind_alone(home: Path) -> None:
    def fail(_: object) -> object:
        raise KeyError("sk-made-up-secret")

    with open_door(home, fail), knocked(home) as caller:
        assert caller.ask(do="state") == {
            "error": f"that failed inside (KeyError); process {os.getpid()} goes on as it was"
        }


def test_what_cannot_be_said_is_a_fault_and_the_line_stays(home: Path) -> None:
    with open_door(home, lambda _: object()), knocked(home) as caller:
        for _ in range(2):
            assert caller.ask(do="state", id=7) == {
                "error": f"that failed inside (TypeError); process {os.getpid()} goes on as it was",
                "id": 7,
            }


def test_a_line_without_end_is_hung_up_on(home: Path) -> None:
    with open_door(home), knocked(home) as caller:
        try:
            for _ in range(100):
                caller.say(b"x" * door_module.LONGEST_REQUEST)
        except OSError:
            pass
        assert caller.hear() == b""


@pytest.mark.usefixtures("impatient")
def test_who_begins_a_line_and_waits_is_hung_up_on(home: Path) -> None:
    with open_door(home), knocked(home) as caller:
        caller.say(b'{"do": "sta')
        assert caller.hear() == b""


@pytest.mark.usefixtures("impatient")
def test_who_says_nothing_at_first_is_hung_up_on(home: Path) -> None:
    with open_door(home), knocked(home, greeted=False) as caller:
        assert caller.hear() == b""


@pytest.mark.usefixtures("impatient")
def test_who_never_fetches_an_answer_is_hung_up_on_and_others_are_served(home: Path) -> None:
    with open_door(home, lambda _: "x" * 900_000), knocked(home) as deaf, knocked(home) as caller:
        deaf.say(b'{"do": "state"}\n')
        assert len(caller.ask(do="state")["result"]) == 900_000
        poll = select.poll()
        poll.register(deaf.line, select.POLLRDHUP)
        assert poll.poll(60_000)


def test_no_more_than_a_few_are_let_in_and_a_place_is_free_again_afterwards(home: Path) -> None:
    with open_door(home):
        callers = [Caller(home) for _ in range(door_module.MOST_PEERS)]
        for caller in callers:
            caller.ask(do="hello", versions=[1])
        with Caller(home) as late:
            assert late.hear() == b""
        for caller in callers:
            caller.__exit__()
        with knocked(home) as caller:
            assert caller.ask(do="state") == {"result": {"asked": "state"}}


def test_who_dies_with_a_question_on_the_way_harms_nobody(home: Path) -> None:
    with open_door(home):
        for _ in range(door_module.MOST_PEERS - 1):
            with Caller(home) as dying:
                dying.say(b'{"do": "hello", "versions": [1]}\n{"do": "state"}\n{"do"')
        with knocked(home) as caller:
            assert caller.ask(do="state") == {"result": {"asked": "state"}}


def test_many_requests_at_once_are_all_answered_in_order(home: Path) -> None:
    with open_door(home), knocked(home) as caller:
        caller.say(b"".join(b'{"id": %d, "do": "state"}\n' % number for number in range(300)))
        assert [json.loads(caller.hear())["id"] for _ in range(300)] == list(range(300))


@pytest.fixture(autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    before = descriptors()
    yield
    assert descriptors() == before


def test_a_door_whose_thread_cannot_start_leaves_nothing_behind(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError):
        silent(home).open()
    assert list((home / "run").iterdir()) == []
