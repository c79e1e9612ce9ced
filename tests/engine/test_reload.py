"""A configuration that changes while sessions run (M44, C82)."""

import asyncio
import tomllib

import pytest
import tomli_w

from hermes_tui.commands.stage import stage
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.acts import ReloadConfiguration, SendPrompt
from hermes_tui.core.errors import ConfigurationError, RefusedError
from hermes_tui.core.event import ConfigurationRejected, TurnCompleted
from hermes_tui.core.session import Phase
from hermes_tui.engine.clock import EngineClock
from tests.engine.theatre import START, Theatre, play, scenario, theatre

TWO_FALLBACKS = scenario("backup/small", "spare/tiny")


def _turn_the_chain_around(on: Theatre) -> None:
    tables = tomllib.loads(on.on.config.read_text(encoding="utf-8"))
    tables["fallback_providers"].reverse()
    on.on.config.write_text(tomli_w.dumps(tables), encoding="utf-8")


def _chain(on: Theatre) -> list[str]:
    return [link.route.provider for link in on.row().chain]


@play
async def test_c82_an_idle_session_takes_a_changed_chain_at_once() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        _turn_the_chain_around(on)
        await on.fleet.execute(ReloadConfiguration())
        assert _chain(on) == ["spare", "backup"]


@play
async def test_c82_a_session_in_a_turn_takes_it_at_its_next_one_and_stays_on_its_route() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        on.limit()
        await on.turn()
        on.pace("backup", latency=10)
        turn = asyncio.ensure_future(on.turn())
        await on.until(lambda: on.row().phase is Phase.RUNNING)
        _turn_the_chain_around(on)
        await on.fleet.execute(ReloadConfiguration())
        assert _chain(on) == ["backup", "spare"]
        assert await turn
        await on.turn()
        assert _chain(on) == ["spare", "backup"]
        assert on.row().position == 2
        assert {event.provider for event in on.events(TurnCompleted)} == {"backup"}


@play
async def test_a_file_that_cannot_be_used_changes_nothing_and_is_named() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        on.on.config.write_text("[primary\n", encoding="utf-8")
        with pytest.raises(ConfigurationError, match="line 1"):
            await on.fleet.execute(ReloadConfiguration())
        assert len(on.events(ConfigurationRejected)) == 1
        assert "line 1" in (on.fleet.snapshot().problem or "")
        assert await on.turn()


@play
async def test_a_file_that_is_mended_takes_the_warning_away() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        good = on.on.config.read_text(encoding="utf-8")
        on.on.config.write_text("[primary\n", encoding="utf-8")
        with pytest.raises(ConfigurationError):
            await on.fleet.execute(ReloadConfiguration())
        on.on.config.write_text(good, encoding="utf-8")
        await on.fleet.execute(ReloadConfiguration())
        assert on.fleet.snapshot().problem is None


@play
async def test_m44_a_session_that_left_the_file_ends_when_its_turn_does_and_comes_back_with_it() -> None:
    async with theatre(scenario("backup/small", sessions=2)) as on:
        on.pace("openai-codex", latency=5.0)
        turn = asyncio.ensure_future(on.turn("s2"))
        await on.until(lambda: on.row("s2").phase is Phase.RUNNING)
        whole = on.on.config.read_text(encoding="utf-8")
        tables = tomllib.loads(whole)
        del tables["sessions"][1]
        on.on.config.write_text(tomli_w.dumps(tables), encoding="utf-8")
        await on.fleet.execute(ReloadConfiguration())
        assert [state.name for state in on.fleet.snapshot().sessions] == ["s1", "s2"]
        assert await turn
        await on.until(lambda: len(on.fleet.snapshot().sessions) == 1)
        with pytest.raises(RefusedError, match="there is no session s2"):
            await on.fleet.execute(SendPrompt("s2", "Go on."))
        on.on.config.write_text(whole, encoding="utf-8")
        await on.fleet.execute(ReloadConfiguration())
        assert await on.turn("s2")
        assert on.row("s2").turns == 2


@play
async def test_m44_a_process_that_runs_one_session_keeps_to_it_when_the_file_changes() -> None:
    clock = EngineClock(start=START, elapsed=asyncio.get_running_loop().time)
    async with stage(scenario("backup/small", sessions=2), clock) as on:
        await on.fleet.start(TaskSpawner(), only=("s1",), watch=False)
        await on.fleet.execute(ReloadConfiguration())
        assert [state.mine for state in on.fleet.snapshot().sessions if state.name == "s2"] in ([], [False])
