"""`fallback test`: whether each route can serve, by the real program against a real server."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from hermes_tui.commands.edge import ATTENTION, FINE, INTERRUPTED, NOTHING_REACHABLE, USAGE
from hermes_tui.simulator.action import SetMode, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from hermes_tui.simulator.scenario import Scenario
from tests.cli.conftest import Provider, Run
from tests.config.test_resolve import jwt
from tests.engine.theatre import scenario

TWO_KEYS = scenario("backup/small", keys={"backup": 2})
CHAT_ONLY = scenario("backup/small", primary="zai/glm")


def with_models(script: Scenario, provider: str, models: dict[str, int]) -> Scenario:
    """Return `script` with a provider that lists `models`."""
    tables = script.model_dump(mode="json", exclude_unset=True)
    tables["simulator"]["providers"][provider]["models"] = models
    return Scenario.model_validate(tables)


def states(run: Run, *arguments: str) -> list[str]:
    """Return the state of each route, as a script reads it."""
    return [route["state"] for route in examined(run, *arguments)]


def examined(run: Run, *arguments: str) -> list[dict[str, Any]]:
    """Return the routes of `fallback test --json`."""
    document = json.loads(run("fallback", "test", "--json", *arguments).stdout)
    assert document["schema_version"] == 1
    routes: list[dict[str, Any]] = document["routes"]
    return routes


def texts(route: dict[str, Any], gravity: str) -> list[str]:
    """Return what is said of a route with one gravity."""
    return [remark["text"] for remark in route["remarks"] if remark["gravity"] == gravity]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write tables as the configuration."""

    def written(**tables: Any) -> Path:
        file = tmp_path / "hermes-tui.toml"
        file.write_text(tomli_w.dumps(tables), encoding="utf-8")
        return file

    return written


@pytest.mark.usefixtures("home")
def test_routes_that_can_serve_are_told_so_without_a_prompt(here: Run, provider: Provider) -> None:
    done = here("fallback", "test")
    assert (done.returncode, done.stderr) == (FINE, "")
    lines = done.stdout.splitlines()
    assert lines[1:] == [
        "✓ 0 openai-codex/gpt  CAN SERVE",
        "    - openai-codex-1: quota: the account is allowed",
        "✓ 1 backup/small  CAN SERVE",
        "    - backup-1: the server accepts the key",
        "    - the server lists the model",
        "2 routes: 2 can serve; no prompt was sent.",
    ]
    asked = [(request.path, request.model) for request in provider.simulator.requests]
    assert sorted(set(asked)) == [("/backup/v1/models", None), ("/openai-codex/backend-api/wham/usage", None)]


@pytest.mark.usefixtures("home")
def test_m35_the_usage_endpoint_is_not_asked_again_while_its_verdict_counts(here: Run, provider: Provider) -> None:
    here("probe")
    assert here("fallback", "test").returncode == FINE
    paths = [request.path for request in provider.simulator.requests]
    assert paths.count("/openai-codex/backend-api/wham/usage") == 1


@pytest.mark.usefixtures("home")
def test_offline_sends_nothing_and_makes_no_state(here: Run, provider: Provider, tmp_path: Path) -> None:
    done = here("fallback", "test", "--offline")
    assert done.returncode == FINE
    assert done.stdout.splitlines()[-1] == "2 routes: 2 not asked; nothing was sent."
    assert states(here, "--offline") == ["not_asked", "not_asked"]
    assert provider.simulator.requests == []
    assert not (tmp_path / "state").exists()


def test_c116_each_entry_that_passes_the_schema_and_cannot_work_is_found_before_it_is_needed(
    here: Run, write: Callable[..., Path]
) -> None:
    write(
        primary={"provider": "ollama", "model": "m"},
        fallback_providers=[
            {"provider": "grok", "model": "x"},
            {"provider": "groq", "model": "   "},
            {"provider": "groq", "model": "g", "api_key": "${NO_SUCH_KEY_ANYWHERE}"},
            {"provider": "ollama", "model": "m"},
            {"provider": "lmstudio", "model": "good"},
        ],
    )
    primary, *entries = examined(here, "--offline")
    assert primary["state"] == "not_asked"
    assert [entry["state"] for entry in entries] == [*["cannot_serve"] * 4, "not_asked"]
    unknown, blank, unset, twin, good = entries
    assert texts(unknown, "fault") == [
        'provider "grok" is not configured; did you mean "groq"? (hermes-tui.toml, line 2)'
    ]
    assert "no model: write model = …" in texts(blank, "fault")[0]
    assert texts(unset, "fault") == ["NO_SUCH_KEY_ANYWHERE is not set"]
    assert texts(twin, "fault") == ["the same backend as entry 0, so it is skipped"]
    assert good["remarks"] == []
    assert here("fallback", "test", "--offline").returncode == ATTENTION


