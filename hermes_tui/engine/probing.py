"""Probing: one question at a time for each account and model, shared by all who ask (M35, M36)."""

import asyncio
from collections.abc import Callable
from typing import Final

from hermes_tui.core.believing import PROBE_FLOOR_SECONDS, cached, remember, unanswered
from hermes_tui.core.pool import Candidate
from hermes_tui.core.ports import Clock, Configured, Ledger, Owners, Usages
from hermes_tui.core.route import Route
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Reading, Verdict, VerdictKey
from hermes_tui.engine.patience import LOCKED_SECONDS, commit_patiently

PATIENCE_SECONDS: Final = 15.0
"""How long the answer to another process's question is waited for: longer than a question takes."""


class Probing:
    """Asks usage endpoints and remembers their verdicts in the ledger; a client is opened by the first question.

    `askers` tells which process asks: the others wait for its answer.
    """

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        askers: Owners,
        open_usages: Callable[[], Usages],
        configured: Callable[[], Configured],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._askers = askers
        self._open_usages = open_usages
        self._usages: Usages | None = None
        self._configured = configured
        self._in_flight: dict[VerdictKey, asyncio.Task[CachedVerdict]] = {}
        self.on_asking: Callable[[], None] = lambda: None
        """Called when a question begins or ends."""

    @property
    def asking(self) -> frozenset[VerdictKey]:
        """The questions that are in flight."""
        return frozenset(self._in_flight)

    async def verdict(self, candidate: Candidate, route: Route, *, anyway: bool = False) -> CachedVerdict:
        """Return the verdict that counts, asking where none does; `anyway` asks although one does (M41).

        Every failure to ask is a verdict of `unknown`, cached for a while of its own.
        """
        asked = self._in_flight.get(candidate.verdict_key)
        if asked is None:
            known = self._known(candidate, anyway)
            if known is not None:
                return known
            asked = asyncio.ensure_future(self._ask_alone(candidate, route, anyway))
            self._in_flight[candidate.verdict_key] = asked
            asked.add_done_callback(lambda _task: self._answered(candidate.verdict_key))
            self.on_asking()
        return await asyncio.shield(asked)

    def _answered(self, question: VerdictKey) -> None:
        del self._in_flight[question]
        self.on_asking()

    def _known(self, candidate: Candidate, anyway: bool) -> CachedVerdict | None:
        """Return the verdict that makes a question needless, None where there is none."""
        self._ledger.refresh()
        facts, now = self._ledger.facts, self._clock.now()
        known = cached(facts, candidate)
        if known is None or not known.fresh(now):
            return None if anyway else unanswered(facts, candidate, now)
        return None if anyway and now - known.asked_at >= PROBE_FLOOR_SECONDS else known

    async def _ask_alone(self, candidate: Candidate, route: Route, anyway: bool) -> CachedVerdict:
        """Ask while no other process does; one that stands still is not waited for longer than its question takes."""
        question = f"usage of {'/'.join(candidate.subject)}"
        patience = PATIENCE_SECONDS
        while not self._askers.acquire(question) and patience > 0:
            await self._clock.sleep(LOCKED_SECONDS)
            patience -= LOCKED_SECONDS
        try:
            return self._known(candidate, anyway) or await self._ask(candidate, route)
        finally:
            self._askers.release(question)

    async def _ask(self, candidate: Candidate, route: Route) -> CachedVerdict:
        configured = self._configured()
        secret = configured.keyring.secret(candidate.key)
        if secret is None:
            reading = Reading(Verdict.UNKNOWN, PlainText("the credential has no token to ask with"))
        else:
            self._usages = self._usages or self._open_usages()
            reading = await self._usages.read(route, secret)
        now, interval = self._clock.now(), configured.configuration.settings.probe_interval_seconds
        return await commit_patiently(
            self._ledger, self._clock, lambda facts: remember(facts, candidate, reading, now=now, interval=interval)
        )

    async def close(self) -> None:
        """Give up questions that are still open."""
        tasks = tuple(self._in_flight.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._usages is not None:
            await self._usages.close()
