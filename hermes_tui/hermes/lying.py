"""Noticing that a session has come to a lying probe, by its diagnosis at two moments that follow each other."""

from collections.abc import Iterator

from hermes_tui.core.diagnosis import Code, Diagnosis
from hermes_tui.core.event import LyingProbeDiagnosed
from hermes_tui.core.facts import Facts
from hermes_tui.core.judging import judged
from hermes_tui.core.session import Session


def lies(before: Facts, after: Facts, now: float) -> Iterator[LyingProbeDiagnosed]:
    """Yield which sessions lie at `now` (epoch seconds) and did not before; one that was not there then is no news.

    Only where the row is another something has happened to the session: the others need not be judged.
    """
    for row in after.sessions.values():
        was = before.sessions.get(row.name)
        if was is None or was is row:
            continue
        lie = _lie(after, row, now)
        if lie is not None and _lie(before, was, now) is None:
            yield LyingProbeDiagnosed(
                time=now,
                session=row.name,
                provider=row.requested.provider,
                model=row.requested.model,
                text=lie.text,
            )


def _lie(facts: Facts, row: Session, now: float) -> Diagnosis | None:
    if not row.on_fallback:
        return None
    _, diagnosis = judged(facts, row, now)
    return diagnosis if diagnosis.code is Code.LYING_PROBE else None
