"""Advice: each kind of failure has a sentence and a remedy of its own, at every provider."""

import re
from itertools import combinations

import pytest

from hermes_tui.core.advice import advice, explained, reason_to_leave, remedy
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, provider_behind
from hermes_tui.core.text import PlainText

K = FailureKind
PROVIDERS = (*KNOWN_PROVIDERS.values(), KnownProvider("acme", "", ""), KnownProvider("", "", ""))
EVERY = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda known: known.name or "nameless")
KINDS = pytest.mark.parametrize("kind", FailureKind)

WORDS = {
    r"credit|spend|\bcap\b|paid|billing": {K.BILLING},
    r"limit": {K.RATE_LIMIT, K.USAGE_LIMIT},
    r"\bkeys?\b|sign-in|sign in|revoked|api-?key": {K.AUTH, K.AUTH_REVOKED, K.NO_CREDENTIAL},
    r"overload": {K.OVERLOADED},
    r"too long": {K.CONTEXT_OVERFLOW},
    r"the content": {K.REFUSED},
    r"malformed": {K.BAD_REQUEST},
    r"this model here": {K.MODEL_UNAVAILABLE},
    r"blocked": {K.BLOCKED},
    r"network": {K.BLOCKED, K.CONNECTION},
    r"base_url": {K.WRONG_ENDPOINT, K.CONNECTION},
    r"sealed": {K.FOREIGN_HISTORY},
}
"""Words, and the kinds whose sentences may hold them: at least one of them always does."""


@EVERY
@KINDS
def test_c04_every_kind_has_one_sentence_at_every_provider(kind: FailureKind, provider: KnownProvider) -> None:
    for sentence in (advice(kind, provider), remedy(kind, provider)):
        assert re.fullmatch(r"[^\n{}]{10,300}\.", sentence)
        assert ".." not in sentence
    assert advice(kind, provider).lower().endswith(remedy(kind, provider).lower())
    assert remedy(kind, provider)[0].isupper()
    assert (str(provider) or "the provider").lower() in advice(kind, provider).lower()


@EVERY
@pytest.mark.parametrize("words", WORDS)
def test_c04_no_kinds_words_stand_in_anothers_sentence(words: str, provider: KnownProvider) -> None:
    """Names and pages of a provider are not words."""
    own = re.compile("|".join(map(re.escape, filter(None, (provider.credit_page, *provider.key_variables)))) or "(?!)")
    speaking = {kind for kind in FailureKind if re.search(words, own.sub("", advice(kind, provider)), re.IGNORECASE)}
    assert speaking == WORDS[words]


@EVERY
def test_c04_no_two_kinds_share_a_sentence(provider: KnownProvider) -> None:
    assert all(advice(one, provider) != advice(other, provider) for one, other in combinations(FailureKind, 2))


@EVERY
def test_c58_a_model_that_is_not_paid_for_is_no_empty_account(provider: KnownProvider) -> None:
    of_a_model = advice(K.BILLING, provider, Scope.MODEL)
    assert "this account" not in of_a_model
    assert {advice(kind, provider, Scope.MODEL) == advice(kind, provider) for kind in K if kind is not K.BILLING} == {
        True
    }
    assert of_a_model.endswith("another model may answer.")


def test_advice_speaks_in_the_providers_terms() -> None:
    assert advice(K.BILLING, provider_behind("openrouter")) == (
        "OpenRouter says that this account is out of credit or at its spend cap: "
        "add credit or raise the cap at openrouter.ai/settings/credits; waiting does not help."
    )
    assert advice(K.AUTH, provider_behind("openai")) == (
        "OpenAI does not accept this key: "
        "make a key at platform.openai.com/api-keys and put it where the configuration looks for it."
    )
    assert remedy(K.AUTH_REVOKED, provider_behind("openai-codex")) == "Sign in again with codex login."
    assert advice(K.CONNECTION, provider_behind("litellm")).startswith("The LiteLLM proxy cannot be reached: start it,")
    assert advice(K.TIMEOUT, provider_behind("llama-cpp")).startswith("llama.cpp did not answer in time")


def test_a_failure_is_explained_with_what_the_provider_said() -> None:
    refused = Failure(K.REFUSED, Scope.REQUEST, PlainText("flagged"), 400)
    told = explained(refused, provider_behind("groq"))
    assert told.startswith("Groq refused the content: ")
    assert told.endswith("It said: flagged")


def test_m8_a_route_in_a_list_is_told_with_what_only_a_person_can_do() -> None:
    spent = Failure(K.BILLING, Scope.ACCOUNT, PlainText("Insufficient Balance"), 402)
    assert reason_to_leave(spent, provider_behind("deepseek")) == (
        "402 out of credit: Insufficient Balance "
        "(add credit or raise the cap at platform.deepseek.com/top_up; waiting does not help)"
    )
    wordless = Failure(K.OVERLOADED, Scope.PROVIDER, PlainText(""))
    assert reason_to_leave(wordless, provider_behind("x")) == "provider overloaded"
