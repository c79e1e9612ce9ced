"""What is known of providers: data that cannot contradict itself, found again whatever a configuration calls it."""

import re
from itertools import combinations

import pytest

from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, provider_behind
from hermes_tui.core.route import ApiMode

EVERY = pytest.mark.parametrize("known", KNOWN_PROVIDERS.values(), ids=lambda known: known.name)
PAGE = re.compile(r"[a-z0-9.\-]+\.[a-z]{2,}(?:/[A-Za-z0-9\-_/]*)?")


@EVERY
def test_an_entry_says_how_to_reach_and_how_to_name_its_provider(known: KnownProvider) -> None:
    assert KNOWN_PROVIDERS[known.name] is known
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", known.name)
    assert str(known) == known.title
    assert known.title
    assert known.example_model
    assert known.base_url.startswith(("https://", "http://127.0.0.1:")) or known.example_url
    assert bool(known.key_variables or known.sign_in) or not known.needs_key


@EVERY
def test_an_entry_is_found_by_its_name_and_by_its_own_address(known: KnownProvider) -> None:
    assert provider_behind(known.name) is known
    assert provider_behind("mine", known.base_url) is known or not known.hosts or not known.base_url


@EVERY
def test_codes_are_in_snake_case_and_words_in_lower_case(known: KnownProvider) -> None:
    assert all(re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", code) for code in known.codes)
    assert all(words and words == words.lower() for words in known.own_account)
    assert known.relays or not known.own_account


@EVERY
def test_pages_are_addresses_without_a_scheme(known: KnownProvider) -> None:
    assert all(PAGE.fullmatch(page) for page in (known.credit_page, known.keys_page) if page)


def test_no_two_providers_share_a_host() -> None:
    ends = [(known.name, end) for known in KNOWN_PROVIDERS.values() for end in known.hosts]
    for (one, first), (other, second) in combinations(ends, 2):
        assert one == other or not (f".{first}".endswith(f".{second}") or f".{second}".endswith(f".{first}"))


@pytest.mark.parametrize(
    ("name", "base_url", "found"),
    [
        ("mine", "https://API.OpenAI.com:443/v1/", "openai"),
        ("mine", "https://api.openai.com./v1", "openai"),
        ("mine", "https://user@openrouter.ai/api/v1", "openrouter"),
        ("mine", "https://my-resource.openai.azure.com/openai/v1?api-version=1", "azure"),
        ("mine", "https://coding-intl.dashscope.aliyuncs.com/v1", "dashscope"),
        ("openai", "https://openrouter.ai/api/v1", "openrouter"),
        ("openai", "https://gateway.example.com/v1", "openai"),
        ("OpenAI", "", "openai"),
        ("azure-openai", "", "azure"),
        ("my_openai-codex 2", "http://127.0.0.1:1", "openai-codex"),
        ("llama.cpp", "http://127.0.0.1:8080", "llama-cpp"),
        ("groq@work", "", "groq"),
    ],
)
def test_a_provider_is_known_by_its_host_else_by_its_name(name: str, base_url: str, found: str) -> None:
    assert provider_behind(name, base_url).name == found


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("mine", "https://notopenrouter.ai/v1"),
        ("mine", "https://openrouter.ai.example.com/v1"),
        ("mine", "https://example.com/openrouter.ai"),
        ("mine", "http://[::1]:8000/v1"),
        ("mine", "http://[::1"),
        ("mine", "://"),
        ("mine", "\x00"),
        ("xopenai", ""),
        ("", ""),
    ],
)
def test_whoever_is_nobodys_is_one_with_its_name_alone(name: str, base_url: str) -> None:
    behind = provider_behind(name, base_url)
    assert (str(behind), behind.base_url) == (name, base_url)
    assert (behind.codes, behind.relays, behind.hosts, behind.api_mode) == ({}, False, (), ApiMode.CHAT_COMPLETIONS)