def test_c116_the_legacy_single_entry_is_tested_too(here: Run, write: Callable[..., Path]) -> None:
    write(primary={"provider": "ollama", "model": "m"}, fallback_model={"provider": "nobody", "model": "x"})
    assert states(here, "--offline") == ["not_asked", "cannot_serve"]


@pytest.mark.parametrize(
    ("chain", "remedy"),
    [('[{"provider":"p","model":"m"}]', "take the quotes away"), ("p/m", "take the quotes away")],
)
def test_c114_a_chain_that_is_text_is_a_loud_error_and_never_an_empty_chain(
    here: Run, write: Callable[..., Path], chain: str, remedy: str
) -> None:
    write(primary={"provider": "ollama", "model": "m"}, fallback_providers=chain)
    for arguments in (("fallback", "test", "--offline"), ("run", "--prompt", "One."), ("fallback", "list")):
        done = here(*arguments)
        assert (done.returncode, done.stdout) == (USAGE, "")
        assert re.search(r'line 1: "fallback_providers" is text, so the chain would be empty', done.stderr)
        assert remedy in done.stderr


@pytest.mark.parametrize("script", [TWO_KEYS])
@pytest.mark.usefixtures("home")
def test_a_key_that_the_server_refuses_is_named_and_its_sibling_still_serves(here: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="backup", account="backup-2", mode=Mode.UNAUTHORIZED))
    route = examined(here)[1]
    assert route["state"] == "in_doubt"
    (refused,) = (remark for remark in route["remarks"] if remark["gravity"] == "fault")
    assert (refused["credential"], refused["by"]) == ("backup-2", "server")
    assert refused["text"].startswith("the server does not accept the key (401 not authorised: ")
    provider.apply(SetMode(provider="backup", mode=Mode.UNAUTHORIZED))
    assert examined(here)[1]["state"] == "cannot_serve"
    assert here("fallback", "test").returncode == ATTENTION


@pytest.mark.parametrize("script", [with_models(CHAT_ONLY, "backup", {"smaller": 0, "tiny": 8192, "other": 0})])
@pytest.mark.usefixtures("home")
def test_a_model_that_is_not_listed_is_told_with_the_nearest(here: Run) -> None:
    route = examined(here)[1]
    assert route["state"] == "in_doubt"
    assert texts(route, "doubt") == ['model "small" is not among the 3 that the server lists; did you mean "smaller"?']


@pytest.mark.parametrize(
    "script",
    [
        with_models(
            scenario("backup/small", primary="zai/glm", entries={"backup/small": {"context_length": 200000}}),
            "backup",
            {"small": 32768},
        )
    ],
)
@pytest.mark.usefixtures("home")
def test_a_window_that_the_server_tells_smaller_is_a_doubt(here: Run) -> None:
    assert texts(examined(here)[1], "doubt") == [
        "the server tells a window of 32768 tokens, the file 200000: write context_length = 32768"
    ]


@pytest.mark.parametrize("script", [CHAT_ONLY])
@pytest.mark.parametrize(
    ("path", "state", "words"),
    [
        ("/backup/v1/chat/completions", "cannot_serve", "base_url ends in /chat/completions, which every request adds"),
        ("/backup/v2", "in_doubt", "is the path right?"),
        ("/backup", "in_doubt", "/backup/v1: write that as base_url"),
    ],
)
def test_c17_a_wrong_path_of_the_base_url_is_found_before_traffic_goes_elsewhere(
    here: Run, home: Path, provider: Provider, path: str, state: str, words: str
) -> None:
    file = home / "hermes-tui.toml"
    file.write_text(file.read_text().replace("/backup/v1", path))
    primary, route = examined(here)
    assert (primary["state"], route["state"]) == ("can_serve", state)
    assert any(words in text for text in [*texts(route, "fault"), *texts(route, "doubt")])


