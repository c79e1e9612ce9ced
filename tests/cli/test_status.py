"""`status`, `check`, `simulate` and `demo --plain`: what scripts and people read."""

import json
from pathlib import Path

import pytest

from hermes_tui.simulator.action import SetMode, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.cli.conftest import Provider, Run

GATE_NAMES = ["not_pinned", "session_cooldown", "pool", "restore_check", "verdict", "trial"]


@pytest.mark.usefixtures("home")
def test_status_reads_the_last_run_without_a_model_call(program: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0))
    provider.apply(SetUsage(provider="openai-codex", mode=UsageMode.LIES))
    program("run", "--prompt", "One.", "--prompt", "Two.")
    seen = len(provider.simulator.requests)
    done = program("status", "--json")
    assert done.returncode == 1
    assert len(provider.simulator.requests) == seen
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    session = document["sessions"][0]
    assert session["route"].keys() == {"provider", "model", "base_url", "api_mode"}
    assert (session["name"], session["position"], session["chain_length"]) == ("s1", 1, 1)
    assert session["fallback_active"] is True
    assert session["primary"]["provider"] == "openai-codex"
    assert session["diagnosis"]["code"] == "lying_probe"
    assert session["diagnosis"]["next"].keys() == {"text", "at"}
    assert all(fact.keys() == {"text", "at", "source"} for fact in session["diagnosis"]["facts"])
    assert [gate["name"] for gate in session["gates"]] == GATE_NAMES
    assert {"owner", "pending", "source"} <= session.keys()
    credential = document["credentials"][0]
    assert (credential["status"], credential["until_source"], credential["code"]) == ("exhausted", "provider", 429)
    assert len(credential["fingerprint"]) == 4
    verdict = document["verdicts"][0]
    assert verdict["verdict"] == "quota"
    assert verdict["expires_at"] == pytest.approx(verdict["asked_at"] + 300)
    assert {window["name"] for window in verdict["windows"]} == {"5 h", "week"}


@pytest.mark.usefixtures("home")
def test_m47_why_tells_one_sessions_facts_and_gates(program: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0))
    program("run", "--prompt", "One.")
    done = program("why", "s1")
    assert done.returncode == 1
    assert "429 usage limit" in done.stdout
    assert "blocked session cooldown" in done.stdout
    (row,) = (line for line in program("status").stdout.splitlines() if line.startswith("s1 "))
    assert row.endswith("  the next turn asks whether it reopened")
    unknown = program("why", "s9")
    assert unknown.returncode == 2
    assert "s1" in unknown.stderr


@pytest.mark.usefixtures("home")
def test_m8_why_says_once_of_each_route_why_none_could_answer(program: Run, provider: Provider) -> None:
    for name in ("openai-codex", "backup"):
        provider.apply(SetMode(provider=name, mode=Mode.PAYMENT_REQUIRED))
    program("run", "--prompt", "One.")
    done = program("why", "s1")
    assert done.returncode == 1
    assert "No route could answer the last turn." in done.stdout
    assert done.stdout.count(" backup/small: ") == 1


@pytest.mark.usefixtures("home")
def test_status_is_exit_code_0_while_all_is_well(program: Run) -> None:
    program("run", "--prompt", "One.")
    done = program("status")
    assert done.returncode == 0
    assert "on primary" in done.stdout


def test_status_without_a_state_says_so_and_is_exit_code_3(program: Run) -> None:
    done = program("status")
    assert done.returncode == 3
    assert "no state" in done.stderr
    assert done.stdout == ""


@pytest.mark.usefixtures("home")
def test_check_sends_nothing_and_says_that_all_can_work(program: Run, provider: Provider) -> None:
    done = program("check")
    assert "backup/small" in done.stdout
    assert provider.simulator.requests == []


def test_check_names_an_unset_variable_and_never_a_value(program: Run, tmp_path: Path) -> None:
    text = """
[primary]
provider = "groq"
model = "llama"
[[providers.groq.credentials]]
label = "work"
api_key = "${NO_SUCH_KEY_ANYWHERE}"
"""
    (tmp_path / "hermes-tui.toml").write_text(text, encoding="utf-8")
    done = program("check")
    assert done.returncode == 1
    assert "NO_SUCH_KEY_ANYWHERE" in done.stdout


def test_simulate_prints_the_table_of_the_lying_probe(program: Run) -> None:
    done = program("simulate", "--json")
    rows = {(row["scenario"], row["policy"]): row for row in json.loads(done.stdout)}
    assert len(rows) == 8
    table = {
        policy: tuple(rows["lying-probe", policy][key] for key in ("restores", "failed_calls", "notices"))
        for policy in ("never", "every_turn", "throttled", "adaptive")
    }
    assert table == {"never": (0, 0, 0), "every_turn": (6, 6, 6), "throttled": (1, 1, 1), "adaptive": (1, 1, 1)}
    reopened = {policy: rows["early-reopening", policy]["restored"] for policy in table}
    assert reopened == {"never": False, "every_turn": True, "throttled": True, "adaptive": True}


def test_simulate_plays_one_scenario_under_one_policy(program: Run) -> None:
    done = program("simulate", "two-credentials", "--policy", "throttled")
    assert done.returncode == 0
    assert "two-credentials" in done.stdout
    assert "never" not in done.stdout


def test_an_unknown_scenario_is_named_with_the_nearest(program: Run) -> None:
    done = program("simulate", "lying-prob")
    assert done.returncode == 2
    assert "lying-probe" in done.stderr


def test_the_plain_demo_tells_the_whole_story(program: Run) -> None:
    done = program("demo", "--plain", "--speed", "150")
    assert done.returncode == 0, done.stderr
    told = done.stdout
    steps = ("429 usage limit", "backup/small", "no quota", "is back on", "verified", "contradicts the verdict")
    positions = [told.find(step) for step in steps]
    assert -1 not in positions, dict(zip(steps, positions, strict=True))
    assert positions == sorted(positions)


def test_version_and_help(program: Run) -> None:
    assert program("--version").stdout.startswith("hermes-tui")
    listed = program("--help").stdout
    commands = ("auth", "check", "completion", "demo", "init", "probe", "run", "simulate", "status", "why")
    for command in commands:
        assert f"\n  {command} " in listed
        done = program(command, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Usage: hermes-tui {command} ")


def test_check_says_once_and_at_its_line_what_an_entry_lacks(program: Run, tmp_path: Path) -> None:
    text = """
[primary]
provider = "ollama"
model = "m"
[[fallback_providers]]
provider = "azure"
model = "mine"
[runtime]
max_retries = 3
"""
    (tmp_path / "hermes-tui.toml").write_text(text, encoding="utf-8")
    told = program("check").stdout
    assert "  1 azure/mine  not set\n" in told
    assert told.count("no base_url: ") == 1
    assert "! line 5: azure/env: AZURE_OPENAI_API_KEY is not set\n" in told
