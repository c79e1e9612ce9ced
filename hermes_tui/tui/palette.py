"""The command palette's entries: every action of the table that applies to the focused panel."""

from collections.abc import Callable

from textual.command import DiscoveryHit, Hit, Hits, Provider

from hermes_tui.core.keymap import NO_CHANGE
from hermes_tui.tui.content import say
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.view.actions import ACTIONS, Action, Group


class ActionProvider(Provider):
    """Finds actions by their label; all texts are constants of the program."""

    def _actions(self) -> list[tuple[Action, str]]:
        chosen = [
            action for action in ACTIONS if action.group is not Group.MOVE and action.id not in ("palette", "back")
        ]
        keymap = screen.moment.keymap if isinstance(screen := self.screen, MainScreen) and screen.moment else NO_CHANGE
        return [(action, f"{action.label}  ({keymap.word(action.id)})") for action in chosen]

    async def discover(self) -> Hits:
        """Offer every action before anything is typed."""
        for action, name in self._actions():
            yield DiscoveryHit(say(name), self._starter(action), text=name, help=None)

    async def search(self, query: str) -> Hits:
        """Offer the actions that match."""
        matcher = self.matcher(query)
        for action, name in self._actions():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, matcher.highlight(name), self._starter(action), text=name)

    def _starter(self, action: Action) -> Callable[[], None]:
        def start() -> None:
            screen = self.screen
            if isinstance(screen, MainScreen):
                screen.action_do(action.id)

        return start
