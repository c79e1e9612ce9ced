"""`auth list` and `auth reset`: what is believed about every credential, and the end of one cooldown by hand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.simulator.action import SetMode, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from tests.cli.conftest import Provider, Run
from tests.engine.theatre import scenario
from tests.terminal.conftest import Open

TWO_DAYS = 172800.0
TWO_KEYS = scenario("backup/small", keys={"openai-codex": 2})


def limit(provider: Provider, *, account: str | None = None) -> None:
    """Let every request meet a usage limit of two days, and the usage page say that there is quota."""
    provider.apply(SetMode(provider="openai-codex", account=account, mode=Mode.USAGE_LIMIT, resets_in=TWO_DAYS))
    provider.apply(SetUsage(provider="openai-codex", mode=UsageMode.LIES))


def says(line: str, *words: str) -> None:
    """Fail unless every one of `words` is in the line."""
    assert [word for word in words if word not in line] == [], line


def listed(program: Run) -> dict[str, dict[str, Any]]:
    """Return `auth list --json` by the credentials' labels."""
    document = json.loads(program("auth", "list", "--json").stdout)
    assert document["schema_version"] == 1
    return {credential["label"]: credential for credential in document["credentials"]}


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_a_benched_credential_says_when_it_returns_who_says_so_and_what_the_probe_says(
    program: Run, provider: Provider
) -> None:
    limit(provider, account="openai-codex-1")
    program("run", "--prompt", "One.")
    program("probe")
    done = program("auth", "list")
    assert done.returncode == 1
    heads, _, first, *rest = done.stdout.splitlines()
    assert heads.split("  ")[0] == "credential"
    says(first, "openai-codex/openai-codex-1", "COOLING", "provider", "429 usage limit", "quota ")
    assert re.search(r" (1d 23h|2d 00h) ", first)
    assert "~" not in first
    says(rest[0], "openai-codex/openai-codex-2", " OK ")
    benched = listed(program)["openai-codex-1"]
    assert (benched["state"], benched["until_source"], benched["code"]) == ("cooling", "provider", 429)
    verdict = benched["verdict"]
    assert (verdict["verdict"], verdict["fresh"]) == ("quota", True)
    assert benched["until"] - verdict["asked_at"] == pytest.approx(TWO_DAYS, abs=60)
    assert len(benched["fingerprint"]) == 4


@pytest.mark.parametrize("script", [TWO_KEYS])
def test_m13_every_state_has_its_words_and_its_remedy_the_dead_ones_too(
    program: Run, provider: Provider, home: Path
) -> None:
    file = home / "hermes-tui.toml"
    file.write_text(file.read_text().replace('"simulated-backup-1"', '"${NO_SUCH_KEY_ANYWHERE}"'))
    provider.apply(SetMode(provider="openai-codex", account="openai-codex-1", mode=Mode.REVOKED))
    provider.apply(SetMode(provider="openai-codex", account="openai-codex-2", mode=Mode.PAYMENT_REQUIRED))
    program("run", "--prompt", "One.")
    done = program("auth", "list")
    dead, broke, unset = done.stdout.splitlines()[2:5]
    says(dead, "DEAD", "never", "sign-in revoked")
    says(broke, "COOLING", "~ assumed", "402 out of credit")
    says(unset, "NOT SET", "NO_SUCH_KEY_ANYWHERE is not set")
    assert "Sign in again with codex login" in done.stdout
    assert "waiting does not help" in done.stdout
    assert done.returncode == 1
    assert {label: one["state"] for label, one in listed(program).items()} == {
        "openai-codex-1": "dead",
        "openai-codex-2": "cooling",
        "backup-1": "not_set",
    }


@pytest.mark.usefixtures("home")
def test_m17_a_model_that_is_benched_alone_has_a_line_of_its_own(program: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.RATE_LIMIT, retry_after=900.0))
    program("run", "--prompt", "One.")
    done = program("auth", "list")
    whole, alone = done.stdout.splitlines()[2:4]
    says(whole, "openai-codex/openai-codex-1", " OK ")
    assert "429" not in whole
    says(alone, "  gpt alone", "COOLING", "provider", "429 rate limit")
    assert done.returncode == 1
    (bench,) = listed(program)["openai-codex-1"]["model_cooldowns"]
    assert (bench["model"], bench["reason"], bench["code"]) == ("gpt", "rate_limit", 429)


