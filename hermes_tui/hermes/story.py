"""What the logs tell of one session: where it went, why, what keeps it there; everything here is inferred."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hermes_tui.hermes.values import Happening, Kind

SAME_MOMENT_SECONDS: Final = 5.0
"""What Hermes writes around one switch lies no further apart."""

FALSE_RETURN_SECONDS: Final = 600.0
"""A session that leaves its primary again so soon after it was put back came back for nothing."""

SERVER_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class Story:
    """What a session's newest lines say; None where no line says it. Each is the line itself, with its time.

    `left` is the last switch to a fallback, `failed` what failed before it, `backoff` the cooldown that it armed.
    `back` is the last restore; `false_returns` are those after which it soon left again. `same_again` is the newest
    sign of a lying probe. `pooled` tells whether the fallback has credentials of its own.
    """

    turn: Happening | None = None
    left: Happening | None = None
    failed: Happening | None = None
    backoff: Happening | None = None
    back: Happening | None = None
    waits: Happening | None = None
    same_again: Happening | None = None
    pooled: bool | None = None
    false_returns: tuple[Happening, ...] = ()

    @property
    def on_fallback(self) -> bool | None:
        """Whether the last thing that the logs tell is a switch away, None where they tell of neither."""
        if self.left is None:
            return None if self.back is None else False
        return self.back is None or self.back.time < self.left.time

    @property
    def failing(self) -> bool:
        """Whether it left for a failure that arms no cooldown, so that each turn tries the primary again."""
        return (
            self.left is not None
            and self.backoff is None
            and self.failed is not None
            and (self.failed.code or 0) >= SERVER_ERROR
        )


NO_STORY: Final = Story()
"""No line tells of the session."""


def story(happenings: Iterable[Happening]) -> Story:
    """Return what the happenings of one session, oldest first, come to."""
    told = list(happenings)
    newest = {happening.kind: happening for happening in told}
    left = newest.get(Kind.FALLBACK)
    around = [one for one in told if left is not None and abs(one.time - left.time) <= SAME_MOMENT_SECONDS]
    kinds = {one.kind for one in around}
    return Story(
        turn=newest.get(Kind.TURN),
        left=left,
        failed=_last(around, Kind.FAILED, Kind.BENCHED),
        backoff=_last(around, Kind.BACKOFF),
        back=newest.get(Kind.RESTORED),
        waits=newest.get(Kind.RESTORE_WAITS),
        same_again=newest.get(Kind.SAME_AGAIN),
        pooled=True if Kind.FALLBACK_POOLED in kinds else False if Kind.FALLBACK_POOLLESS in kinds else None,
        false_returns=tuple(_false_returns(told)),
    )


def _last(told: Sequence[Happening], *kinds: Kind) -> Happening | None:
    return next((one for one in reversed(told) if one.kind in kinds), None)


def _false_returns(told: Sequence[Happening]) -> Iterable[Happening]:
    back: Happening | None = None
    for one in told:
        if one.kind is Kind.RESTORED:
            back = one
        elif one.kind is Kind.FALLBACK and back is not None:
            if one.time - back.time <= FALSE_RETURN_SECONDS:
                yield back
            back = None
