"""The bench: who of a pool may serve a model, and who returns next, kept in order while rows and time move on.

A question costs the same whether ten are benched or ten thousand: only those whose state changes are looked at.
"""

from bisect import bisect_left, insort
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from math import inf

from hermes_tui.core.configuration import Member, Pool
from hermes_tui.core.credential import Credential, TokenKey


class Bench:
    """The members of `pool` as `model` sees them. Times are epoch seconds; one before the last asked begins anew."""

    def __init__(self, pool: Pool, model: str, rows: Mapping[TokenKey, Credential]) -> None:
        self.pool = pool
        self._model = model
        tokens = [TokenKey(pool.name, member.label, member.fingerprint) for member in pool.members]
        self._places = {token: place for place, token in enumerate(tokens)}
        self._until = [self._end(place, rows.get(token)) for place, token in enumerate(tokens)]
        self._part(-inf)

    def _end(self, place: int, row: Credential | None) -> float:
        """Return from when on a member can serve: ever since, where nothing benches it; never, where it is dead."""
        if self.pool.members[place].fault or (row is not None and row.death is not None):
            return inf
        benches = (row.cooldown, row.model_cooldown(self._model)) if row is not None else ()
        return max((bench.until for bench in benches if bench is not None), default=-inf)

    def _part(self, now: float) -> None:
        self._now = now
        self._free = [place for place, until in enumerate(self._until) if until <= now]
        self._returning = [(until, place) for place, until in enumerate(self._until) if now < until < inf]
        heapify(self._returning)

    def put(self, token: TokenKey, row: Credential | None) -> None:
        """Take note of a row that changed, or is gone."""
        place = self._places.get(token)
        if place is None or (until := self._end(place, row)) == self._until[place]:
            return
        if self._until[place] <= self._now:
            del self._free[bisect_left(self._free, place)]
        self._until[place] = until
        if until <= self._now:
            insort(self._free, place)
        elif until < inf:
            heappush(self._returning, (until, place))

    def free(self, now: float) -> list[Member]:
        """Return who can serve, in the file's order."""
        self._move_on(now)
        return [self.pool.members[place] for place in self._free]

    def first_to_return(self, now: float) -> Member | None:
        """Return who can serve next of those that cannot now, None where nobody will by itself."""
        self._move_on(now)
        return self.pool.members[self._returning[0][1]] if self._returning else None

    def _move_on(self, now: float) -> None:
        """Free those whose date has come by `now`; entries that tell an older date are dropped on the way."""
        if now < self._now:
            self._part(now)
        self._now = now
        while self._returning:
            until, place = self._returning[0]
            valid = until == self._until[place]
            if valid and until > now:
                break
            heappop(self._returning)
            at = bisect_left(self._free, place)
            if valid and self._free[at : at + 1] != [place]:
                self._free.insert(at, place)
