"""The quotas: each account's windows as bars with their resets, how far the reading counts, and who shares it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Final

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import lies
from hermes_tui.core.facts import Facts
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.pool import Candidate
from hermes_tui.core.verdict import FULL_PERCENT, CachedVerdict, Usage, Verdict, Window
from hermes_tui.view.cells import clean, fit
from hermes_tui.view.keys_line import keys_line
from hermes_tui.view.known import Known, Token
from hermes_tui.view.line import ARROW, EMPTY, Body, Line, Part, Row, Style, behind, cut_line, line, wrapped
from hermes_tui.view.moment import Moment
from hermes_tui.view.words import State, countdown, duration, wall

NAME_CELLS: Final = 12
INDENT: Final = Part("  ")
PERCENT_CELLS: Final = 8
RESET_CELLS: Final = 34
BAR_CELLS: Final = (8, 50)
"""The least and the most that a bar takes; below the least there is none."""

NEARLY_FULL_PERCENT: Final = 80.0
"""From here on a window is shown as one that may run out."""

_VERDICT_STYLES: Final = {Verdict.QUOTA: Style.OK, Verdict.NO_QUOTA: Style.COOLING, Verdict.UNKNOWN: Style.MUTED}


@dataclass(frozen=True, slots=True)
class Reading:
    """The newest verdict of an account about some models that it says the same of; `contradicted` by a request."""

    models: tuple[str, ...]
    verdict: CachedVerdict
    contradicted: bool


@dataclass(frozen=True, slots=True)
class Account:
    """An account that can be asked: the credentials that spend it, and what it said, newest first."""

    provider: str
    name: str
    credentials: tuple[Known, ...]
    readings: tuple[Reading, ...]


def accounts(moment: Moment) -> tuple[Account, ...]:
    """Return every account whose provider has a usage endpoint, in the file's order."""
    said: dict[Token, list[CachedVerdict]] = {}
    for verdict in moment.facts.verdicts.values():
        said.setdefault((verdict.key.provider, verdict.key.account, verdict.key.fingerprint), []).append(verdict)
    return tuple(
        Account(provider, name, tuple(sharing), tuple(_readings(moment.facts, sharing, said, moment.now)))
        for (provider, name), sharing in _by_account(moment).items()
    )


def _by_account(moment: Moment) -> dict[tuple[str, str], list[Known]]:
    found: dict[tuple[str, str], list[Known]] = {}
    for known in moment.known:
        if known.pool.reopens_early:
            found.setdefault((known.pool.provider, known.member.account), []).append(known)
    return found


def account_key(moment: Moment, credential: CredentialKey | None) -> CredentialKey | None:
    """Return the credential that stands for the account of `credential`, else for the first account."""
    shared = list(_by_account(moment).values())
    of = (sharing for sharing in shared if any(known.row.key == credential for known in sharing))
    found = next(of, None) or next(iter(shared), None)
    return found[0].row.key if found is not None else None


def _readings(
    facts: Facts, sharing: Sequence[Known], said_by: Mapping[Token, Sequence[CachedVerdict]], now: float
) -> Iterator[Reading]:
    """Yield what was said last about each model, models of which the same was said together."""
    newest: dict[str, tuple[CachedVerdict, Known]] = {}
    for known in sharing:
        for verdict in said_by.get((known.pool.provider, known.member.account, known.member.fingerprint), ()):
            before = newest.get(verdict.key.model)
            if before is None or before[0].asked_at < verdict.asked_at:
                newest[verdict.key.model] = verdict, known

    def said(model: str) -> tuple[object, ...]:
        verdict, _ = newest[model]
        return -verdict.asked_at, verdict.verdict.value, repr(verdict.usage)

    for _, models in groupby(sorted(newest, key=said), key=said):
        together = tuple(models)
        verdict, known = newest[together[0]]
        candidate = Candidate(known.pool, known.member, together[0])
        yield Reading(together, verdict, lies(facts, candidate, verdict, facts.settings, now))


def quotas(moment: Moment, cells: int) -> Body:
    """Return the quotas of all accounts in `cells` columns; the cursor stands on accounts."""
    rows: list[Row] = []
    for account in accounts(moment):
        key = account.credentials[0].row.key
        rows.append(Row(partial(_heading, account, cells, key == moment.selection.credential), key))
        rows += [Row(part) for part in _account_lines(account, moment, cells)]
        rows.append(Row(EMPTY))
    silent = dict.fromkeys(known.pool.provider for known in moment.known if not known.pool.reopens_early)
    if silent:
        text = f"No usage endpoint: {', '.join(silent)}. What they allow is known from their answers alone."
        rows += [Row(part) for part in wrapped(text, cells, Style.MUTED)]
    if not moment.known:
        rows = [Row(line("No credentials yet.", Style.MUTED))]
    return Body(tuple(rows), "Quotas", "nobody is asked")


