"""Every action of the chain editor in one table: its keys, buttons and help come from here."""

from dataclasses import dataclass
from typing import Final

from hermes_tui.core.keymap import word_of
from hermes_tui.view.line import EMPTY, Body, Line, Part, Row, Style, line, line_width, side_by_side, wrapped

KEY_CELLS: Final = 24


@dataclass(frozen=True, slots=True)
class Edit:
    """One action of the editor. `keys` work everywhere, `letters` beside the text only: within it they are text.

    `button` tells that it is always in sight.
    """

    id: str
    label: str
    help: str
    letters: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    button: bool = True

    def word(self, *, in_text: bool) -> str:
        """Return the key to press as a person reads it, empty where there is none."""
        there = self.keys if in_text else (*self.letters, *self.keys)
        return word_of(there[0]) if there else ""


EDITS: Final = (
    Edit("add", "Add", "Asks for a new entry, and puts it after the marked one.", ("a", "insert")),
    Edit("open", "Edit", "Opens the marked entry as a form; on a finding, goes to its line.", ("enter",)),
    Edit("remove", "Remove", "Takes the marked entry out.", ("d", "delete")),
    Edit("earlier", "Up", "Moves the marked entry towards the primary.", ("K", "shift+up"), ("alt+up",)),
    Edit("later", "Down", "Moves the marked entry towards the end.", ("J", "shift+down"), ("alt+down",)),
    Edit("undo", "Undo", "Takes back the last change, of the rows or of the text.", ("u",), ("ctrl+z",)),
    Edit("redo", "Redo", "Makes again what was taken back.", ("U",), ("ctrl+y",)),
    Edit(
        "test",
        "Test",
        "Asks every server of the chain as it stands in the text, saved or not: no prompt, no token.",
        ("t",),
        ("ctrl+t",),
    ),
    Edit(
        "whose", "Whose", "Chooses the chain: the file's, or a session's own; gives a session one.", ("o",), ("ctrl+o",)
    ),
    Edit("mend", "Mend", "Corrects the first finding that can be corrected without you.", (), ("f3",), button=False),
    Edit("explain", "Explain", "Says what the key under the text's cursor means.", (), ("f2",)),
    Edit("changes", "Changes", "Shows the lines in which the text differs from the file.", (), ("f4",), button=False),
    Edit("save", "Save", "Writes the text into the file and puts it in force, once nothing is wrong.", (), ("ctrl+s",)),
    Edit("read_again", "Read again", "Takes the file's text again.", (), ("ctrl+r",), button=False),
    Edit(
        "next_part", "Next part", "Goes from the text to the rows, to the check, and back.", (), ("tab",), button=False
    ),
    Edit("previous_part", "Part before", "Goes the other way round.", (), ("shift+tab",), button=False),
    Edit("help", "Help", "Shows these keys.", ("question_mark",), ("f1",)),
    Edit("close", "Close", "Goes back to the dashboard; asks while something is not saved.", (), ("escape", "ctrl+q")),
)
"""Every action, in the order of the buttons and of the help."""

EDIT_BY_ID: Final = {edit.id: edit for edit in EDITS}

PARTS: Final = {"text": "Text", "entries": "Rows", "check": "Check"}
"""The parts of the editor by their identity, each with its name."""

PART_ACT: Final = "part:"


def buttons(cells: int, *, in_text: bool, save: str, only: str | None) -> tuple[Line, ...]:
    """Return the buttons in lines of `cells` cells; `save` is what stands in the way of saving.

    `only` is the one part that there is room for, None where all are in sight: then those of the rows stay, too.
    """
    shown = [edit for edit in EDITS if edit.button and (only is None or edit.word(in_text=in_text))]
    pieces = [_button(edit, in_text, save if edit.id == "save" else "") for edit in shown]
    return (
        *((_tabs(only),) if only is not None else ()),
        *((Part(" "), *row) for row in side_by_side(pieces, cells - 1)),
    )


def _tabs(only: str) -> Line:
    parts = [Part(" ")]
    for part, name in PARTS.items():
        style = Style.KEY if part == only else Style.MUTED
        parts += [Part(f"[{name}]" if part == only else f" {name} ", style, f"{PART_ACT}{part}")]
    return (*parts, Part("  tab", Style.KEY, "next_part"))


def _button(edit: Edit, in_text: bool, more: str) -> Line:
    key, label = edit.word(in_text=in_text), f"{edit.label}{more}"
    return (*((Part(key, Style.KEY, edit.id), Part(" ", act=edit.id)) if key else ()), Part(label, act=edit.id))


def edits_help(cells: int) -> Body:
    """Return the help of the editor: every key that works in it now."""
    letters = "Letters, enter, delete and insert work on the rows and the check; within the text they are text."
    rows = [
        *wrapped(letters, cells, Style.MUTED),
        *(one for edit in EDITS for one in _entry(_words(edit), edit.help, cells)),
        *_entry("j k, up down", "Moves the mark; the text goes along, as the mark goes with the text's cursor.", cells),
        EMPTY,
        line("With the mouse", Style.STRONG),
        *_entry("click", "Marks a row, presses a button, goes to a finding's line.", cells),
        *_entry("double click", "Opens the entry as a form.", cells),
        *_entry("drag", "Takes a row to another place; let go outside, nothing moves.", cells),
    ]
    return Body(tuple(Row(one) for one in rows), "Help", "esc closes")


def _words(edit: Edit) -> str:
    return " ".join(map(word_of, (*edit.letters, *edit.keys)))


def _entry(keys: str, meaning: str, cells: int) -> list[Line]:
    room = min(KEY_CELLS, max(cells // 3, 10))
    first, *rest = wrapped(meaning, max(cells - room - 2, 12))
    shown = Part(f"  {keys}".ljust(room), Style.KEY)
    apart = line_width((shown,)) > room
    head = (Part(" " * room) if apart else shown, *first)
    return [*([(shown,)] if apart else []), head, *((Part(" " * room), *more) for more in rest)]
