"""The walk along a chain: each entry in its order, until one can serve (M6, M7)."""

from dataclasses import dataclass

from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.facts import Facts
from hermes_tui.core.leaving import Leave, Passed, Skip, activate, skip_for, skipped, why_skip
from hermes_tui.core.pool import Asker, none_usable
from hermes_tui.core.route import Route
from hermes_tui.core.turning import TurnState
from hermes_tui.engine.restoring import lift_reopened_cooldowns
from hermes_tui.engine.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class Walker:
    """Who walks: a session, what its turn has been through, and the size of its conversation in tokens."""

    around: Surroundings
    session: str
    state: TurnState
    tokens: int

    async def can_serve(self, route: Route) -> bool:
        """Tell whether the route's pool has a credential for this turn: usable, or reopened early (M18)."""
        await self.around.fetch_keys(route.pool)
        asker = Asker(self.session, self.state.failed_for(route.model))
        return await lift_reopened_cooldowns(self.around, route, asker, deadline=self.state.deadline)

    async def walk(self, leave: Leave | None, *, start: int) -> tuple[Route | None, tuple[Passed, ...]]:
        """Move the session to the first entry beyond `start` that can serve; return its route and what was passed.

        `leave` is why the active route is left, None where it was left before.
        """
        passed: list[Passed] = []
        for position, link in enumerate(self.around.session(self.session).chain[start:], start + 1):
            skip = await self._enter(position, link.route, leave)
            if skip is None:
                return link.route, tuple(passed)
            passed.append(Passed(link.route, skip.reason, returns=skip.ends_by_itself))
        return None, tuple(passed)

    async def _enter(self, position: int, route: Route, leave: Leave | None) -> Skip | None:
        """Move to an entry where it can serve (try_activate_fallback); else record why not, and return it."""
        skip = self._why_skip(position)
        if skip is None and not await self.can_serve(route):
            pool = self.around.pool_of(route)
            skip = skip_for(none_usable(self.around.facts, pool, route.model, self.around.clock.now()))

        def decide(facts: Facts) -> Decision[None]:
            session, now = facts.sessions[self.session], self.around.clock.now()
            if skip is not None:
                return Decision(None, (self._told(facts, position, skip),))
            return activate(facts, session, position, leave, now)

        await self.around.commit(decide)
        return skip

    def _why_skip(self, position: int) -> Skip | None:
        facts, now = self.around.facts, self.around.clock.now()
        session = facts.sessions[self.session]
        tried = (*self.state.tried, session.requested)
        return why_skip(facts, session, session.chain[position - 1], tried=tried, tokens=self.tokens, now=now)

    def _told(self, facts: Facts, position: int, skip: Skip) -> Record:
        return skipped(facts.sessions[self.session], position, skip, self.around.clock.now())
