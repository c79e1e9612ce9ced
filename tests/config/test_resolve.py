import base64
import json
from typing import Any

import pytest
import tomli_w

from hermes_tui.config.problems import InvalidFileError
from hermes_tui.core.configuration import Pool, Strategy
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.route import ApiMode, Link

from .conftest import LoadText

PRIMARY = '[primary]\nprovider = "groq"\nmodel = "m"\n'
GROQ = {"GROQ_API_KEY": "groq-key-of-somebody"}


def entry(**fields: str) -> str:
    return "[[fallback_providers]]\n" + "".join(f'{name} = "{value}"\n' for name, value in fields.items())


def only_link(load_text: LoadText, text: str, environ: dict[str, str] | None = None) -> tuple[Link, Pool]:
    configuration = load_text(PRIMARY + text, environ).configuration
    link = configuration.chain[0]
    pool = configuration.pool(link.route.pool)
    assert pool is not None
    return link, pool


def jwt(**claims: object) -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, claims)]
    return ".".join([*parts, "signature"])


def test_a_known_provider_needs_nothing_but_its_variable(load_text: LoadText) -> None:
    loaded = load_text(PRIMARY, GROQ)
    route = loaded.configuration.primary.route
    assert (route.base_url, route.api_mode) == ("https://api.groq.com/openai/v1", ApiMode.CHAT_COMPLETIONS)
    secret = loaded.keyring.secret(CredentialKey("groq", "env"))
    assert secret is not None
    assert secret.reveal() == GROQ["GROQ_API_KEY"]


def test_c80_a_variable_that_is_not_set_is_a_fault_and_no_other_key_takes_its_place(load_text: LoadText) -> None:
    credentials = "[[providers.groq.credentials]]\nlabel = 'a'\napi_key = '${NOPE}'\n"
    loaded = load_text(PRIMARY + credentials, {**GROQ, "OPENAI_API_KEY": "openai-key-of-somebody"})
    pool = loaded.configuration.pool("groq")
    assert pool is not None
    assert [member.fault for member in pool.members] == ["NOPE is not set"]
    assert pool.keys() == ()
    assert loaded.keyring.secret(CredentialKey("groq", "a")) is None


@pytest.mark.parametrize(
    ("provider", "fault"),
    [
        ("groq", "GROQ_API_KEY is not set"),
        ("zai", "ZAI_API_KEY or GLM_API_KEY is not set"),
        (
            "openai-codex",
            (
                'no credential: add [[providers.openai-codex.credentials]] with api_key = "codex:" '
                "(its token comes from: codex login)"
            ),
        ),
    ],
)
def test_a_known_provider_without_key_says_what_is_missing(load_text: LoadText, provider: str, fault: str) -> None:
    _, pool = only_link(load_text, entry(provider=provider, model="m"))
    assert [member.fault for member in pool.members] == [fault]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (entry(model="m"), "no provider: write provider = … (hermes-tui.toml, line 4)"),
        (entry(provider="groq", model="  "), "no model: write model = … (hermes-tui.toml, line 4)"),
        (entry(provider="grok", model="m"), 'provider "grok" is not configured; did you mean "groq"?'),
        (entry(provider="qqqq", model="m"), "add [providers.qqqq] with its base_url"),
        (entry(provider="lan", model="m") + "[providers.lan]\n", "write base_url = … under [providers.lan]"),
    ],
)
def test_m7_an_entry_that_cannot_work_is_a_fault_with_its_place(load_text: LoadText, text: str, fault: str) -> None:
    link, _ = only_link(load_text, text)
    assert link.fault is not None
    assert fault in link.fault
    assert link.fault.endswith("(hermes-tui.toml, line 4)")


def test_c81_a_primary_that_is_set_wrong_says_so_with_file_and_line(load_text: LoadText) -> None:
    primary = load_text('\n[primary]\nprovider = "opnai"\nmodel = "m"\n').configuration.primary
    assert primary.fault == ('provider "opnai" is not configured; did you mean "openai"? (hermes-tui.toml, line 2)')


def test_the_legacy_single_fallback_comes_last(load_text: LoadText) -> None:
    text = '[fallback_model]\nprovider = "xai"\nmodel = "x"\n' + entry(provider="zai", model="z")
    chain = load_text(PRIMARY + text).configuration.chain
    assert [str(link.route) for link in chain] == ["zai/z", "xai/x"]


def test_an_entry_with_its_own_key_has_a_pool_of_its_own(load_text: LoadText) -> None:
    own = entry(provider="groq", model="m", api_key="${MINE}")
    configuration = load_text(PRIMARY + own + own, {**GROQ, "MINE": "another-groq-key"}).configuration
    first, second = configuration.chain
    assert first.route.pool == second.route.pool != "groq"
    assert first.route.pool.startswith("groq#")
    assert not configuration.repeats(first.route, configuration.primary.route)


