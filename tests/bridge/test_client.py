"""The client: whoever is at the other end, it gets a value or an error of its own, in time, and nothing unsafe."""

import json
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from hermes_tui.bridge import answers
from hermes_tui.bridge import client as client_module
from hermes_tui.bridge.client import Client
from hermes_tui.bridge.live import SILENCE_SECONDS, LiveHome, one_for_each_session
from hermes_tui.bridge.plugin import Bridge
from hermes_tui.bridge.plugin.door import Door
from hermes_tui.bridge.values import Act, Held, LiveState
from hermes_tui.core.errors import HermesTuiError, NothingReachableError, RefusedError
from tests.bridge.impostor import impostor, saying
from tests.bridge.knocking import open_door, place, threads

WELCOME = b'{"id": 1, "result": {"protocol": 1, "hermes": "0.22.2.post1", "abilities": {"force_restore": null}}}\n'


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "PATIENCE_SECONDS", 0.3)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir(mode=0o700)
    return tmp_path


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage\n",
        b"[]\n",
        b"\xff\n",
        b"[" * 90_000 + b"\n",
        b'{"id": 2, "result": {}}\n',
        b"HTTP/1.1 200 OK\r\n\r\n",
        b'{"id": 1, "result": NaN',
    ],
)
def test_what_is_no_bridge_is_not_reachable(tmp_path: Path, answer: bytes) -> None:
    with impostor(tmp_path, saying(answer)) as pid, pytest.raises(NothingReachableError):
        Client.connect(tmp_path, pid)


def test_an_answer_without_end_is_given_up(tmp_path: Path) -> None:
    def pour(line: socket.socket) -> None:
        while True:
            line.sendall(b"x" * (1 << 16))

    with impostor(tmp_path, pour) as pid, pytest.raises(NothingReachableError, match="makes no sense"):
        Client.connect(tmp_path, pid)


@pytest.mark.usefixtures("impatient")
def test_who_never_answers_is_given_up_in_time(tmp_path: Path) -> None:
    over = threading.Event()
    with impostor(tmp_path, lambda _: over.wait(10)) as pid:
        with pytest.raises(NothingReachableError, match="did not answer"):
            Client.connect(tmp_path, pid)
        over.set()


@pytest.mark.usefixtures("impatient")
def test_who_answers_a_letter_at_a_time_is_given_up_in_time(tmp_path: Path) -> None:
    over = threading.Event()

    def drip(line: socket.socket) -> None:
        while not over.wait(0.05):
            line.sendall(b" ")

    with impostor(tmp_path, drip) as pid:
        with pytest.raises(NothingReachableError, match="did not answer"):
            Client.connect(tmp_path, pid)
        over.set()


def test_every_line_to_an_impostor_is_closed(tmp_path: Path) -> None:
    with impostor(tmp_path, saying(b"garbage\n")) as pid:
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(10):
            with pytest.raises(NothingReachableError):
                Client.connect(tmp_path, pid)
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1  # the one that the impostor holds


def test_a_socket_in_the_name_of_another_process_is_not_talked_to(tmp_path: Path) -> None:
    with impostor(tmp_path, saying(WELCOME)):
        place(tmp_path).rename(place(tmp_path, os.getppid()))
        with pytest.raises(RefusedError, match=f"held by process {os.getpid()}"):
            Client.connect(tmp_path, os.getppid())
        place(tmp_path, os.getppid()).unlink()


