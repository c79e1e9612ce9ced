"""Beside the text of the configuration: its chain as rows, what is wrong with it, and who would take it when."""

from dataclasses import dataclass
from difflib import unified_diff
from typing import Final

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.editing import Checked, Finding
from hermes_tui.core.route import Link
from hermes_tui.core.taking import Taking
from hermes_tui.view.cells import cut_name, fit
from hermes_tui.view.chain import ENDING_CELLS, STATE_CELLS, Outlook, ending, outlook
from hermes_tui.view.line import EMPTY, Body, Line, Part, Row, Style, cut_line, line, line_width, wrapped
from hermes_tui.view.moment import Moment
from hermes_tui.view.words import count

_ENTRY_KEYS: Final = (("a", "add"), ("enter", "edit"), ("d", "remove"), ("J K", "move"), ("u", "undo"))

NOTHING_CHECKED: Final = Checked()


@dataclass(frozen=True, slots=True)
class Editing:
    """One state of the editor: whose chain it edits (None for the file's), and what its text says.

    `good` is the newest check without a grave finding: what the rows show. `changed` tells that the text is not the
    file's, `elsewhere` that the file was changed by somebody else meanwhile.
    """

    name: str
    owner: str | None
    checked: Checked = NOTHING_CHECKED
    good: Checked = NOTHING_CHECKED
    takings: tuple[Taking, ...] = ()
    changed: bool = False
    elsewhere: bool = False

    @property
    def first_fault(self) -> Finding | None:
        """The first finding that keeps the text from being saved."""
        return next((finding for finding in self.checked.findings if finding.grave), None)


def title(editing: Editing) -> str:
    """Return the title of the text: the file, and whether it differs from what is on disk."""
    return f"{editing.name} (changed)" if editing.changed else editing.name


def entries_body(editing: Editing, moment: Moment, cells: int) -> Body:
    """Return the chain as rows, keyed by position; the primary stands above, without a key."""
    name = f"Chain of {editing.owner} (its own)" if editing.owner else "Chain"
    configuration = editing.good.configuration
    if configuration is None:
        return Body((Row(line("The text must be right before it has rows.", Style.MUTED)),), name)
    primary, chain = configuration.routes_of(configuration.plan(editing.owner) if editing.owner else None)
    rows = [
        Row(
            _entry(number, link, outlook(link.route, link.fault, configuration, moment), moment.now, cells),
            number or None,
        )
        for number, link in enumerate((primary, *chain))
    ]
    if not chain:
        rows.append(Row(line("  nothing to fall back to: a adds an entry", Style.MUTED)))
    return Body(tuple(rows), name, count(len(chain), "entry", "entries"), foot=(EMPTY, *_keys(editing, cells)))


def _entry(position: int, link: Link, found: Outlook, now: float, cells: int) -> Line:
    name_cells = max(cells - 3 - STATE_CELLS - ENDING_CELLS, 8)
    name = fit(cut_name(str(link.route), name_cells), name_cells)
    return (Part(f"{position} {name} "), found.state.part(STATE_CELLS), ending(found, now))


def _keys(editing: Editing, cells: int) -> tuple[Line, ...]:
    if editing.checked.configuration is None:
        return wrapped("Correct the text, then the rows can change.", cells, Style.COOLING)
    lines: list[Line] = [EMPTY]
    for key, word in _ENTRY_KEYS:
        piece = (Part(key, Style.KEY), Part(f" {word}  "))
        if line_width((*lines[-1], *piece)) - 2 > cells:
            lines.append(EMPTY)
        lines[-1] = (*lines[-1], *piece)
    return tuple(lines)


def check_body(editing: Editing, cells: int) -> Body:
    """Return what is wrong, keyed by line so that the cursor can go there, and what saving would do."""
    rows: list[Row] = []
    if editing.elsewhere:
        rows += _block("! ", "The file was changed elsewhere meanwhile: ctrl+s shows both.", cells, Style.COOLING, None)
    for finding in editing.checked.findings:
        where = f"line {finding.line}: " if finding.line is not None else ""
        style = Style.DEAD if finding.grave else Style.COOLING
        rows += _block("✗ " if finding.grave else "! ", f"{where}{finding.what}", cells, style, finding.line)
    if editing.checked.configuration is not None:
        rows += _effects(editing, cells)
    return Body(tuple(rows), "Check", _verdict(editing))


def _verdict(editing: Editing) -> str:
    grave = sum(finding.grave for finding in editing.checked.findings)
    if grave:
        return count(grave, "error")
    notes = len(editing.checked.findings)
    return f"can be saved, {count(notes, 'note')}" if notes else "can be saved"


def _effects(editing: Editing, cells: int) -> list[Row]:
    if not editing.changed:
        return [Row(line("✓ The file is in force as it is.", Style.OK))] if not editing.checked.findings else []
    if not editing.takings:
        return _block("✓ ", "If saved: nothing changes for any session.", cells, Style.OK, None)
    rows = [*([Row(EMPTY)] if editing.checked.findings else []), Row(line("If saved:", Style.STRONG))]
    for taking in editing.takings:
        who = f"{taking.session} " if taking.session else ""
        rows += _block("  ", f"{who}{taking.what} ({taking.when.value})", cells, Style.PLAIN, None)
    return rows


def _block(mark: str, text: str, cells: int, style: Style, key: int | None) -> list[Row]:
    """Return a sentence under a mark, folded; its first line carries the key."""
    lines = wrapped(text, max(cells - 2, 1), Style.PLAIN)
    return [
        Row((Part(mark if not number else "  ", style), *parts), key if not number else None)
        for number, parts in enumerate(lines)
    ]


def keys_line(editing: Editing, cells: int) -> Line:
    """Return the last line: what can be pressed, and what stands in the way of saving."""
    fault = editing.first_fault
    first = f" (fix line {fault.line} first)" if fault and fault.line else " (fix it first)" if fault else ""
    keys = (("ctrl+s", f"save{first}"), ("esc", "close"), ("tab", "text, rows, check"), ("ctrl+r", "read again"))
    parts = [part for key, word in keys for part in (Part(key, Style.KEY), Part(f" {word}  "))]
    return cut_line((Part(" "), *parts), cells)


def difference(theirs: str, mine: str) -> tuple[Line, ...]:
    """Return how my text differs from theirs, as lines."""
    styles = {"-": Style.DEAD, "+": Style.OK, "@": Style.MUTED}
    lines = list(unified_diff(theirs.splitlines(), mine.splitlines(), "theirs", "mine", lineterm="", n=2))[2:]
    return tuple(line(text, styles.get(text[:1], Style.PLAIN)) for text in lines)


def provider_names(configuration: Configuration | None) -> tuple[str, ...]:
    """Return the providers that a configuration has pools for."""
    return tuple(dict.fromkeys(pool.provider for pool in configuration.pools)) if configuration else ()
