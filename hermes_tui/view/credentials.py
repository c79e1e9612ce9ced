"""Panel 4: every credential, the dead ones too, and what the usage endpoint last said about it."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from hermes_tui.core.advice import ONLY_A_PERSON_HELPS, remedy
from hermes_tui.core.cooldown import Said
from hermes_tui.core.failure import FailureKind, Scope
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict
from hermes_tui.view import empty
from hermes_tui.view.cells import ELLIPSIS, cut, width
from hermes_tui.view.columns import Column, cells_of, heading, laid_out
from hermes_tui.view.known import Known
from hermes_tui.view.line import Body, Dates, Line, Part, Row, Style, cut_line, line, text_of, wrapped
from hermes_tui.view.moment import Moment, of_source
from hermes_tui.view.quota import window_line
from hermes_tui.view.words import (
    DURATION_CELLS,
    STALE_MARK,
    WALL_CELLS,
    State,
    clock,
    count,
    countdown,
    countdown_style,
    date_source,
    duration,
    sentence,
    verdict_words,
    wall,
)

COLUMNS: Final = (
    Column("credential", 16, grow=6, most=32, name_first=True),
    Column("state", 10),
    Column("back in", DURATION_CELLS + 1),
    Column("resets at", WALL_CELLS, from_width=66),
    Column("by", 8, from_width=86),
    Column("verdict, left", 17, from_width=57, grow=1, most=21),
)

SORTS: Final = ("file order", "back in", "state", "credential")

STORY_LINES: Final = 5
"""So many lines below the rows tell the story of the selected one."""

_UNASKED: Final = (State.NOT_SET, State.DEAD)
_SIGN_IN: Final = (FailureKind.AUTH, FailureKind.AUTH_REVOKED, FailureKind.NO_CREDENTIAL)


def credentials(moment: Moment, cells: int, *, sought: str = "", sort: str = SORTS[0], reverse: bool = False) -> Body:
    """Return the panel of the credentials in `cells` columns, with the selected one's story below."""
    everything = moment.known
    title, file = f"Credentials and verdicts{of_source(moment)}", moment.facts.configuration
    if not everything:
        texts = empty.no_credentials(file.origin if file and file.origin else "the configuration file", moment.keymap)
        return Body(tuple(Row(part) for text in texts for part in wrapped(text, cells)), title)
    layout = laid_out(COLUMNS, cells)
    chosen = [known for known in everything if sought.casefold() in f"{known.name} {known.shown.value.word}".casefold()]
    dated = _cells_of(layout, "resets at") > 0  # beside the exact date minutes are enough
    rows = tuple(
        Row(
            partial(_row, known, moment, layout, rough=rough),
            known.row.key,
            partial(_dates, known),
            (known, rough),
            rough=rough,
        )
        for known in _sorted(chosen, sort, reverse=reverse)
        for rough in (dated and not _counts(known, moment.now),)
    )
    rows = rows or (Row(line("  " + empty.nothing_matches("credential", sought), Style.MUTED)),)
    selected = next((known for known in everything if known.row.key == moment.selection.credential), None)
    foot = tuple(part for text in story(selected, moment.now) for part in wrapped(text, cells)) if selected else ()
    subtitle = f"all ok · by: {sort}" if all(known.state is State.OK for known in everything) else f"by: {sort}"
    head, dates = (heading(layout, sort, reverse=reverse),), _dates(selected) if selected else ()
    return Body(rows, title, subtitle, head=head, foot=_bounded(foot, cells), dates=dates)


def _bounded(foot: tuple[Line, ...], cells: int) -> tuple[Line, ...]:
    """Return a story in the lines it may take; one that is cut ends with an ellipsis."""
    if len(foot) <= STORY_LINES:
        return foot
    last = cut(text_of(foot[STORY_LINES - 1]), cells - 2)
    return (*foot[: STORY_LINES - 1], line(f"{last.removesuffix(ELLIPSIS)} {ELLIPSIS}"))


def _sorted(known: Sequence[Known], sort: str, *, reverse: bool) -> list[Known]:
    keys: dict[str, Callable[[Known], tuple[object, ...]]] = {
        "credential": lambda one: (one.name,),
        "state": lambda one: (one.state.value.word, one.name),
        "back in": lambda one: (_back_at(one), one.name),
    }
    if sort not in keys:
        return list(reversed(known)) if reverse else list(known)
    return sorted(known, key=keys[sort], reverse=reverse)


def _back_at(known: Known) -> float:
    if known.row.death is not None or known.member.fault:
        return float("inf")
    return known.bench.until if known.bench else 0.0


def _counts(known: Known, now: float) -> bool:
    """Tell whether a verdict counts, which is told to the second."""
    return known.verdict is not None and known.verdict.fresh(now)