def test_the_own_pool_keeps_its_name_when_the_entry_moves_or_its_key_is_replaced(load_text: LoadText) -> None:
    own, other = entry(provider="groq", model="m", api_key="${MINE}"), entry(provider="zai", model="z")
    before = load_text(PRIMARY + own + other, {"MINE": "first-key"}).configuration.chain[0]
    after = load_text(PRIMARY + other + own, {"MINE": "second-key"}).configuration.chain[1]
    assert before.route.pool == after.route.pool


def test_a_key_never_goes_to_another_server_than_its_providers(load_text: LoadText) -> None:
    link, pool = only_link(load_text, entry(provider="groq", model="m", base_url="https://evil.example/v1"), GROQ)
    assert link.fault is not None
    assert "is not groq's own server" in link.fault
    assert "give the entry an api_key of its own" in link.fault
    assert [member.fingerprint for member in pool.members] == [""]


def test_another_server_of_the_same_known_provider_gets_its_key(load_text: LoadText) -> None:
    environ = {"OPENAI_API_KEY": "openai-key-of-somebody"}
    link, pool = only_link(
        load_text, entry(provider="openai", model="m", base_url="https://eu.api.openai.com/v1"), environ
    )
    assert (link.fault, pool.name, [member.label for member in pool.members]) == (None, "openai", ["env"])


@pytest.mark.parametrize("url", ["http://api.groq.com/v1", "https://api.groq.com:8443/v1"])
def test_another_scheme_or_port_is_another_server(load_text: LoadText, url: str) -> None:
    link, _ = only_link(load_text, entry(provider="groq", model="m", base_url=url), GROQ)
    assert link.fault is not None


def test_another_path_on_the_same_server_keeps_the_providers_pool(load_text: LoadText) -> None:
    link, pool = only_link(load_text, entry(provider="groq", model="m", base_url="https://API.groq.com/x/"), GROQ)
    assert (link.fault, pool.name, link.route.base_url) == (None, "groq", "https://API.groq.com/x")


def test_an_entry_on_this_machine_is_asked_without_a_key(load_text: LoadText) -> None:
    link, pool = only_link(load_text, entry(provider="groq", model="m", base_url="http://127.0.0.1:9/v1"), GROQ)
    assert link.fault is None
    assert [(member.label, member.fingerprint) for member in pool.members] == [("local", "")]


def test_a_known_variable_is_not_sent_to_an_overridden_address(load_text: LoadText) -> None:
    loaded = load_text(PRIMARY + "[providers.groq]\nbase_url = 'https://proxy.example/v1'\n", GROQ)
    pool = loaded.configuration.pool("groq")
    assert pool is not None
    assert pool.members[0].fault is not None
    assert "is not sent to another server" in pool.members[0].fault
    assert loaded.keyring.secret(CredentialKey("groq", "env")) is None


def test_a_local_server_needs_no_key(load_text: LoadText) -> None:
    link, pool = only_link(load_text, entry(provider="ollama", model="m"))
    assert link.fault is None
    assert [(member.label, member.fault) for member in pool.members] == [("local", None)]


def test_any_provider_can_be_named_by_its_address_alone(load_text: LoadText) -> None:
    link, pool = only_link(load_text, entry(provider="lan", model="m", base_url="http://10.0.0.5:8000/v1"))
    assert link.fault is None
    assert [(member.label, member.fault) for member in pool.members] == [("keyless", None)]


def provider_table(name: str, **fields: str) -> str:
    return f"[providers.{name}]\n" + "".join(f'{field} = "{value}"\n' for field, value in fields.items())


AZURE = {"AZURE_OPENAI_API_KEY": "azure-key-of-somebody"}
AZURE_URL = "https://mine.openai.azure.com/openai/v1"


@pytest.mark.parametrize("table", ["", provider_table("azure")])
def test_a_provider_without_a_common_address_asks_for_one(load_text: LoadText, table: str) -> None:
    link, _ = only_link(load_text, entry(provider="azure", model="d") + table, AZURE)
    assert link.fault is not None
    assert link.fault.startswith("no base_url: write base_url = … under [providers.azure], as in ")


@pytest.mark.parametrize(
    "text",
    [
        entry(provider="azure", model="d") + provider_table("azure", base_url=AZURE_URL),
        entry(provider="azure", model="d", base_url=AZURE_URL),
    ],
    ids=["in its table", "in the entry"],
)
def test_its_variable_goes_to_the_address_of_its_customer(load_text: LoadText, text: str) -> None:
    link, pool = only_link(load_text, text, AZURE)
    assert (link.fault, pool.name) == (None, "azure")
    assert [(member.label, member.fault) for member in pool.members] == [("env", None)]


