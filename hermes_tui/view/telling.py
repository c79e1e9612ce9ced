"""Being told: which new events become a notice, and when; one a minute for each kind and session, bursts counted.

A question alone is told at once, each time: none follows before the last one is answered or withdrawn.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Final, NamedTuple

from hermes_tui.core.event import Event, FallbackActivated
from hermes_tui.core.telling import Occasion, occasion_of
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.view.event_words import tell

QUIET_SECONDS: Final = 60.0
"""How long nothing of the same kind and session follows a notice."""

NOTICE_LIMIT: Final = 300
"""Characters of a notice."""


class Notice(NamedTuple):
    """One sentence for a person who does not look, and in one word what it is about.

    `session` is None where none caused it.
    """

    about: str
    session: str | None
    text: PlainText

    def of(self, source: str) -> "Notice":
        """Return the notice with the name of its source before it."""
        return self._replace(text=one_line(f"{source}: {self.text}", NOTICE_LIMIT))


@dataclass(frozen=True, slots=True)
class Burst:
    """What happened of one kind in one session since it was told at `told_at` (epoch seconds): the newest, a count."""

    told_at: float = -inf
    newest: Event | None = None
    times: int = 0

    def with_one_more(self, event: Event) -> "Burst":
        """Return the burst with `event` as its newest; a further hop of the same walk is not counted again (C127)."""
        goes_on = (
            isinstance(event, FallbackActivated)
            and isinstance(self.newest, FallbackActivated)
            and event.left == f"{self.newest.provider}/{self.newest.model}"
        )
        return replace(self, newest=event, times=self.times + (not goes_on))

    def release_at(self, now: float) -> float:
        """Return when its notice may go out; a `told_at` that lies ahead is from a clock that was set back."""
        return self.told_at + QUIET_SECONDS if self.told_at <= now else now


Bursts = Mapping[tuple[Occasion, str | None], Burst]
"""What was told last, and what waits to be."""


def notices(
    bursts: Bursts, events: Iterable[Event], on: Collection[Occasion], now: float, *, ending: bool = False
) -> tuple[tuple[Notice, ...], Bursts]:
    """Return what is to be told at `now` (epoch seconds), and what is to be remembered.

    `events` are new, oldest first. With `ending` nothing is kept back, for nobody would tell it later.
    """
    after = dict(bursts)
    for event in events:
        occasion = occasion_of(event)
        if occasion is not None and occasion in on:
            before = after.get((occasion, event.session), Burst())
            after[occasion, event.session] = before.with_one_more(event)
    told = []
    for (occasion, session), burst in tuple(after.items()):
        if not ending and burst.release_at(now) > now:
            continue
        if burst.newest is None:
            del after[occasion, session]
            continue
        told.append(Notice(occasion, session, _words(burst.newest, burst.times)))
        if occasion is Occasion.ASKS:
            del after[occasion, session]
        else:
            after[occasion, session] = Burst(now)
    return tuple(told), after


def next_release(bursts: Bursts, now: float) -> float | None:
    """Return when something that waits may be told (epoch seconds), None where nothing waits."""
    return min((burst.release_at(now) for burst in bursts.values() if burst.newest is not None), default=None)


def _words(newest: Event, times: int) -> PlainText:
    counted = f"{times} times, the last: " if times > 1 else ""
    said = f"{newest.session}: {newest.notice}" if isinstance(newest, FallbackActivated) else tell(newest).text
    return one_line(counted + said, NOTICE_LIMIT)
