"""Screens over the dashboard that are kept up to date."""

from typing import Protocol, runtime_checkable

from hermes_tui.view.moment import Moment


@runtime_checkable
class Follower(Protocol):
    """Something that shows the newest moment at every tick."""

    def show(self, moment: Moment) -> None:
        """Show `moment`."""
