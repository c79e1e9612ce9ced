"""A demo's story: the scenario's turns and captions in their order, with the quiet hours left out."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Final

from hermes_tui.commands.stage import Stage
from hermes_tui.engine.clock import EngineClock
from hermes_tui.simulator.scenario import Scenario

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

QUIET_SECONDS: Final = 600.0
"""A gap longer than this, in which nothing happens, is not waited for."""

LEAD_SECONDS: Final = 45.0
"""What is left of a gap that is not waited for: a moment to look at the screen."""

NAP_SECONDS: Final = 0.2
"""Real seconds after which a sleeper sees that the clock has jumped."""


class StoryClock(EngineClock):
    """A clock whose sleepers notice when it is advanced."""

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds` of this clock, jumps included."""
        until = self.now() + seconds
        while (left := until - self.now()) > 0:
            await super().sleep(min(left, NAP_SECONDS * self.speed))


def story_clock(scenario: Scenario, speed: float | None) -> StoryClock:
    """Return the clock of a scenario's story: at its speed, from the last moment when it can have begun."""
    now = datetime.fromtimestamp(EngineClock().now()).astimezone()
    if scenario.starts is not None:
        weekday, moment = scenario.starts.split()
        back = (now.weekday() - WEEKDAYS.index(weekday)) % 7 or 7
        now = datetime.combine(now.date() - timedelta(days=back), time.fromisoformat(moment)).astimezone()
    return StoryClock(speed=speed or scenario.speed, start=now.timestamp())


async def play_story(on: Stage, clock: EngineClock, look_at: Callable[[str], None] = lambda _: None) -> None:
    """Play the scenario's turns when their time has come, and jump over the hours between.

    `look_at` is called with the session that a turn is about.
    """
    turns = {turn.at: turn for turn in on.scenario.planned_turns()}
    captions = {moment.at: moment.say for moment in on.scenario.timeline if moment.say is not None}
    for at in sorted({*turns, *captions}):
        gap = on.simulator.started_at + at - clock.now()
        if gap > QUIET_SECONDS:
            clock.advance(gap - LEAD_SECONDS)
        await on.simulator.wait_until(at)
        if at in captions:
            await on.fleet.narrate(captions[at])
        if at in turns:
            look_at(turns[at].session)
            await on.play_turn(turns[at].session, turns[at].prompt)
    await on.simulator.play()
