"""Returning to the primary and choosing what serves: the decisions of the core, with the asking between."""

from functools import partial

from hermes_tui.core.believing import Disbelief, lift
from hermes_tui.core.configuration import Policy, Pool, Settings
from hermes_tui.core.decision import Decision
from hermes_tui.core.facts import Facts
from hermes_tui.core.pool import Asker, Candidate, NoneUsable, Selected, may_reopen, select, usable
from hermes_tui.core.restoring import (
    Step,
    checked,
    refuse,
    restore_if_open,
    restore_lifted,
    start_check,
    way_back,
)
from hermes_tui.core.route import Route
from hermes_tui.engine.surroundings import Surroundings


async def restore_primary_runtime(around: Surroundings, name: str, *, deadline: float) -> bool:
    """Try to return to the primary, at the start of a turn (M1, M24 ... M31); tell whether the session did.

    `deadline` is the turn's end (epoch seconds).
    """
    around.ledger.refresh()
    way = way_back(around.facts, around.session(name), around.clock.now())
    match way.step:
        case Step.RESTORE:
            return await around.commit(lambda facts: restore_if_open(facts, facts.sessions[name], around.clock.now()))
        case Step.CHECK:
            return await _check(around, name, deadline)
        case Step.STAY:
            await around.commit(lambda facts: refuse(facts.sessions[name], way, around.clock.now()))
    return False


async def _check(around: Surroundings, name: str, deadline: float) -> bool:
    await around.commit(lambda facts: start_check(facts.sessions[name], around.clock.now()))
    session = around.session(name)
    lifted = await lift_reopened_cooldowns(around, session.requested, Asker(name), deadline=deadline)
    now = around.clock.now()
    way = way_back(around.facts, around.session(name), now)
    await around.commit(lambda facts: checked(facts.sessions[name], way, lifted=lifted, now=now))
    return lifted and await around.commit(lambda facts: restore_lifted(facts.sessions[name], now))


async def lift_reopened_cooldowns(around: Surroundings, route: Route, asker: Asker, *, deadline: float) -> bool:
    """Clear the first cooldown of the route's pool that reopened early, without leasing (M19).

    Tells whether anything is usable by the asker now. No request is counted and no order moves. A probe that cannot
    answer is a verdict of its own and lifts nothing (M28).
    """
    pool, now = around.pool_of(route), around.clock.now()
    if usable(around.facts, pool, route.model, now, asker):
        return True
    return await _lift_first(around, route, pool, asker, deadline)


async def _lift_first(around: Surroundings, route: Route, pool: Pool, asker: Asker, deadline: float) -> bool:
    settings = around.configuration.settings
    if settings.policy is Policy.NEVER:
        return False
    for candidate in may_reopen(around.facts, pool, route.model, around.clock.now(), asker.failed):
        await around.probing.verdict(candidate, route)
        now = around.clock.now()
        await around.commit(partial(_lift, candidate, asker.session, settings, now, deadline))
        if usable(around.facts, pool, route.model, now, asker):
            return True
    return False


def _lift(
    candidate: Candidate, session: str, settings: Settings, now: float, deadline: float, facts: Facts
) -> Decision[Disbelief | None]:
    return lift(facts, candidate, session, settings, now=now, deadline=deadline)


async def choose(
    around: Surroundings, route: Route, asker: Asker, *, attempt: int, deadline: float
) -> Selected | NoneUsable:
    """Select the credential of the next request, lifting what reopened early on the way (M18)."""

    def decide(facts: Facts) -> Decision[Selected | NoneUsable]:
        pool = around.pool_of(route)
        return select(facts, route, pool, asker, now=around.clock.now(), attempt=attempt, dice=around.dice)

    chosen, pool = await around.commit(decide), around.pool_of(route)
    if isinstance(chosen, Selected) or not pool.reopens_early or asker.forced:
        return chosen
    return await around.commit(decide) if await _lift_first(around, route, pool, asker, deadline) else chosen
