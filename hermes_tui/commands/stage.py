"""A stage: a scenario's simulator and a fleet on one clock, in a folder that is gone afterwards."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from hermes_tui.core.configuration import Policy
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.simulator.simulator import Simulator
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.wiring import open_desk, open_fleet, open_ledger


@dataclass(frozen=True, slots=True)
class Stage:
    """What is on: the scenario, the world that answers, the fleet that asks, its ledger and its files."""

    scenario: Scenario
    simulator: Simulator
    fleet: Fleet
    ledger: SqliteLedger
    config: Path
    state: Path

    async def play_turn(self, session: str, prompt: str) -> bool:
        """Play one turn; tell whether a reply came."""
        return await self.fleet.prompt(session, prompt)


@asynccontextmanager
async def stage(
    scenario: Scenario,
    clock: EngineClock,
    *,
    policy: Policy | None = None,
) -> AsyncIterator[Stage]:
    """Open a stage whose fleet is not started yet; `policy` overrides the scenario's own."""
    with tempfile.TemporaryDirectory(prefix="hermes-tui-") as folder:
        state = Path(folder) / "state"
        config = Path(folder) / "hermes-tui.toml"
        async with Simulator(scenario, now=clock.now, sleep=clock.sleep) as simulator:
            config.write_text(_file(scenario, simulator.base_url, policy), encoding="utf-8")
            desk = open_desk(config, scenario.environment, clock.now)
            with open_ledger(state) as ledger:
                async with open_fleet(desk.load(), ledger, state, clock=clock, desk=desk) as fleet:
                    yield Stage(scenario, simulator, fleet, ledger, config, state)


def _file(scenario: Scenario, base_url: str, policy: Policy | None) -> str:
    """Return the configuration file of a scenario, written as a person would write it."""
    tables = scenario.configuration_for(base_url)
    if policy is not None:
        tables["runtime"] = {**tables.get("runtime", {}), "policy": policy.value}
    file = tomlkit.document()
    file.add(tomlkit.comment(f"{scenario.title}: change this file, and see what the sessions do."))
    for name, table in tables.items():
        file.add(name, table)
    return tomlkit.dumps(file)


async def play_planned_turns(on: Stage) -> None:
    """Play the scenario's turns, each when its time has come, one after another."""
    for turn in on.scenario.planned_turns():
        await on.simulator.wait_until(turn.at)
        await on.play_turn(turn.session, turn.prompt)
