"""`probe`: the usage endpoint asked by hand, its verdict shared with every process."""

import json
import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import ActPerformed, Narrated
from hermes_tui.core.facts import Facts
from hermes_tui.core.text import PlainText
from hermes_tui.simulator.action import SetMode, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from hermes_tui.storage.ledger import SqliteLedger
from tests.cli.conftest import Provider, Run
from tests.engine.theatre import scenario

TWO_KEYS = scenario("backup/small", keys={"openai-codex": 2})
LIMITED = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)


def asked(provider: Provider) -> int:
    """Return how many questions about usage the provider has seen."""
    return sum(1 for request in provider.simulator.requests if request.model is None)


def answers(program: Run, *arguments: str) -> list[dict[str, Any]]:
    """Return the credentials of `probe --json`."""
    document = json.loads(program("probe", "--json", *arguments).stdout)
    assert document["schema_version"] == 1
    found: list[dict[str, Any]] = document["credentials"]
    return found


def acts(environment: dict[str, str]) -> list[str]:
    """Return the acts of the user in the timeline."""
    ledger = SqliteLedger.open(Path(environment["HERMES_TUI_STATE"]), read_only=True)
    return [f"{event.act} {event.target}" for _, event in ledger.tail(0) if isinstance(event, ActPerformed)]


def let_verdicts_age(environment: dict[str, str], seconds: float) -> None:
    """Make every verdict in the state so much older."""
    ledger = SqliteLedger.open(Path(environment["HERMES_TUI_STATE"]))

    def older(facts: Facts) -> Decision[None]:
        rows = tuple(replace(row, asked_at=row.asked_at - seconds) for row in facts.verdicts.values())
        return Decision(None, (Record(Narrated(time=0.0, text=PlainText("later")), rows),))

    ledger.commit(older)
    ledger.close()


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_m36_all_are_asked_once_without_a_prompt_and_m45_it_stands_in_the_timeline(
    program: Run, provider: Provider, environment: dict[str, str]
) -> None:
    done = program("probe")
    assert done.returncode == 0, done.stderr
    assert asked(provider) == len(provider.simulator.requests) == 2
    for label in ("openai-codex-1", "openai-codex-2"):
        assert re.search(rf"^openai-codex/{label} [0-9a-f]{{4}} \(gpt\): quota, ", done.stdout, re.MULTILINE)
    assert done.stdout.count("; asked now, counts until ") == 2
    assert done.stdout.count("  week: 5 % used, resets ") == 2
    assert sorted(acts(environment)) == ["probe openai-codex/openai-codex-1", "probe openai-codex/openai-codex-2"]


@pytest.mark.usefixtures("home")
def test_m41_a_fresh_verdict_is_honoured_and_asked_anyway_after_ten_seconds(
    program: Run, provider: Provider, environment: dict[str, str]
) -> None:
    first, too_soon, cached = answers(program), answers(program, "--anyway"), answers(program)
    assert [one["asked"] for one, *_ in (first, too_soon, cached)] == [True, False, False]
    assert asked(provider) == len(acts(environment)) == 1
    let_verdicts_age(environment, 11.0)
    assert [one["asked"] for one in answers(program)] == [False]
    assert [one["asked"] for one in answers(program, "--anyway")] == [True]
    assert asked(provider) == len(acts(environment)) == 2


@pytest.mark.usefixtures("home")
def test_m35_the_next_run_takes_the_verdict_that_was_asked_by_hand(program: Run, provider: Provider) -> None:
    provider.apply(LIMITED)
    program("run", "--prompt", "One.")
    program("probe")
    before = asked(provider)
    ran = program("run", "--json", "--prompt", "Two.")
    assert '"restore_checked"' in ran.stdout
    assert asked(provider) == before == 1


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_one_credential_is_asked_about_the_model_that_was_named(program: Run, provider: Provider) -> None:
    (one,) = answers(program, "openai-codex-2", "--model", "other")
    assert (one["pool"], one["label"], one["verdict"]["model"]) == ("openai-codex", "openai-codex-2", "other")
    assert asked(provider) == 1


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (UsageMode.HONEST, "no quota, the account's limit is reached"),
        (UsageMode.UNAUTHORIZED, "unknown, the usage endpoint does not accept the token (401)"),
        (UsageMode.GARBAGE, "unknown, the usage endpoint's answer is not JSON"),
    ],
)
@pytest.mark.usefixtures("home")
def test_anything_but_quota_is_exit_code_1_and_says_why(
    program: Run, provider: Provider, mode: UsageMode, words: str
) -> None:
    provider.apply(LIMITED)
    provider.apply(SetUsage(provider="openai-codex", mode=mode))
    done = program("probe")
    assert (done.returncode, done.stderr) == (1, "")
    assert words in done.stdout


def test_an_endpoint_that_cannot_be_reached_is_exit_code_3(program: Run, home: Path, provider: Provider) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    file = home / "hermes-tui.toml"
    text = file.read_text().replace(provider.simulator.base_url, f"http://127.0.0.1:{port}")
    file.write_text(text)
    done = program("probe")
    assert done.returncode == 3
    assert "unknown, " in done.stdout


@pytest.mark.parametrize("script", [TWO_KEYS])
def test_a_credential_without_a_key_is_named_and_its_sibling_asked(
    program: Run, home: Path, provider: Provider
) -> None:
    file = home / "hermes-tui.toml"
    file.write_text(file.read_text().replace('"simulated-openai-codex-2"', '"${NO_SUCH_KEY_ANYWHERE}"'))
    done = program("probe")
    assert done.returncode == 1
    assert "openai-codex/openai-codex-2: not asked: NO_SUCH_KEY_ANYWHERE is not set" in done.stdout
    assert asked(provider) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("backup-1",), 3, "backup has no usage endpoint"),
        (("nobody",), 2, 'there is no credential "nobody"'),
    ],
)
@pytest.mark.usefixtures("home")
def test_what_cannot_be_asked_is_one_sentence(
    program: Run, provider: Provider, arguments: tuple[str, ...], code: int, words: str, tmp_path: Path
) -> None:
    done = program("probe", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert provider.simulator.requests == []
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("script", [scenario("backup/small", primary="zai/glm")])
@pytest.mark.usefixtures("home")
def test_without_a_provider_that_can_be_asked_it_is_exit_code_3(program: Run) -> None:
    done = program("probe")
    assert done.returncode == 3
    assert "no provider here has a usage endpoint" in done.stderr


@pytest.mark.usefixtures("home")
def test_a_state_that_has_only_been_probed_has_no_credentials_to_list(program: Run) -> None:
    program("probe")
    done = program("auth", "list")
    assert (done.returncode, done.stdout) == (3, "")
    assert "no configuration has been in force yet" in done.stderr
