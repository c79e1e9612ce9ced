"""What a typed prompt asks for (M43)."""

from dataclasses import replace

import pytest

from hermes_tui.core.acts import SendPrompt, SwitchModel
from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.prompting import any_switch, names, switch_to, typed
from hermes_tui.core.route import Link
from tests.core.made import BACKUP, SPARE, configuration
from tests.tui.fakes import CONFIGURATION, NIGHTLY


@pytest.mark.parametrize(
    "text", ["What is new?", "/models are slow", "/etc/hosts is broken", "say /model x/y", "modell"]
)
def test_a_prompt_is_for_the_model(text: str) -> None:
    assert typed("docs", text) == SendPrompt("docs", text)


@pytest.mark.parametrize("text", ["/model openrouter/z-ai/glm-5", "  /model   openrouter/z-ai/glm-5 "])
def test_m43_a_models_own_name_may_hold_slashes(text: str) -> None:
    assert typed("docs", text) == SwitchModel("docs", "openrouter", "z-ai/glm-5")


@pytest.mark.parametrize("text", ["/model", "/model gpt", "/model /gpt", "/model openai/", "/model /"])
def test_m43_a_switch_without_a_route_says_how_it_is_written(text: str) -> None:
    with pytest.raises(RefusedError, match="write /model provider/model"):
        typed("docs", text)


def test_m43_the_name_alone_is_enough_where_a_switch_is_asked_for() -> None:
    assert switch_to("docs", "backup/small") == SwitchModel("docs", "backup", "small")


def test_every_route_of_the_configuration_is_offered_once() -> None:
    plan = SessionPlan("docs", primary=Link(SPARE), chain=(Link(BACKUP),))
    assert names(replace(configuration(), sessions=(plan,))) == ("openai-codex/gpt", "backup/small", "spare/tiny")
    assert names(None) == ()


def test_whether_a_session_can_have_another_model_is_asked_of_a_provider_that_is_configured() -> None:
    without = replace(CONFIGURATION, pools=CONFIGURATION.pools[1:])
    asked = [any_switch(NIGHTLY, one).provider for one in (CONFIGURATION, without, None)]
    assert asked == ["openai-codex", "groq", "openai-codex"]
