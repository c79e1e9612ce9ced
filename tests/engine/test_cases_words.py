"""Cases of what a person is told when providers refuse, each in a running session over real HTTP (C04)."""

from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import FallbackActivated, TurnFailed
from tests.engine.theatre import play, scenario, theatre


@play
async def test_c04_primary_and_fallback_at_their_spend_cap_are_both_called_that() -> None:
    async with theatre(scenario("deepseek/deepseek-chat", primary="openrouter/z-ai-glm")) as stage:
        for provider in ("openrouter", "deepseek"):
            stage.shape(provider, "spend-cap-402")
        assert not await stage.turn()
        (left,), (failed,) = stage.events(FallbackActivated), stage.events(TurnFailed)
        assert "OpenRouter says that the account behind this model is out of credit or at its spend cap" in left.notice
        assert failed.error.count("402 out of credit: Monthly spend cap reached") == 2
        assert "openrouter.ai/settings/credits" in failed.error
        assert "platform.deepseek.com/top_up" in failed.error
        for told in (left.notice, failed.error, stage.diagnosis().helps):
            assert "key" not in told
            assert "limit" not in told
        assert stage.diagnosis().code is Code.CHAIN_EXHAUSTED


@play
async def test_m9_a_turn_that_ends_at_once_says_what_the_provider_said_and_what_helps() -> None:
    async with theatre(scenario("backup/small", primary="deepseek/deepseek-chat")) as stage:
        stage.shape("deepseek", "deepseek-bad-format")
        assert not await stage.turn()
        (failed,) = stage.events(TurnFailed)
        assert failed.error.startswith("DeepSeek refused the request as malformed: ")
        assert "It said: " in failed.error
        assert stage.calls() == 1
