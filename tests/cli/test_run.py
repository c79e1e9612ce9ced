"""`run`: prompts become turns, events become lines, the exit code tells."""

from pathlib import Path

import pytest

from hermes_tui.simulator.action import Reopen, SetMode
from hermes_tui.simulator.mode import Mode
from tests.cli.conftest import Provider, Run, events
from tests.engine.theatre import scenario

PRIMARY_LIMITED = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)


@pytest.mark.usefixtures("home")
def test_each_prompt_is_a_turn_and_every_event_is_a_json_line(program: Run) -> None:
    done = program("run", "--json", "--prompt", "One.", "--prompt", "Two.")
    assert done.returncode == 0, done.stderr
    told = events(done)
    assert all({"type", "time", "session"} <= event.keys() for event in told)
    completed = [event for event in told if event["type"] == "turn_completed"]
    assert [event["session"] for event in completed] == ["s1", "s1"]
    assert all(event["provider"] == "openai-codex" and event["text"] for event in completed)


@pytest.mark.usefixtures("home")
def test_the_contracts_fields_are_in_the_events(program: Run, provider: Provider) -> None:
    provider.apply(PRIMARY_LIMITED)
    done = program("run", "--json", "--prompt", "One.", "--prompt", "Two.")
    by_type = {event["type"]: event for event in events(done)}
    contract = {
        "turn_started": set(),
        "attempt_failed": {"provider", "model", "credential", "status", "kind"},
        "credential_benched": {"until", "source", "reason"},
        "verdict_received": {"verdict", "expires_at"},
        "restore_checked": {"gates"},
        "fallback_activated": {"position", "provider", "model", "reason"},
        "turn_completed": {"provider", "model", "text"},
    }
    for kind, fields in contract.items():
        assert fields <= by_type[kind].keys(), kind
    assert by_type["attempt_failed"]["status"] == 429
    assert by_type["credential_benched"]["source"] == "provider"


@pytest.mark.usefixtures("home")
def test_m21_a_new_process_stays_on_the_fallback_and_comes_home_when_the_quota_reopens(
    program: Run, provider: Provider
) -> None:
    provider.apply(PRIMARY_LIMITED)
    assert program("run", "--prompt", "One.").returncode == 0
    provider.apply(Reopen(provider="openai-codex"))
    done = program("run", "--json", "--prompt", "Two.")
    types = [event["type"] for event in events(done)]
    assert "primary_restored" in types
    assert "primary_verified" in types
    assert types.index("primary_restored") < types.index("primary_verified")


@pytest.mark.usefixtures("home")
def test_a_turn_without_a_reply_is_exit_code_1_and_names_the_earliest_return(program: Run, provider: Provider) -> None:
    provider.apply(PRIMARY_LIMITED)
    provider.apply(SetMode(provider="backup", mode=Mode.USAGE_LIMIT, resets_in=7200.0))
    done = program("run", "--json", "--prompt", "One.")
    assert done.returncode == 1
    failed = next(event for event in events(done) if event["type"] == "turn_failed")
    assert failed["earliest"] == pytest.approx(failed["time"] + 7200, abs=30)
    assert "backup/small" in failed["error"]
    assert done.stderr.startswith(f"hermes-tui: s1 failed: {failed['error']}")


@pytest.mark.usefixtures("home")
def test_prompts_come_from_a_file_or_from_standard_input(program: Run, tmp_path: Path) -> None:
    listed = tmp_path / "prompts.txt"
    listed.write_text("One.\n\nTwo.\n", encoding="utf-8")
    for arguments, stdin in ((("--prompts", str(listed)), ""), (("--prompts", "-"), "One.\nTwo.\n")):
        done = program("run", "--json", *arguments, stdin=stdin)
        started = [event["prompt"] for event in events(done) if event["type"] == "turn_started"]
        assert started == ["One.", "Two."]


TWO_SESSIONS = scenario("backup/small", sessions=2, session_fields={"prompt": "Go."})


@pytest.mark.parametrize("script", [TWO_SESSIONS])
@pytest.mark.usefixtures("home")
def test_a_prompt_needs_a_session(program: Run) -> None:
    done = program("run", "--prompt", "One.")
    assert done.returncode == 2
    assert "--session" in done.stderr
    assert "s1" in done.stderr


@pytest.mark.parametrize("script", [TWO_SESSIONS])
@pytest.mark.usefixtures("home")
def test_an_unknown_session_is_named_with_those_that_are_there(program: Run) -> None:
    done = program("run", "--session", "s9", "--prompt", "One.")
    assert done.returncode == 2
    assert "s1, s2" in done.stderr


@pytest.mark.parametrize("script", [TWO_SESSIONS])
@pytest.mark.usefixtures("home")
def test_without_prompts_each_session_runs_its_own_once(program: Run) -> None:
    done = program("run", "--json")
    completed = [event["session"] for event in events(done) if event["type"] == "turn_completed"]
    assert sorted(completed) == ["s1", "s2"]
    assert done.returncode == 0


def test_options_stand_before_or_after_the_command(program: Run, home: Path) -> None:
    files = ("--config", str(home / "hermes-tui.toml"), "--state", str(home / "elsewhere"))
    assert program(*files, "run", "--prompt", "One.").returncode == 0
    assert program("run", *files, "--prompt", "One.").returncode == 0
    assert (home / "elsewhere" / "state.db").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[primary\n", ("line 1",)),
        ("[primary]\nprovider = 'ollama'\nmodel = 'm'\n[runtime]\nmax_retries = 'x'\n", ("line 5", "max_retries")),
        ("", ("[primary]",)),
    ],
)
def test_a_broken_configuration_is_one_sentence_and_exit_code_2(
    program: Run, tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "hermes-tui.toml").write_text(text, encoding="utf-8")
    done = program("run", "--prompt", "One.")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "hermes-tui.toml" in done.stderr
    for word in words:
        assert word in done.stderr


def test_a_missing_configuration_says_what_to_do(program: Run) -> None:
    done = program("run", "--prompt", "One.")
    assert done.returncode == 2
    assert "hermes-tui.toml" in done.stderr


@pytest.mark.usefixtures("home")
def test_c121_a_known_key_is_nowhere_in_output_or_state(program: Run, tmp_path: Path, provider: Provider) -> None:
    provider.apply(PRIMARY_LIMITED)
    done = program("run", "--json", "--prompt", "One.")
    key = "simulated-openai-codex-1"
    assert done.returncode == 0
    assert key not in done.stdout + done.stderr
    for file in (tmp_path / "state").rglob("*"):
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file


def test_m43_a_prompt_may_switch_the_model(program: Run, home: Path, provider: Provider) -> None:
    done = program("run", "--json", "--prompt", "/model backup/small", "--prompt", "Go on.")
    assert done.returncode == 0
    (turn,) = [event for event in events(done) if event["type"] == "turn_completed"]
    assert (turn["provider"], turn["model"]) == ("backup", "small")
    assert [request.model for request in provider.simulator.requests] == ["small"]


def test_m43_a_model_of_nobody_is_one_sentence(program: Run, home: Path) -> None:
    done = program("run", "--prompt", "/model bakcup/small")
    assert done.returncode == 1
    assert done.stderr == "hermes-tui: provider bakcup is not configured; did you mean backup?\n"
