"""`sessions`: made, listed, renamed, archived and scheduled from the command line, beside a process that runs them."""

import json
from pathlib import Path

import pytest

from hermes_tui.commands.edge import ATTENTION, FINE, NOTHING_REACHABLE, USAGE
from hermes_tui.storage.ownership import Ownership
from tests.cli.conftest import Provider, Run

pytestmark = pytest.mark.usefixtures("home")


def test_a_session_that_was_made_is_run_shown_renamed_and_keeps_its_conversation(here: Run, provider: Provider) -> None:
    made = here("sessions", "new", "docs", "--like", "s1")
    assert (made.returncode, made.stdout) == (FINE, "docs starts on openai-codex/gpt with its first prompt\n")
    assert here("run", "--session", "docs", "--prompt", "Begin.").returncode == FINE
    assert here("sessions", "rename", "docs", "papers").stdout == "docs is called papers now\n"
    assert here("run", "--session", "papers", "--prompt", "Go on.").returncode == FINE
    listed = json.loads(here("sessions", "list", "--json").stdout)
    assert listed["schema_version"] == 1
    assert [(one["name"], one["turns"], one["messages"]) for one in listed["sessions"]] == [
        ("papers", 2, 4),
    ]
    assert "papers" in here("status").stdout
    assert here("why", "papers").returncode == FINE
    assert here("why", "docs").returncode == USAGE


def test_an_archived_session_is_in_no_list_but_where_it_is_asked_for_and_comes_back(here: Run) -> None:
    here("sessions", "new", "docs", "--every", "2h", "--prompt", "Look.")
    assert here("sessions", "archive", "docs").returncode == FINE
    assert "docs" not in here("sessions", "list").stdout
    assert "docs" not in here("status").stdout
    assert "archived" in here("sessions", "list", "--archived").stdout
    assert "archived" in here("status", "--archived").stdout
    refused = here("run", "--session", "docs", "--prompt", "Go.")
    assert refused.returncode == USAGE
    assert 'hermes-tui sessions bring-back "docs"' in refused.stderr
    assert here("sessions", "bring-back", "docs").stdout == "docs is there again\n"
    (row,) = (line for line in here("sessions", "list").stdout.splitlines() if line.startswith("docs"))
    assert "every 2h" in row
    assert row.endswith("nobody")


def test_a_schedule_is_changed_and_ended(here: Run) -> None:
    here("sessions", "new", "docs", "--every", "2h", "--prompt", "Look.")
    assert here("sessions", "schedule", "docs", "--every", "1d").stdout == "docs runs by itself every 1d\n"
    (docs,) = json.loads(here("sessions", "list", "--json").stdout)["sessions"]
    assert (docs["every_seconds"], docs["prompt"]) == (86400.0, "Look.")
    assert here("sessions", "schedule", "docs", "--end").stdout == "docs runs by itself no more\n"
    assert here("sessions", "schedule", "docs", "--every", "1d").returncode == ATTENTION


@pytest.mark.parametrize("act", [("rename", "docs", "papers"), ("archive", "docs"), ("schedule", "docs", "--end")])
def test_a_session_of_a_process_that_cannot_be_reached_is_left_alone(
    here: Run, environment: dict[str, str], act: tuple[str, ...]
) -> None:
    here("sessions", "new", "docs", "--every", "2h", "--prompt", "Look.")
    dashboard = Ownership(Path(environment["HERMES_TUI_STATE"]))
    assert dashboard.acquire("docs")
    refused = here("sessions", *act)
    dashboard.release_all()
    assert refused.returncode == NOTHING_REACHABLE
    assert "cannot be reached" in refused.stderr
    assert here("sessions", *act).returncode == FINE


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("new", "s1"), ATTENTION, "there is a session s1 already"),
        (("new", "x", "--like", "s9"), ATTENTION, 'there is no session "s9" to be like'),
        (("new", "x", "--every", "soon"), USAGE, "is no length of time: write it as 30m, 12h or 3d"),
        (("new", "x", "--prompt", "Go."), USAGE, "--prompt needs --every"),
        (("new", "a\u202eb"), ATTENTION, "cannot be seen (U+202E)"),
        (("rename", "s1", "x"), ATTENTION, "s1 has its name from the file"),
        (("rename", "s9", "x"), ATTENTION, "there is no session s9"),
        (("bring-back", "s1"), ATTENTION, "s1 is not archived"),
        (("schedule", "s1"), USAGE, "say either --every DURATION or --end"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(here: Run, arguments: tuple[str, ...], code: int, why: str) -> None:
    here("run", "--session", "s1", "--prompt", "Begin.")
    done = here("sessions", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert why in done.stderr


def test_without_a_state_there_is_nothing_to_list(here: Run) -> None:
    assert here("sessions", "list").returncode == NOTHING_REACHABLE
