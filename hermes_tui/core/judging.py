"""What is decided about a session: by this program's own mechanism, or by that of whoever runs it."""

from typing import TypeAlias

from hermes_tui.core.diagnosis import Diagnosis, diagnose
from hermes_tui.core.facts import Facts
from hermes_tui.core.restoring import WayBack, way_back
from hermes_tui.core.session import Session

Judged: TypeAlias = tuple[WayBack, Diagnosis]
"""A way back, and the diagnosis made from it."""


def judged(facts: Facts, session: Session, now: float) -> Judged:
    """Return what is decided about `session` at `now` (epoch seconds) by the mechanism that the facts belong to."""
    if facts.judge is not None:
        return facts.judge(facts, session, now)
    way = way_back(facts, session, now)
    return way, diagnose(facts, session, now, way)
