"""Panel 3: the way back to the primary: diagnosis, gates, what helps, and the acts with their why-not."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from hermes_tui.core.diagnosis import Code
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.preview import Confirm, Preview, Ready, Refused
from hermes_tui.core.restoring import Gate, GateName, Step
from hermes_tui.view import empty
from hermes_tui.view.actions import BUTTONS, Action
from hermes_tui.view.cells import cut, fit
from hermes_tui.view.chain import alone_sentence, chain_line, entries
from hermes_tui.view.diagnosing import CODE_WORDS, change_text, diagnosis_part, next_change, since
from hermes_tui.view.line import Body, Dates, Line, Part, Row, Style, cut_line, line, side_by_side, wrapped
from hermes_tui.view.moment import Moment, Standing
from hermes_tui.view.words import WALL_CELLS, countdown, countdown_style, sentence, wall

GATE_WORDS: Final = {
    GateName.NOT_PINNED: ("not pinned", "pin"),
    GateName.HOMECOMING: ("homecoming", "homecoming"),
    GateName.SESSION_COOLDOWN: ("session cooldown", "cooldown"),
    GateName.POOL: ("pool", "pool"),
    GateName.RESTORE_CHECK: ("restore check", "check"),
    GateName.VERDICT: ("verdict believed", "verdict"),
    GateName.TRIAL: ("may go first", "trial"),
}

Previews = Mapping[str, Preview]
"""What each button would do now, by the action's identity."""


def way_back_body(moment: Moment, cells: int, previews: Previews) -> Body:
    """Return the panel of the selected session's way back, with one button a line below."""
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Way back")
    rows = [*_explained(standing, moment, cells)]
    if standing.way.gates:
        rows += [line(""), *(_gate(gate, cells, moment.now) for gate in standing.way.gates)]
    if standing.off_primary:
        rows += [line(""), *wrapped(f"What helps: {standing.diagnosis.helps}", cells)]
    rows += [line(text, Style.PROBING) for text in _pending(standing, cells)]
    foot = tuple(_button_lines(previews, cells, moment))
    return Body(
        tuple(Row(part) for part in rows),
        f"Way back of {standing.state.name}",
        _since(standing, moment),
        foot=foot,
        dates=_dates(standing, previews),
    )


def _dates(standing: Standing, previews: Previews) -> Dates:
    refused = (preview.until for preview in previews.values() if isinstance(preview, Refused))
    return (*(gate.changes_at for gate in standing.way.gates), *refused)


def _explained(standing: Standing, moment: Moment, cells: int) -> tuple[Line, ...]:
    diagnosis = standing.diagnosis
    if not standing.off_primary:
        texts = [empty.nothing_to_restore(standing.state.name)]
        texts += [f"{fact.text}." for fact in diagnosis.facts]
        return tuple(part for text in texts for part in wrapped(text, cells))
    head = diagnosis_part(standing)
    return ((head,), *wrapped(explanation(standing, moment), cells))


def explanation(standing: Standing, moment: Moment) -> str:
    """Return the diagnosis in sentences: what it is, and when it next changes."""
    diagnosis, change = standing.diagnosis, next_change(standing)
    if change.at is None:
        after = ""
    else:
        asks = ", and the next turn asks before" if standing.way.step is Step.CHECK else ""
        after = f" {_next_words(diagnosis.code)} {wall(change.at, moment.now, assumed=change.assumed)}{asks}."
    return f"{diagnosis.text}{after}"


def _next_words(code: Code) -> str:
    return {Code.LYING_PROBE: "Next try", Code.CHAIN_EXHAUSTED: "Earliest return"}.get(code, "Next change")


def _gate(gate: Gate, cells: int, now: float) -> Line:
    mark, style = ("✓ ", Style.OK) if gate.passed else ("✗ ", Style.DEAD)
    name = fit(GATE_WORDS[gate.name][0], max(cells - 2 - 8 - WALL_CELLS - 1, 8))
    if gate.passed and gate.changes_at is None:
        return (Part(mark, style), Part(name, Style.MUTED))
    left = countdown(gate.changes_at, now)
    return (
        Part(mark, style),
        Part(f"{name} "),
        Part(fit(left, 8), countdown_style(gate.changes_at, now)),
        Part(wall(gate.changes_at, now, assumed=gate.approximate), Style.MUTED),
    )


