"""A simulated day of many sessions, in a process of its own: how memory grows, and what is left over at the end.

`python -m tests.benchmarks.days SESSIONS HOURS TURNS` lives through it and prints what it found as JSON. Turns come one
after another, evenly; the primary runs out and reopens; fleet and simulator share one loop whose time jumps.
"""

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import cycle
from typing import Final

from hermes_tui.core.snapshot import Snapshot
from hermes_tui.simulator.loop import run_jumping
from tests.benchmarks.measuring import MIB, Figure, mebibytes
from tests.benchmarks.plan import Plan
from tests.benchmarks.process import allow_many_descriptors, answer, answer_of, open_descriptors, resident_bytes
from tests.engine.theatre import Theatre, scenario, theatre

PERIODS: Final = 12
"""Into so many the time is divided; in every other one the primary has run out."""

WARM: Final = PERIODS // 3
"""So many warm up."""

PRIMARY: Final = "openai-codex"
GROWTH_GOAL_MIB: Final = 5


@dataclass(frozen=True, slots=True)
class Life:
    """What a life came to: growth in bytes after the warm-up, how much of it is conversation, and what is left over."""

    growth: int
    said: int
    tasks: int
    descriptors: int


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure a day, or a few hours with fewer sessions."""
    sessions, hours, turns = plan.of((1000, 24, 6000), (100, 6, 600), (2, 0.02, 12))
    life = Life(**answer_of("days", sessions, hours, turns))
    name = f"{hours} h simulated, {sessions:,} sessions, {turns:,} turns"
    grown = f"{mebibytes(life.growth, 1)}, {mebibytes(life.said, 1)} of it conversation"
    met = life.growth - life.said <= GROWTH_GOAL_MIB * MIB
    yield Figure(f"{name}: growth after warm-up", grown, f"≤ {GROWTH_GOAL_MIB} MiB besides it", grown, met)
    left = f"{life.tasks} tasks, {life.descriptors} descriptors"
    yield Figure(f"{name}: left over", left, "none", left, life.tasks == life.descriptors == 0)


async def _live(sessions: int, seconds: float, turns: int) -> Life:
    descriptors = open_descriptors()
    script = scenario("backup/small", primary=f"{PRIMARY}/gpt", sessions=sessions)
    who = cycle(f"s{number}" for number in range(1, sessions + 1))
    warm, said = 0, 0
    async with theatre(script, watch=True) as on:
        for period in range(PERIODS):
            if period == WARM:
                warm, said = resident_bytes(os.getpid()), _conversation_bytes(on.fleet.snapshot())
            if period % 2:
                on.limit(PRIMARY, resets_in=2 * seconds / PERIODS)
            else:
                on.reopen(PRIMARY)
            await _pass(on, [next(who) for _ in range(turns // PERIODS)], seconds / PERIODS)
        growth = resident_bytes(os.getpid()) - warm
        grown = _conversation_bytes(on.fleet.snapshot()) - said
    return Life(growth, grown, len(asyncio.all_tasks()) - 1, open_descriptors() - descriptors)


async def _pass(on: Theatre, who: list[str], seconds: float) -> None:
    """Play a turn of each session over a period. What the simulator remembers is not ours, and is dropped."""
    for session in who:
        await on.clock.sleep(seconds / len(who))
        assert await on.turn(session)
    on.on.simulator.requests.clear()


def _conversation_bytes(snapshot: Snapshot) -> int:
    """Return what the messages of all sessions take, with their texts."""
    messages = [message for state in snapshot.sessions for message in state.messages]
    return sum(sum(map(sys.getsizeof, (message, message.text, message.at, message.route))) for message in messages)


def main(sessions: str, hours: str, turns: str) -> None:
    """Live."""
    allow_many_descriptors()
    answer(asdict(run_jumping(partial(_live, int(sessions), float(hours) * 3600, int(turns)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
