"""The guided start's questions: which comes after an answer, and what a stranger is called."""

import pytest

from hermes_tui.core.beginning import Beginning, FirstRoute, FoundKey, Question, provider_at
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.secret import Secret

START = Beginning(Question.PROVIDER)
GROQ = FoundKey("groq", "env:GROQ_API_KEY")


def test_a_known_provider_is_asked_for_its_key_then_its_model() -> None:
    chosen = START.with_provider("groq", [GROQ])
    assert chosen.question is Question.KEY
    keyed = chosen.with_key("env:GROQ_API_KEY")
    assert keyed.question is Question.MODEL
    done = keyed.with_model("llama")
    assert (done.question, done.routes) == (Question.FALLBACK, (FirstRoute("groq", "llama", key="env:GROQ_API_KEY"),))


def test_a_server_of_this_machine_needs_no_key_unless_one_is_set() -> None:
    assert START.with_provider("ollama", []).question is Question.MODEL
    assert START.with_provider("litellm", []).question is Question.MODEL
    assert START.with_provider("litellm", [FoundKey("litellm", "env:LITELLM_API_KEY")]).question is Question.KEY


def test_where_every_customer_has_another_address_it_is_asked_first() -> None:
    chosen = START.with_provider("azure", [])
    assert chosen.question is Question.ADDRESS
    placed = chosen.with_address("https://mine.openai.azure.com/openai/v1", [])
    assert placed.question is Question.KEY
    assert (placed.choosing.provider, placed.choosing.url) == ("azure", "https://mine.openai.azure.com/openai/v1")


def test_a_second_route_of_a_provider_takes_the_key_that_it_has() -> None:
    key = Secret("a-key-that-was-pasted")
    first = START.with_provider("groq", []).with_key("file:keys/groq", key).with_model("llama")
    again = first.with_provider("groq", [])
    assert again.question is Question.MODEL
    done = again.with_model("small")
    assert done.question is Question.REVIEW
    assert [(str(route), route.key, route.pasted) for route in done.routes] == [
        ("groq/llama", "file:keys/groq", key),
        ("groq/small", "file:keys/groq", key),
    ]


def test_a_known_address_is_not_written_again() -> None:
    asked = START.asking(Question.ADDRESS)
    assert asked.with_address(KNOWN_PROVIDERS["groq"].base_url, []).choosing == FirstRoute("groq")
    assert asked.with_address("http://127.0.0.1:11434/v1/", []).choosing == FirstRoute("ollama")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.groq.com/openai/v1", "groq"),
        ("http://127.0.0.1:11434/v1", "ollama"),
        ("http://127.0.0.1:9999/v1", "server"),
        ("http://localhost:9999", "server"),
        ("https://llm.example.com/v1", "example"),
        ("https://groq.internal/v1", "groq-server"),
        ("https://[::1]:8080/v1", "server"),
    ],
)
def test_a_server_is_called_after_what_is_known_of_it_else_after_its_host(url: str, name: str) -> None:
    assert provider_at(url) == name


def test_two_strangers_have_two_names() -> None:
    assert provider_at("http://127.0.0.1:9998", ["server"]) == "server-server"


def test_a_pasted_key_is_in_no_printed_form() -> None:
    route = FirstRoute("groq", "m", key="file:keys/groq", pasted=Secret("a-key-that-was-pasted"))
    assert "a-key-that-was-pasted" not in repr(route) + str(route)
