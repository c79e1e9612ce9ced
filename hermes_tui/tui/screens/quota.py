"""The quotas of all accounts over the whole screen; opening it asks nobody."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.keymap import DEFAULT
from hermes_tui.tui.screens.overlay import Overlay
from hermes_tui.tui.widgets.keys_bar import KeysBar
from hermes_tui.tui.widgets.panel import Panel
from hermes_tui.view.actions import BY_ID
from hermes_tui.view.line import Body
from hermes_tui.view.moment import Moment, selection_for
from hermes_tui.view.quota import account_key, quota_keys, quotas

if TYPE_CHECKING:
    from hermes_tui.tui.app import HermesApp


class QuotaPanel(Panel):
    """The accounts; its cursor says which one is asked about."""

    def stamp(self, moment: Moment) -> tuple[object, ...]:
        """Return what the bars depend on; countdowns move once a second."""
        return (moment.facts, moment.known, moment.selection, int(moment.now))

    def body(self, moment: Moment, cells: int) -> Body:
        """Return the quotas."""
        return quotas(moment, cells)


class QuotaScreen(Overlay[None]):
    """Shows the quotas at every moment, until esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+q", "close", "Close", show=False, priority=True),
        Binding(",".join(DEFAULT["quota"]), "close", "Close", show=False, priority=True, id="quota"),
        Binding(",".join(DEFAULT["probe"]), "probe('probe')", "Probe", show=False, id="probe"),
        Binding(
            ",".join(DEFAULT["probe_anyway"]), "probe('probe_anyway')", "Probe anyway", show=False, id="probe_anyway"
        ),
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
    ]

    def __init__(self, app: "HermesApp", moment: Moment) -> None:
        super().__init__()
        self._app, self._moment = app, moment
        self._panel = QuotaPanel(id="quotas")
        self._panel.on_marked = lambda _: self.show(self._moment)
        self._keys = KeysBar(lambda now, cells: (quota_keys(cells, now.keymap),), id="quota-keys")

    def compose(self) -> ComposeResult:
        """Lay the quotas over the whole screen."""
        yield self._panel
        yield self._keys

    def on_mount(self) -> None:
        """Let the panel take the keys."""
        self._panel.focus()
        self.show(self._moment)

    def show(self, moment: Moment) -> None:
        """Show `moment`, with the account under the cursor selected: at first the dashboard's."""
        key = cast("CredentialKey | None", self._panel.key) or moment.selection.credential
        chosen = account_key(moment, key)
        self._moment = moment.selecting(selection_for(moment.snapshot, moment.selection.session, chosen))
        self._panel.show(self._moment)
        self._panel.mark(chosen)
        self._keys.show(self._moment)

    def action_probe(self, action: str) -> None:
        """Ask the usage endpoint about the marked account, as the action of the table does."""
        make = BY_ID[action].command
        if make is not None:
            self._app.performer.perform(make(self._moment.selection), "no account is marked that a route asks")

    def action_move(self, by: int) -> None:
        """Move the cursor to another account, or scroll where there is none."""
        self._panel.move(by)

    def action_page(self, by: int) -> None:
        """Move by pages."""
        self._panel.move(by * self._panel.page())

    def action_close(self) -> None:
        """Go back to the dashboard."""
        self.dismiss()
