"""The chain of the text, changed by its rows: what keys, buttons and the mouse do with an entry."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, cast

from hermes_tui.core.editing import AddEntry, ChainChange, Desk, EditEntry, Entry, MoveEntry, OwnChain, RemoveEntry
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.tui.screens.choosing import ChoosingScreen
from hermes_tui.tui.screens.entry_form import EntryForm, Offering
from hermes_tui.view.editing import whose_body
from hermes_tui.view.offering import model_offers, provider_offers
from hermes_tui.view.words import sentence

if TYPE_CHECKING:
    from hermes_tui.tui.screens.editor import EditorScreen


class ChainDeeds:
    """Changes the chain through the desk; whatever is no entry stays as it is in the text."""

    def __init__(self, screen: "EditorScreen", desk: Desk) -> None:
        self._screen = screen
        self._desk = desk

    @property
    def _position(self) -> int | None:
        """The position of the marked entry, None where there is none."""
        return cast("int | None", self._screen.entries.key)

    def edit(self) -> None:
        """Open the marked entry as a form."""
        at = self._position
        if at is not None and self._screen.can_change():
            entry = self._screen.editing.checked.entries[at - 1]
            self._ask(f"Entry {at}", entry, lambda changed: EditEntry(at, changed), at)

    def add(self) -> None:
        """Ask for an entry, and put it after the marked one."""
        if self._screen.can_change():
            at = len(self._screen.editing.checked.entries) + 1 if self._position is None else self._position + 1
            self._ask("New entry", Entry(), lambda entry: AddEntry(entry, at), at)

    def remove(self) -> None:
        """Take the marked entry out."""
        if self._position is not None and self._screen.can_change():
            self._tell(self._change(RemoveEntry(self._position), None))

    def shift(self, by: int) -> None:
        """Move the marked entry by one place, and the mark with it."""
        if self._position is not None and self._screen.can_change():
            self.move(self._position, self._position + by)

    def move(self, position: int, to: int) -> None:
        """Take an entry to another place, and the mark with it."""
        if self._screen.can_change() and 1 <= to <= len(self._screen.editing.checked.entries):
            self._tell(self._change(MoveEntry(position, to), to))

    def mend(self) -> None:
        """Correct the first finding that can be."""
        self._screen.look()
        mended = self._screen.editing.mended
        if mended is None:
            self._screen.program.tell("Nothing here can be corrected without you.", grave=True)
        else:
            self._screen.adopt(mended)

    def choose(self) -> None:
        """Ask whose chain is edited."""
        screen = self._screen
        if not screen.can_change():
            return
        configuration = screen.editing.checked.configuration
        if configuration is not None and not configuration.sessions:
            screen.program.tell("The file has this chain alone: every session takes it.")
        else:
            rows, owner = partial(whose_body, screen.editing), (screen.editing.owner,)
            screen.program.push_screen(ChoosingScreen(rows, screen.moment, owner), self._chosen)

    def _chosen(self, key: Hashable) -> None:
        if key is not None:
            (owner,) = cast("tuple[str | None]", key)
            self.take(owner)

    def take(self, owner: str | None) -> None:
        """Edit the chain of `owner`; a session that has none of its own gets the file's entries as one."""
        screen = self._screen
        if owner is None or owner in screen.editing.owners:
            screen.take_owner(owner)
            return
        try:
            text = self._desk.change(screen.area.text, owner, OwnChain())
        except ConfigurationError as error:
            self._tell(sentence(error.what))
            return
        screen.adopt(text)
        screen.take_owner(owner)
        screen.program.tell(f"{owner} has a chain of its own now; ctrl+z takes that back.")

    def _ask(self, name: str, entry: Entry, change: Callable[[Entry], ChainChange], at: int) -> None:
        screen = self._screen
        configuration, snapshot = screen.editing.checked.configuration, screen.moment.snapshot
        examiner = screen.program.source.examiner
        offering = Offering(
            provider_offers(configuration, self._desk.variables(), self._desk.notation.providers),
            lambda provider, listed: model_offers(provider, snapshot, configuration, listed),
            partial(examiner.models, screen.area.text) if examiner is not None else None,
            self._desk.notation,
        )
        screen.program.push_screen(EntryForm(name, entry, offering, lambda made: self._change(change(made), at)))

    def _change(self, change: ChainChange, at: int | None) -> str | None:
        """Make a change in the text and mark the entry at a position, or return why it cannot be made."""
        screen = self._screen
        owner = screen.editing.owner
        try:
            text = self._desk.change(screen.area.text, owner, change)
        except ConfigurationError as error:
            return sentence(error.what)
        fault = next((finding for finding in self._desk.check(text, owner).findings if finding.grave), None)
        if fault is not None:
            return sentence(fault.what)
        screen.adopt(text)
        if at is not None:
            screen.mark_entry(at)
        return None

    def _tell(self, fault: str | None) -> None:
        if fault is not None:
            self._screen.program.tell(fault, grave=True)
