"""Every action of the dashboard in one table: footer, buttons, palette and help come from here, their keys from
`core.keymap`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hermes_tui.core.acts import (
    Command,
    DropVerdict,
    ForceRestore,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    RetryNow,
    StopTurn,
    TakeChain,
    UseFallback,
)
from hermes_tui.view.moment import Selection

SWITCH_MODEL: Final = "switch_model"
"""The action that is asked about with an example: what is switched to is typed."""


class Group(StrEnum):
    """Where an action stands in the help."""

    ACT = "Act"
    SHOW = "Show"
    MOVE = "Move"
    APP = "Program"


@dataclass(frozen=True, slots=True)
class Action:
    """One action: its stable identity, its name, and what it does in a sentence.

    `command` makes the command that a source is asked about; None where the screen does it by itself. `panels` are
    the numbers of the panels that it belongs to, none for all. `footer` orders it in the footer, 0 keeps it out.
    """

    id: str
    label: str
    help: str
    group: Group
    command: Callable[[Selection], Command | None] | None = None
    panels: tuple[int, ...] = ()
    footer: int = 0
    button: bool = False
    short: str = ""


def _of_session(make: Callable[[str], Command]) -> Callable[[Selection], Command | None]:
    return lambda selection: make(selection.session) if selection.session is not None else None


def _probe(anyway: bool) -> Callable[[Selection], Command | None]:
    def make(selection: Selection) -> Command | None:
        if selection.credential is None or selection.model is None:
            return None
        return ProbeNow(selection.credential, selection.model, anyway)

    return make


def _drop_verdict(selection: Selection) -> Command | None:
    return DropVerdict(selection.credential) if selection.credential is not None else None


def _reset_cooldown(selection: Selection) -> Command | None:
    return ResetCooldown(selection.credential) if selection.credential is not None else None


ACTIONS: Final = (
    Action(
        "force_restore",
        "Force restore",
        "Puts the primary back for the next request, whatever cooldown and probe say; asks first while the "
        "provider's reset lies ahead.",
        Group.ACT,
        _of_session(ForceRestore),
        footer=4,
        button=True,
        short="Restore",
    ),
    Action(
        "reset_chain",
        "Reset chain",
        "The next failure starts at the chain's first entry again; cooldowns stay.",
        Group.ACT,
        _of_session(ResetChain),
        footer=8,
        button=True,
    ),
    Action(
        "use_fallback",
        "Use next",
        "Goes to the next route of the chain now, and stays there until you restore.",
        Group.ACT,
        _of_session(UseFallback),
        footer=9,
        button=True,
    ),
    Action(
        "take_chain",
        "Take chain",
        "Lets a session that Hermes runs take the edited chain at its next turn, in a cooldown, too; one on a route "
        "that is still there stays.",
        Group.ACT,
        _of_session(TakeChain),
    ),
    Action(
        "probe",
        "Probe",
        "Asks the usage endpoint about the marked credential; sends no prompt and costs no quota.",
        Group.ACT,
        _probe(anyway=False),
        footer=5,
    ),
    Action(
        "probe_anyway",
        "Probe anyway",
        "Asks although the last verdict still counts, at most every ten seconds.",
        Group.ACT,
        _probe(anyway=True),
    ),
    Action(
        "clear_cooldown",
        "Clear cooldown",
        "Ends the marked credential's cooldown, never its siblings'.",
        Group.ACT,
        _reset_cooldown,
        footer=6,
        short="Clear",
    ),
    Action(
        "drop_verdict",
        "Drop verdict",
        "Lets Hermes forget what the usage endpoint said of the marked credential: it asks anew.",
        Group.ACT,
        _drop_verdict,
    ),
    Action(
        "prompt",
        "Prompt",
        "Writes to the session, or answers what it asks; up and down walk through the earlier prompts.",
        Group.ACT,
        footer=7,
    ),
    Action(
        SWITCH_MODEL,
        "Model",
        "Gives the session another primary, as /model provider/model in its prompt does; the file stays as it is.",
        Group.ACT,
        button=True,
    ),
    Action(
        "stop_turn",
        "Stop turn",
        "Stops the turn that runs; what has streamed so far is not kept.",
        Group.ACT,
        _of_session(StopTurn),
        button=True,
        short="Stop",
    ),
    Action(
        "retry_now",
        "Retry now",
        "Ends the wait before the next attempt at once.",
        Group.ACT,
        _of_session(RetryNow),
    ),
    Action(
        "new_session",
        "New session",
        "Makes a session: like another one, or by the clock, if you want.",
        Group.ACT,
        footer=10,
    ),
    Action(
        "rename",
        "Rename",
        "Calls the session otherwise, wherever it is named.",
        Group.ACT,
    ),
    Action("schedule", "Schedule", "Lets the session send a prompt by itself, or no more.", Group.ACT),
    Action(
        "archive",
        "Archive",
        "Puts the session aside, or brings it back; closes one that runs in Hermes. Nothing is lost.",
        Group.ACT,
    ),
    Action("show_archived", "Archived", "Shows the archived sessions below the others, or hides them.", Group.SHOW),
    Action(
        "edit_chain",
        "Edit chain",
        "Opens the fallback chain as rows and as text, checked while you type, saved in place.",
        Group.ACT,
        button=True,
        footer=11,
        short="Edit",
    ),
    Action(
        "edit_file",
        "Edit file",
        "Opens the configuration in $EDITOR, and reads it again after.",
        Group.ACT,
    ),
    Action(
        "reload",
        "Reload",
        "Reads the configuration again; restarts an engine that stopped, and runs what nobody runs.",
        Group.ACT,
        lambda _: ReloadConfiguration(),
    ),
    Action("help", "Help", "Shows the keys and what they do.", Group.APP, footer=1),
    Action("palette", "Commands", "Finds an action by its name.", Group.APP, footer=2),
    Action(
        "filter",
        "Filter",
        "Shows only what contains a text; esc clears it. In the conversation it finds the text in all messages.",
        Group.SHOW,
        panels=(1, 4, 5, 6),
        footer=3,
    ),
    Action("sort", "Sort", "Sorts by the next column.", Group.SHOW, panels=(1, 4)),
    Action("reverse", "Reverse", "Turns the order around.", Group.SHOW, panels=(1, 4)),
    Action("detail", "Detail", "Opens everything that is known about the marked row.", Group.SHOW),
    Action("back", "Back", "Leaves what is open; clears the filter.", Group.SHOW),
    Action("timeline", "Timeline", "Draws which route served when, with what is known to come.", Group.SHOW),
    Action("quota", "Quota", "Shows every account's quota windows with their resets; asks nobody.", Group.SHOW),
    Action("zoom", "Zoom", "Gives the focused panel the whole screen, and back.", Group.SHOW),
    Action("freeze", "Freeze", "Holds the display still; the sessions go on.", Group.SHOW),
    Action(
        "copy",
        "Copy",
        "Copies the marked row, message or block of code to the clipboard; it never holds a secret.",
        Group.SHOW,
    ),
    Action(
        "unfold",
        "Attempts",
        "Shows every request of the turn in sight: credential, outcome, wait, switch; again folds them.",
        Group.SHOW,
        panels=(5,),
    ),
    Action("next_match", "Next match", "Goes to the next place where the text was found.", Group.MOVE, panels=(5,)),
    Action("previous_match", "Match before", "Goes to the place before.", Group.MOVE, panels=(5,)),
    Action("next_message", "Next message", "Goes to the next message.", Group.MOVE, panels=(5,)),
    Action("previous_message", "Message before", "Goes to the message before.", Group.MOVE, panels=(5,)),
    Action("next_panel", "Next panel", "Moves the focus to the next panel.", Group.MOVE),
    Action("previous_panel", "Previous panel", "Moves the focus to the panel before.", Group.MOVE),
    Action("down", "Down", "Moves the mark, or scrolls.", Group.MOVE),
    Action("up", "Up", "Moves the mark, or scrolls.", Group.MOVE),
    Action("first", "First", "Goes to the first row.", Group.MOVE),
    Action("last", "Last", "Goes to the last row.", Group.MOVE),
    Action("page_down", "Page down", "Moves by a page.", Group.MOVE),
    Action("page_up", "Page up", "Moves by a page.", Group.MOVE),
    Action("theme", "Theme", "Takes the next theme: dark, light, safe for colour-blind eyes.", Group.APP),
    Action("quit", "Quit", "Leaves; asks while turns run.", Group.APP, footer=12),
)
"""Every action, in the order of the help. Panels are chosen by their numbers, 1 to 6."""

BY_ID: Final = {action.id: action for action in ACTIONS}

BUTTONS: Final = tuple(action for action in ACTIONS if action.button)
FOOTER: Final = tuple(sorted((action for action in ACTIONS if action.footer), key=lambda action: action.footer))


def in_panel(number: int) -> tuple[Action, ...]:
    """Return the actions that apply while panel `number` has the focus."""
    return tuple(action for action in ACTIONS if not action.panels or number in action.panels)
