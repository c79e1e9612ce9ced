"""What the logs tell of one session: where it went, why, what keeps it there; everything here is inferred."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hermes_tui.hermes.log_templates import FIRST_TURN, NO_RETRY_HELPS, RETRIES_USED_UP
from hermes_tui.hermes.memory import FORCE_RESTORE
from hermes_tui.hermes.values import Happening, Kind

SAME_MOMENT_SECONDS: Final = 5.0
"""What Hermes writes around one switch lies no further apart."""

FALSE_RETURN_SECONDS: Final = 600.0
"""A session that leaves its primary again so soon after it was put back came back for nothing."""

LIMITED: Final = 429
BAD_REQUEST: Final = 400
SERVER_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class Story:
    """What a session's newest lines say; None where no line says it. Each is the line itself, with its time.

    `left` is the last switch to a fallback, `failed` what failed before it, `backoff` the cooldown that it armed.
    `began_on` are provider and model of its first turn; `switched` is when the user last gave it another model.
    `back` is the last restore; `false_returns` are those after which it soon left again, `early_returns` those of them
    that were made before the date of its cooldown, not by the user, and met a limit. `same_again` is the newest sign of
    a lying probe. `pooled` tells whether the fallback has credentials of its own. `unanswered` is the end of its last
    turn, where no route answered it.
    """

    turn: Happening | None = None
    began_on: tuple[str, str] | None = None
    switched: Happening | None = None
    left: Happening | None = None
    failed: Happening | None = None
    backoff: Happening | None = None
    back: Happening | None = None
    waits: Happening | None = None
    same_again: Happening | None = None
    pooled: bool | None = None
    unanswered: Happening | None = None
    false_returns: tuple[Happening, ...] = ()
    early_returns: tuple[Happening, ...] = ()

    @property
    def home(self) -> Happening | None:
        """What put it on its primary last: a restore, or the user, who chose another."""
        return max(filter(None, (self.back, self.switched)), key=lambda one: one.time, default=None)

    @property
    def primary(self) -> tuple[str, str] | None:
        """Provider and model of the primary that it was put on last."""
        home = self.home
        if home is None:
            return None
        return (home.provider, home.model) if home is self.back else (home.to_provider, home.to_model)

    @property
    def on_fallback(self) -> bool | None:
        """Whether the last thing that the logs tell is a switch away, None where they tell of neither."""
        if self.left is None:
            return None if self.home is None else False
        return self.home is None or self.home.time < self.left.time

    @property
    def returned_early(self) -> bool:
        """Whether it is where it is because its last return was early."""
        return bool(self.early_returns) and self.early_returns[-1] is self.back

    @property
    def failing(self) -> bool:
        """Whether it left for a failure that arms no cooldown, so that each turn tries the primary again."""
        return (
            self.left is not None
            and self.backoff is None
            and self.failed is not None
            and ((self.failed.code or 0) >= SERVER_ERROR or self.failed.code == BAD_REQUEST)
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
    returns = list(_returns_for_nothing(told))
    return Story(
        turn=newest.get(Kind.TURN),
        began_on=next(((one.provider, one.model) for one in told if one.reason == FIRST_TURN), None),
        switched=newest.get(Kind.SWITCHED),
        left=left,
        failed=_last(around, Kind.FAILED, Kind.BENCHED),
        backoff=_last(around, Kind.BACKOFF),
        back=newest.get(Kind.RESTORED),
        waits=newest.get(Kind.RESTORE_WAITS),
        same_again=newest.get(Kind.SAME_AGAIN),
        pooled=True if Kind.FALLBACK_POOLED in kinds else False if Kind.FALLBACK_POOLLESS in kinds else None,
        unanswered=_unanswered(told),
        false_returns=tuple(back for back, _ in returns),
        early_returns=tuple(back for back, is_early in returns if is_early),
    )


def _last(told: Sequence[Happening], *kinds: Kind) -> Happening | None:
    return next((one for one in reversed(told) if one.kind in kinds), None)


def _unanswered(told: Sequence[Happening]) -> Happening | None:
    newest = _last(told, Kind.TURN, Kind.CALLED, Kind.ANSWERED, Kind.ENDED)
    return newest if newest is not None and newest.reason in (RETRIES_USED_UP, NO_RETRY_HELPS) else None


def _returns_for_nothing(told: Sequence[Happening]) -> Iterator[tuple[Happening, bool]]:
    """Yield each return after which the session soon left again, and whether it went back early, into another limit.

    One that the user forced is none that Hermes made early.
    """
    back: Happening | None = None
    away_until = 0.0
    is_early = is_limited = is_forced = False
    for one in told:
        match one.kind:
            case Kind.ACT if one.reason == FORCE_RESTORE:
                is_forced = True
            case Kind.BACKOFF:
                away_until = one.until or 0.0
            case Kind.RESTORED:
                back, is_early, is_limited = one, one.time < away_until and not is_forced, False
            case Kind.FAILED | Kind.BENCHED:
                is_limited = is_limited or one.code == LIMITED
            case Kind.FALLBACK:
                if back is not None and one.time - back.time <= FALSE_RETURN_SECONDS:
                    yield back, is_early and is_limited
                back, is_forced = None, False
