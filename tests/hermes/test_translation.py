"""A home's configuration as one of our own: it loads, each route goes where Hermes sends it, and holds no key."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.config.imported import imported_text
from hermes_tui.config.load import Loaded, load
from hermes_tui.config.values import base_url
from hermes_tui.core.route import ApiMode
from hermes_tui.hermes.configuration import understood
from hermes_tui.hermes.document import read_document
from hermes_tui.hermes.references import Keys
from hermes_tui.hermes.servers import SERVERS, server_of
from hermes_tui.hermes.translation import Translation, translated
from hermes_tui.hermes.values import Login
from tests.hermes.configurations import CONFIGURATIONS
from tests.hermes.real import real

SCRIPT = Path(__file__).with_name("as_hermes_places.py")
HOME = "~/.hermes"
CODEX = Login("openai-codex", "aaaaaa", "work", has_token=True)


def translate(
    text: str, *logins: Login, here: Mapping[str, str] | None = None, there: Mapping[str, str] | None = None
) -> Translation:
    document = read_document(text.encode(), Path("config.yaml"))
    keys = Keys(logins, here or {}, there or {}, HOME, HOME)
    return translated(document, understood(document), keys, base_url)


def loaded(found: Translation, path: Path, **environ: str) -> Loaded:
    path.write_text(imported_text(found.tables, "a home", found.lacks, found.notes), encoding="utf-8")
    return load(path, environ=environ, now=1.0)


def routes(read: Loaded) -> list[tuple[str, str, str, str]]:
    """Return the routes of a file as provider, model, address and API."""
    links = (read.configuration.primary, *read.configuration.chain)
    return [(one.route.provider, one.route.model, one.route.base_url, one.route.api_mode.value) for one in links]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_whatever_a_home_says_loads_without_a_mistake_and_tells_no_key(name: str, tmp_path: Path) -> None:
    here = {"OPENROUTER_API_KEY": "made-up-0123456789"}
    found = translate(CONFIGURATIONS[name], CODEX, here=here)
    if not found.tables:
        assert name in ("nothing", "entries that are half") or found.notes
        return
    read = loaded(found, tmp_path / "hermes-tui.toml", **here)
    text = (tmp_path / "hermes-tui.toml").read_text()
    assert all(link.fault is None for link in (read.configuration.primary, *read.configuration.chain))
    assert not read.configuration.warnings
    assert "made-up" not in text


CHAIN = """\
model: {default: gpt-5.5, provider: openai-codex}
fallback_providers:
  - {provider: anthropic, model: claude-opus-4}
  - {provider: 'custom:My Proxy', model: small, context_length: 100000}
  - {provider: anthropic, model: claude-opus-4, base_url: 'http://127.0.0.1:3/anthropic'}
  - {provider: custom, model: m, base_url: 'http://127.0.0.1:1/v1', key_env: ONE}
  - {provider: bedrock, model: x}
  - {provider: glm, model: glm-5}
fallback_model: {provider: Anthropic, model: Claude-Opus-4}
custom_providers:
  - {name: My Proxy, base_url: 'http://127.0.0.1:2/v1', key_env: PROXY_KEY, api_mode: responses}
providers:
  anthropic: {request_timeout_seconds: 45}
