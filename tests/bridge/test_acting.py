"""What the plugin does with agents that are not as it knows them, and at the start of a turn that goes wrong."""

import gc
import inspect
import sys
import types
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.bridge.plugin.acting import Hand, is_pinned
from hermes_tui.bridge.plugin.agents import Agents
from hermes_tui.bridge.plugin.insides import Refused
from hermes_tui.bridge.plugin.telling import MOST_AGENTS, state
from hermes_tui.bridge.plugin.turns import (
    CLEAR_COOLDOWN,
    FORCE_RESTORE,
    RESET_CHAIN,
    TAKE_CHAIN,
    USE_FALLBACK,
    last_act,
    later,
    waiting_acts,
)


class AIAgent:
    """An agent of the shape that both releases share, on its first fallback of two."""

    def __init__(self, home: Path, session_id: str = "s") -> None:
        self.session_id = session_id
        self.logs_dir = home / "sessions"
        self.provider, self.model, self.base_url = "one", "small", "http://127.0.0.1/v1"
        self._primary_runtime = {"provider": "first", "model": "big"}
        self._fallback_chain: Any = [{"provider": "one", "model": "small"}, {"provider": "two", "model": "small"}]
        self._fallback_index = 1
        self._fallback_activated = True
        self.done: list[str] = []

    def _restore_primary_runtime(self) -> bool:
        self.done.append("restored")
        return True

    def _try_activate_fallback(self) -> bool:
        self.done.append("moved")
        return True


