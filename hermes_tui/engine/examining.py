"""Whether each route of a chain can serve: its server is asked before it is needed, and never by a prompt (C116)."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.catalogue import Answer, Catalogue
from hermes_tui.core.compaction import conversation_tokens
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.editing import AddEntry, Entry, OwnDesk
from hermes_tui.core.errors import HermesTuiError, RefusedError
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure, FailureKind, Scope
from hermes_tui.core.fitness import Fitness, fitness
from hermes_tui.core.plans import plan_of
from hermes_tui.core.ports import Catalogues, Configured, Keyring, Ledger
from hermes_tui.core.remark import Gravity
from hermes_tui.core.route import Link
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.engine.asking import probe_now
from hermes_tui.engine.keys import with_keys
from hermes_tui.engine.surroundings import Surroundings

PATIENCE_SECONDS: Final = 3.0
"""How long one question to a server may take."""

_ANY_MODEL: Final = "any"

Answers = dict[CredentialKey, Answer]


class Asking:
    """Asks each server once for each credential, however many routes go there.

    `around` is where verdicts are kept; without one no usage endpoint is asked.
    """

    def __init__(self, keyring: Keyring, catalogues: Catalogues, around: Surroundings | None) -> None:
        self._keyring = keyring
        self._catalogues = catalogues
        self._around = around
        self._asked: dict[object, asyncio.Future[Answer]] = {}

    async def about(self, one: Fitness) -> Answers:
        """Return what came of the questions about one route."""
        keys = one.askable
        return dict(zip(keys, await asyncio.gather(*(self._about(one, key) for key in keys)), strict=True))

    async def _about(self, one: Fitness, key: CredentialKey) -> Answer:
        route = one.route
        if one.pool.reopens_early and self._around is not None:
            return await self._once((key, route.model), partial(_verdict, self._around, ProbeNow(key, route.model)))
        return await self._once((key, route.base_url, route.api_mode), partial(self.catalogue, one, key))

    async def catalogue(self, one: Fitness, key: CredentialKey) -> Catalogue | Failure:
        """Return the models that the server of a route lists to a credential."""
        return await self._catalogues.read(one.route, self._keyring.secret(key))

    async def _once(self, question: object, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        if question not in self._asked:
            self._asked[question] = asyncio.ensure_future(ask())
        return await self._asked[question]

    async def close(self) -> None:
        """Give up what is still open."""
        for asked in self._asked.values():
            asked.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)
        await self._catalogues.close()
        if self._around is not None:
            await self._around.probing.close()


async def _verdict(around: Surroundings, question: ProbeNow) -> Answer:
    """Return the usage endpoint's verdict: one that still counts (M35), else a fresh one."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await probe_now(around, question)
    except TimeoutError:
        words = PlainText(f"the usage endpoint did not answer within {PATIENCE_SECONDS:g} s")
        return Failure(FailureKind.TIMEOUT, Scope.PROVIDER, words)


def needed(ledger: Ledger, facts: Facts, configuration: Configuration, chain: Sequence[Link]) -> int:
    """Return the size in tokens of the largest conversation of a session that takes `chain`."""
    plans = {name: plan_of(configuration, row) for name, row in facts.sessions.items()}
    return max(
        (
            conversation_tokens(plan.system_prompt, ledger.messages(name))
            for name, plan in plans.items()
            if configuration.routes_of(plan)[1] == tuple(chain)
        ),
        default=0,
    )


class ChainExaminer:
    """Implements `core.examining.Examiner` over the rows of `around`; `open_asking` makes what asks, for one text."""

    def __init__(self, around: Surroundings, desk: OwnDesk, open_asking: Callable[[Configured], Asking]) -> None:
        self._around = around
        self._desk = desk
        self._open_asking = open_asking

    async def examine(self, text: str, owner: str | None) -> AsyncGenerator[Fitness, None]:
        """Yield whether each route of the owner's chain in `text` can serve, in the order in which answers come."""
        before = self._desk.understand(text).configuration
        primary, chain = before.routes_of(before.plan(owner) if owner is not None else None)
        configured = await self._with_keys(text, (primary, *chain))
        configuration = configured.configuration
        found = self._known((primary, *chain), configuration)
        asking = self._open_asking(configured)
        tasks = [asyncio.ensure_future(_told(asking, one)) for one in found]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for one in tasks:
                one.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asking.close()

    async def _with_keys(self, text: str, links: Sequence[Link]) -> Configured:
        """Return what `text` means, with the keys of what `links` are served by."""
        configured, now = self._desk.understand(text), self._around.clock.now()
        pools = [link.route.pool for link in links]
        return await with_keys(configured, pools, lambda: self._desk.understand(text), now)

    def _known(self, links: Sequence[Link], configuration: Configuration) -> tuple[Fitness, ...]:
        """Return what configuration and state say of each route; nobody is asked."""
        facts, now = self._around.ledger.facts.under(configuration), self._around.clock.now()
        most = needed(self._around.ledger, facts, configuration, links[1:])
        return tuple(fitness(links, at, configuration, facts, needed=most, now=now) for at in range(len(links)))

    async def models(self, text: str, entry: Entry) -> Catalogue:
        """Return the models that the server of `entry` lists, as if the entry stood in `text`."""
        wanted = replace(entry, model=entry.model.strip() or _ANY_MODEL)
        changed = self._desk.change(text, None, AddEntry(wanted, 1))
        first = self._desk.understand(changed).configuration.chain[:1]
        configured = await self._with_keys(changed, first)
        (one,) = self._known(configured.configuration.chain[:1], configured.configuration)
        if one.pool.reopens_early:
            raise RefusedError(f"{one.route.provider} lists its models to nobody")
        if not one.askable:
            raise RefusedError(next(remark.what for remark in one.remarks if remark.gravity is Gravity.FAULT))
        asking = self._open_asking(configured)
        try:
            answer = await asking.catalogue(one, one.askable[0])
        finally:
            await asking.close()
        if isinstance(answer, Failure):
            raise RefusedError(one_line(f"no list of models came: {answer}: {answer.message}"))
        return answer


async def _told(asking: Asking, one: Fitness) -> Fitness:
    try:
        return one.told(await asking.about(one))
    except HermesTuiError as error:  # the state cannot be written, so no verdict can be had
        lost = Failure(FailureKind.UNKNOWN, Scope.PROVIDER, one_line(str(error)))
        return one.told(dict.fromkeys(one.askable, lost))
