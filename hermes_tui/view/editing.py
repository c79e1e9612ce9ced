"""Beside the text of the configuration: its chain as rows, what is wrong with it, and who would take it when."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Final, NamedTuple, cast

from hermes_tui.core.editing import Checked, Explained, Finding
from hermes_tui.core.route import Link
from hermes_tui.core.taking import Taking
from hermes_tui.core.text import plain
from hermes_tui.view.cells import cut_name, even, fit
from hermes_tui.view.chain import ENDING_CELLS, STATE_CELLS, ending, outlook
from hermes_tui.view.edits import EDIT_BY_ID, buttons
from hermes_tui.view.examined import TESTED_CELLS, Examined, result_rows, state_parts
from hermes_tui.view.line import ARROW, EMPTY, Body, Line, Part, Row, Style, behind, cut_line, line, wrapped
from hermes_tui.view.moment import Moment
from hermes_tui.view.taking import taking_rows
from hermes_tui.view.words import count

NOTHING_CHECKED: Final = Checked()
NOT_EXAMINED: Final = Examined()

OWNER_ACT: Final = "owner:"
"""What comes before the name of the chosen chain's owner in an act; nothing behind it is the file's."""


class Drag(NamedTuple):
    """A row that the mouse holds: where it was, and where it would land, None where nothing would move."""

    position: int
    to: int | None

    def order(self, count: int) -> list[int]:
        """Return the positions of `count` entries as they would stand, from 1."""
        order = list(range(1, count + 1))
        if self.to is not None:
            order.insert(self.to - 1, order.pop(self.position - 1))
        return order


class Spot(NamedTuple):
    """A row of the check: its place among the rows, and the line of the text that it is about, if any."""

    number: int
    line: int | None = None


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
    examined: Examined = field(default=NOT_EXAMINED)
    changed: bool = False
    elsewhere: bool = False

    @property
    def first_fault(self) -> Finding | None:
        """The first finding that keeps the text from being saved."""
        return next((finding for finding in self.checked.findings if finding.grave), None)

    @property
    def mended(self) -> str | None:
        """The text without the first finding that can be corrected, None where none can."""
        return next((finding.mended for finding in self.checked.findings if finding.mended is not None), None)

    @property
    def links(self) -> tuple[Link, ...]:
        """The routes of the chain that is edited, the primary first; none before the first good check."""
        configuration = self.good.configuration
        if configuration is None:
            return ()
        primary, chain = configuration.routes_of(configuration.plan(self.owner) if self.owner is not None else None)
        return (primary, *chain)

    @property
    def owners(self) -> tuple[str, ...]:
        """The sessions that have a chain of their own."""
        plans = self.good.configuration.sessions if self.good.configuration else ()
        return tuple(plan.name for plan in plans if plan.chain is not None)


def title(editing: Editing) -> str:
    """Return the title of the text: the file, and whether it differs from what is on disk."""
    return f"{editing.name} (changed)" if editing.changed else editing.name


def entries_body(editing: Editing, moment: Moment, cells: int, drag: Drag | None = None) -> Body:
    """Return the chain as rows, keyed by position; the primary stands above, without a key.

    While a row is dragged it stands where it would land, its key being the place that it comes from.
    """
    name = f"Chain of {editing.owner}, its own" if editing.owner is not None else "Chain of the file"
    links = editing.links
    if not links:
        return Body((Row(line("The text must be right before it has rows.", Style.MUTED)),), name)
    order = [0, *(drag.order(len(links) - 1) if drag else range(1, len(links)))]
    rows = [
        Row(_entry(editing, at, "" if drag and at == drag.position else str(number), moment, cells), at or None)
        for number, at in enumerate(order)
    ]
    if len(links) == 1:
        rows.append(Row(line(f"  nothing to fall back to: {EDIT_BY_ID['add'].letters[0]} adds an entry", Style.MUTED)))
    wrong = editing.checked.configuration is None
    foot = wrapped("Correct the text, then the rows can change.", cells, Style.COOLING) if wrong else ()
    return Body(
        tuple(rows), name, _landing(drag) or count(len(links) - 1, "entry", "entries"), _owners(editing, cells), foot
    )


def _landing(drag: Drag | None) -> str:
    if drag is None:
        return ""
    return "let go here: nothing moves" if drag.to in (None, drag.position) else f"to place {drag.to}"


def _owners(editing: Editing, cells: int) -> tuple[Line, ...]:
    """Return the chains to choose from, where there is more than the file's."""
    if not editing.owners:
        return ()
    parts = [Part("o ", Style.KEY, "whose")]
    for owner in (None, *editing.owners):
        chosen = owner == editing.owner
        name = owner if owner is not None else "the file"
        parts.append(
            Part(
                f"[{name}]" if chosen else f" {name} ",
                Style.STRONG if chosen else Style.MUTED,
                f"{OWNER_ACT}{owner or ''}",
            )
        )
    return (cut_line(tuple(parts), cells),)


def _entry(editing: Editing, at: int, number: str, moment: Moment, cells: int) -> Line:
    links = editing.links
    link = links[at]
    state = state_parts(editing.examined, at, links, moment.now)
    if state is None:
        found = outlook(link.route, link.fault, editing.good.configuration, moment)
        state = (found.state.part(STATE_CELLS), ending(found, moment.now))
    room = TESTED_CELLS if editing.examined.results or editing.examined.runs else STATE_CELLS + ENDING_CELLS
    name_cells = max(cells - 3 - room, 8)
    style = Style.PLAIN if number else Style.STRONG
    return (Part(f"{number or ARROW} {fit(cut_name(str(link.route), name_cells), name_cells)} ", style), *state)