@pytest.mark.parametrize("script", [CHAT_ONLY])
def test_a_server_that_is_not_there_is_told_and_none_at_all_is_exit_code_3(
    here: Run, home: Path, provider: Provider
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    file, base = home / "hermes-tui.toml", provider.simulator.base_url
    text = file.read_text()
    file.write_text(text.replace(f"{base}/backup", f"http://127.0.0.1:{port}/backup"))
    done = here("fallback", "test")
    assert done.returncode == ATTENTION
    assert "the server cannot be reached: cannot connect" in done.stdout
    file.write_text(text.replace(base, f"http://127.0.0.1:{port}"))
    assert here("fallback", "test").returncode == NOTHING_REACHABLE


@pytest.mark.usefixtures("home")
def test_what_the_state_knows_is_told_and_a_cooldown_is_a_word_of_its_own(here: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0))
    provider.apply(SetMode(provider="backup", mode=Mode.REVOKED))
    here("run", "--prompt", "One.")
    done = here("fallback", "test", "--offline")
    assert done.returncode == ATTENTION
    (cooling,) = examined(here, "--offline")[0]["remarks"]
    assert cooling.keys() == {"gravity", "by", "credential", "text", "until", "approximate"}
    assert (cooling["by"], cooling["approximate"]) == ("state", False)
    assert "◐ 0 openai-codex/gpt  COOLING" in done.stdout
    assert re.search(r"! openai-codex-1: cooling until \w+ \d\d:\d\d: 429 usage limit\n", done.stdout)
    assert "✗ 1 backup/small  CANNOT SERVE" in done.stdout
    assert "backup-1: dead: sign-in revoked" in done.stdout


@pytest.mark.usefixtures("home")
def test_c104_a_usage_page_that_is_well_does_not_outweigh_a_request_that_was_refused(
    here: Run, provider: Provider
) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.UNAUTHORIZED))
    here("run", "--prompt", "One.")
    done = here("fallback", "test")
    assert done.returncode == ATTENTION
    assert "openai-codex-1: quota: the account is allowed" in done.stdout
    assert "◐ 0 openai-codex/gpt  COOLING" in done.stdout
    assert re.search(r"! openai-codex-1: cooling until ~[\w :]+: 401 not authorised", done.stdout)


@pytest.mark.usefixtures("home")
def test_c04_an_empty_account_is_told_with_what_helps_and_an_end_that_is_assumed(here: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="openai-codex", mode=Mode.PAYMENT_REQUIRED))
    here("run", "--prompt", "One.")
    told = here("fallback", "test", "--offline").stdout
    assert re.search(
        r"! openai-codex-1: cooling until ~[\w :]+: 402 out of credit\. Add credit .*waiting does not", told
    )


