"""`timeline`: the course of a session as sentences and as a document (C126, C127, C130)."""

import json
from itertools import pairwise

import pytest

from hermes_tui.simulator.action import SetMode, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.cli.conftest import Provider, Run


@pytest.fixture
def walked(home: object, program: Run, provider: Provider) -> Provider:
    """Play a turn on the primary, one that leaves it, and one on the fallback while the usage page lies."""
    program("run", "--prompt", "One.")
    provider.apply(SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0))
    provider.apply(SetUsage(provider="openai-codex", mode=UsageMode.LIES))
    program("run", "--prompt", "Two.", "--prompt", "Three.")
    return provider


@pytest.mark.usefixtures("walked")
def test_c126_a_session_tells_when_and_why_it_left_its_primary(here: Run) -> None:
    done = here("timeline", "s1")
    assert done.returncode == 1
    assert done.stderr == ""
    assert "left openai-codex/gpt for backup/small (429 usage limit, openai-codex-1)" in done.stdout.replace("\n", " ")
    assert "still away" in done.stdout
    assert "1 restore failed, 1 request refused" in done.stdout
    assert "3 switches, 1 failed restore, 1 request refused by the primary while away." in done.stdout
    assert "can be used again" in done.stdout


@pytest.mark.usefixtures("walked")
def test_c130_the_same_is_a_document_for_a_script(here: Run) -> None:
    document = json.loads(here("timeline", "s1", "--json").stdout)
    assert document["schema_version"] == 1
    assert document["session"] == "s1"
    spans = document["spans"]
    assert spans[0]["from"] == document["since"]
    assert spans[-1]["until"] == document["time"]
    assert all(before["until"] == span["from"] for before, span in pairwise(spans))
    assert (spans[-1]["route"], spans[-1]["position"]) == ("backup/small", 1)
    (absence,) = document["absences"]
    assert absence["until"] is None
    assert absence["returned_by"] is None
    assert absence["failed_restores"] == document["totals"]["failed_restores"] == 1
    kinds = [mark["kind"] for mark in document["marks"]]
    assert kinds[0] == "created"
    assert {"left", "restored", "failed_again", "quota", "contradicted"} <= set(kinds)
    reset = next(one for one in document["ahead"] if one["kind"] == "reset")
    assert reset["at"] > document["time"]
    assert document["cooldowns"][0]["until"] == reset["at"]


@pytest.mark.usefixtures("walked")
def test_only_the_time_that_is_asked_for_is_told(here: Run) -> None:
    document = json.loads(here("timeline", "s1", "--since", "1d", "--json").stdout)
    assert document["time"] - document["since"] < 86400.0


@pytest.mark.usefixtures("walked")
def test_a_mistyped_session_and_a_length_of_time_that_is_none_are_told(here: Run) -> None:
    unknown = here("timeline", "s2")
    assert unknown.returncode == 2
    assert 'there is no session "s2". There are: s1' in unknown.stderr
    wrong = here("timeline", "s1", "--since", "friday")
    assert wrong.returncode == 2
    assert '"friday" is no length of time: write it as 30m, 12h or 3d' in wrong.stderr


def test_without_a_state_nothing_is_reachable(here: Run) -> None:
    done = here("timeline", "s1")
    assert done.returncode == 3
    assert "no state in" in done.stderr
