"""What a home's configuration says is told as Hermes takes it, with why an entry cannot serve and without any key."""

import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.secret import tells_any
from hermes_tui.hermes.configuration import read_configuration, understood
from hermes_tui.hermes.document import read_document
from hermes_tui.hermes.values import Entry, Home, HomeConfiguration
from tests.hermes.scarce import no_more_files

KEY = "sk-made-up-key-0123456789"


def read(text: str, *, has_provider_plugins: bool = False) -> HomeConfiguration:
    document = read_document(text.encode(), Path("config.yaml"))
    return understood(document, has_provider_plugins=has_provider_plugins)


def only(text: str) -> Entry:
    (entry,) = read(text).chain
    return entry


def faults(text: str) -> list[str]:
    return [*only(text).faults]


def test_a_home_is_read_with_what_tells_one_content_from_another(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model: {default: m, provider: nous}\n")
    os.utime(file, (1000, 1000))
    first = read_configuration(Home(tmp_path, tmp_path))
    assert first.primary == Entry("nous", "m", "model")
    assert (first.modified_at, len(first.digest)) == (1000.0, 16)
    file.write_text("model: {default: n, provider: nous}\n")
    assert read_configuration(Home(tmp_path, tmp_path)).digest != first.digest


def test_reading_leaves_a_home_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("model: m\n")
    os.utime(tmp_path, ns=(10**18, 10**18))
    read_configuration(Home(tmp_path, tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == ["config.yaml"]
    assert tmp_path.stat().st_mtime_ns == 10**18


def test_a_file_that_is_not_there_or_cannot_be_read_says_so(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path)
    with pytest.raises(ConfigurationError, match="it is not there: run `hermes setup`"):
        read_configuration(home)
    (tmp_path / "config.yaml").mkdir()
    with pytest.raises(ConfigurationError, match="it cannot be read"):
        read_configuration(home)
    (tmp_path / "config.yaml").rmdir()
    os.mkfifo(tmp_path / "config.yaml")
    with pytest.raises(ConfigurationError, match="is not a regular file"):
        read_configuration(home)


def test_where_no_file_can_be_opened_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("model: m\n")
    with no_more_files(), pytest.raises(ConfigurationError, match="it cannot be read"):
        read_configuration(Home(tmp_path, tmp_path))


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        (f"api_key: {KEY}", "a literal key"),
        ("api_key: plain-old-password", "a literal key"),
        ("api_key: 12345678901234567890", "a literal key"),
        (f"api_key: 'Bearer ${{NAME}}{KEY}'", "a literal key"),
        ("api_key: ${FALLBACK_KEY}", "${FALLBACK_KEY}"),
        ("api_key: ${env:FALLBACK_KEY}", "${FALLBACK_KEY}"),
        ("key_env: FALLBACK_KEY", "${FALLBACK_KEY}"),
        ("api_key_env: FALLBACK_KEY", "${FALLBACK_KEY}"),
        (f"key_env: {KEY}", "a variable"),
        ("key_env: hunter2hunter2", "a variable"),
        ("key_cmd: pass show key", "a command"),
        ("api_key: ''", ""),
    ],
)
def test_a_key_is_told_by_where_it_comes_from(written: str, reference: str) -> None:
    entry = only(f"fallback_providers:\n  - provider: nous\n    model: m\n    {written}\n")
    assert entry.key_reference == reference


def test_a_literal_key_is_in_no_crash_report() -> None:
    read("model: {default: m, provider: nous, api_key: correct-horse-battery}\n")
    assert tells_any("a crash with correct-horse-battery in it")


@settings(max_examples=60)
@given(st.sampled_from(["provider", "model", "base_url", "api_mode", "key_env", "context_length", "name", "x"]))
def test_a_key_in_the_wrong_place_is_not_told(place: str) -> None:
    table = {"provider": "nous", "model": "m", "name": "n", "base_url": "http://127.0.0.1/v1"} | {place: KEY}
    flow = ", ".join(f"{name}: '{value}'" for name, value in table.items())
    told = read(
        f"model: {{default: {{model: '{KEY}'}}, {flow}}}\nfallback_providers: [{{{flow}}}, '{KEY}']\n"
        f"custom_providers: [{{{flow}}}, '{KEY}']\nproviders: {{'{KEY}': {{{flow}, request_timeout_seconds: 3}}}}\n"
        f"credential_pool_strategies: {{'{KEY}': '{KEY}'}}\n"
    )
    assert KEY not in repr(asdict(told))


def test_an_address_is_told_without_its_password() -> None:
    entry = only(
        "fallback_providers: [{provider: custom, model: m, base_url: 'http://me:hunter2@127.0.0.1/v1?key=abc'}]"
    )
    assert "hunter2" not in entry.base_url
    assert "abc" not in entry.base_url


def test_names_cannot_steer_a_terminal_and_have_an_end() -> None:
    entry = only(f'fallback_providers: [{{provider: "a\\e[31m\\nb", model: {"m" * 5000}}}]')
    assert "\x1b" not in repr(asdict(entry))
    assert "\n" not in entry.provider
    assert len(entry.model) <= 200


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("{model: m}", "no provider: Hermes leaves it out"),
        ("{provider: nous}", "no model: Hermes leaves it out"),
        ("{}", "no provider and model: Hermes leaves it out"),
        ("nous/m", "not a table of provider and model: Hermes leaves it out"),
        ("{provider: antropic, model: m}", 'no provider is called "antropic"; did you mean "anthropic"?'),
        ("{provider: 'custom:nobody', model: m}", 'no provider is called "custom:nobody"'),
        (
            "{provider: nous, model: m, context_length: 32000}",
            "a context of 32,000 tokens is below the 64,000 that Hermes asks for: skipped",
        ),
        ("{provider: OPENAI-codex, model: GPT-5.5}", "the primary itself: Hermes skips it while the primary is down"),
    ],
)
def test_c116_an_entry_that_cannot_serve_says_why(entry: str, fault: str) -> None:
    text = f"model: {{default: gpt-5.5, provider: openai-codex}}\nfallback_providers:\n  - {entry}\n"
    assert faults(text) == [fault]