@pytest.mark.usefixtures("home")
def test_a_conversation_that_does_not_fit_is_told(here: Run, home: Path) -> None:
    here("run", "--prompt", "word " * 600)
    assert here("fallback", "add", "lmstudio/tiny", "--context-length", "500").returncode == FINE
    route = examined(here, "--offline")[2]
    assert route["state"] == "in_doubt"
    assert re.fullmatch(
        r"its window of 500 tokens cannot hold the conversation of about \d{4}, so it is skipped",
        texts(route, "doubt")[0],
    )


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (UsageMode.UNAUTHORIZED, "unknown: the usage endpoint does not accept the token (401)"),
        (UsageMode.TIMEOUT, "the usage endpoint did not answer within 3 s"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_usage_endpoint_that_tells_nothing_is_told_so(
    here: Run, provider: Provider, mode: UsageMode, words: str
) -> None:
    provider.apply(SetUsage(provider="openai-codex", mode=mode))
    done = here("fallback", "test")
    assert done.returncode == ATTENTION
    assert words in done.stdout


def test_m36_an_expired_token_is_told_and_not_sent(here: Run, home: Path, provider: Provider) -> None:
    file = home / "hermes-tui.toml"
    file.write_text(file.read_text().replace("simulated-openai-codex-1", jwt(exp=1_000_000_000)))
    primary, _ = examined(here)
    assert texts(primary, "fault") == ["the token has expired by its own claims. Sign in again with codex login."]
    assert {request.path for request in provider.simulator.requests} == {"/backup/v1/models"}


@pytest.mark.usefixtures("home")
def test_c121_no_key_is_in_what_is_printed(here: Run, provider: Provider) -> None:
    provider.apply(SetMode(provider="backup", mode=Mode.UNAUTHORIZED))
    for arguments in ((), ("--json",), ("--offline",)):
        done = here("fallback", "test", *arguments)
        assert "simulated-" not in done.stdout + done.stderr


def test_an_unknown_session_is_one_sentence(here: Run, write: Callable[..., Path]) -> None:
    write(primary={"provider": "ollama", "model": "m"}, sessions=[{"name": "nightly"}])
    done = here("fallback", "test", "--session", "nightli")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert 'did you mean "nightly"?' in done.stderr


def test_interrupted_it_ends_at_once_with_its_own_exit_code(
    environment: dict[str, str], write: Callable[..., Path]
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        write(primary={"provider": "lan", "model": "m", "base_url": url})
        command = [sys.executable, "-m", "hermes_tui", "fallback", "test"]
        running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ender = threading.Timer(30, running.kill)
        ender.start()
        connection, _ = silent.accept()
        os.kill(running.pid, signal.SIGINT)
        printed, errors = running.communicate()
        ender.cancel()
        connection.close()
    assert (running.returncode, printed) == (INTERRUPTED, "")
    assert errors.strip() == "hermes-tui: interrupted"


@pytest.mark.parametrize("script", [scenario("backup/small", "backup/large", primary="zai/glm")])
@pytest.mark.usefixtures("home")
def test_a_server_is_asked_once_for_a_key_however_many_routes_go_there(here: Run, provider: Provider) -> None:
    assert states(here) == ["can_serve"] * 3
    with_key = [request.path for request in provider.simulator.requests if request.account is not None]
    assert sorted(with_key) == ["/backup/v1/models", "/zai/v1/models"]


def test_a_silent_server_is_given_up_and_the_others_are_told(
    here: Run, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.engine.examining.PATIENCE_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        write(
            primary={"provider": "lan", "model": "m", "base_url": url},
            fallback_providers=[{"provider": "nobody", "model": "x"}],
        )
        primary, _ = examined(here)
    assert texts(primary, "fault") == ["the server cannot be reached: no answer within 0.2 s"]


def test_a_sessions_own_chain_is_tested(here: Run, write: Callable[..., Path]) -> None:
    own = {"name": "nightly", "fallback_providers": [{"provider": "nobody", "model": "x"}]}
    write(primary={"provider": "ollama", "model": "m"}, sessions=[own])
    assert states(here, "--offline") == ["not_asked"]
    assert states(here, "--offline", "--session", "nightly") == ["not_asked", "cannot_serve"]


def test_a_terminal_that_cannot_show_the_marks_gets_plain_ones(
    program: Run, write: Callable[..., Path], environment: dict[str, str]
) -> None:
    environment["PYTHONIOENCODING"] = "latin-1"
    write(primary={"provider": "ollama", "model": "m"}, fallback_providers=[{"provider": "nobody", "model": "x"}])
    lines = program("fallback", "test", "--offline").stdout.splitlines()
    assert (lines[1], lines[2]) == ("- 0 ollama/m  NOT ASKED", "x 1 nobody/x  CANNOT SERVE")


def speaking_anthropic(script: Scenario, provider: str) -> Scenario:
    """Return `script` with a provider that speaks Anthropic's API."""
    tables = script.model_dump(mode="json", exclude_unset=True)
    tables["configuration"]["providers"][provider]["api_mode"] = "anthropic_messages"
    return Scenario.model_validate(tables)


@pytest.mark.parametrize("script", [speaking_anthropic(CHAT_ONLY, "zai")])
@pytest.mark.usefixtures("home")
def test_a_server_of_every_dialect_can_be_asked(here: Run, provider: Provider) -> None:
    assert examined(here)[0]["api_mode"] == "anthropic_messages"
    assert states(here) == ["can_serve", "can_serve"]
    provider.apply(SetMode(provider="zai", mode=Mode.UNAUTHORIZED))
    assert states(here) == ["cannot_serve", "can_serve"]