def check_body(editing: Editing, now: float, cells: int) -> Body:
    """Return what is wrong, what a test said, and what saving would do; every row is keyed by its spot."""
    rows: list[Row] = []
    if editing.elsewhere:
        rows += _block("! ", "The file was changed elsewhere meanwhile: ctrl+s shows both.", cells, Style.COOLING, None)
    grave: list[Row] = []
    notes: list[Row] = []
    for finding in editing.checked.findings:
        (grave if finding.grave else notes).extend(_said(finding, cells))
    results = tuple(result_rows(editing.examined, editing.links, now, cells))
    for section in (grave, results, tuple(_effects(editing, cells)), notes):
        rows += [*((Row(EMPTY),) if rows and section else ()), *section]
    keyed = (Row(row.line, Spot(number, cast("int | None", row.key))) for number, row in enumerate(rows))
    return Body(tuple(keyed), "Check", _verdict(editing))


def _said(finding: Finding, cells: int) -> Iterator[Row]:
    where = f"line {finding.line}: " if finding.line is not None else ""
    mark, style = ("✗ ", Style.DEAD) if finding.grave else ("! ", Style.COOLING)
    yield from _block(mark, f"{where}{finding.what}", cells, style, finding.line)
    if finding.mended is not None:
        mend = EDIT_BY_ID["mend"]
        yield Row((Part("  "), Part(mend.keys[0], Style.KEY, mend.id), Part(" mends it", act=mend.id)))


def _verdict(editing: Editing) -> str:
    grave = sum(finding.grave for finding in editing.checked.findings)
    if grave:
        return count(grave, "error")
    notes = len(editing.checked.findings)
    return f"can be saved, {count(notes, 'note')}" if notes else "can be saved"


def _effects(editing: Editing, cells: int) -> Iterator[Row]:
    if editing.checked.configuration is None:
        return
    if not editing.changed:
        if not editing.checked.findings:
            yield Row(line("✓ The file is in force as it is.", Style.OK))
    elif not editing.takings:
        yield from _block("✓ ", "If saved: nothing changes for any session.", cells, Style.OK, None)
    else:
        yield Row(line("If saved:", Style.STRONG))
        yield from taking_rows(editing.takings, cells)


def _block(mark: str, text: str, cells: int, style: Style, line: int | None) -> list[Row]:
    """Return a sentence under a mark, folded; its rows are keyed by the line that it is about."""
    return [Row(parts, line) for parts in behind(Part(mark, style), text, cells)]


def keys_lines(editing: Editing, cells: int, *, in_text: bool, only: str | None) -> tuple[Line, ...]:
    """Return the buttons, and with them what stands in the way of saving."""
    fault = editing.first_fault
    first = f" (fix line {fault.line} first)" if fault and fault.line else " (fix it first)" if fault else ""
    return buttons(cells, in_text=in_text, save=first, only=only)


def whose_body(editing: Editing, cells: int) -> Body:
    """Return the chains that can be edited, keyed by a tuple of the owner's name: the file's, then each session's."""
    configuration = editing.good.configuration
    plans = configuration.sessions if configuration else ()
    rows = [Row(cut_line((Part("the file's chain"), *_entries_of(editing, None)), cells), (None,))]
    for plan in plans:
        own = plan.chain is not None
        said = (
            _entries_of(editing, plan.name)
            if own
            else (Part("  takes the file's; enter gives it its own", Style.MUTED),)
        )
        rows.append(Row(cut_line((Part(plan.name), *said), cells), (plan.name,)))
    return Body(tuple(rows), "Whose chain", "enter takes it, esc leaves")


def _entries_of(editing: Editing, owner: str | None) -> Line:
    configuration = editing.good.configuration
    if configuration is None:
        return EMPTY
    _, chain = configuration.routes_of(configuration.plan(owner) if owner is not None else None)
    return (Part(f"  {count(len(chain), 'entry', 'entries')}{', its own' if owner is not None else ''}", Style.MUTED),)


def explained_body(explained: Explained | None, cells: int) -> Body:
    """Return what a key of the file means."""
    if explained is None:
        rows = [Row(one) for one in wrapped("No key that is known stands on this line.", cells, Style.MUTED)]
        return Body(tuple(rows), "What it means", "esc closes")
    parts = (
        (str(explained.key), Style.KEY),
        (str(explained.what), Style.PLAIN),
        (f"Default: {explained.default}", Style.PLAIN),
        (f"Takes: {explained.allowed}", Style.PLAIN),
    )
    rows = [Row(one) for text, style in parts for one in wrapped(text, cells, style)]
    return Body(tuple(rows), "What it means", "esc closes")


def changes_body(file: str, text: str, cells: int) -> Body:
    """Return the lines in which a text differs from its file: what saving would write, and no line besides (C110)."""
    rows = [Row(cut_line(parts, cells)) for parts in difference(file, text)]
    return Body(tuple(rows) or (Row(line("Nothing has changed.", Style.MUTED)),), "Changes", "- the file, + this text")


def difference(theirs: str, mine: str) -> tuple[Line, ...]:
    """Return how my text differs from theirs, as lines."""
    styles = {"-": Style.DEAD, "+": Style.OK, "@": Style.MUTED}
    lines = list(unified_diff(theirs.splitlines(), mine.splitlines(), "theirs", "mine", lineterm="", n=2))[2:]
    return tuple(line(even(plain(text).expandtabs(4)), styles.get(text[:1], Style.PLAIN)) for text in lines)
