"""One conversation across providers whose APIs, rules and seals differ: no switch ever makes a request illegal."""

import asyncio
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.acts import (
    Command,
    ForceRestore,
    ReloadConfiguration,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.event import AttemptFailed, FallbackActivated, SealedHistoryDropped, TurnCompleted, TurnFailed
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.preview import Refused
from hermes_tui.core.session import Message
from hermes_tui.simulator import anthropic_messages
from hermes_tui.simulator.mode import Mode

from .theatre import Theatre, play, scenario, theatre

CODEX, ANTHROPIC, CHAT, MISTRAL = "openai-codex/gpt", "anthropic/claude", "backup/small", "mistral/large"
SEALING = pytest.mark.parametrize("route", [CODEX, ANTHROPIC])


def provider_of(route: str) -> str:
    """Return the provider of a route, written provider/model."""
    return route.partition("/")[0]


def sealed(on: Theatre) -> list[Message]:
    """Return the messages on disk that hold sealed parts."""
    return [message for message in on.on.ledger.messages("s1") if message.opaque]


def illegal(on: Theatre) -> list[str]:
    """Return the requests that were refused for their form: by providers that answered everything else."""
    wrong = (request for request in on.on.simulator.requests if request.status in (400, 422))
    return [f"{request.provider}/{request.model}" for request in wrong if request.met in (Mode.OK, Mode.STALL)]


async def leave_and_return(on: Theatre, provider: str) -> None:
    """Play a turn on the primary, one on the fallback while the primary is out of quota, and one back on it."""
    assert await on.turn()
    on.limit(provider, resets_in=600)
    assert await on.turn()
    on.mode(provider, Mode.OK)
    await on.clock.sleep(700)
    assert await on.turn()


@pytest.mark.parametrize(("primary", "fallback"), permutations([CODEX, ANTHROPIC, CHAT, MISTRAL], 2))
@play
async def test_c29_a_conversation_goes_to_another_provider_and_comes_back(primary: str, fallback: str) -> None:
    async with theatre(scenario(fallback, primary=primary)) as on:
        await leave_and_return(on, provider_of(primary))
        served = [f"{event.provider}/{event.model}" for event in on.events(TurnCompleted)]
        assert served == [primary, fallback, primary]
        assert illegal(on) == []


@SEALING
@play
async def test_m12_every_sealed_part_is_tagged_with_the_model_and_the_account_that_sealed_it(route: str) -> None:
    async with theatre(scenario(CHAT, primary=route)) as on:
        await leave_and_return(on, provider_of(route))
        first, last = sealed(on)
        assert (first.route, first.issuer) == (last.route, last.issuer)
        assert first.issuer is not None
        assert first.issuer.startswith(on.row().requested.key)


@SEALING
@play
async def test_m12_another_credential_is_not_sent_what_the_first_one_got_sealed(route: str) -> None:
    provider = provider_of(route)
    async with theatre(scenario(CHAT, primary=route, keys={provider: 2})) as on:
        await on.turn()
        on.mode(provider, Mode.UNAUTHORIZED, account=f"{provider}-1")
        assert await on.turn()
        assert on.calls_by_key(provider) == {f"{provider}-1": 2, f"{provider}-2": 1}
        assert len({message.issuer for message in sealed(on)}) == 2
        assert illegal(on) == []


@SEALING
@play
async def test_c29_what_its_issuer_takes_no_more_is_dropped_for_good_and_the_turn_is_served(route: str) -> None:
    provider = provider_of(route)
    async with theatre(scenario(CHAT, primary=route)) as on:
        await on.turn()
        await on.turn()
        assert len(sealed(on)) == 2
        on.on.simulator.world.providers[provider].accounts[f"{provider}-1"].label = "moved to another organisation"
        assert await on.turn()
        (dropped,) = on.events(SealedHistoryDropped)
        assert (dropped.provider, dropped.messages) == (provider, 2)
        assert [message.number for message in sealed(on)] == [5]
        assert await on.turn()
        assert [event.kind for event in on.events(AttemptFailed)] == [FailureKind.FOREIGN_HISTORY]
        assert not on.events(FallbackActivated)


@play
async def test_c29_another_system_prompt_costs_the_thinking_that_was_bound_to_the_old_one_and_no_turn() -> None:
    async with theatre(scenario(CHAT, primary=ANTHROPIC)) as on:
        await on.turn()
        on.edit(lambda tables: tables["sessions"][0].update(system_prompt="Be brief."))
        await on.fleet.execute(ReloadConfiguration())
        assert await on.turn()
        assert await on.turn()
        assert len(on.events(SealedHistoryDropped)) == len(on.events(AttemptFailed)) == 1
        assert not on.events(FallbackActivated)


@play
async def test_a_thought_that_tells_a_key_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could not be changed without its signature failing, so it goes."""
    monkeypatch.setattr(anthropic_messages, "THOUGHT", "The key is simulated-anthropic-1.")
    async with theatre(scenario(primary=ANTHROPIC)) as on:
        assert await on.turn()
        assert sealed(on) == []


@SEALING
@play
async def test_c29_a_history_that_holds_nothing_sealed_is_not_sent_again_unchanged(route: str) -> None:
    provider = provider_of(route)
    shape = {"openai-codex": "codex-foreign-reasoning", "anthropic": "anthropic-foreign-signature"}[provider]
    async with theatre(scenario(CHAT, primary=route)) as on:
        on.shape(provider, shape)
        assert await on.turn()
        assert (on.calls(provider), on.calls("backup")) == (1, 1)
        assert not on.events(SealedHistoryDropped)
        assert not on.events(TurnFailed)


@play
async def test_m9_a_compacted_conversation_takes_no_sealed_parts_along() -> None:
    """Thinking is bound to what stood before it: once that is left out its issuer would refuse it."""
    async with theatre(scenario(CHAT, primary=ANTHROPIC)) as on:
        for _ in range(6):
            await on.turn(prompt="word " * 20)
        on.mode("anthropic", Mode.TOO_LONG)
        turn = asyncio.ensure_future(on.turn(prompt="word " * 20))
        while on.calls("anthropic") < 7:  # noqa: ASYNC110 - the simulator tells nobody
            await asyncio.sleep(0)
        on.mode("anthropic", Mode.OK)
        assert await turn
        assert on.events(TurnCompleted)[-1].provider == "anthropic"
        assert illegal(on) == []


async def act(on: Theatre, command: Command) -> None:
    """Do what the user asks for, where it is possible now."""
    if not isinstance(on.fleet.preview(command), Refused):
        await on.fleet.execute(command)


async def stopped_turn(on: Theatre) -> None:
    """Begin a turn that the user stops in the middle of its reply."""
    provider, before = on.row().active.provider, on.calls()
    on.mode(provider, Mode.STALL)
    turn = asyncio.ensure_future(on.turn())
    while on.calls() == before and not turn.done():  # noqa: ASYNC110 - the simulator tells nobody
        await asyncio.sleep(0.01)
    await act(on, StopTurn("s1"))
    await turn
    on.mode(provider, Mode.OK)


async def failing_turn(on: Theatre, mode: Mode, account: str | None = None) -> None:
    """Play a turn that meets `mode` on the route where it begins."""
    provider = on.row().active.provider
    on.mode(provider, mode, account=account)
    await on.turn()
    on.mode(provider, Mode.OK)


async def step(on: Theatre, name: str, number: int) -> None:
    """Let one thing happen to a session."""
    active = on.row().active
    match name:
        case "turn":
            await on.turn()
        case "limit":
            on.limit(active.provider, resets_in=600)
            await on.turn()
        case "all open":
            for provider in on.on.simulator.world.providers:
                on.mode(provider, Mode.OK)
            await on.clock.sleep(700)
        case "stop":
            await stopped_turn(on)
        case "switch":
            names = sorted(on.on.simulator.world.providers)
            await act(on, SwitchModel("s1", names[number % len(names)], f"model-{number % 3}"))
        case "restore":
            await act(on, ForceRestore("s1"))
        case "fallback":
            await act(on, UseFallback("s1"))
        case "overflow":
            await failing_turn(on, Mode.TOO_LONG)
        case "broken":
            await failing_turn(on, Mode.ERROR_FRAME)
        case "rotate":
            await failing_turn(on, Mode.UNAUTHORIZED, account=f"{active.provider}-1")


STEPS = (
    "turn", "limit", "all open", "stop", "switch", "restore", "fallback", "overflow", "broken", "rotate",
)  # fmt: skip


@given(st.permutations([CODEX, ANTHROPIC, CHAT, MISTRAL]), st.lists(st.sampled_from(STEPS), min_size=6, max_size=20))
@settings(max_examples=30)
def test_c29_no_request_is_ever_illegal_wherever_its_conversation_has_been(routes: list[str], steps: list[str]) -> None:
    """Chains over every API; limits, returns, stopped turns, other models and credentials, in any order."""
    primary, *chain = routes
    keys = dict.fromkeys((provider_of(route) for route in routes), 2)

    @play
    async def story() -> None:
        async with theatre(scenario(*chain, primary=primary, keys=keys, runtime={"max_retries": 1})) as on:
            for number, name in enumerate(steps):
                await step(on, name, number)
            await step(on, "all open", 0)
            assert await on.turn()
            assert illegal(on) == []
            assert not on.events(SealedHistoryDropped)

    story()
