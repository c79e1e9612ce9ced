"""The means by which a dashboard tells its user: its terminal, and the user's command."""

from collections.abc import Callable, Sequence

from hermes_tui.commands.hook import Hook
from hermes_tui.commands.telling import Means
from hermes_tui.core.errors import StateError
from hermes_tui.core.ports import Clock, Owners
from hermes_tui.core.telling import Occasion, Telling
from hermes_tui.tui.app import HermesApp
from hermes_tui.view.telling import Notice


def by_terminal(app: HermesApp, telling: Callable[[], Telling]) -> Means:
    """Return what rings and notifies in the terminal of `app`, as `telling` says when it is time."""

    async def alert(notices: Sequence[Notice]) -> None:
        now = telling()
        await app.alert((notice.text for notice in notices), bell=now.bell, desktop=now.desktop)

    return alert


def by_command(app: HermesApp, telling: Callable[[], Telling], clock: Clock) -> Means:
    """Return what runs the user's command; its faults are told on the screen of `app`."""
    return Hook(lambda: telling().command, clock, lambda fault: app.tell(fault, grave=True))


def by_one_of_all(means: Means, app: HermesApp, owners: Owners, home: str) -> Means:
    """Return `means` for what several dashboards see of `home`: one of them uses it, and another when that has ended.

    Where that cannot be found out, each does, and says why. A question is seen only where its session runs.
    """

    def is_the_one() -> bool:
        try:
            return owners.acquire(f"telling of {home}")
        except StateError as error:
            app.tell(str(error), grave=True)
            return True

    async def tell(notices: Sequence[Notice]) -> None:
        to_tell = [notice for notice in notices if notice.about == Occasion.ASKS or is_the_one()]
        if to_tell:
            await means(to_tell)

    return tell
