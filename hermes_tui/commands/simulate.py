"""`simulate`: scenarios under every policy, over real HTTP, with a clock that needs no waiting."""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial

from hermes_tui.commands.stage import Stage, play_planned_turns, stage
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.commands.wall_clock import now
from hermes_tui.core.configuration import Policy
from hermes_tui.core.event import FallbackActivated, PrimaryRestored
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.loading import load_scenario
from hermes_tui.simulator.loop import run_jumping
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.view.table import table

DEFAULT_SCENARIOS = ("lying-probe", "early-reopening")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one scenario came to under one policy; the figures of the lying-probe table (M37).

    `failed_calls` are the primary's refusals after the first switch, as the simulator counted them. `notices` are
    those of a restored primary; `restored` tells whether every session ended on its primary.
    """

    scenario: str
    policy: str
    restores: int
    failed_calls: int
    notices: int
    restored: bool


def simulate(scenarios: Sequence[str], policies: Sequence[str], *, as_json: bool) -> int:
    """Print what the scenarios come to under each policy; return 0."""
    chosen = [load_scenario(name) for name in scenarios or DEFAULT_SCENARIOS]
    names = list(scenarios or DEFAULT_SCENARIOS)
    outcomes = [
        run_jumping(partial(play, name, scenario, policy))
        for name, scenario in zip(names, chosen, strict=True)
        for policy in (Policy(value) for value in policies or list(Policy))
    ]
    if as_json:
        sys.stdout.write(json.dumps([asdict(outcome) for outcome in outcomes], indent=2) + "\n")
    else:
        sys.stdout.write(table([_row(outcome) for outcome in outcomes], _HEADS))
    return 0


_HEADS = ("scenario", "policy", "restores", "failed calls", "notices", "ends on its primary")


def _row(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.scenario,
        outcome.policy,
        str(outcome.restores),
        str(outcome.failed_calls),
        str(outcome.notices),
        "yes" if outcome.restored else "no",
    )


async def play(name: str, scenario: Scenario, policy: Policy) -> Outcome:
    """Play a scenario's turns under `policy` on the running loop's own time, and count."""
    clock = EngineClock(start=now(), elapsed=asyncio.get_running_loop().time)
    async with stage(scenario, clock, policy=policy) as on:
        await on.fleet.start(TaskSpawner(), watch=False)
        await play_planned_turns(on)
        return count(name, policy, on)


def count(name: str, policy: Policy, on: Stage) -> Outcome:
    """Return the figures of a stage that has been played."""
    events = [event for _, event in on.ledger.tail(0)]
    switches = [event.time for event in events if isinstance(event, FallbackActivated)]
    restored = [event for event in events if isinstance(event, PrimaryRestored)]
    primary = on.scenario.configuration.primary.provider
    after_switch = [
        request
        for request in on.simulator.requests
        if switches and request.at > switches[0] and _failed_call(request, primary)
    ]
    return Outcome(
        scenario=name,
        policy=policy.value,
        restores=len(restored),
        failed_calls=len(after_switch),
        notices=sum(1 for event in restored if event.notice),
        restored=all(not state.row.on_fallback for state in on.fleet.snapshot().sessions),
    )


def _failed_call(request: LoggedRequest, provider: str) -> bool:
    """Tell whether a request asked `provider`'s model and got no reply; questions about usage name no model."""
    return request.provider == provider and request.model is not None and request.status != 200
