"""Panel 5: the conversation of the selected session."""

from typing import ClassVar

from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.conversation import conversation
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment


class ConversationPanel(Panel):
    """What was said, the reply that streams, and the route that answers."""

    NUMBER: ClassVar[int] = 5

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the conversation depends on."""
        return (moment.standing and moment.standing.state, moment.keymap)

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the conversation."""
        return conversation(moment, cells)