@pytest.mark.parametrize("made", ["link", "file"])
def test_what_is_no_socket_is_not_opened(empty: Path, made: str) -> None:
    if made == "link":
        place(empty).symlink_to("/dev/null")
    else:
        place(empty).touch()
    with pytest.raises(RefusedError, match="no socket of yours"):
        Client.connect(empty, os.getpid())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_socket_of_another_user_is_not_opened(tmp_path: Path) -> None:
    with impostor(tmp_path, saying(WELCOME)) as pid:
        os.chown(place(tmp_path), 65534, 65534)
        with pytest.raises(RefusedError, match="no socket of yours"):
            Client.connect(tmp_path, pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_another_user_is_not_looked_into(empty: Path) -> None:
    os.chown(empty / "run", 65534, 65534)
    (trouble,) = LiveHome(empty).look().troubles
    assert "belongs to another user" in trouble


def test_a_folder_into_which_others_can_write_is_not_looked_into(empty: Path) -> None:
    (empty / "run").chmod(0o770)
    (trouble,) = LiveHome(empty).look().troubles
    assert "others can write to" in trouble


def test_a_home_in_which_no_bridge_has_run_is_no_trouble_and_stays_as_it_is(tmp_path: Path) -> None:
    assert LiveHome(tmp_path).look().troubles == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pid", [2**30, os.getppid()], ids=["nobody's", "another's by now"])
def test_a_socket_that_an_ended_process_left_is_no_trouble_and_stays_where_it_is(tmp_path: Path, pid: int) -> None:
    with impostor(tmp_path, saying()):
        left = place(tmp_path).rename(place(tmp_path, pid))
    assert LiveHome(tmp_path).look().troubles == ()
    assert left.is_socket()


def test_a_bridge_of_another_protocol_says_which_it_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "PROTOCOLS", [2])
    bridge = Bridge(str(tmp_path), "0.22.2.post1")
    door = Door(str(tmp_path), bridge.hello, bridge.answer)
    door.open()
    with pytest.raises(RefusedError, match="this bridge speaks protocol 1: update the older of the two"):
        Client.connect(tmp_path, os.getpid())
    door.close()
    for thread in threads():
        thread.join(60)


def test_a_hermes_that_is_not_known_is_observed_and_not_touched(tmp_path: Path) -> None:
    why = "Hermes 0.23.0 is not known"
    bridge = Bridge(str(tmp_path), "0.23.0")
    door = Door(str(tmp_path), bridge.hello, bridge.answer)
    door.open()
    with Client.connect(tmp_path, os.getpid()) as client:
        assert client.state().agents == ()
        for act in Act:
            assert why in (client.process.why_not(act) or "")
            with pytest.raises(RefusedError, match=why):
                client.do(act, {"session": "any"})
    door.close()
    for thread in threads():
        thread.join(60)


def test_an_older_bridge_that_lacks_an_act_says_how_to_update_it(tmp_path: Path) -> None:
    with impostor(tmp_path, saying(WELCOME)) as pid, Client.connect(tmp_path, pid) as client:
        assert client.process.why_not(Act.FORCE_RESTORE) is None
        assert "hermes-tui bridge install" in (client.process.why_not(Act.USE_FALLBACK) or "")


def test_what_a_hostile_bridge_says_is_made_plain_and_capped(tmp_path: Path) -> None:
    evil = "\x1b[2Jcafé\u202e" + "x" * 5_000
    agent = {
        "session": evil,
        "route": {"provider": evil, "model": ["no"], "base_url": "https://u:made-up-word@h/v1"},
        "primary": 5,
        "chain": [7, {"provider": "\x1b"}] * 5_000,
        "position": -1,
        "next": 10**400,
        "cooldown_until": 1e400,
        "cooldown_reason": ["limit"],
        "turn_since": "yesterday",
        "backoffs": True,
        "waiting": ["force_restore", "rm -rf", {}],
        "last": {"at": 5.0, "acts": "all", "said": f"{evil} key sk-madeupmadeupmadeup"},
        "credential": {"label": evil, "fingerprint": 9},
        "skipped": [["a", evil], "b"],
        "in_turn": "yes",
    }
    verdicts = [{"fingerprint": evil, "verdict": evil, "asked_at": 5.0, "until": 6.0}, {"asked_at": -1}, None]
    told = json.dumps({"id": 2, "result": {"at": "now", "agents": [agent, {}, None], "verdicts": verdicts}})
    with impostor(tmp_path, saying(WELCOME, told.encode() + b"\n")) as pid, Client.connect(tmp_path, pid) as client:
        state = client.state()
    (live,) = state.agents
    assert "\x1b" not in repr(state)
    assert "\u202e" not in repr(state)
    assert "made-up-word" not in repr(state)
    assert "sk-madeup" not in repr(state)
    assert len(live.session) <= 200
    assert len(live.chain) == 250
    assert live.waiting == (Act.FORCE_RESTORE,)
    assert live.held is Held.LIMIT or live.held is None
    assert (live.position, live.cooldown_until, live.backoffs, live.in_turn) == (None, None, None, False)
    assert state.verdicts[0].quota is None