@pytest.mark.parametrize(
    "entry",
    [
        "{provider: custom, model: m, base_url: 'http://127.0.0.1/v1'}",
        "{provider: 'custom:my-proxy', model: m}",
        "{provider: My Proxy, model: m}",
        "{provider: mine, model: m}",
        "{provider: 'custom:mine', model: m}",
        "{provider: '${PROVIDER}', model: m}",
        "{provider: codex, model: other}",
        "{provider: nous, model: m, context_length: 64000}",
        "{provider: nous, model: m, context_length: yes}",
        "{provider: openai-codex, model: gpt-5.5, base_url: 'http://127.0.0.1/v1'}",
    ],
)
def test_an_entry_that_can_serve_has_no_fault(entry: str) -> None:
    text = (
        "model: {default: gpt-5.5, provider: openai-codex}\n"
        "custom_providers: [{name: My Proxy, base_url: 'http://127.0.0.1/v1'}]\n"
        "providers: {mine: {api: 'http://127.0.0.1/v1'}}\n"
        f"fallback_providers:\n  - {entry}\n"
    )
    assert faults(text) == []


def test_the_floor_of_the_context_can_be_set() -> None:
    entry = "fallback_providers: [{provider: nous, model: m, context_length: 32000}]\n"
    assert faults(f"agent: {{minimum_tool_context_length: 16000}}\n{entry}") == []


def test_the_context_of_a_custom_provider_counts_for_its_model() -> None:
    text = (
        "custom_providers: [{name: mine, base_url: 'http://127.0.0.1/v1', models: {small: {context_length: 8192}}}]\n"
        "fallback_providers: [{provider: 'custom:mine', model: small}]\n"
    )
    assert "8,192" in faults(text)[0]


