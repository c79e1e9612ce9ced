"""What `probe` brought: lines for people and screen readers, and a document for scripts."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.secret import shown
from hermes_tui.core.verdict import CachedVerdict
from hermes_tui.view.status import SCHEMA_VERSION, SOURCE, Document, verdict_document
from hermes_tui.view.words import duration, wall


class Asked(NamedTuple):
    """The verdict that counts about a credential; `now` tells that the endpoint was asked for it, not the cache."""

    credential: CredentialKey
    verdict: CachedVerdict
    now: bool


class Unasked(NamedTuple):
    """A credential that cannot be asked about, and why."""

    credential: CredentialKey
    why: str

    def __str__(self) -> str:
        return f"{self.credential}: {self.why}"


def probe_document(answers: Sequence[Asked | Unasked], now: float, source: str = SOURCE) -> Document:
    """Return everything that `probe --json` says. Times are epoch seconds or None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "time": now,
        "source": source,
        "credentials": [_document(answer) for answer in answers],
    }


def _document(answer: Asked | Unasked) -> Document:
    named = {"pool": answer.credential.pool, "label": answer.credential.label}
    if isinstance(answer, Unasked):
        return named | {"fingerprint": "", "asked": False, "unasked": answer.why, "verdict": None}
    verdict = answer.verdict
    return named | {
        "fingerprint": shown(verdict.key.fingerprint),
        "asked": answer.now,
        "unasked": None,
        "verdict": verdict_document(verdict),
    }


def probe_lines(answers: Sequence[Asked | Unasked], now: float) -> str:
    """Return each answer as a sentence, with the windows that it was made from below."""
    return "".join(f"{line}\n" for answer in answers for line in _lines(answer, now))


def _lines(answer: Asked | Unasked, now: float) -> Iterator[str]:
    if isinstance(answer, Unasked):
        yield f"{answer.credential}: not asked: {answer.why}"
        return
    verdict = answer.verdict
    name = f"{answer.credential} {shown(verdict.key.fingerprint)} ({verdict.key.model})"
    asked = "asked now" if answer.now else f"asked {duration(now - verdict.asked_at)} ago, from the cache"
    yield f"{name}: {verdict.verdict.words}, {verdict.why}; {asked}, counts until {wall(verdict.expires_at, now)}"
    for window in verdict.usage.windows if verdict.usage else ():
        resets = f", resets {wall(window.resets_at, now)}" if window.resets_at is not None else ""
        yield f"  {window.name}: {window.used_percent:g} % used{resets}"
