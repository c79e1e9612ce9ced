"""What a panel says when it has nothing to show: what is missing, why, and the one next step."""

from collections.abc import Sequence
from typing import Final

from hermes_tui.core.keymap import Keymap

NO_SELECTION: Final = "No session is selected."
NAMED: Final = 2
"""More sessions than these are counted and not named."""


def no_sessions(keymap: Keymap, archived: int = 0) -> str:
    """Return the sentence for a dashboard without sessions, beside so many archived ones."""
    aside = f" {keymap.word('show_archived')} shows the {archived} archived." if archived else ""
    return f"No sessions. Press {keymap.word('new_session')} to start one.{aside}"


def no_conversation(keymap: Keymap, *, here: bool) -> str:
    """Return the sentence for a session that nothing was said to; `here` tells whether it can be written to."""
    return "Nothing has been said yet." + (f" Press {keymap.word('prompt')} to write a prompt." if here else "")


def abandoned(names: Sequence[str], keymap: Keymap) -> str:
    """Return the line for sessions whose process has ended."""
    told = f"{len(names)} sessions" if len(names) > NAMED else " and ".join(names)
    them = "it" if len(names) == 1 else "them"
    return f"Nobody runs {told} now: the process that did has ended. {keymap.word('reload')} runs {them} here."


def no_configuration(keymap: Keymap) -> str:
    """Return the sentence for a program without a file."""
    return f"There is no configuration yet. Press {keymap.word('edit_chain')} to write one."


def no_credentials(file: str, keymap: Keymap) -> tuple[str, ...]:
    """Return the lines for a configuration without any credential."""
    return (
        "No credentials yet.",
        "",
        f"hermes-tui reads them from [providers.*] in {file}.",
        f"Press {keymap.word('edit_chain')} to open the file.",
        "",
        f"Nothing is sent anywhere until you start a session or press {keymap.word('probe')}.",
    )


def nothing_matches(what: str, sought: str) -> str:
    """Return the sentence for a filter that hides everything: `No session matches "foo". esc clears the filter.`"""
    return f'No {what} matches "{sought}". esc clears the filter.'


def one_link(provider: str, file: str, keymap: Keymap) -> str:
    """Return the sentence for a chain of the primary alone."""
    key = keymap.word("edit_chain")
    return f"Only {provider} is configured: nothing to fall back to. Add [[fallback_providers]] in {file} ({key})."


def nothing_to_restore(session: str) -> str:
    """Return the sentence for a session that never left its primary."""
    return f"Nothing to restore: {session} is on its first provider."


def no_events(since: str) -> str:
    """Return the sentence for an empty timeline."""
    return f"Nothing has happened since {since}."


def all_cooling(number: int, first: str, left: str, at: str, keymap: Keymap) -> str:
    """Return the banner for credentials that all cool down."""
    what = "The only credential is" if number == 1 else f"All {number} credentials are"
    return f"{what} cooling. First back: {first} in {left} ({at}). Press {keymap.word('probe')} to ask now."


def all_dead(last: str, story: str) -> str:
    """Return the banner for credentials that are all dead: the story of the one that died last."""
    return f"No credential can be used. {last}: {story}"


def engine_stopped(why: str, at: str, keymap: Keymap) -> str:
    """Return the line for an engine that no longer runs."""
    return f"The engine stopped: {why}. Numbers below are from {at}. {keymap.word('reload')} restarts it."


def too_small(width: int, height: int, least: tuple[int, int], keymap: Keymap) -> str:
    """Return the sentence for a terminal that holds no panel."""
    needed = f"{least[0]}x{least[1]}"
    return f"Terminal is {width}x{height}; hermes-tui needs {needed}. {keymap.word('quit')} quits."