def _heading(account: Account, cells: int, chosen: bool) -> Line:
    usage = next((reading.verdict.usage for reading in account.readings if reading.verdict.usage), None)
    said = ", ".join(_said(usage)) if usage is not None else ""
    parts = (
        Part(f"{ARROW} " if chosen else "  ", Style.STRONG),
        Part(f"{account.provider} {clean(account.name)}", Style.STRONG),
        Part(f"  {said}" if said else ""),
    )
    return cut_line(parts, cells)


def _said(usage: Usage) -> Iterator[str]:
    """Yield what an account said of itself: its plan and its credits, as far as they are known."""
    if usage.plan is not None:
        yield f"plan {clean(usage.plan)}"
    if usage.unlimited:
        yield "unlimited"
    if usage.has_credits is not None:
        yield "credits left" if usage.has_credits else "no credits"


def _account_lines(account: Account, moment: Moment, cells: int) -> Iterator[Line]:
    names = (known.named + _state(known) for known in account.credentials)
    together = " share it" if len(account.credentials) > 1 else ""
    yield from behind(INDENT, ", ".join(names) + together, cells, Style.MUTED)
    if not account.readings:
        yield from behind(INDENT, _unasked(account, moment.keymap.word("probe")), cells)
    for reading in account.readings:
        yield from reading_lines(reading, moment.facts, moment.now, cells)


def _unasked(account: Account, key: str) -> str:
    states = {known.state for known in account.credentials}
    if states == {State.NOT_SET}:
        return "Not asked: it has no key."
    if states == {State.DEAD}:
        return "Not asked: its credential is dead."
    return f"Not asked yet; {key} asks."


def _state(known: Known) -> str:
    return "" if known.state is State.OK else f" ({known.state.value.word.lower()})"


def reading_lines(reading: Reading, facts: Facts, now: float, cells: int) -> Iterator[Line]:
    """Yield a reading as lines: each window as a bar, then the verdict, its age, and how long it counts."""
    usage = reading.verdict.usage
    for window in usage.windows if usage else ():
        yield window_line(window, now, cells)
    style = Style.DEAD if reading.contradicted else _VERDICT_STYLES[reading.verdict.verdict]
    yield from behind(INDENT, _verdict_words(reading, facts, now), cells, style)


def window_line(window: Window, now: float, cells: int) -> Line:
    """Return a window in one line: its name, how much is used, the same as a bar where there is room, its reset."""
    full = window.used_percent >= FULL_PERCENT
    style = Style.DEAD if full else Style.COOLING if window.used_percent >= NEARLY_FULL_PERCENT else Style.OK
    least, most = BAR_CELLS
    bar = min(cells - 2 - NAME_CELLS - PERCENT_CELLS - RESET_CELLS - 4, most)
    parts = [
        Part(f"  {fit(window.name, NAME_CELLS)}"),
        Part(f"{round(window.used_percent, 1):g} %".rjust(PERCENT_CELLS - 1) + " ", style),
        *([Part(usage_bar(window.used_percent, bar), style), Part("  ")] if bar >= least else []),
        *([Part("full, ", Style.DEAD)] if full else []),
        Part(_reset(window, now, brief=bar < least)),
    ]
    return cut_line(tuple(parts), cells)


def usage_bar(percent: float, cells: int) -> str:
    """Return `percent` as a bar of `cells` columns between two marks; what is used at all fills one, full fills all."""
    used = min(max(percent, 0.0), FULL_PERCENT) / FULL_PERCENT * cells
    filled = cells if percent >= FULL_PERCENT else min(max(round(used), int(percent > 0)), cells - 1)
    return f"▕{'█' * filled}{'░' * (cells - filled)}▏"


def _reset(window: Window, now: float, *, brief: bool) -> str:
    if window.resets_at is None:
        return "its reset was not said"
    if window.resets_at <= now:
        return f"was to reset {wall(window.resets_at, now)}"
    when = f"{wall(window.resets_at, now)}, in {countdown(window.resets_at, now)}"
    return when if brief else f"resets {when}"


def _verdict_words(reading: Reading, facts: Facts, now: float) -> str:
    verdict, models = reading.verdict, ", ".join(reading.models)
    asked = f"asked {duration(now - verdict.asked_at)} ago"
    counts = f"counts for {countdown(verdict.expires_at, now)}" if verdict.fresh(now) else "too old to count"
    said = f"{verdict.verdict.words} for {models}: {verdict.why}"
    text = f"{'✗ ' if reading.contradicted else ''}{said}; {asked}, {counts}."
    if not reading.contradicted:
        return text
    hold = facts.holds.get(verdict.key.subject)
    if hold is None:
        return f"{text} A request contradicts it."
    believed = f"; not believed before {wall(hold.until, now)}" if hold.count and hold.until > now else ""
    return f"{text} A request contradicted it at {wall(hold.contradicted_at, now)}{believed}."


def quota_keys(cells: int, keymap: Keymap) -> Line:
    """Return the keys of the quotas that fit, `esc back` always first."""
    keys = (
        (keymap.keys("probe")[:1], "ask about the marked account"),
        (keymap.keys("probe_anyway")[:1], "although it counts"),
        (("up", "down"), "account"),
    )
    return keys_line(keys, cells)
