"""Shell completion: the script in a real bash, and what the program offers each shell."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.simulator.loading import scenario_names
from tests.cli.conftest import Run
from tests.engine.theatre import scenario

Complete = Callable[..., list[str]]
SESSIONS = scenario("backup/small", keys={"openai-codex": 2}, sessions=2)


@pytest.fixture
def complete(environment: dict[str, str], program: Run) -> Complete:
    """Return what a shell is offered after some words; the last word is what is typed so far."""

    def offered(*words: str, shell: str = "bash") -> list[str]:
        position = words[-1] if shell == "fish" else str(len(words))
        environment["_HERMES_TUI_COMPLETE"] = f"{shell}_complete"
        environment.update({"COMP_WORDS": " ".join(("hermes-tui", *words)), "COMP_CWORD": position})
        done = program()
        del environment["_HERMES_TUI_COMPLETE"]
        assert (done.returncode, done.stderr) == (0, "")
        return [line.partition(",")[2] for line in done.stdout.splitlines() if line]

    return offered


@pytest.mark.parametrize("script", [SESSIONS])
@pytest.mark.usefixtures("home")
def test_names_come_from_what_the_command_itself_reads(program: Run, complete: Complete) -> None:
    credentials = ["openai-codex/openai-codex-1", "openai-codex/openai-codex-2", "backup/backup-1"]
    assert complete("probe", "") == credentials
    assert complete("run", "--session", "") == ["s1", "s2"]
    assert complete("why", "") == complete("auth", "reset", "") == []  # nothing has run yet
    program("run", "--session", "s2", "--prompt", "One.")
    assert complete("why", "s") == ["s2"]
    assert complete("auth", "reset", "back") == ["backup/backup-1"]


def test_scenarios_and_commands_need_no_file(complete: Complete) -> None:
    assert complete("demo", "") == list(scenario_names())
    assert complete("simulate", "lying-probe", "t") == ["two-credentials"]
    assert complete("shapes", "gemini-d") == ["gemini-daily-quota", "gemini-deadline"]
    assert complete("au") == ["auth"]
    assert complete("auth", "") == ["list", "reset"]


def broken(path: Path) -> None:
    path.write_text("[primary\n")


def a_folder(path: Path) -> None:
    path.mkdir()


def nothing(path: Path) -> None:
    assert not path.exists()


@pytest.mark.parametrize("make", [nothing, broken, a_folder])
def test_what_cannot_be_read_offers_nothing_and_says_nothing(
    complete: Complete, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "hermes-tui.toml")
    make(tmp_path / "state")
    assert [complete("probe", ""), complete("run", "--session", ""), complete("why", "")] == [[], [], []]


ODD = scenario("backup/small", session_fields={"name": "my $(touch pwned) 'session'"})


@pytest.mark.parametrize("script", [ODD])
@pytest.mark.usefixtures("home")
def test_a_name_that_a_shell_would_read_otherwise_is_quoted_for_bash_alone(complete: Complete) -> None:
    assert complete("run", "--session", "") == ["""'my $(touch pwned) '"'"'session'"'"''"""]
    assert complete("run", "--session", "", shell="fish") == ["my $(touch pwned) 'session'"]


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", "complete -o nosort -F _hermes_tui_completion hermes-tui"),
        ("zsh", "#compdef hermes-tui"),
        ("fish", "complete --no-files --command hermes-tui"),
    ],
)
def test_the_script_is_printed(program: Run, shell: str, words: str) -> None:
    done = program("completion", shell)
    assert done.returncode == 0
    assert words in done.stdout
    assert "_HERMES_TUI_COMPLETE" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")
@pytest.mark.parametrize("script", [ODD])
@pytest.mark.usefixtures("home")
def test_a_real_bash_completes_with_the_script(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "hermes-tui"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hermes_tui "$@"\n')
    command.chmod(0o755)
    script = """
        eval "$(hermes-tui completion bash)"
        ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _hermes_tui_completion hermes-tui;
                printf '%s;' "${COMPREPLY[@]}"; echo; }
        ask hermes-tui probe back
        ask hermes-tui stat
        ask hermes-tui run --session ""
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=environment | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines() == ["backup/backup-1;", "status;", """'my $(touch pwned) '"'"'session'"'"'';"""]
    assert done.stderr == ""
    assert not (tmp_path / "pwned").exists()
