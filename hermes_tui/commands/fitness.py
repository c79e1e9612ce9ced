"""`fallback test`: whether each route of a chain can serve, asked before one is needed and without spending a token."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from hermes_tui.commands.edge import ATTENTION, FINE, NOTHING_REACHABLE
from hermes_tui.commands.fallback import Target, known_session
from hermes_tui.commands.state import open_state
from hermes_tui.commands.terminal import show
from hermes_tui.config.load import Loaded
from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.catalogue import Answer, is_unreachable
from hermes_tui.core.compaction import conversation_tokens
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.fitness import Fitness, fitness
from hermes_tui.core.plans import plan_of
from hermes_tui.core.remark import Gravity
from hermes_tui.core.route import Link
from hermes_tui.core.text import PlainText
from hermes_tui.engine.asking import probe_now
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.surroundings import Surroundings
from hermes_tui.providers.catalogue import HttpCatalogues
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.fallback import routes
from hermes_tui.view.fitness import fitness_document, fitness_lines
from hermes_tui.wiring import open_ledger, surround

PATIENCE_SECONDS: Final = 3.0
"""How long one question to a server may take."""


_Answers = dict[CredentialKey, Answer]


def examine_chain(target: Target, *, offline: bool, as_json: bool) -> int:
    """Print whether each route can serve; return 0 when all can, 1 when one may not, 3 when no server answered."""
    clock = EngineClock()
    loaded = target.desk.load()
    configuration = loaded.configuration
    known_session(target, configuration)
    found = _examined(target, configuration, clock.now())
    answers: Sequence[_Answers] = () if offline else asyncio.run(_ask_all(target, loaded, clock, found))
    if answers:
        found = tuple(one.told(told) for one, told in zip(found, answers, strict=True))
    if as_json:
        document = fitness_document(found, configuration.origin, target.session, clock.now(), offline=offline)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        show(fitness_lines(found, configuration.origin, clock.now(), offline=offline))
    came = [answer for told in answers for answer in told.values()]
    if came and all(map(is_unreachable, came)):
        return NOTHING_REACHABLE
    return FINE if all(one.gravity is Gravity.NOTE for one in found) else ATTENTION


def _examined(target: Target, configuration: Configuration, now: float) -> tuple[Fitness, ...]:
    """Return what the file and the state, where there is one, say of every route."""
    links = routes(configuration, target.session)
    try:
        with open_state(target.directory) as ledger:
            facts, needed = ledger.facts.under(configuration), _needed(ledger, configuration, links[1:])
    except NothingReachableError:
        facts, needed = Facts(configuration), 0
    return tuple(fitness(links, at, configuration, facts, needed=needed, now=now) for at in range(len(links)))


def _needed(ledger: SqliteLedger, configuration: Configuration, chain: tuple[Link, ...]) -> int:
    """Return the size in tokens of the largest conversation of a session that takes `chain`."""
    plans = {name: plan_of(configuration, row) for name, row in ledger.facts.sessions.items()}
    return max(
        (
            conversation_tokens(plan.system_prompt, ledger.messages(name))
            for name, plan in plans.items()
            if configuration.routes_of(plan)[1] == chain
        ),
        default=0,
    )


async def _ask_all(target: Target, loaded: Loaded, clock: EngineClock, found: Sequence[Fitness]) -> Sequence[_Answers]:
    """Ask about all routes at once."""
    asking = _Asking(loaded, HttpCatalogues(loaded.keyring.redact, now=clock.now, patience=PATIENCE_SECONDS))
    with ExitStack() as stack:
        if any(one.pool.reopens_early and one.askable for one in found):
            ledger = stack.enter_context(open_ledger(target.directory))
            asking.around = surround(loaded, ledger, Ownership(target.directory), clock)
        try:
            return await asyncio.gather(*(asking.about(one) for one in found))
        finally:
            await asking.close()


class _Asking:
    """Asks each server once for each credential, however many routes go there; `around` is where verdicts are kept."""

    def __init__(self, loaded: Loaded, catalogues: HttpCatalogues) -> None:
        self._keyring = loaded.keyring
        self._catalogues = catalogues
        self._asked: dict[object, asyncio.Future[Answer]] = {}
        self.around: Surroundings | None = None

    async def about(self, one: Fitness) -> _Answers:
        """Return what came of the questions about one route."""
        keys = one.askable
        return dict(zip(keys, await asyncio.gather(*(self._about(one, key) for key in keys)), strict=True))

    async def _about(self, one: Fitness, key: CredentialKey) -> Answer:
        route = one.route
        if one.pool.reopens_early and self.around is not None:
            probe = partial(_verdict, self.around, ProbeNow(key, route.model))
            return await self._once((key, route.model), probe)
        read = partial(self._catalogues.read, route, self._keyring.secret(key))
        return await self._once((key, route.base_url, route.api_mode), read)

    async def _once(self, question: object, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        if question not in self._asked:
            self._asked[question] = asyncio.ensure_future(ask())
        return await self._asked[question]

    async def close(self) -> None:
        """Give up what is still open."""
        await self._catalogues.close()
        if self.around is not None:
            await self.around.probing.close()


async def _verdict(around: Surroundings, question: ProbeNow) -> Answer:
    """Return the usage endpoint's verdict: one that still counts (M35), else a fresh one."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await probe_now(around, question)
    except TimeoutError:
        words = PlainText(f"the usage endpoint did not answer within {PATIENCE_SECONDS:g} s")
        return Failure(FailureKind.TIMEOUT, Scope.PROVIDER, words)
