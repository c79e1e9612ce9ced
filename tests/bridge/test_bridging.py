"""What bridges tell, as what a source asks: dates stand still, and what is not told is not made up."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.bridge import installation
from hermes_tui.bridge.values import (
    Act,
    Applied,
    Held,
    Live,
    LiveAgent,
    LiveCredential,
    LiveProcess,
    LiveRoute,
    LiveVerdict,
)
from hermes_tui.bridging import BridgedHand
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.memory import Belief, OpenSession
from hermes_tui.hermes.values import Release
from tests.hermes.made import FIXED, NOW


def route(provider: str, model: str) -> LiveRoute:
    return LiveRoute(PlainText(provider), PlainText(model), PlainText(""))


PRIMARY = route("openai-codex", "gpt-5.5")
FALLBACK = route("custom:fb", "small")
AGENT = LiveAgent(
    PlainText("s1"),
    7,
    FALLBACK,
    PRIMARY,
    (FALLBACK,),
    1,
    1,
    on_fallback=True,
    cooldown_until=NOW + 60,
    checks_from=NOW + 9,
)
VERDICT = LiveVerdict(7, PlainText("1111"), quota=False, asked_at=NOW, until=NOW + 300)
PROCESS = LiveProcess(7, PlainText("0.22.2.post1"), PlainText("1.0.0"), PlainText("/home"))


class Bridges:
    """Stands for the bridges of a home."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.closed = 0

    def look(self) -> Live:
        return self.live

    def close(self) -> None:
        self.closed += 1


def hand_on(*agents: LiveAgent, process: LiveProcess = PROCESS) -> tuple[BridgedHand, Bridges]:
    bridges = Bridges(Live(agents, (VERDICT,), (process,)))
    hand = BridgedHand(Path("home"), FIXED)
    hand._bridges = bridges  # type: ignore[assignment]
    return hand, bridges


def the_session(agent: LiveAgent, process: LiveProcess = PROCESS) -> OpenSession:
    found = hand_on(agent, process=process)[0].look().session("s1")
    assert found is not None
    return found


def test_a_date_that_moves_by_less_than_a_second_is_the_same_and_so_is_the_memory() -> None:
    hand, bridges = hand_on(AGENT)
    before = hand.look()
    moved = replace(AGENT, cooldown_until=NOW + 60.02, checks_from=NOW + 9.02)
    bridges.live = Live((moved,), (replace(VERDICT, asked_at=NOW + 0.02, until=NOW + 300.02),), (PROCESS,))
    assert hand.look() is before
    bridges.live = Live((replace(AGENT, cooldown_until=NOW + 90),), (replace(VERDICT, asked_at=NOW + 30),), (PROCESS,))
    after = hand.look()
    assert after.sessions["s1"].cooldown_until == NOW + 90
    assert after.beliefs == (Belief("1111", quota=False, asked_at=NOW + 30, until=NOW + 300),)


def test_a_release_that_keeps_its_routes_elsewhere_tells_nothing_of_its_sessions() -> None:
    memory = hand_on(replace(AGENT, primary=route("", "")))[0].look()
    assert (memory.sessions, memory.processes) == ({}, 1)
    assert the_session(replace(AGENT, on_fallback=False, position=None)).position == 0


def test_a_pin_its_time_and_the_pool_of_the_fallback_are_told() -> None:
    used = Applied((Act.USE_FALLBACK,), NOW - 5, PlainText("done"))
    login = LiveCredential(*map(PlainText, ("custom:fb", "id", "fb", "ok", "2222")))
    told = the_session(replace(AGENT, held=Held.PINNED, last=used, credential=login, waiting=(Act.FORCE_RESTORE,)))
    assert (told.pinned, told.chosen_at, told.is_pooled, told.waiting) == (True, NOW - 5, True, ("force_restore",))
    assert the_session(replace(AGENT, credential=replace(login, provider=PlainText("")))).is_pooled is False
    assert the_session(AGENT).is_pooled is None


def test_why_an_act_is_refused_there_is_told_of_each_session() -> None:
    why = PlainText("another release: observed, and not touched")
    told = the_session(AGENT, replace(PROCESS, refusals=((Act.RESET_CHAIN, why),)))
    assert (told.why_not("reset_chain"), told.why_not("force_restore")) == (why, None)
    refusing = replace(PROCESS, refusals=((Act.CLEAR_COOLDOWN, why),))
    assert [hand_on(AGENT, process=one)[0].look().clears for one in (PROCESS, refusing)] == [True, False]


def test_an_act_on_a_session_that_has_been_closed_meanwhile_says_so() -> None:
    hand, _ = hand_on()
    hand.look()
    with pytest.raises(NothingReachableError, match="has the session open any more"):
        hand.act("force_restore", "s1")


@pytest.mark.parametrize("release", [Release("hermes-agent", "9.9"), None])
def test_there_is_no_way_to_a_hand_where_the_bridge_only_looks(release: Release | None, tmp_path: Path) -> None:
    hand = BridgedHand(tmp_path, release)
    hand.look()
    assert hand.way is None


def test_the_way_to_a_hand_is_to_install_the_bridge_and_then_to_start_hermes_again(tmp_path: Path) -> None:
    hand = BridgedHand(tmp_path, FIXED)
    hand.look()
    assert "bridge install" in (hand.way or "")
    installation.install(tmp_path)
    hand.look()
    assert "start it again" in (hand.way or "")


def test_a_look_that_is_under_way_hangs_up_at_its_end() -> None:
    hand, bridges = hand_on(AGENT)
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> Live:
        begun.set()
        assert go_on.wait(30)
        return bridges.live

    bridges.look = slow  # type: ignore[method-assign]
    looking = threading.Thread(target=hand.look)
    looking.start()
    assert begun.wait(30)
    hand.close()
    assert bridges.closed == 0
    go_on.set()
    looking.join(30)
    assert bridges.closed == 1
