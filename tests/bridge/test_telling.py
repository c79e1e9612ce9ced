"""What is said of agents: no key or token, whatever holds one, and everything else, whatever one attribute is."""

import gc
import hashlib
import json
import sys
import types
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.bridge.plugin.agents import Agents
from hermes_tui.bridge.plugin.insides import label_of
from hermes_tui.bridge.plugin.telling import state
from tests.bridge.test_acting import AIAgent, hermes, made, told_of

__all__ = ["hermes"]

CANARY = "canary-made-up-9b41"
ADDRESS = f"https://{CANARY}:{CANARY}@127.0.0.1:1/v1/{CANARY}-key?api_key={CANARY}&x=1#{CANARY}"


class Row:
    """A login all of whose keys are canaries, even its name."""

    def __init__(self, label: str) -> None:
        self.id, self.label, self.last_status = "0a1b2c", label, None
        self.access_token, self.refresh_token, self.agent_key = f"{CANARY}-access", f"{CANARY}-refresh", f"{CANARY}-key"
        self.base_url = self.inference_base_url = ADDRESS


class Surface(Enum):
    """What another release might call its surfaces by."""

    CLI = "cli"


def full_of_keys(home: Path) -> Any:
    """Return an agent that has a canary wherever a release of Hermes keeps a key."""
    agent = made(home)
    key = f"{CANARY}-key"
    entry = {"provider": "one", "model": "small", "base_url": ADDRESS, "api_key": key, "key_env": CANARY}
    agent.base_url, agent.api_key, agent.platform, agent._parent_session_id = ADDRESS, key, "cli", None
    agent._primary_runtime = {**entry, "client_kwargs": {"api_key": key, "base_url": ADDRESS}}
    agent._fallback_chain = [entry, {**entry, "base_url": ADDRESS.replace(f"/{key}", ""), "api_key": None}]
    agent._unavailable_fallback_keys = {("one", "small", ADDRESS)}
    row = Row(f"{CANARY}-access")
    agent._credential_pool = types.SimpleNamespace(provider="one", _entries=[row], _current_id=row.id)
    return agent


def test_no_key_is_told_wherever_an_agent_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = {f"{CANARY}-access": (1.0, True), hashlib.sha256(b"x").hexdigest()[:16]: (1.0, True)}
    monkeypatch.setitem(sys.modules, "hermes_cli.auth_codex", types.SimpleNamespace(_codex_quota_probe_cache=cache))
    told = state([full_of_keys(tmp_path)])
    agent: Any = told["agents"][0]  # type: ignore[index]
    assert CANARY not in json.dumps(told)
    assert agent["chain"][1]["base_url"] == "https://127.0.0.1:1/v1"
    assert agent["route"]["base_url"] == agent["chain"][0]["base_url"] == ""
    assert agent["credential"]["fingerprint"] == hashlib.sha256(f"{CANARY}-access".encode()).hexdigest()[:12]
    assert len(told["verdicts"]) == 1  # type: ignore[arg-type]


def test_a_login_whose_name_holds_its_key_goes_by_its_id() -> None:
    assert label_of(Row("work")) == "work"
    assert label_of(Row(f"mine: {CANARY}-refresh")) == "0a1b2c"


@pytest.mark.parametrize(
    "name",
    ["platform", "_parent_session_id", "_fallback_index", "_fallback_activated", "_rate_limit_backoff_count"],
)
def test_an_attribute_of_another_kind_is_no_reason_to_say_nothing(tmp_path: Path, name: str) -> None:
    agent = made(tmp_path)
    for odd in (Surface.CLI, object(), {1}, b"x", float("nan")):
        setattr(agent, name, odd)
        (told,) = told_of(agent)
        assert json.loads(json.dumps(told))["route"]["model"] == "small"


def test_nothing_of_hermes_is_touched_before_somebody_looks() -> None:
    kind = sys.modules["run_agent"].AIAgent
    agents = Agents()
    assert kind.__init__ is AIAgent.__init__
    agents.living()
    assert kind.__init__ is not AIAgent.__init__


def test_at_the_first_look_the_newest_of_a_session_is_the_last_however_old_the_others_are(tmp_path: Path) -> None:
    oldest = made(tmp_path)
    gc.collect()
    older = made(tmp_path)
    gc.collect(0)
    newest = made(tmp_path)
    assert Agents().living() == [oldest, older, newest]