def _pending(standing: Standing, cells: int) -> tuple[str, ...]:
    return tuple(cut(f"Asked for: {what}", cells) for what in standing.state.pending)


def _since(standing: Standing, moment: Moment) -> str:
    begun = since(standing, moment.now)
    return "" if begun == "-" else f"since {begun}"


def _button_lines(previews: Previews, cells: int, moment: Moment) -> Iterator[Line]:
    """Yield each button, those last that one reason keeps from being pressed, which is told once and whole."""
    refused = {name: preview.reason for name, preview in previews.items() if isinstance(preview, Refused)}
    shared = [reason for reason, often in Counter(refused.values()).items() if often > 1]
    for action in BUTTONS:
        if refused.get(action.id) not in shared:
            yield button_line(action, previews.get(action.id), cells, moment)
    for reason in shared:
        held = (action for action in BUTTONS if refused.get(action.id) == reason)
        yield from side_by_side((_dimmed(action, moment.keymap) for action in held), cells)
        yield from wrapped(sentence(reason), cells, Style.MUTED, indent=2)


def _dimmed(action: Action, keymap: Keymap) -> Line:
    return (Part(f"{keymap.word(action.id)} {action.label}", Style.MUTED, action.id),)


def button_line(action: Action, preview: Preview | None, cells: int, moment: Moment) -> Line:
    """Return an act as a line to press: bright when it can be done, dimmed with the reason when it can't."""
    parts: Line
    key = moment.keymap.word(action.id)
    match preview:
        case Refused(reason=reason, until=until):
            when = f" ({countdown(until, moment.now)})" if until is not None else ""
            parts = (
                Part(f"{key} ", Style.MUTED, action.id),
                Part(f"{action.label}: {reason}{when}", Style.MUTED, action.id),
            )
        case Confirm():
            parts = (
                Part(f"{key} ", Style.KEY, action.id),
                Part(action.label, Style.STRONG, action.id),
                Part(" (asks first)", Style.MUTED, action.id),
            )
        case _:
            parts = (Part(f"{key} ", Style.KEY, action.id), Part(action.label, Style.STRONG, action.id))
    return cut_line(parts, cells)


def tight_way_back(moment: Moment, cells: int, previews: Previews) -> Body:
    """Return the way back with its gates and its buttons side by side: diagnosis and chain stand elsewhere."""
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Way back")
    rows = [*_explained(standing, moment, cells)][1 if standing.off_primary else 0 :]
    rows += side_by_side((_short_gate(gate, moment.now) for gate in standing.way.gates), cells)
    rows += wrapped(f"What helps: {standing.diagnosis.helps}", cells) if standing.off_primary else ()
    rows += [line(text, Style.PROBING) for text in _pending(standing, cells)]
    foot = _buttons_lines(previews, cells, moment.keymap)
    title, dates = f"Way back of {standing.state.name}", _dates(standing, previews)
    return Body(tuple(Row(part) for part in rows), title, _since(standing, moment), foot=foot, dates=dates)


def compact_way_back(moment: Moment, cells: int, previews: Previews) -> Body:
    """Return chain and way back in one panel of a few lines, for a screen of 80 columns."""
    standing = moment.standing
    if standing is None:
        return Body((Row(line(empty.NO_SELECTION, Style.MUTED)),), "Chain and way back")
    if standing.off_primary:
        said = wrapped(explanation(standing, moment), cells)[:2]
    else:
        said = (line(empty.nothing_to_restore(standing.state.name), Style.MUTED),)
    gates = side_by_side((_short_gate(gate, moment.now) for gate in standing.way.gates), cells)
    alone = alone_sentence(moment)
    lines = [*said, chain_line(moment, cells), *(wrapped(alone, cells, Style.MUTED) if alone else ()), *gates]
    lines += [line(text, Style.PROBING) for text in _pending(standing, cells)]
    title = f"Chain and way back of {standing.state.name}"
    foot = _buttons_lines(previews, cells, moment.keymap)[:1]
    dates = (*_dates(standing, previews), *(entry.outlook.until for entry in entries(standing, moment)))
    return Body(
        tuple(Row(cut_line(part, cells)) for part in lines), title, _since(standing, moment), foot=foot, dates=dates
    )


