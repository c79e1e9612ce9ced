"""Field cases of configurations that look right and are not, through a real turn: loud, and no key goes astray."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from hermes_tui.commands.edge import ATTENTION, FINE, USAGE
from hermes_tui.core.secret import fingerprint
from hermes_tui.simulator.action import SetMode, SetShape
from hermes_tui.simulator.mode import Mode
from tests.cli.conftest import Provider, Run
from tests.engine.theatre import scenario

LIMITED = SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0)
ENTRY = {"provider": "backup", "model": "small"}


def edit(home: Path, provider: Provider, **tables: Any) -> None:
    """Write the scenario's configuration anew with other tables; those of providers are added."""
    script = provider.simulator.scenario
    assert script is not None
    file = script.configuration_for(provider.simulator.base_url)
    file["providers"] |= tables.pop("providers", {})
    (home / "hermes-tui.toml").write_text(tomli_w.dumps(file | tables), encoding="utf-8")


def asked(provider: Provider) -> list[tuple[str | None, str | None, str | None]]:
    """Return provider by path, account by key, and model of every request to a model."""
    return [(one.provider, one.account, one.model) for one in provider.simulator.requests if one.model is not None]


def diagnosis(here: Run) -> str:
    """Return the code of the one session's diagnosis."""
    code: str = json.loads(here("status", "--json").stdout)["sessions"][0]["diagnosis"]["code"]
    return code


def test_c78_host_key_and_model_of_every_request_belong_to_one_route(here: Run, home: Path, provider: Provider) -> None:
    provider.apply(LIMITED)
    assert here("run", "--prompt", "One.", "--prompt", "Two.").returncode == FINE
    assert set(asked(provider)) == {("openai-codex", "openai-codex-1", "gpt"), ("backup", "backup-1", "small")}


def test_c78_an_entry_without_an_address_takes_none_of_another_route(here: Run, home: Path, provider: Provider) -> None:
    provider.apply(LIMITED)
    nowhere = {"provider": "nowhere", "model": "other", "api_key": "a-key-of-its-own"}
    edit(home, provider, fallback_providers=[nowhere, ENTRY], providers={"nowhere": {}})
    done = here("fallback", "test", "--offline")
    assert "✗ 1 nowhere/other  CANNOT SERVE\n    ✗ no base_url: write base_url = …" in done.stdout
    assert here("run", "--prompt", "One.").returncode == FINE
    assert asked(provider) == [("openai-codex", "openai-codex-1", "gpt"), ("backup", "backup-1", "small")]


@pytest.mark.parametrize("url", ["", "backup", "http://", "ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1"])
def test_c78_an_address_that_is_none_is_refused_before_anything_runs(
    here: Run, home: Path, provider: Provider, url: str
) -> None:
    edit(home, provider, fallback_providers=[{**ENTRY, "base_url": url}])
    for arguments in (("run", "--prompt", "One."), ("fallback", "test"), ("check",)):
        done = here(*arguments)
        assert done.returncode == USAGE
        assert '"fallback_providers[1].base_url" must be an http or https address' in done.stdout + done.stderr
    assert provider.simulator.requests == []


def test_c80_a_key_that_is_not_set_is_a_skip_with_its_name_and_no_other_key_is_sent(
    here: Run, home: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {name: f"{name.lower()}-of-somebody" for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "ANTHROPIC_API_KEY")}
    for name, value in others.items():
        monkeypatch.setenv(name, value)
    provider.apply(LIMITED)
    keyless = {**ENTRY, "api_key": "${NO_SUCH_KEY_ANYWHERE}"}
    edit(home, provider, fallback_providers=[keyless, {**ENTRY, "model": "second"}])
    assert "✗ own: NO_SUCH_KEY_ANYWHERE is not set" in here("fallback", "test").stdout
    ran = here("run", "--prompt", "One.")
    assert ran.returncode == FINE
    assert "NO_SUCH_KEY_ANYWHERE is not set" in ran.stdout
    assert asked(provider)[-1] == ("backup", "backup-1", "second")
    assert not {request.key for request in provider.simulator.requests} & set(map(fingerprint, others.values()))
    assert fingerprint("") not in {request.key for request in provider.simulator.requests if request.model is not None}