credential_pool_strategies: {openai-codex: round_robin, claude: least_used, nobody: random}
fallback: {min_switch_reset_seconds: 90}
compression: {enabled: true}
gateway: {port: 1}
mystery: 1
"""


def test_a_chain_is_taken_over_in_order_each_route_to_its_place(tmp_path: Path) -> None:
    found = translate(CHAIN, CODEX, there={"ANTHROPIC_API_KEY": "made-up"})
    read = loaded(found, tmp_path / "hermes-tui.toml")
    assert routes(read) == [
        ("openai-codex", "gpt-5.5", "https://chatgpt.com/backend-api/codex", "codex_responses"),
        ("anthropic", "claude-opus-4", "https://api.anthropic.com/v1", "anthropic_messages"),
        ("my-proxy", "small", "http://127.0.0.1:2/v1", "codex_responses"),
        ("anthropic", "claude-opus-4", "http://127.0.0.1:3/anthropic/v1", "anthropic_messages"),
        ("custom", "m", "http://127.0.0.1:1/v1", "chat_completions"),
        ("zai", "glm-5", "https://api.z.ai/api/paas/v4", "chat_completions"),
    ]
    pools = {pool.provider: pool for pool in read.configuration.pools if pool.name == pool.provider}
    assert pools["openai-codex"].strategy == "round_robin"
    assert (pools["anthropic"].strategy, pools["anthropic"].request_timeout_seconds) == ("least_used", 45)
    assert read.configuration.settings.min_switch_reset_seconds == 90
    assert read.configuration.chain[1].route.context_length == 100000
    assert [plan.name for plan in read.configuration.sessions] == ["main"]


def test_a_key_of_an_entrys_own_and_of_its_provider_are_named_by_their_places(tmp_path: Path) -> None:
    found = translate(CHAIN, CODEX)
    chain = found.tables["fallback_providers"]
    assert [entry.get("api_key") for entry in chain] == [None, None, "${ANTHROPIC_API_KEY}", "${ONE}", None]
    credentials = {name: table.get("credentials") for name, table in found.tables["providers"].items()}
    assert credentials["openai-codex"] == [{"label": "work", "api_key": "hermes:~/.hermes#work"}]
    assert credentials["my-proxy"] == [{"label": "main", "api_key": "${PROXY_KEY}"}]


def test_what_this_machine_lacks_and_what_has_no_counterpart_is_said_with_its_reason() -> None:
    found = translate(CHAIN, CODEX, here={"ONE": "made-up"}, there={"ANTHROPIC_API_KEY": "made-up"})
    assert [str(lack) for lack in found.lacks] == [
        "ANTHROPIC_API_KEY is not set here: Hermes reads it from ~/.hermes/.env",
        "PROXY_KEY is not set here: Hermes has none either",
        "GLM_API_KEY is not set here: Hermes has none either",
    ]
    told = [str(note) for note in found.notes]
    assert told[0].startswith("fallback_providers[4] (bedrock/x) is left out: ")
    assert told[1].startswith("fallback_model (Anthropic/Claude-Opus-4) is left out: the same route as")
    assert told[2:] == [
        "compression: a conversation is compacted here without a model",
        "gateway: messengers, voices and jobs stay with Hermes",
        "mystery: settings of Hermes itself",
    ]


@pytest.mark.parametrize(
    ("key", "what"),
    [
        (
            "api_key: made-up-literal-0123",
            "custom: its key stands in config.yaml itself, and is not copied: ",
        ),
        ("key_env: made-up-literal-0123", "custom: its key is in a variable with an unusual name: put it into"),
        ("key_cmd: pass show made-up", 'custom: its key is printed by a command: api_key = "command:…" takes one, and'),
    ],
)
def test_a_key_that_cannot_be_named_gets_a_variable_to_be_put_into(key: str, what: str) -> None:
    text = f"model:\n  default: m\n  provider: custom\n  base_url: http://127.0.0.1:1/v1\n  {key}\n"
    found = translate(text)
    assert found.tables["primary"]["api_key"] == "${CUSTOM_API_KEY}"
    (lack,) = found.lacks
    assert lack.startswith(what)
    assert "made-up" not in repr(found)
    assert not translate(text, here={"CUSTOM_API_KEY": "set"}).lacks


def test_logins_of_codex_are_named_by_what_tells_them_apart() -> None:
    rows = [Login("openai-codex", id_, label) for id_, label in (("1", "a"), ("2", "a"), ("3", "b#c"), ("4", "d e"))]
    lent = Login("openai-codex", "5", "root", inherited=True)
    document = read_document(b"model: {default: m, provider: openai-codex}", Path("config.yaml"))
    keys = Keys((*rows, lent), {}, {}, "~/h/profiles/p", "~/h")
    found = translated(document, understood(document), keys, base_url)
    named = [one["api_key"] for one in found.tables["providers"]["openai-codex"]["credentials"]]
    ours = "hermes:~/h/profiles/p"
    assert named == [f"{ours}#1", f"{ours}#2", f"{ours}#3", f"{ours}#d e", "hermes:~/h#root"]


@pytest.mark.parametrize(
    ("here", "logins", "provider"),
    [
        ({"OPENROUTER_API_KEY": "x", "GLM_API_KEY": "x"}, (), "openrouter"),
        ({"GLM_API_KEY": "x"}, (CODEX,), "zai"),
        ({}, (CODEX,), "openai-codex"),
    ],
)
def test_a_provider_that_hermes_chooses_at_each_start_is_the_one_it_would_choose_now(
    here: dict[str, str], logins: tuple[Login, ...], provider: str
) -> None:
    found = translate("model: some/model\n", *logins, here=here)
    assert found.tables["primary"]["provider"] == provider
    assert "Hermes chooses its provider at each start" in found.notes[0]


def test_variables_in_addresses_and_names_are_put_in() -> None:
    text = "model: {default: '${MODEL}', provider: custom, base_url: '${env:URL}/v1', key_env: K}\n"
    found = translate(text, there={"MODEL": "m", "URL": "http://127.0.0.1:5"})
    assert found.tables["primary"]["base_url"] == "http://127.0.0.1:5/v1"
    assert found.tables["primary"]["model"] == "m"
    assert not translate(text).tables


PRIMARIES: dict[str, dict[str, Any]] = {
    "codex moved by a variable": {
        "text": "model: {default: m, provider: openai-codex}\n",
        "variables": {"HERMES_CODEX_BASE_URL": "http://127.0.0.1:4/codex/backend-api/codex"},
    },
    "direct openai": {"text": "model: {default: m, provider: openai}\n", "variables": {"OPENAI_API_KEY": "made-up"}},
    "a custom one by its key": {
        "text": "model: {default: m, provider: mine}\n"
        "providers: {mine: {base_url: 'http://127.0.0.1:8/v1', key_env: K}}\n",
        "variables": {"K": "made-up"},
    },
    "a custom one that speaks messages": {
        "text": "model: {default: m, provider: 'custom:Mine too'}\n"
        "custom_providers: [{name: mine too, base_url: 'http://127.0.0.1:8/anthropic', key_env: K}]\n",
        "variables": {"K": "made-up"},
    },
    "an inline one": {
        "text": "model: {default: m, provider: custom, base_url: 'http://127.0.0.1:7/v1', api_mode: codex_responses}\n",
        "variables": {},
    },
    "a provider at another address": {
        "text": "model: {default: m, provider: deepseek, base_url: 'http://127.0.0.1:6/v1'}\n",
        "variables": {"DEEPSEEK_API_KEY": "made-up"},
    },
}


@pytest.fixture(scope="module")
def hermes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What 0.22 says of its providers, and of where it sends the primaries above."""
    home = str(tmp_path_factory.mktemp("home"))
    environ = {"PATH": os.defpath, "HOME": home, "HERMES_HOME": home}
    done = subprocess.run(
        [str(real("22")), str(SCRIPT)],
        input=json.dumps({name: asked for name, asked in PRIMARIES.items() if "codex" not in name}),
        capture_output=True,
        text=True,
        check=True,
        env=environ,
        timeout=120,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_hermes_own_providers_are_known_with_their_addresses_and_keys(hermes: Any) -> None:
    registered = hermes["registered"]
    named = {name: server for server in SERVERS for name in server.names.split()}
    known = {name: list(named[name][1:]) for name in registered if name in named}
    beyond = {"gemini", "openai-codex", "openrouter"}
    assert {name: told for name, told in registered.items() if name in known and name not in beyond} == {
        name: told for name, told in known.items() if name not in beyond
    }
    assert registered.keys() - known.keys() == {"actual", "copilot", "opencode-go", "opencode-zen"}
    assert all(server_of(name) is server for name, server in named.items())


@pytest.mark.parametrize("name", [name for name in PRIMARIES if "codex" not in name])
def test_a_primary_goes_where_hermes_sends_it(hermes: Any, name: str) -> None:
    url, mode = hermes["resolved"][name]
    asked = PRIMARIES[name]
    found = translate(asked["text"], there=asked["variables"])
    primary, tables = found.tables["primary"], found.tables["providers"].get(found.tables["primary"]["provider"], {})
    ours = primary.get("base_url") or tables.get("base_url") or "https://api.openai.com/v1"
    told = primary.get("api_mode") or tables.get("api_mode") or ApiMode.CHAT_COMPLETIONS.value
    assert told == mode
    assert ours == url + ("/v1" if mode == ApiMode.ANTHROPIC_MESSAGES.value else "")


def test_codex_goes_where_its_variable_or_its_login_says() -> None:
    asked = PRIMARIES["codex moved by a variable"]
    moved = Login("openai-codex", "a", "work", base_url="http://127.0.0.1:9/codex")
    url = asked["variables"]["HERMES_CODEX_BASE_URL"]
    for found, expected in (
        (translate(asked["text"], CODEX, there=asked["variables"]), url),
        (translate(asked["text"], moved), "http://127.0.0.1:9/codex"),
    ):
        assert found.tables["providers"]["openai-codex"]["base_url"] == expected


def test_a_provider_whose_name_another_one_goes_by_as_well_keeps_its_own_place_and_key(tmp_path: Path) -> None:
    router = Login("openrouter", "a", "one", source="env:OPENROUTER_API_KEY", base_url="https://openrouter.ai/api/v1")
    text = "model: {default: m, provider: openai}\nfallback_providers: [{provider: openrouter, model: m}]\n"
    found = translate(text, router)
    assert routes(loaded(found, tmp_path / "hermes-tui.toml")) == [
        ("openai", "m", "https://api.openai.com/v1", "codex_responses"),
        ("openrouter", "m", "https://openrouter.ai/api/v1", "chat_completions"),
    ]
    keys = {name: table["credentials"][0]["api_key"] for name, table in found.tables["providers"].items()}
    assert keys == {"openai": "${OPENAI_API_KEY}", "openrouter": "${OPENROUTER_API_KEY}"}


def test_a_custom_provider_is_called_as_its_key_says_by_either_of_its_names() -> None:
    text = "model: {default: m, provider: 'custom:mine'}\nproviders: {mine: {url: 'http://127.0.0.1:8/v1'}}\n"
    found = translate(text)
    assert found.tables["primary"] == {"provider": "mine", "model": "m"}
    assert found.tables["providers"] == {"mine": {"base_url": "http://127.0.0.1:8/v1"}}


def test_a_key_that_hermes_alone_has_is_told_and_not_copied() -> None:
    kept = Login("zai", "a", "typed in", auth_type="api_key", source="manual", has_token=True)
    found = translate("model: {default: m, provider: glm}\n", kept)
    assert "zai: the key typed in is in auth.json alone and is not copied: add it as a variable" in found.notes[0]