def _short_gate(gate: Gate, now: float) -> Line:
    mark, style = ("✓ ", Style.OK) if gate.passed else ("✗ ", Style.DEAD)
    name = Part(f"{GATE_WORDS[gate.name][1]}")
    if gate.changes_at is None:
        return (Part(mark, style), name)
    return (
        Part(mark, style),
        name,
        Part(f" {countdown(gate.changes_at, now)}", countdown_style(gate.changes_at, now)),
    )


def blocked_line(moment: Moment, cells: int) -> Line:
    """Return what stands between the selected session and its primary, in at most `cells` cells."""
    standing = moment.standing
    if standing is None:
        return line(empty.NO_SELECTION, Style.MUTED)
    if not standing.off_primary:
        return line(empty.nothing_to_restore(standing.state.name), Style.MUTED)
    blocked = [_short_gate(gate, moment.now) for gate in standing.way.gates if not gate.passed]
    if not blocked:
        return wrapped(explanation(standing, moment), cells)[0]
    lines = side_by_side(blocked, cells - len("  +9"))
    more = sum(part.style is Style.DEAD for parts in lines[1:] for part in parts)
    return (*lines[0], Part(f"  +{more}", Style.MUTED)) if more else lines[0]


def _buttons_lines(previews: Previews, cells: int, keymap: Keymap) -> tuple[Line, ...]:
    """Return every act side by side, on as many lines as they need."""
    buttons: list[Line] = []
    for action in BUTTONS:
        refused = isinstance(previews.get(action.id, Ready), Refused)
        style = Style.MUTED if refused else Style.STRONG
        asks = " (asks)" if isinstance(previews.get(action.id), Confirm) else ""
        key = Part(f"{keymap.word(action.id)} ", Style.MUTED if refused else Style.KEY, action.id)
        buttons.append((key, Part(f"{action.short or action.label}{asks}", style, action.id)))
    return tuple(side_by_side(buttons, cells))


def detail(moment: Moment, cells: int) -> Body:
    """Return everything that the diagnosis rests on: facts with time and source, and what each gate waits for."""
    standing = moment.standing
    if standing is None:
        return Body((), "Detail")
    now, lines = moment.now, [(diagnosis_part(standing),), *wrapped(explanation(standing, moment), cells)]
    if standing.off_primary:
        lines += wrapped(f"What helps: {standing.diagnosis.helps}", cells)
    lines += [line(""), line("Facts", Style.STRONG)]
    for fact in standing.diagnosis.facts:
        lines += _dated(wall(fact.at, now), f"{fact.text} ({fact.source})", cells)
    if standing.way.gates:
        lines += [line(""), line("Gates, in their order", Style.STRONG)]
    for gate in standing.way.gates:
        lines.append(_gate(gate, cells, now))
        lines += wrapped(f"    {gate.text}", cells, Style.MUTED, indent=4)
    change = next_change(standing)
    lines += [line(""), line(f"Next: {change_text(change, now)}  {wall(change.at, now)}")]
    word = CODE_WORDS[standing.diagnosis.code][0]
    return Body(tuple(Row(cut_line(part, cells)) for part in lines), f"{standing.state.name}: {word}", "esc closes")


def _dated(at: str, text: str, cells: int) -> list[Line]:
    first, *rest = wrapped(text, max(cells - WALL_CELLS, 8))
    return [(Part(at.ljust(WALL_CELLS), Style.MUTED), *first), *((Part(" " * WALL_CELLS), *more) for more in rest)]