@pytest.mark.parametrize(
    ("primary", "why"),
    [
        ({"provider": "openai-codex", "model": "gpt", "api_key": "${NO_SUCH_KEY_ANYWHERE}"}, "NO_SUCH_KEY_ANYWHERE is"),
        ({"provider": "opnai-codex", "model": "gpt"}, r'did you mean "openai-codex"\? \(hermes-tui.toml, line \d+\)'),
        (
            {"provider": "openai-codex", "model": "gpt", "base_url": "https://elsewhere.example/v1"},
            "base_url is not openai-codex's own server, so openai-codex's key is not sent there",
        ),
        ({"provider": "openai-codex", "model": " "}, r"no model: write model = … \(hermes-tui.toml, line \d+\)"),
    ],
)
def test_c81_a_primary_that_is_set_wrong_is_loud_while_a_fallback_is_paid(
    here: Run, home: Path, provider: Provider, primary: dict[str, str], why: str
) -> None:
    edit(home, provider, primary=primary)
    assert re.search(why, here("fallback", "test", "--offline").stdout)
    assert here("run", "--prompt", "One.").returncode == FINE
    assert asked(provider) == [("backup", "backup-1", "small")]
    assert diagnosis(here) == "configuration_fault"
    shown, told = here("status"), here("why", "s1")
    assert (shown.returncode, told.returncode) == (ATTENTION, ATTENTION)
    assert "configuration fault" in shown.stdout
    for done in (shown, told):
        assert "The primary cannot be used as configured. Mend the configuration file" in done.stdout
        assert re.search(why, done.stdout)


def test_c81_without_a_chain_it_is_as_loud(here: Run, home: Path, provider: Provider) -> None:
    broken = {"provider": "openai-codex", "model": "gpt", "api_key": "${NO_SUCH_KEY_ANYWHERE}"}
    edit(home, provider, primary=broken, fallback_providers=[])
    assert here("run", "--prompt", "One.").returncode == ATTENTION
    assert diagnosis(here) == "configuration_fault"
    assert here("why", "s1").returncode == ATTENTION


@pytest.mark.parametrize("script", [scenario("zai/glm", "backup/small", sessions=2)])
def test_c86_why_tells_of_each_entry_whether_it_was_skipped_and_why(here: Run, home: Path, provider: Provider) -> None:
    provider.apply(LIMITED)
    provider.apply(SetMode(provider="zai", mode=Mode.USAGE_LIMIT, resets_in=7200.0))
    chain = [
        {"provider": "nobody", "model": "x"},
        {"provider": "zai", "model": "glm"},
        {**ENTRY, "api_key": "${NO_SUCH_KEY_ANYWHERE}"},
        ENTRY,
        {**ENTRY, "model": "spare"},
    ]
    edit(home, provider, fallback_providers=chain)
    traces = {}
    for session in ("s1", "s2"):
        assert here("run", "--session", session, "--prompt", "One.").returncode == FINE
        told = here("why", session).stdout
        traces[session] = re.findall(r"^  entry (\d) (\S+): (.*)$", told, re.MULTILINE)
    first, second = traces["s1"], traces["s2"]
    assert [(number, route) for number, route, _ in first] == [
        ("1", "nobody/x"),
        ("2", "zai/glm"),
        ("3", "backup/small"),
        ("4", "backup/small"),
        ("5", "backup/spare"),
    ]
    for trace in (first, second):
        assert re.match(r'skipped \d\d:\d\d:\d\d: provider "nobody" is not configured', trace[0][2])
        assert re.fullmatch(r"skipped \d\d:\d\d:\d\d: NO_SUCH_KEY_ANYWHERE is not set", trace[2][2])
        assert [why for _, _, why in trace[3:]] == ["in use", "not needed so far"]
    assert re.fullmatch(r"failed \d\d:\d\d:\d\d: 429 usage limit", first[1][2])
    assert re.fullmatch(r"skipped \d\d:\d\d:\d\d: cooling: usage limit, until \S+( \S+)?", second[1][2])


@pytest.mark.parametrize("script", [scenario("backup/small", primary="zai/glm")])
def test_c17_a_404_that_names_no_model_is_the_urls_fault_and_is_shown_as_one(
    here: Run, home: Path, provider: Provider
) -> None:
    provider.apply(SetShape(provider="zai", shape="edge-no-such-page"))
    assert here("run", "--prompt", "One.").returncode == FINE
    assert [name for name, _, _ in asked(provider)] == ["zai", "backup"]
    assert diagnosis(here) == "configuration_fault"
    told = here("why", "s1")
    assert told.returncode == ATTENTION
    assert "404 wrong URL: 404 page not found" in told.stdout
    assert f"base_url = {provider.simulator.base_url}/zai/v1" in told.stdout


@pytest.mark.parametrize("script", [scenario("backup/small", primary="zai/glm")])
def test_c17_a_404_that_names_the_model_is_the_models(here: Run, home: Path, provider: Provider) -> None:
    provider.apply(SetMode(provider="zai", mode=Mode.UNKNOWN_MODEL))
    assert here("run", "--prompt", "One.").returncode == FINE
    assert diagnosis(here) == "primary_failing"
    assert "404 model not available" in here("why", "s1").stdout
