"""The command palette's entries: every action of the table that applies to the focused panel."""

from collections.abc import Callable
from typing import NamedTuple

from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from hermes_tui.core.keymap import NO_CHANGE
from hermes_tui.tui.content import say
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.view.actions import ACTIONS, Action, Group


class Palette(CommandPalette, Overlay[None]):
    """Textual's palette, which a burst of keys or a window without room does not end the program with."""

    def _action_command_list(self, action: str) -> None:
        """Move in the list, where it has any room: Textual pages through the lines that it shows."""
        if self.query_one(CommandList).size:
            super()._action_command_list(action)


class Offer(NamedTuple):
    """An action as the palette offers it: its name with its key, and why it cannot be used now, where it cannot."""

    action: Action
    name: str
    why_not: str

    def shown(self, name: Content) -> Content:
        """Return `name`, which may be highlighted, with the reason behind it."""
        return Content.assemble(name, (f"  {self.why_not}", "$hermes-muted")) if self.why_not else name


class ActionProvider(Provider):
    """Finds actions by their label, and says of each why it cannot be used now."""

    def _offers(self) -> list[Offer]:
        screen = self.screen
        if not isinstance(screen, MainScreen):
            return []
        keymap = screen.moment.keymap if screen.moment else NO_CHANGE
        return [
            Offer(action, f"{action.label}  ({keymap.word(action.id)})", screen.deeds.why_not(action))
            for action in ACTIONS
            if action.group is not Group.MOVE and action.id not in ("palette", "back")
        ]

    async def discover(self) -> Hits:
        """Offer every action before anything is typed."""
        for offer in self._offers():
            yield DiscoveryHit(offer.shown(say(offer.name)), self._starter(offer.action), text=offer.name, help=None)

    async def search(self, query: str) -> Hits:
        """Offer the actions that match."""
        matcher = self.matcher(query)
        for offer in self._offers():
            score = matcher.match(offer.name)
            if score > 0:
                name = offer.shown(matcher.highlight(offer.name))
                yield Hit(score, name, self._starter(offer.action), text=offer.name)

    def _starter(self, action: Action) -> Callable[[], None]:
        """Return what starts `action`, once, however often enter was pressed before the palette was gone."""
        waiting = [action.id]

        def start() -> None:
            screen = self.screen
            if waiting and isinstance(screen, MainScreen):
                screen.action_do(waiting.pop())

        return start