@pytest.mark.parametrize(
    "url", ["https://mine.openai.azure.com.evil.example/v1", "http://mine.openai.azure.com/v1", "https://x.example/v1"]
)
def test_c78_its_variable_goes_to_no_other_server(load_text: LoadText, url: str) -> None:
    loaded = load_text(PRIMARY + entry(provider="azure", model="d") + provider_table("azure", base_url=url), AZURE)
    pool = loaded.configuration.pool("azure")
    assert pool is not None
    assert "a key of azure is not sent to another server" in (pool.members[0].fault or "")
    assert loaded.keyring.secret(CredentialKey("azure", "env")) is None


def test_c78_the_key_of_one_customers_address_does_not_go_to_anothers(load_text: LoadText) -> None:
    other = entry(provider="azure", model="d", base_url="https://theirs.openai.azure.com/openai/v1")
    link, _ = only_link(load_text, other + provider_table("azure", base_url=AZURE_URL), AZURE)
    assert "is not azure's own server" in (link.fault or "")


@pytest.mark.parametrize(
    ("url", "without"), [("http://127.0.0.1:4000/v1", "local"), ("https://proxy.example/v1", "keyless")]
)
def test_an_optional_key_is_taken_where_it_is_set(load_text: LoadText, url: str, without: str) -> None:
    text = entry(provider="litellm", model="m") + provider_table("litellm", base_url=url)
    for environ, label in (({"LITELLM_MASTER_KEY": "key-of-the-proxy"}, "env"), ({}, without)):
        link, pool = only_link(load_text, text, environ)
        assert link.fault is None
        assert [(member.label, member.fault) for member in pool.members] == [(label, None)]


@pytest.mark.parametrize(
    ("url", "mode", "early"),
    [
        ("https://api.anthropic.com/v1", ApiMode.ANTHROPIC_MESSAGES, False),
        ("https://chatgpt.com/backend-api/codex", ApiMode.CODEX_RESPONSES, True),
        ("https://api.groq.com/openai/v1", ApiMode.CHAT_COMPLETIONS, False),
        ("https://gateway.example/v1", ApiMode.CHAT_COMPLETIONS, False),
    ],
)
def test_a_provider_under_another_name_is_known_by_its_host(
    load_text: LoadText, url: str, mode: ApiMode, early: bool
) -> None:
    in_table = entry(provider="work", model="m") + provider_table("work", base_url=url, api_key="${K}")
    in_entry = entry(provider="work", model="m", base_url=url, api_key="${K}")
    for text in (in_table, in_entry):
        link, pool = only_link(load_text, text, {"K": "key-of-somebody"})
        assert (link.fault, link.route.api_mode, pool.reopens_early) == (None, mode, early)
    said, _ = only_link(load_text, in_table + 'api_mode = "chat_completions"\n', {"K": "key-of-somebody"})
    assert said.route.api_mode is ApiMode.CHAT_COMPLETIONS


@pytest.mark.parametrize("name", ["anthropic-gateway", "openai-codex-2"])
def test_a_name_that_only_resembles_a_known_one_says_nothing(load_text: LoadText, name: str) -> None:
    table = provider_table(name, base_url="https://gateway.example/v1", api_key="${K}")
    link, pool = only_link(load_text, entry(provider=name, model="m") + table, {"K": "key-of-somebody"})
    assert (link.route.api_mode, pool.reopens_early) == (ApiMode.CHAT_COMPLETIONS, False)


def test_the_known_variable_of_a_provider_does_not_follow_it_to_another_name(load_text: LoadText) -> None:
    environ = {"ANTHROPIC_API_KEY": "anthropic-key-of-somebody"}
    url = "https://api.anthropic.com/v1"
    _, pool = only_link(load_text, entry(provider="work", model="m") + provider_table("work", base_url=url), environ)
    assert [member.fault for member in pool.members] == [
        "no credential: Anthropic asks for a key: add [[providers.work.credentials]]"
    ]
    _, pool = only_link(load_text, entry(provider="work", model="m", base_url=url), environ)
    assert [member.fault for member in pool.members] == [
        "no credential: Anthropic asks for a key: give the entry an api_key of its own"
    ]


@pytest.mark.parametrize("where", ["primary", "providers.lan", "fallback_providers"])
def test_every_api_mode_can_be_written_everywhere(load_text: LoadText, where: str) -> None:
    for mode in ApiMode:
        fields = {"base_url": "http://127.0.0.1:9/v1", "api_mode": mode.value}
        route = {"provider": "lan", "model": "m"}
        document: dict[str, Any] = {"primary": route, "providers": {"lan": {"base_url": "http://127.0.0.1:9/v1"}}}
        if where == "primary":
            document["primary"] = route | fields
        elif where == "fallback_providers":
            document["fallback_providers"] = [route | fields]
        else:
            document["providers"]["lan"] = fields
        configuration = load_text(tomli_w.dumps(document)).configuration
        link = configuration.chain[0] if configuration.chain else configuration.primary
        assert link.route.api_mode is mode