def _row(known: Known, moment: Moment, layout: Sequence[tuple[Column, int]], *, rough: bool) -> Line:
    now, bench = moment.now, known.bench
    values = {
        "credential": Part(known.named),
        "state": known.shown.part(),
        "back in": back_in(known, now, rough=rough),
        "resets at": Part(wall(bench.until, now, assumed=bench.approximate) if bench else "-", _muted(bench)),
        "by": Part(_by(known), Style.MUTED),
        "verdict, left": _verdict(known, now, _cells_of(layout, "verdict, left"), rough=rough),
    }
    return cells_of(layout, values, cursor=known.row.key == moment.selection.credential)


def _dates(known: Known) -> Dates:
    verdict = known.verdict
    asked = (verdict.asked_at, verdict.expires_at) if verdict is not None else ()
    return (known.bench.until if known.bench else None, *asked)


def _cells_of(layout: Sequence[tuple[Column, int]], name: str) -> int:
    return next((cells for column, cells in layout if column.name == name), 0)


def _muted(value: object) -> Style:
    return Style.PLAIN if value else Style.MUTED


def back_in(known: Known, now: float, *, rough: bool = False) -> Part:
    """Return when the credential returns, or why nobody waits for it."""
    if known.state is State.NOT_SET:
        return Part("no key", Style.MUTED)
    if known.state is State.DEAD:
        return Part("never", Style.DEAD)
    if known.state is State.DUE:
        return Part("due", Style.COOLING)
    if known.bench is None:
        return Part("-" if known.row.cleared_at is None else "cleared", Style.MUTED)
    return Part(countdown(known.bench.until, now, rough=rough), countdown_style(known.bench.until, now))


def _by(known: Known) -> str:
    if known.row.cleared_at is not None:
        return "you"
    if known.row.death is not None:
        return "provider"
    if known.bench is None:
        return "-"
    return "provider" if known.bench.source is Said.PROVIDER else "~ here"


def _verdict(known: Known, now: float, cells: int, *, rough: bool) -> Part:
    if known.asking:
        return Part("asking", Style.PROBING)
    if known.verdict is None:
        return Part("not asked" if known.pool.reopens_early and known.state not in _UNASKED else "-", Style.MUTED)
    words = verdict_words(known.verdict, now, contradicted=known.contradicted, rough=rough)
    if not known.verdict.fresh(now):
        worded = words.replace(STALE_MARK, " STALE")
        return Part(worded if width(worded) <= cells else words, Style.STRONG)
    return Part(words, Style.DEAD if known.contradicted else Style.PLAIN)


def story(known: Known, now: float) -> tuple[str, ...]:
    """Return what is known about a credential in sentences: its verdict, its bench and who caused it."""
    if known.member.fault:
        return (sentence(known.member.fault),)
    texts = [f"It belongs to {known.member.lender}, which lends it."] if known.member.lender else []
    texts += [_death_story(known)] if known.row.death is not None else []
    if known.member.on_demand:
        texts.append("A command prints its key: it is run when the key is first needed.")
    if known.asking:
        texts.append("The usage endpoint is being asked; the countdown stays until it answers.")
    if known.bench is not None and known.bench.reason in ONLY_A_PERSON_HELPS and known.row.death is None:
        texts.append(_remedy(known, known.bench.reason))
    if known.verdict is not None:
        texts.append(_verdict_story(known.verdict, known, now))
    if known.row.cleared_at is not None:
        texts.append(f"Cleared by you {clock(known.row.cleared_at)}.")
    if known.bench is not None and known.row.death is None:
        until = wall(known.bench.until, now, assumed=known.bench.approximate)
        texts += [sentence(_bench_story(known, now)), f"Until {until} ({date_source(known.bench)})."]
    return tuple(texts or (f"{count(known.row.request_count, 'request')} sent.",))


def _verdict_story(verdict: CachedVerdict, known: Known, now: float) -> str:
    """Return what the endpoint said; about a credential of another program, this one asks only when it is told to."""
    windows = verdict.usage.windows if verdict.usage else ()
    used = " · ".join(f"{window.name} {window.used_percent:g} %" for window in windows) or verdict.why
    expires = f"verdict expires in {countdown(verdict.expires_at, now)}"
    ago = f"{duration(now - verdict.asked_at)} ago, stale"
    if known.pool.used_by is not None:
        left = f"asked by {verdict.asked_by or 'hermes-tui'}, {expires if verdict.fresh(now) else ago}"
        return f"{known.member.label}: {used}; {left}."
    left = expires if verdict.fresh(now) else f"asked {ago}: will ask before use"
    return f"{known.member.account}: {used}; {left}."