def test_a_provider_that_is_switched_off_is_named_with_its_place() -> None:
    text = (
        "providers: {mine: {enabled: false, api: 'http://127.0.0.1/v1'}}\n"
        "fallback_providers: [{provider: mine, model: m}]\n"
    )
    assert faults(text) == ["providers.mine cannot be used: switched off (enabled: false)"]


def test_where_plugins_may_define_providers_none_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("fallback_providers: [{provider: homegrown, model: m}]\n")
    home = Home(tmp_path, tmp_path)
    assert read_configuration(home).chain[0].faults
    (tmp_path / "plugins" / "model-providers").mkdir(parents=True)
    assert not read_configuration(home).chain[0].faults


def test_places_are_those_of_the_file() -> None:
    read_twice = read(
        "fallback_providers: [{provider: nous, model: a}, {provider: nous, model: a}]\n"
        "fallback_model: {provider: nous, model: b}\n"
    )
    assert [one.where for one in read_twice.chain] == [
        "fallback_providers[0]",
        "fallback_providers[1]",
        "fallback_model",
    ]
    assert [one.ignored for one in read_twice.chain] == [False, True, False]
    assert read_twice.chain[1].faults == ("the same route as fallback_providers[0]: Hermes leaves it out",)
    assert read_twice.legacy
    assert not read("fallback_providers: {provider: nous, model: a}\n").legacy


def test_c114_a_chain_that_is_text_is_warned_of() -> None:
    told = read(f'fallback_providers: \'[{{"provider": "nous", "api_key": "{KEY}"}}]\'\n')
    assert told.chain == ()
    assert told.warnings[0].startswith("fallback_providers is not a list, so Hermes reads no chain from it")


def test_a_chain_without_end_is_cut_and_said() -> None:
    told = read("fallback_providers: [" + "{provider: nous, model: m}, " * 150 + "]\n")
    assert len(told.chain) == 100
    assert told.warnings == ("fallback_providers has 150 entries: only the first 100 are shown",)


def test_the_settings_around_the_chain_are_read() -> None:
    told = read(
        "credential_pool_strategies: {openai-codex: Round_Robin, nous: sideways}\n"
        "providers: {nous: {request_timeout_seconds: '30'}, zai: {request_timeout_seconds: -1}, xai: 3}\n"
        "fallback: {min_switch_reset_seconds: 90}\n"
        "plugins: {isolation: Host}\n"
    )
    assert told.primary is None
    assert told.strategies == (("openai-codex", "round_robin"),)
    assert told.request_timeouts == (("nous", 30.0),)
    assert told.min_switch_reset_seconds == 90.0
    assert told.isolated_plugins
    (warning,) = told.warnings
    assert warning.startswith("credential_pool_strategies.nous is none of fill_first, least_used, random, round_robin")


@pytest.mark.parametrize("value", ["", "3", "[]", "[3, null]", "{}", "{a: 3}", "{a: [b]}", "text", "2026-01-01", "yes"])
@pytest.mark.parametrize(
    "key",
    [
        *("model", "provider", "fallback_providers", "fallback_model", "custom_providers", "providers"),
        *("credential_pool_strategies", "fallback", "plugins", "agent"),
    ],
)
def test_a_setting_of_another_shape_is_no_error(key: str, value: str) -> None:
    assert isinstance(read(f"{key}: {value}\n"), HomeConfiguration)


def test_a_model_without_a_name_is_a_fault_of_the_primary() -> None:
    primary = read("model: {provider: nous}\n").primary
    assert primary is not None
    assert primary.faults == ("no model: choose one with `hermes model`",)


def test_yaml_is_loaded_when_a_home_is_read() -> None:
    code = "import sys, hermes_tui.hermes.configuration; print('ruamel.yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
