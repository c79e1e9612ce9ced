"""Stories that a user plays with shapes in a scenario of their own: what the sessions make of them."""

from pathlib import Path

import pytest

from hermes_tui.commands.stage import play_planned_turns
from hermes_tui.core.configuration import Settings
from hermes_tui.core.cooldown import Said
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import AttemptFailed, FallbackActivated, TurnCompleted, TurnFailed
from hermes_tui.core.failure import FailureKind, Scope
from hermes_tui.core.route import ApiMode
from hermes_tui.simulator import Scenario, load_scenario, shapes
from hermes_tui.simulator.shape import Next, Shape
from tests.engine.theatre import DAY, START, play, theatre

SCENARIO = """
title = "A chain under trial"
story = "The primary fails as a shape says."

[configuration.primary]
provider = "{provider}"
model = "{model}"

[[configuration.fallback_providers]]
provider = "backup"
model = "small"

[configuration.providers.{provider}]
api_mode = "{api_mode}"

[[configuration.providers.{provider}.credentials]]
label = "{provider}-1"
api_key = "simulated-{provider}"

[[configuration.providers.backup.credentials]]
label = "backup-1"
api_key = "simulated-backup"

[[configuration.sessions]]
name = "s1"

[[timeline]]
at = "0s"
actions = [{{ do = "set_shape", provider = "{provider}", shape = "{shape}" }}]

[[turns]]
at = "0s"
session = "s1"
prompt = "Go on."
"""


def own(folder: Path, provider: str, model: str, shape: str, api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS) -> Scenario:
    """Return a scenario file of one's own, loaded."""
    file = folder / "mine.toml"
    file.write_text(SCENARIO.format(provider=provider, model=model, shape=shape, api_mode=api_mode))
    return load_scenario(file)


@play
async def test_c01_out_of_credit_as_a_429_falls_back_at_once_and_is_called_credit(tmp_path: Path) -> None:
    async with theatre(own(tmp_path, "openai", "gpt-5.5", "openai-out-of-credit")) as stage:
        assert await stage.turn()
        assert stage.calls("openai") == 1
        assert stage.clock.now() - START < 1
        (left,) = stage.events(FallbackActivated)
        assert "credit" in left.notice
        assert "limit" not in left.notice
        assert stage.diagnosis().code is Code.OUT_OF_CREDIT
        bench = stage.credential("openai").cooldown
        assert bench is not None
        assert (bench.reason, bench.until - START >= 3600) == (FailureKind.BILLING, True)
        await stage.turns(3, apart=60)
        assert stage.calls("openai") == 1


@play
async def test_c14_geminis_daily_quota_benches_the_model_until_the_days_reset(tmp_path: Path) -> None:
    midnight_in_california = 1_900_047_600.0
    async with theatre(own(tmp_path, "gemini", "gemini-2.5-flash", "gemini-daily-quota")) as stage:
        assert await stage.turn()
        row = stage.credential("gemini")
        bench = row.model_cooldown("gemini-2.5-flash")
        assert row.cooldown is None
        assert bench is not None
        assert (bench.reason, bench.source, bench.until) == (
            FailureKind.USAGE_LIMIT,
            Said.PROVIDER,
            midnight_in_california,
        )
        await stage.turns(12, apart=3600)
        assert stage.calls("gemini") == 1
        await stage.turns(2, apart=3600)
        assert stage.calls("gemini") == 2


@play
async def test_c07_a_gate_on_the_way_benches_no_key_and_shows_no_page(tmp_path: Path) -> None:
    async with theatre(own(tmp_path, "openai", "gpt-5.5", "edge-challenge")) as stage:
        assert await stage.turn()
        failed = stage.events(AttemptFailed)
        assert {event.kind for event in failed} == {FailureKind.BLOCKED}
        assert all("<" not in event.message for event in failed)
        assert stage.credential("openai").benched_for("gpt-5.5", START + DAY) is None


def calls_before_leaving(kind: FailureKind) -> int:
    """Return how often a primary is asked before its failures of `kind` make a session leave it (M2, M3).

    The conversation is one message: it cannot be made shorter, and nothing in it is sealed.
    """
    return Settings().max_retries + kind.is_transport if kind.is_retryable else 1


ONE_OF_EACH = {(shape.reading.kind, shape.reading.scope): shape for shape in shapes().values()}


@pytest.mark.parametrize("shape", ONE_OF_EACH.values(), ids=[shape.name for shape in ONE_OF_EACH.values()])
@play
async def test_every_kind_of_failure_ends_with_an_answer_or_a_reason_and_benches_only_whom_it_is_about(
    shape: Shape, tmp_path: Path
) -> None:
    kind, scope, goes_on = shape.reading.kind, shape.reading.scope, shape.reading.next is not Next.STOP
    async with theatre(own(tmp_path, shape.provider, shape.model, shape.name, shape.api_mode)) as stage:
        assert await stage.turn() is goes_on
        assert (stage.calls(shape.provider), stage.calls("backup")) == (calls_before_leaving(kind), int(goes_on))
        row = next((row for row in stage.facts.credentials.values() if row.key.pool == shape.provider), None)
    dead = row is not None and row.death is not None
    account = row is not None and row.cooldown is not None
    model = row is not None and row.model_cooldown(shape.model) is not None
    assert dead is (kind is FailureKind.AUTH_REVOKED)
    assert account is (kind.benches and scope in (Scope.CREDENTIAL, Scope.ACCOUNT) and not dead)
    assert model is (kind.benches and scope is Scope.MODEL)


@play
async def test_when_every_provider_fails_in_its_own_way_each_turn_ends_where_it_should() -> None:
    async with theatre(load_scenario("providers-fail")) as stage:
        await play_planned_turns(stage.on)
        served = [event.provider for event in stage.events(TurnCompleted)]
        kinds = {(event.provider, event.kind) for event in stage.events(AttemptFailed)}
        (failed,) = stage.events(TurnFailed)
    assert served == ["backup", "openai-codex", "groq", "groq", "openai-codex"]
    assert "refused the content" in failed.error
    assert kinds == {
        ("openai-codex", FailureKind.USAGE_LIMIT),
        ("openai", FailureKind.BILLING),
        ("gemini", FailureKind.USAGE_LIMIT),
        ("groq", FailureKind.RATE_LIMIT),
        ("anthropic", FailureKind.OVERLOADED),
        ("openai-codex", FailureKind.OVERLOADED),
        ("openai-codex", FailureKind.BLOCKED),
        ("openai-codex", FailureKind.REFUSED),
    }