def test_codex_reopens_early_wherever_it_is_served(load_text: LoadText) -> None:
    text = entry(provider="openai-codex", model="g") + "[providers.openai-codex]\nbase_url = 'http://127.0.0.1:9/x'\n"
    link, pool = only_link(load_text, text)
    assert pool.reopens_early
    assert link.route.api_mode is ApiMode.CODEX_RESPONSES


def test_a_token_names_its_account_and_end_without_the_account_itself(load_text: LoadText) -> None:
    token = jwt(exp=1_900_000_000, chatgpt_account_id="account-of-a-person")
    text = entry(provider="openai-codex", model="g")
    text += "[[providers.openai-codex.credentials]]\nlabel = 'work'\napi_key = '${TOKEN}'\n"
    _, pool = only_link(load_text, text, {"TOKEN": token})
    member = pool.members[0]
    assert member.expires_at == 1_900_000_000
    assert member.account.startswith("acct-")
    assert len(member.account) == len("acct-xxxxxxx")


def test_an_opaque_key_is_an_account_of_its_own(load_text: LoadText) -> None:
    pool = load_text(PRIMARY, GROQ).configuration.pool("groq")
    assert pool is not None
    assert pool.members[0].account == f"key-{pool.members[0].fingerprint[:7]}"


def test_the_strategy_of_the_providers_table_goes_before_the_common_one(load_text: LoadText) -> None:
    common = "[credential_pool_strategies]\ngroq = 'random'\nzai = 'random'\ngrok = 'random'\n"
    configuration = load_text(
        PRIMARY + entry(provider="zai", model="z") + common + "[providers.groq]\nstrategy = 'least_used'\n"
    ).configuration
    assert [pool.strategy for pool in configuration.pools] == [Strategy.LEAST_USED, Strategy.RANDOM]
    assert len(configuration.warnings) == 1
    assert 'did you mean "groq"?' in configuration.warnings[0]


def test_a_session_may_have_its_own_primary_and_chain(load_text: LoadText) -> None:
    text = (
        "[[sessions]]\nname = 'a'\nfallback_providers = []\n[sessions.primary]\nprovider = 'zai'\nmodel = 'z'\n"
        "[[sessions]]\nname = 'b'\n[[sessions.fallback_providers]]\nprovider = 'nobody'\nmodel = 'n'\n"
    )
    configuration = load_text(PRIMARY + text).configuration
    first, second = configuration.sessions
    assert first.primary is not None
    assert (str(first.primary.route), first.chain) == ("zai/z", ())
    assert second.primary is None
    assert second.chain is not None
    assert (second.chain[0].fault or "").endswith("line 12)")


def test_every_route_names_a_pool_that_exists(load_text: LoadText) -> None:
    text = entry() + entry(provider="nobody", model="n") + entry(provider="groq", model="m", api_key="${X}")
    configuration = load_text(text + "[primary]\n").configuration
    assert all(configuration.pool(link.route.pool) for link in (configuration.primary, *configuration.chain))


@pytest.mark.parametrize("field", ["key_env", "api_key_env"])
def test_c80_a_key_named_as_hermes_writes_it_is_taken_or_missed_like_any_other(load_text: LoadText, field: str) -> None:
    own = entry(provider="groq", model="m", **{field: "MINE"})
    link, pool = only_link(load_text, own, GROQ)
    assert (link.fault, [member.fault for member in pool.members]) == (None, ["MINE is not set"])
    link, pool = only_link(load_text, own, GROQ | {"MINE": "another-groq-key"})
    assert [(member.label, member.fault) for member in pool.members] == [("own", None)]
    in_table = entry(provider="zai", model="m") + provider_table("zai", **{field: "MINE"})
    _, pool = only_link(load_text, in_table, {"MINE": "a-zai-key", "ZAI_API_KEY": "another-zai-key"})
    assert [(member.label, member.fault) for member in pool.members] == [("key", None)]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"key_env": "sk-live-0123456789abcdef"}, "must name the environment variable that holds the key, and never"),
        ({"key_env": "A", "api_key": "env:B"}, "api_key names a key already: take one of them out"),
        ({"key_env": "A", "api_key_env": "A"}, "key_env names a key already: take one of them out"),
    ],
)
def test_c80_two_keys_or_the_key_itself_are_refused_with_their_place(
    load_text: LoadText, fields: dict[str, str], words: str
) -> None:
    with pytest.raises(InvalidFileError, match=words) as caught:
        load_text(PRIMARY + entry(provider="groq", model="m", **fields))
    assert "0123456789" not in str(caught.value)
    assert caught.value.line is not None
