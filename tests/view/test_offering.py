"""What the form of an entry offers: no key's value, the nearest first, and only what was really seen."""

from dataclasses import replace

import pytest

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.configuration import Member, Pool
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.view.line import text_of
from hermes_tui.view.offering import (
    Offer,
    address_offers,
    matching,
    mode_offers,
    model_offers,
    offer_lines,
    provider_offers,
)
from tests.tui.fakes import CONFIGURATION, story_snapshot


def test_providers_of_the_file_come_first_then_known_ones_with_a_key_then_the_rest() -> None:
    offers = provider_offers(CONFIGURATION, {"anthropic": "ANTHROPIC_API_KEY"})
    names = [offer.value for offer in offers]
    in_file = ["openai-codex", "groq", "zai", "openrouter", "openai"]
    assert names[: len(in_file)] == in_file
    assert names[len(in_file)] == "anthropic"
    assert set(KNOWN_PROVIDERS) <= set(names)
    assert len(set(names)) == len(names)
    notes = {offer.value: offer.note for offer in offers}
    assert notes["anthropic"] == "key set: ANTHROPIC_API_KEY"
    assert notes["deepseek"] == "DEEPSEEK_API_KEY is not set"
    assert notes["ollama"] == "needs no key"
    assert notes["openai-codex"] == "in the file, 3 keys set"
    assert notes["groq"] == "in the file; GROQ_API_KEY is not set"


@pytest.mark.parametrize(
    ("members", "note"),
    [
        ((), "in the file, without a key"),
        ((Member("a", "", "x", "NAME is not set"), Member("b", "f", "y")), "in the file, 1 of 2 set"),
        ((Member("none", "", "x"),), "in the file, needs no key"),
    ],
)
def test_a_provider_of_the_file_says_whether_its_keys_are_set(members: tuple[Member, ...], note: str) -> None:
    configuration = replace(CONFIGURATION, pools=(Pool("mine", "mine", members),))
    assert {offer.value: offer.note for offer in provider_offers(configuration, {})}["mine"] == note


def test_a_provider_whose_entry_has_an_address_of_its_own_is_of_the_file_too() -> None:
    configuration = replace(CONFIGURATION, pools=())
    notes = {offer.value: offer.note for offer in provider_offers(configuration, {"zai": "ZAI_API_KEY"})}
    assert notes["zai"] == "in the file; key set: ZAI_API_KEY"
    assert notes["groq"] == "in the file; GROQ_API_KEY is not set"


def test_models_are_those_seen_at_the_provider_wherever_that_was() -> None:
    snapshot = story_snapshot()
    models = {offer.value: offer.note for offer in model_offers("openai-codex", snapshot, CONFIGURATION)}
    assert models["gpt-5"] == "in the file"
    assert models["gpt-5-mini"] == "in triage"
    assert models[KNOWN_PROVIDERS["openai-codex"].example_model] == "an example"
    assert "glm-5" not in models
    (first, *_) = model_offers("groq", replace(snapshot, sessions=()), None)
    assert (first.value, first.note) == ("llama", "seen in the events")
    assert model_offers("nobody", snapshot, CONFIGURATION) == ()


def test_what_the_server_lists_comes_last_and_brings_its_windows() -> None:
    listed = Catalogue({"glm-5": 128000, "glm-5-air": 64000})
    first, *_, last = model_offers("zai", story_snapshot(), CONFIGURATION, listed)
    assert (first.value, first.note, first.window) == ("glm-5", "in the file, 128000 tokens", 128000)
    assert (last.value, last.note, last.window) == ("glm-5-air", "listed, 64000 tokens", 64000)


def test_the_providers_own_address_and_dialect_come_first_or_are_named() -> None:
    assert address_offers("zai")[0].value == KNOWN_PROVIDERS["zai"].base_url
    assert {offer.value: offer.note for offer in mode_offers("anthropic")}["anthropic_messages"] == "the provider's own"
    assert len(mode_offers("nobody")) == 3


def test_what_begins_with_what_was_typed_comes_before_what_only_holds_it() -> None:
    offers = [Offer("z-ai/glm-5"), Offer("GLM-5"), Offer("other")]
    assert [offer.value for offer in matching(offers, " glm")] == ["GLM-5", "z-ai/glm-5"]
    assert [offer.value for offer in matching(offers, "")] == ["z-ai/glm-5", "GLM-5", "other"]


@pytest.mark.parametrize("cells", [10, 24, 44])
def test_a_line_for_each_offer_fits(cells: int) -> None:
    offers = provider_offers(CONFIGURATION, {})
    lines = [text_of(line) for line in offer_lines(offers, cells)]
    assert len(lines) == len(offers)
    assert all(len(line) <= cells for line in lines)
