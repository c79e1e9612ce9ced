"""Every credential as `auth list` tells it: lines for people and screen readers, and a document for scripts."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.view.credentials import back_in, story
from hermes_tui.view.known import Known
from hermes_tui.view.status import (
    INHERITED,
    SCHEMA_VERSION,
    SOURCE,
    Document,
    credential_document,
    verdict_document,
)
from hermes_tui.view.table import table
from hermes_tui.view.words import State, countdown, verdict_words, wall

_HEADS: Final = ("credential", "state", "back in", "resets at", "by", "verdict, left", "reason")
_USABLE: Final = (State.OK, State.DUE, State.ON_TRIAL)
_TOLD: Final = (State.OK, State.NOT_SET)
"""States whose row says everything, unless a verdict is known."""


def can_serve(known: Known) -> bool:
    """Tell whether the credential can be used now, as far as is known."""
    return known.state in _USABLE


def auth_document(known: Sequence[Known], origin: str | None, now: float, source: str = SOURCE) -> Document:
    """Return everything that `auth list --json` says. Times are epoch seconds or None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "time": now,
        "source": source,
        "configuration": origin,
        "credentials": [_document(one, now, source) for one in known],
    }


def _document(known: Known, now: float, source: str) -> Document:
    verdict = known.verdict
    told: dict[str, Any] | None = None
    if verdict is not None:
        told = verdict_document(verdict, source) | {"fresh": verdict.fresh(now), "contradicted": known.contradicted}
    return credential_document(known.pool, known.member, known.row, now, source) | {
        "state": known.state.name.lower(),
        "message": known.row.death.message if known.row.death else known.bench.message if known.bench else None,
        "model_cooldowns": [
            {
                "model": model,
                "until": bench.until,
                "until_source": bench.source.value,
                "reset_source": bench.said_in.value if bench.said_in else None,
                "approximate": bench.approximate,
                "reason": bench.reason.value,
                "code": bench.code,
            }
            for model, bench in known.row.model_cooldowns
            if bench.ahead(now)
        ],
        "verdict": told,
    }


def auth_lines(known: Sequence[Known], origin: str, now: float) -> str:
    """Return the credentials as a table, with the story of each that has one below."""
    if not known:
        return f"No credentials yet: add [[providers.NAME.credentials]] to {origin}.\n"
    return credential_lines(known, now)


def credential_lines(known: Sequence[Known], now: float) -> str:
    """Return some credentials as a table, with the stories below."""
    rows = [row for one in known for row in _rows(one, now)]
    stories = [f"{one.name}: {' '.join(story(one, now))}\n" for one in known if one.verdict or one.state not in _TOLD]
    return table(rows, _HEADS) + ("\n" + "".join(stories) if stories else "")


def _rows(known: Known, now: float) -> Iterator[tuple[str, ...]]:
    known = _as_a_whole(known, now)
    verdict = verdict_words(known.verdict, now, contradicted=known.contradicted) if known.verdict else "-"
    yield (
        known.named + (INHERITED if known.member.lender else ""),
        known.state.value.word,
        back_in(known, now).text,
        _resets_at(known.bench, now),
        _by(known),
        verdict,
        _reason(known),
    )
    for model, bench in known.row.model_cooldowns:
        if bench.ahead(now):
            left, at = countdown(bench.until, now), _resets_at(bench, now)
            yield (f"  {model} alone", State.COOLING.value.word, left, at, _said(bench), "-", _why(bench))


def _as_a_whole(known: Known, now: float) -> Known:
    """Return what is known without a bench of one model alone, which has a row of its own (M17)."""
    if known.model_benched is None:
        return known
    whole = known.row.cooldown
    if whole is not None and whole.ahead(now):
        return known._replace(bench=whole)
    return known._replace(bench=None, state=State.OK if known.state is State.COOLING else known.state)


def _resets_at(bench: Cooldown | None, now: float) -> str:
    return wall(bench.until, now, assumed=bench.approximate) if bench else "-"


def _said(bench: Cooldown) -> str:
    return "provider" if bench.source is Said.PROVIDER else "~ assumed"


def _why(bench: Cooldown) -> str:
    return f"{bench.code} {bench.reason.words}" if bench.code is not None else bench.reason.words


def _by(known: Known) -> str:
    if known.row.death is not None:
        return "provider"
    if known.bench is not None:
        return _said(known.bench)
    return "you" if known.row.cleared_at is not None else "-"


def _reason(known: Known) -> str:
    if known.member.fault:
        return known.member.fault
    if known.row.death is not None:
        return known.row.death.reason.words
    return _why(known.bench) if known.bench is not None else "-"
