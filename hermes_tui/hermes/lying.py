"""Noticing that a session has come to a lying probe: what was told of it before is no news."""

from collections.abc import Iterator

from hermes_tui.core.diagnosis import Code
from hermes_tui.core.event import LyingProbeDiagnosed
from hermes_tui.core.facts import Facts
from hermes_tui.core.judging import judged


class Lies:
    """Remembers how the sessions of a home were judged last."""

    def __init__(self) -> None:
        self._lied: dict[str, bool] = {}

    def news(self, facts: Facts, now: float) -> Iterator[LyingProbeDiagnosed]:
        """Yield what is to be told at `now` (epoch seconds); of a session that was not there before that is nothing."""
        before, self._lied = self._lied, {}
        for row in facts.sessions.values():
            if not row.on_fallback:
                self._lied[row.name] = False
                continue
            _, diagnosis = judged(facts, row, now)
            self._lied[row.name] = diagnosis.code is Code.LYING_PROBE
            if self._lied[row.name] and before.get(row.name) is False:
                yield LyingProbeDiagnosed(
                    time=now,
                    session=row.name,
                    provider=row.requested.provider,
                    model=row.requested.model,
                    text=diagnosis.text,
                )
