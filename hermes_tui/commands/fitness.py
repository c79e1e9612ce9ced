"""`fallback test`: whether each route of a chain can serve, asked before one is needed and without spending a token."""

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from hermes_tui.commands.edge import ATTENTION, FINE, NOTHING_REACHABLE
from hermes_tui.commands.fallback import Target, known_session
from hermes_tui.commands.state import open_state
from hermes_tui.commands.terminal import show
from hermes_tui.config.load import Loaded
from hermes_tui.core.catalogue import Answer, is_unreachable
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.facts import Facts
from hermes_tui.core.fitness import Fitness, fitness
from hermes_tui.core.remark import Gravity
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.examining import Answers, needed
from hermes_tui.engine.keys import with_keys
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.fallback import routes
from hermes_tui.view.fitness import fitness_document, fitness_lines
from hermes_tui.wiring import open_asking, open_ledger, surround


def examine_chain(target: Target, *, offline: bool, as_json: bool) -> int:
    """Print whether each route can serve; return 0 when all can, 1 when one may not, 3 when no server answered."""
    clock = EngineClock()
    loaded = target.desk.load()
    configuration = loaded.configuration
    known_session(target, configuration)
    found, came = asyncio.run(examine(target, loaded, clock, offline=offline))
    if as_json:
        document = fitness_document(found, configuration.origin, target.session, clock.now(), offline=offline)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(fitness_lines(found, configuration.origin, clock.now(), offline=offline))
    if came and all(map(is_unreachable, came)):
        return NOTHING_REACHABLE
    return FINE if all(one.gravity is Gravity.NOTE for one in found) else ATTENTION


async def examine(
    target: Target, loaded: Loaded, clock: EngineClock, *, offline: bool
) -> tuple[tuple[Fitness, ...], list[Answer]]:
    """Return what is known of each route, and the answers that came; with `offline` nobody is asked."""
    if not offline:
        pools = [link.route.pool for link in routes(loaded.configuration, target.session)]
        loaded = await with_keys(loaded, pools, target.desk.load, clock.now())
    found = _examined(target, loaded.configuration, clock.now())
    if offline:
        return found, []
    answers = await _ask_all(target, loaded, clock, found)
    told = tuple(one.told(answer) for one, answer in zip(found, answers, strict=True))
    return told, [answer for each in answers for answer in each.values()]


def _examined(target: Target, configuration: Configuration, now: float) -> tuple[Fitness, ...]:
    """Return what the file and the state, where there is one, say of every route."""
    links = routes(configuration, target.session)
    try:
        with open_state(target.directory) as ledger:
            facts = ledger.facts.under(configuration)
            most = needed(ledger, facts, configuration, links[1:])
    except NothingReachableError:
        facts, most = Facts(configuration), 0
    return tuple(fitness(links, at, configuration, facts, needed=most, now=now) for at in range(len(links)))


async def _ask_all(target: Target, loaded: Loaded, clock: EngineClock, found: Sequence[Fitness]) -> Sequence[Answers]:
    """Ask about all routes at once."""
    with ExitStack() as stack:
        around = None
        if any(one.pool.reopens_early and one.askable for one in found):
            ledger = stack.enter_context(open_ledger(target.directory))
            around = surround(loaded, ledger, Ownership(target.directory), clock)
        asking = open_asking(loaded, around, clock)
        try:
            return await asyncio.gather(*(asking.about(one) for one in found))
        finally:
            await asking.close()