@pytest.fixture(autouse=True)
def hermes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a module of the name in which Hermes keeps its agents, with an agent class of its own."""
    module = types.ModuleType("run_agent")
    module.AIAgent = type("AIAgent", (AIAgent,), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "run_agent", module)
    yield
    gc.collect()


def made(home: Path, session: str = "s") -> Any:
    return sys.modules["run_agent"].AIAgent(home, session)


def hand(home: Path) -> Hand:
    return Hand(Agents(), str(home.resolve()), None)


def told_of(*agents: Any) -> list[Any]:
    told = state([*agents])["agents"]
    assert isinstance(told, list)
    return told


def test_agents_are_found_that_were_made_before_and_after_and_none_is_kept_alive(tmp_path: Path) -> None:
    before = made(tmp_path, "before")
    agents = Agents()
    agents.living()
    after = made(tmp_path, "after")
    assert {agent.session_id for agent in agents.living()} == {"before", "after"}
    gone = weakref.ref(after)
    del after
    gc.collect()
    assert gone() is None
    assert agents.living() == [before]


def test_an_agent_whose_making_fails_does_so_as_ever_and_is_not_told() -> None:
    agents = Agents()
    agents.living()
    with pytest.raises(TypeError, match="home"):
        sys.modules["run_agent"].AIAgent()
    gc.collect()
    assert agents.living() == []


def test_an_act_that_waits_keeps_no_agent_alive(tmp_path: Path) -> None:
    agent = made(tmp_path)
    hand(tmp_path).do(USE_FALLBACK, {"session": "s"})
    gone = weakref.ref(agent)
    del agent
    gc.collect()
    assert gone() is None


def test_how_an_agent_is_made_looks_as_ever_and_is_as_before_when_the_plugin_is_unloaded() -> None:
    kind = sys.modules["run_agent"].AIAgent
    original, signature = kind.__init__, inspect.signature(kind)
    agents = Agents()
    agents.living()
    assert kind.__init__ is not original
    assert inspect.signature(kind) == signature
    agents.leave()
    assert kind.__init__ is original


def test_of_two_agents_of_one_session_the_newer_counts_and_helpers_do_not(tmp_path: Path) -> None:
    older, newer, helper = made(tmp_path), made(tmp_path), made(tmp_path)
    newer.model, helper._persist_disabled = "newest", True
    (told,) = told_of(older, newer, helper)
    assert told["route"]["model"] == "newest"


def test_of_very_many_agents_the_newest_are_told_and_the_others_counted(tmp_path: Path) -> None:
    told = state([made(tmp_path, str(number)) for number in range(MOST_AGENTS + 2)])
    agents = told["agents"]
    assert isinstance(agents, list)
    assert (len(agents), agents[0]["session"], told["left_out"]) == (MOST_AGENTS, "2", 2)


def test_an_agent_without_what_is_told_is_left_out_and_the_others_are_told(tmp_path: Path) -> None:
    broken = made(tmp_path, "broken")
    del broken.session_id
    (told,) = told_of(broken, made(tmp_path))
    assert told["session"] == "s"


def test_of_an_agent_of_another_make_what_there_is_is_told(tmp_path: Path) -> None:
    agent = made(tmp_path)
    agent._primary_runtime, agent._fallback_chain = None, 5
    (told,) = told_of(agent)
    assert (told["route"]["model"], told["on_fallback"], told["next"]) == ("small", True, 1)
    assert "chain" not in told
    assert "position" not in told


def test_an_agent_that_lacks_what_an_act_takes_is_not_touched(tmp_path: Path) -> None:
    agent = made(tmp_path)
    del agent._fallback_index
    with pytest.raises(Refused, match="this Hermes has no _fallback_index"):
        hand(tmp_path).do(USE_FALLBACK, {"session": "s"})
    assert waiting_acts(agent) == []


def test_a_session_of_another_profile_is_not_touched(tmp_path: Path) -> None:
    agent = made(tmp_path / "profiles" / "other")
    with pytest.raises(Refused, match="another profile's home"):
        hand(tmp_path).do(USE_FALLBACK, {"session": "s"})
    assert waiting_acts(agent) == []


def test_a_session_that_is_not_open_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="session any is not open in this process"):
        hand(tmp_path).do(FORCE_RESTORE, {"session": "any"})


def test_a_model_that_the_account_may_not_use_is_not_restored(tmp_path: Path) -> None:
    agent = made(tmp_path)
    agent._entitlement_rejected_models = {("first", "big")}
    with pytest.raises(Refused, match="the account may not use big"):
        hand(tmp_path).do(FORCE_RESTORE, {"session": "s"})


def test_a_turn_of_which_nothing_was_asked_runs_nothing_of_the_plugin(tmp_path: Path) -> None:
    agent = made(tmp_path)
    state([agent])
    assert "_restore_primary_runtime" not in vars(agent)


def test_an_act_is_done_at_one_turn_and_never_again(tmp_path: Path) -> None:
    agent = made(tmp_path)
    hand(tmp_path).do(USE_FALLBACK, {"session": "s"})
    assert waiting_acts(agent) == [USE_FALLBACK]
    assert agent.done == []
    assert [agent._restore_primary_runtime(), agent._restore_primary_runtime()] == [True, True]
    assert agent.done == ["moved", "restored"]
    assert is_pinned(agent)
    assert "_restore_primary_runtime" not in vars(agent)


def test_a_part_that_fails_is_told_and_the_turn_goes_on(tmp_path: Path) -> None:
    agent = made(tmp_path)

    def fail(_: object) -> None:
        raise LookupError("sk-made-up-secret")

    later(agent, FORCE_RESTORE, fail)
    assert agent._restore_primary_runtime() is True
    assert agent.done == ["restored"]
    told = last_act(agent)
    assert told is not None
    assert told["said"] == "the turn began on the fallback one/small; a part failed (LookupError)"


def test_the_fallback_is_pinned_after_a_cooldown_was_cleared_whatever_came_first(tmp_path: Path) -> None:
    agent = made(tmp_path)
    hand(tmp_path).do(USE_FALLBACK, {"session": "s"})
    later(agent, CLEAR_COOLDOWN, lambda one: setattr(one, "_rate_limited_until", 0))
    agent._restore_primary_runtime()
    assert is_pinned(agent)


def test_a_later_wish_takes_the_place_of_its_opposite(tmp_path: Path) -> None:
    agent = made(tmp_path)
    later(agent, USE_FALLBACK, lambda _: True)
    later(agent, FORCE_RESTORE, lambda _: None, instead_of=USE_FALLBACK)
    later(agent, TAKE_CHAIN, lambda _: None)
    later(agent, RESET_CHAIN, lambda _: None, instead_of=TAKE_CHAIN)
    assert waiting_acts(agent) == [FORCE_RESTORE, RESET_CHAIN]