@pytest.mark.usefixtures("home")
def test_all_usable_is_exit_code_0(program: Run) -> None:
    program("run", "--prompt", "One.")
    done = program("auth", "list")
    assert done.returncode == 0
    assert done.stdout.count(" OK ") == 2


@pytest.mark.parametrize("arguments", [("auth", "list"), ("auth", "list", "--json"), ("auth", "reset", "x")])
def test_without_a_state_it_says_so_and_makes_none(program: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = program(*arguments)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("hermes-tui: no state in ")
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_m41_one_cooldown_ends_never_its_siblings_and_the_next_turn_is_on_the_primary(
    program: Run, provider: Provider
) -> None:
    limit(provider)
    program("run", "--prompt", "One.")
    assert [one["state"] for one in listed(program).values()] == ["cooling", "cooling", "ok"]
    provider.apply(SetMode(provider="openai-codex", mode=Mode.OK))
    done = program("auth", "reset", "openai-codex-2", "--yes")
    assert (done.returncode, done.stdout) == (
        0,
        "openai-codex/openai-codex-2 is free; 1 session returns at its next turn\n",
    )
    assert [one["state"] for one in listed(program).values()] == ["cooling", "ok", "ok"]
    answered = program("run", "--prompt", "Two.").stdout
    assert "answered by openai-codex/gpt" in answered


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_before_the_providers_reset_it_asks_and_without_a_terminal_it_wants_yes(
    program: Run, provider: Provider
) -> None:
    limit(provider)
    program("run", "--prompt", "One.")
    done = program("auth", "reset", "openai-codex/openai-codex-1", stdin="y\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "before the provider's reset?" in done.stderr
    assert "--yes" in done.stderr
    assert listed(program)["openai-codex-1"]["state"] == "cooling"


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_on_a_terminal_no_changes_nothing_and_yes_clears(
    program: Run, provider: Provider, environment: dict[str, str], terminal: Open
) -> None:
    limit(provider)
    program("run", "--prompt", "One.")
    for answer, code, state in (("n\r", 1, "cooling"), ("y\r", 0, "ok")):
        screen = terminal(160, 24, "auth", "reset", "openai-codex-1", environment=environment)
        screen.shows("Clear openai-codex/openai-codex-1 before the provider's reset?")
        screen.press(answer)
        assert screen.ends() == code
        assert listed(program)["openai-codex-1"]["state"] == state


@pytest.mark.usefixtures("home")
def test_a_cooldown_that_was_assumed_here_is_ended_without_asking(program: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.PAYMENT_REQUIRED))
    program("run", "--prompt", "One.")
    assert program("auth", "reset", "openai-codex-1").returncode == 0


@pytest.mark.usefixtures("home")
def test_what_cannot_be_ended_is_refused_with_its_reason(program: Run, provider: Provider) -> None:
    program("run", "--prompt", "One.")
    fine = program("auth", "reset", "backup-1")
    assert (fine.returncode, fine.stderr) == (1, "hermes-tui: backup/backup-1 has no cooldown\n")
    provider.apply(SetMode(provider="openai-codex", mode=Mode.REVOKED))
    program("run", "--prompt", "Two.")
    dead = program("auth", "reset", "openai-codex-1", "--yes")
    assert dead.returncode == 1
    assert "is dead: only another token revives it" in dead.stderr


@pytest.mark.usefixtures("home")
def test_a_mistyped_name_is_answered_with_the_nearest_and_the_choices(program: Run) -> None:
    program("run", "--prompt", "One.")
    done = program("auth", "reset", "bakcup-1")
    assert done.returncode == 2
    assert 'no credential "bakcup-1"; did you mean "backup-1"?' in done.stderr
    assert "openai-codex/openai-codex-1, backup/backup-1" in done.stderr


@pytest.mark.usefixtures("home")
def test_a_running_dashboard_sees_the_reset_by_itself(
    program: Run, provider: Provider, environment: dict[str, str], terminal: Open
) -> None:
    limit(provider)
    program("run", "--prompt", "One.")
    screen = terminal(120, 40, environment=environment)
    screen.shows("COOLING")
    assert program("auth", "reset", "openai-codex-1", "--yes").returncode == 0
    screen.until(lambda text: "COOLING" not in text, "the credential free")
    assert screen.leave() == 0
