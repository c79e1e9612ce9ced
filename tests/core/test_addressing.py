"""Base URLs that look right and are not."""

import pytest

from hermes_tui.core.addressing import about_address
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.remark import Gravity
from hermes_tui.core.route import ApiMode, Route

CHAT, CODEX, ANTHROPIC = ApiMode.CHAT_COMPLETIONS, ApiMode.CODEX_RESPONSES, ApiMode.ANTHROPIC_MESSAGES


def said(
    base_url: str, mode: ApiMode = CHAT, provider: str = "work", *, sends_key: bool = True
) -> list[tuple[str, str]]:
    route = Route(provider, "m", base_url, mode, provider)
    return [(remark.gravity.name, remark.what) for remark in about_address(route, sends_key=sends_key)]


@pytest.mark.parametrize("name", [name for name, known in KNOWN_PROVIDERS.items() if known.base_url])
def test_nothing_is_said_of_a_known_providers_own_address(name: str) -> None:
    known = KNOWN_PROVIDERS[name]
    assert said(known.base_url, known.api_mode, name) == []


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("https://gateway.example/v1", CHAT),
        ("http://127.0.0.1:8000/v1", CHAT),
        ("http://10.0.0.5:8000/v1", CHAT),
        ("http://llm.lan/v1", CHAT),
        ("http://llm:8000/v1", CHAT),
        ("https://gateway.example/anthropic", ANTHROPIC),
        ("https://gateway.example/v1", ANTHROPIC),
        ("https://api.deepseek.com/anthropic", ANTHROPIC),
        ("https://openrouter.ai/api/v1", ANTHROPIC),
        ("https://api.openai.com/v1", CODEX),
        ("https://mine.services.ai.azure.com/models", CHAT),
        ("https://api.anthropic.com/v1", CHAT),
        ("https://mine.openai.azure.com/openai/deployments/d?api-version=2024-10-21", CHAT),
    ],
)
def test_nothing_is_said_of_an_address_that_can_work(url: str, mode: ApiMode) -> None:
    assert said(url, mode) == []


@pytest.mark.parametrize(
    ("url", "mode", "words"),
    [
        (
            "https://gateway.example/v1/chat/completions",
            CHAT,
            "base_url ends in /chat/completions, which every request",
        ),
        ("https://gateway.example/V1/Chat/Completions", CHAT, "base_url ends in /chat/completions"),
        ("https://gateway.example/v1/responses", CODEX, "base_url ends in /responses"),
        ("https://gateway.example/v1/messages", CHAT, 'leave it out, and write api_mode = "anthropic_messages"'),
        ("https://api.anthropic.com/v1/messages", CHAT, 'leave it out, and write api_mode = "anthropic_messages"'),
        ("https://gateway.example/chat/completions?api-version=1", ANTHROPIC, 'write api_mode = "chat_completions"'),
        (
            "https://chatgpt.com/backend-api/codex",
            CHAT,
            'Codex does not speak chat_completions: write api_mode = "codex_',
        ),
        (
            "https://api.anthropic.com/v1",
            CODEX,
            'does not speak codex_responses: write api_mode = "anthropic_messages"',
        ),
    ],
)
def test_c116_an_endpoint_or_a_dialect_in_the_wrong_place_is_a_fault(url: str, mode: ApiMode, words: str) -> None:
    ((gravity, what),) = said(url, mode)
    assert gravity == Gravity.FAULT.name
    assert words in what


@pytest.mark.parametrize(
    ("url", "mode", "provider", "words"),
    [
        ("https://api.openai.com", CHAT, "openai", "is https://api.openai.com/v1 meant?"),
        ("https://openrouter.ai/api", CHAT, "openrouter", "is https://openrouter.ai/api/v1 meant?"),
        ("https://chatgpt.com", CODEX, "work", "is https://chatgpt.com/backend-api/codex meant?"),
        ("https://api.groq.com/openai/v1", ANTHROPIC, "groq", "Groq may not speak anthropic_messages"),
        ("https://gateway.example/anthropic/v1", CHAT, "work", 'is api_mode = "anthropic_messages" meant?'),
        ("http://gateway.example/v1", CHAT, "work", "the key goes over http, which anybody on the way can read"),
        ("http://8.8.8.8/v1", CHAT, "work", "write https"),
    ],
)
def test_c17_what_may_be_wrong_with_an_address_is_a_doubt(url: str, mode: ApiMode, provider: str, words: str) -> None:
    ((gravity, what),) = said(url, mode, provider)
    assert gravity == Gravity.DOUBT.name
    assert words in what


def test_c78_a_provider_at_another_ones_server_is_a_doubt() -> None:
    assert said("https://api.openai.com/v1", CHAT, "groq") == [
        ("DOUBT", "base_url is OpenAI's, and the provider is called groq")
    ]


def test_without_a_key_plain_http_gives_nothing_away() -> None:
    assert said("http://gateway.example/v1", sends_key=False) == []
