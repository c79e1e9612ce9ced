"""Scenario files: those that come with the program, and what a wrong one says."""

from itertools import pairwise
from pathlib import Path

import pytest

from hermes_tui.commands.story import LEAD_SECONDS, QUIET_SECONDS
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.simulator import load_scenario, scenario_names
from hermes_tui.simulator.duration import parse_duration
from hermes_tui.simulator.loading import SCENARIOS

BASE = "http://127.0.0.1:8799"


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_loads_and_tells_its_story(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.title
    assert scenario.story.strip()
    assert scenario.planned_turns()
    assert any(moment.say for moment in scenario.timeline)


@pytest.mark.parametrize("name", scenario_names())
def test_every_turn_belongs_to_a_configured_session(name: str) -> None:
    scenario = load_scenario(name)
    sessions = {table["name"] for table in scenario.configuration_for(BASE)["sessions"]}
    assert {turn.session for turn in scenario.planned_turns()} <= sessions


def test_the_scenarios_of_the_table_are_there() -> None:
    assert {"friday-to-monday", "lying-probe", "early-reopening"} <= set(scenario_names())


def test_the_demo_takes_less_than_a_minute() -> None:
    scenario = load_scenario("friday-to-monday")
    moments = sorted({turn.at for turn in scenario.planned_turns()} | {moment.at for moment in scenario.timeline})
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    waited = sum(LEAD_SECONDS if gap > QUIET_SECONDS else gap for gap in gaps)
    assert waited / scenario.speed < 55


def test_six_turns_follow_the_first_within_one_verdicts_life() -> None:
    turns = load_scenario("lying-probe").planned_turns()
    assert len(turns) == 7
    assert turns[-1].at - turns[1].at < 300


def test_the_configuration_points_every_provider_to_the_simulator() -> None:
    tables = load_scenario("lying-probe").configuration_for(BASE)
    assert tables["primary"] == {"provider": "openai-codex", "model": "gpt-5.5"}
    assert tables["fallback_providers"] == [{"provider": "backup", "model": "small", "context_length": 200000}]
    assert tables["providers"]["openai-codex"]["base_url"] == f"{BASE}/openai-codex/backend-api/codex"
    assert tables["providers"]["openai-codex"]["api_mode"] == "codex_responses"
    assert tables["providers"]["backup"]["base_url"] == f"{BASE}/backup/v1"
    assert tables["providers"]["backup"]["credentials"] == [{"label": "spare", "api_key": "${BACKUP_KEY}"}]
    assert "environment" not in tables


def test_a_file_of_ones_own_is_loaded_by_its_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text((SCENARIOS / "outage.toml").read_text())
    assert load_scenario(own) == load_scenario("outage")


@pytest.mark.parametrize("reference", ["${CODEX_TOKEN}", "${env:CODEX_TOKEN}", "env:CODEX_TOKEN"])
def test_a_key_is_found_behind_its_reference(reference: str) -> None:
    assert load_scenario("lying-probe").secret_behind(reference) == "simulated-codex-work"


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ('title = "The lying probe"\n', "", "title"),
        ("speed = 10.0", "sped = 10.0", "sped"),
        ('at = "10s"', 'at = "soon"', "turns[1].at"),
        ('mode = "usage_limit"', 'mode = "sleepy"', "timeline[0].actions[0].mode"),
        ('do = "set_usage"', 'do = "set_useage"', "timeline[0].actions[1]"),
        (
            'do = "set_usage", provider = "openai-codex", mode = "lies", used_percent = 5',
            'do = "set_shape", provider = "openai-codex", shape = "codex-usage-limits"',
            "timeline[0].actions[1].shape",
        ),
        ('{ do = "set_usage", provider = "openai-codex"', '{ do = "set_usage", provider = "x"', "[1].provider"),
        ("used_percent = 5 },\n  {", "used_percent = 500 },\n  {", "windows[0].used_percent"),
        ('CODEX_TOKEN = "', 'OTHER_TOKEN = "', "configuration.providers.openai-codex.credentials[0].api_key"),
        ('[configuration.primary]\nprovider = "openai-codex"', '[configuration.primary]\nprovider = "y"', "primary"),
        ('accounts]]\nlabel = "work"', 'accounts]]\nlabel = "home"', "accounts[0].label"),
        ("[simulator.providers.openai-codex", "[simulator.providers.codex", "simulator.providers.codex"),
    ],
)
def test_a_wrong_scenario_names_file_and_key(tmp_path: Path, before: str, after: str, key: str) -> None:
    text = (SCENARIOS / "lying-probe.toml").read_text()
    assert before in text
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text.replace(before, after))
    with pytest.raises(ConfigurationError) as caught:
        load_scenario(wrong)
    assert caught.value.path == wrong
    assert key in str(caught.value.key)
    assert f"{wrong}: {caught.value.key}: " in str(caught.value)


def test_a_file_that_is_no_toml_says_the_line(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("title = \n")
    with pytest.raises(ConfigurationError, match="line 1"):
        load_scenario(wrong)


def test_a_name_with_a_slip_gets_the_nearest_one() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'lying-probe'"):
        load_scenario("lying-prob")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("5m", 300), ("1h30m", 5400), ("2d", 172800), ("250ms", 0.25), ("0s", 0), (7, 7), ("1.5h", 5400)],
)
def test_durations_are_read_as_people_write_them(text: object, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "5", "-5m", "5 parsecs", -1, float("inf"), float("nan"), True, None])
def test_anything_else_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)
