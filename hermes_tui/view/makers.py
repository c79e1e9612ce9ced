"""Who runs a new session, where several can."""

from collections.abc import Sequence

from hermes_tui.core.snapshot import Snapshot
from hermes_tui.view.choosing import Choice, Page, page_body
from hermes_tui.view.line import Body


def makers_body(makers: Sequence[Snapshot], cells: int) -> Body:
    """Return the page that asks who runs a new session: one row for each source that can."""
    choices = tuple(Choice(one.source, one.source, one.runs_new or "") for one in makers)
    return page_body(Page("New session: who runs it?", "", choices), cells)
