"""Panel 3: the way back of the selected session, and the acts as buttons."""

from collections.abc import Callable
from typing import ClassVar

from hermes_tui.core.acts import Command
from hermes_tui.core.preview import Preview
from hermes_tui.core.prompting import any_switch
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.actions import BUTTONS, SWITCH_MODEL
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment, Selection, Standing
from hermes_tui.view.wayback import Previews, way_back_body

WayBackMaker = Callable[[Moment, int, Previews], Body]


class WayBackPanel(Panel):
    """Diagnosis, gates, what helps, and what can be done now; with the chain where that has no panel of its own."""

    NUMBER: ClassVar[int] = 3

    def __init__(
        self,
        preview: Callable[[Command], Preview],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._preview = preview
        self.make: WayBackMaker = way_back_body
        self._held: Previews | None = None
        self._held_for: tuple[tuple[Standing, ...], Selection] = ((), Selection())

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the way back depends on: the decisions, and what the session has pending."""
        standing = moment.standing
        if standing is None:
            return (moment,)
        live = standing.state.live
        queued, waiting = (live.queued, live.waiting_until) if live else (0, None)
        decided = (standing.way, standing.diagnosis, standing.state.row, moment.facts)
        whose = (standing.state.owner, standing.state.takes_acts)
        return (self.make, *decided, moment.selection, queued, waiting is not None, whose)

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the way back as the layout wants it."""
        return self.make(moment, cells, self._previews(moment))

    def _previews(self, moment: Moment) -> Previews:
        """Return what the buttons would do; the same answers while the moment's decisions hold."""
        held_for = (moment.standings, moment.selection)
        if self._held is None or self._held_for[0] is not held_for[0] or self._held_for[1] != held_for[1]:
            commands = {action.id: action.command(moment.selection) for action in BUTTONS if action.command}
            if moment.standing is not None:
                commands[SWITCH_MODEL] = any_switch(moment.standing.state.row, moment.facts.configuration)
            self._held = {name: self._preview(command) for name, command in commands.items() if command is not None}
            self._held_for = held_for
        return self._held