def _bench_story(known: Known, now: float) -> str:
    bench = known.bench
    if bench is None:
        return ""
    code = f"{bench.code} " if bench.code is not None else ""
    contradicts = f"A {code}at {wall(bench.last_at, now)} contradicts it. " if known.contradicted else ""
    what = f" for {known.model_benched} alone" if known.model_benched is not None else ""
    message = f": {bench.message}" if bench.message else ""
    met = f"at {wall(bench.last_at, now)}" + (f" from {bench.session}" if bench.session else "")
    return f"{contradicts}{code}{bench.reason.words}{what} {met}{message}"


def _death_story(known: Known) -> str:
    death = known.row.death
    if death is None:
        return ""
    helps = _remedy(known, death.reason)
    met = f", met by {death.session}" if death.session else ""
    return f"{death.reason.words.capitalize()} at {clock(death.at)}{met}. {helps}"


def _remedy(known: Known, reason: FailureKind) -> PlainText:
    """Return what helps against the stop of a credential (C04); another program's is mended there."""
    if known.pool.used_by is not None and reason in _SIGN_IN:
        return PlainText(f"Sign in again in {known.pool.used_by}: hermes auth add {known.pool.provider}.")
    scope = Scope.MODEL if known.model_benched is not None else None
    return remedy(reason, provider_behind(known.pool.provider), scope)


def banner(moment: Moment) -> tuple[str, Style] | None:
    """Return the line over everything when no credential can be used, or all cool down; None otherwise."""
    usable = [known for known in moment.known if not known.member.fault]
    states = {known.state for known in usable}
    if not usable or not states <= {State.COOLING, State.DEAD}:
        return None
    if states == {State.DEAD}:
        known = max(usable, key=lambda one: one.row.death.at if one.row.death else 0.0)
        return empty.all_dead(known.name, _death_story(known)), Style.ALERT
    cooling = [(known.bench, known) for known in usable if known.bench is not None and not known.row.death]
    bench, first = min(cooling, key=lambda pair: pair[0].until)
    left, at = countdown(bench.until, moment.now), wall(bench.until, moment.now, assumed=bench.approximate)
    return empty.all_cooling(len(cooling), first.name, left, at, moment.keymap), Style.COOLING


def tally(moment: Moment, *, words: bool = True) -> Line:
    """Return how many credentials are in which state: `✓ 2 ok  ◐ 2 cooling  ✗ 1 dead`.

    Without the words, what is due counts as cooling: their glyphs are the same.
    """
    found = Counter(known.shown for place in moment.everywhere for known in place.known)
    if not words:
        found[State.COOLING] += found.pop(State.DUE, 0)
    parts: list[Part] = []
    for state in (State.OK, State.COOLING, State.DUE, State.PROBING, State.ON_TRIAL, State.DEAD):
        if found[state]:
            mark = state.value
            word, apart = (f" {mark.word.lower()}", "  ") if words else ("", " ")
            parts.append(Part(f"{apart if parts else ''}{mark.glyph} {found[state]}{word}", mark.style))
    return cut_line(tuple(parts) or (Part("no credentials", Style.MUTED),), 60)


def credential_detail(moment: Moment, cells: int) -> Body:
    """Return everything that is known about the selected credential."""
    known = next((one for one in moment.known if one.row.key == moment.selection.credential), None)
    if known is None:
        return Body((), "Credential")
    row, now = known.row, moment.now
    used = f"last used {wall(row.last_used_at, now)}, last served {wall(row.last_served_at, now)}"
    texts = [*story(known, now), f"{count(row.request_count, 'request')} sent; {used}."]
    if known.verdict is not None:
        texts.append(f"{gauge(known.verdict, now)}  {known.verdict.why}")
    texts += [
        f"Only for {model}: {cooldown.reason.words} until {wall(cooldown.until, now, assumed=cooldown.approximate)}"
        f" ({date_source(cooldown)})."
        for model, cooldown in row.model_cooldowns
    ]
    windows = known.verdict.usage.windows if known.verdict is not None and known.verdict.usage is not None else ()
    lines: list[Line] = [(known.shown.part(),), *(part for text in texts for part in wrapped(text, cells))]
    lines += [window_line(window, now, cells) for window in windows]
    return Body(tuple(Row(part) for part in lines), known.named, "esc closes")


def gauge(verdict: CachedVerdict, now: float, cells: int = 20) -> str:
    """Return a verdict's age as a bar that fills, with the same in words."""
    life = max(verdict.expires_at - verdict.asked_at, 1.0)
    age = min(max(now - verdict.asked_at, 0.0), life)
    full = int(cells * age / life)
    return f"▕{'█' * full}{'░' * (cells - full)}▏ {duration(age)} of {duration(life)}"
