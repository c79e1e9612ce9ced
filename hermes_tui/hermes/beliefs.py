"""What Hermes itself believes of quota, shown where this program has heard nothing newer."""

from collections.abc import Iterator
from typing import Final

from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict, VerdictKey
from hermes_tui.hermes.links import CODEX
from hermes_tui.hermes.memory import TOLD, Belief
from hermes_tui.hermes.reading import Reading

_WHY: Final = PlainText("of the answer Hermes keeps no more")
_VERDICTS: Final = {True: Verdict.QUOTA, False: Verdict.NO_QUOTA}


def beliefs_of(reading: Reading) -> Iterator[CachedVerdict]:
    """Yield what Hermes keeps of each login, for each model that a session or the file asks it for."""
    if not reading.memory.beliefs:
        return
    file = reading.configuration
    entries = [live.requested for live in reading.memory.sessions.values()]
    entries += [file.primary] if file is not None and file.primary is not None else []
    models = dict.fromkeys(entry.model for entry in entries if entry.provider == CODEX)
    newest = {one.fingerprint: one for one in sorted(reading.memory.beliefs, key=lambda one: one.asked_at)}
    for login in reading.logins.rows:
        belief = newest.get(login.fingerprint)
        if login.provider == CODEX and belief is not None:
            for model in models:
                yield _row(VerdictKey(login.provider, login.id, model, login.fingerprint), belief)


def verdict_of(belief: Belief) -> Verdict:
    """Return the verdict that Hermes keeps."""
    return Verdict.UNKNOWN if belief.quota is None else _VERDICTS[belief.quota]


def _row(key: VerdictKey, belief: Belief) -> CachedVerdict:
    return CachedVerdict(key, verdict_of(belief), _WHY, belief.asked_at, belief.until, asked_by=TOLD)