def test_an_answer_of_the_bridge_is_a_reason_without_keys(tmp_path: Path) -> None:
    told = b'{"id": 2, "error": "no: \\u001b[31m Bearer made-up-made-up-t0ken"}\n'
    with (
        impostor(tmp_path, saying(WELCOME, told)) as pid,
        Client.connect(tmp_path, pid) as client,
        pytest.raises(RefusedError) as refused,
    ):
        client.do(Act.FORCE_RESTORE, {"session": "any"})
    assert "made-up" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_of_a_session_that_two_processes_have_open_the_one_at_work_counts_else_the_newer() -> None:
    def says(pid: int, since: float, *, in_turn: bool = False) -> LiveState:
        process = answers.process({"since": since}, pid)
        return answers.state({"agents": [{"session": "s", "in_turn": in_turn}]}, process, 9.0)

    def chosen(*states: LiveState) -> list[int]:
        return [agent.pid for agent in one_for_each_session(states)]

    assert chosen(says(1, 5.0), says(2, 6.0)) == [2]
    assert chosen(says(1, 5.0, in_turn=True), says(2, 6.0)) == [1]
    assert chosen(says(1, 5.0), says(2, 6.0, in_turn=True), says(3, 7.0)) == [2]


def test_the_agent_of_a_session_is_found_among_those_of_a_home(tmp_path: Path) -> None:
    home = LiveHome(tmp_path)
    with open_door(tmp_path, lambda _: {"agents": [{"session": "s"}], "at": 5.0}):
        live = home.look()
        assert live.agent("s") == live.agents[0]
        assert live.process(os.getpid()) == live.processes[0]
        assert live.agent("another") is None
        home.close()


@pytest.mark.usefixtures("impatient")
def test_who_did_not_answer_is_left_alone_for_a_while_and_then_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, over = LiveHome(tmp_path), threading.Event()
    with impostor(tmp_path, lambda _: over.wait(10)):
        (first,) = home.look().troubles
        assert "did not answer (in time)" in first
        over.set()
        assert home.look().troubles == (first,)
        later = time.monotonic() + SILENCE_SECONDS
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert home.look().troubles != (first,)


def test_a_line_that_is_closed_is_no_trouble_and_made_anew_where_somebody_still_listens(tmp_path: Path) -> None:
    home, state = LiveHome(tmp_path), b'{"id": 2, "result": {"at": 5.0}}\n'
    with impostor(tmp_path, saying(WELCOME, state)):
        looks = [home.look() for _ in range(3)]
        os.link(place(tmp_path), tmp_path / "left")
    (tmp_path / "left").rename(place(tmp_path))
    looks += [home.look() for _ in range(2)]
    assert [len(look.processes) for look in looks] == [1, 0, 1, 0, 0]
    assert {look.troubles for look in looks} == {()}


def test_sessions_that_an_answer_has_no_place_for_are_counted(tmp_path: Path) -> None:
    home = LiveHome(tmp_path)
    with open_door(tmp_path, lambda _: {"agents": [{"session": "s"}], "at": 5.0, "left_out": 7}):
        assert home.look().troubles == (f"process {os.getpid()} has 7 more sessions than its bridge tells of",)
        home.close()


def test_nobody_to_ask_is_said(empty: Path) -> None:
    with pytest.raises(HermesTuiError, match="no Hermes with a bridge runs"):
        LiveHome(empty).drop_verdict("0123456789ab")
