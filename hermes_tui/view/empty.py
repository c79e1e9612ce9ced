"""What a panel says when it has nothing to show: what is missing, why, and the one next step."""

from typing import Final

NO_SESSIONS: Final = "No sessions. Press n to start one."
NO_SELECTION: Final = "No session is selected."
NO_CHAIN: Final = "There is no fallback chain. Add [[fallback_providers]] to the configuration (e opens it)."
NO_CONVERSATION: Final = "Nothing has been said yet. Press i to write a prompt."
NO_CONFIGURATION: Final = "There is no configuration yet. Press e to write one."

NO_CREDENTIALS: Final = (
    "No credentials yet.",
    "",
    "hermes-tui reads them from [providers.*] in {file}.",
    "Press e to open the file.",
    "",
    "Nothing is sent anywhere until you start a session or press p.",
)


def no_credentials(file: str) -> tuple[str, ...]:
    """Return the lines for a configuration without any credential."""
    return tuple(text.replace("{file}", file) for text in NO_CREDENTIALS)


def nothing_matches(what: str, sought: str) -> str:
    """Return the sentence for a filter that hides everything: `No session matches "foo". esc clears the filter.`"""
    return f'No {what} matches "{sought}". esc clears the filter.'


def one_link(provider: str, file: str) -> str:
    """Return the sentence for a chain of the primary alone."""
    return f"Only {provider} is configured: nothing to fall back to. Add [[fallback_providers]] in {file} (e)."


def nothing_to_restore(session: str) -> str:
    """Return the sentence for a session that never left its primary."""
    return f"Nothing to restore: {session} is on its first provider."


def no_events(since: str) -> str:
    """Return the sentence for an empty timeline."""
    return f"Nothing has happened since {since}."


def all_cooling(number: int, first: str, left: str, at: str) -> str:
    """Return the banner for credentials that all cool down."""
    what = "The only credential is" if number == 1 else f"All {number} credentials are"
    return f"{what} cooling. First back: {first} in {left} ({at}). Press p to ask now."


def all_dead(last: str, story: str) -> str:
    """Return the banner for credentials that are all dead: the story of the one that died last."""
    return f"No credential can be used. {last}: {story}"


def engine_stopped(why: str, at: str) -> str:
    """Return the line for an engine that no longer runs."""
    return f"The engine stopped: {why}. Numbers below are from {at}. R restarts it."


def too_small(width: int, height: int, least: tuple[int, int]) -> str:
    """Return the sentence for a terminal that holds no panel."""
    return f"too small: {width}x{height}, hermes-tui needs {least[0]}x{least[1]}. q quits."
