"""The user's acts: commands in the imperative (M39 ... M45)."""

from dataclasses import field

from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SessionCommand:
    """What all acts on one session share; `session` is its name."""

    session: str


@dataclass(frozen=True, slots=True)
class ForceRestore(SessionCommand):
    """Put the primary back for the next request, whatever cooldown and probe say (M39)."""


@dataclass(frozen=True, slots=True)
class ResetChain(SessionCommand):
    """Start the next failure at the first entry again; cooldowns stay (M40)."""


@dataclass(frozen=True, slots=True)
class TakeChain(SessionCommand):
    """Take the file's chain now; a session on a route that is still in it stays there (M44)."""


@dataclass(frozen=True, slots=True)
class UseFallback(SessionCommand):
    """Go to the next route now, and stay there until the user restores (M42)."""


@dataclass(frozen=True, slots=True)
class SwitchModel(SessionCommand):
    """Give the session another requested primary (M43)."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class SendPrompt(SessionCommand):
    """Start a turn with this prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class StopTurn(SessionCommand):
    """Stop the turn that runs."""


@dataclass(frozen=True, slots=True)
class RetryNow(SessionCommand):
    """End the wait before a retry at once."""


@dataclass(frozen=True, slots=True)
class AnswerQuestion(SessionCommand):
    """Answer the question with that key by the id of one of its answers, or by a text of one's own."""

    key: str
    answer: str


@dataclass(frozen=True, slots=True)
class NewSession(SessionCommand):
    """Make a session with this name, like another one where `like` names it, and send its first prompt if any.

    With `every_seconds` it sends the prompt at once and then by itself.
    """

    like: str | None = None
    prompt: str = ""
    every_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RenameSession(SessionCommand):
    """Call the session `name`, wherever it is named."""

    name: str


@dataclass(frozen=True, slots=True)
class ArchiveSession(SessionCommand):
    """Put the session aside: it runs nothing and is out of the list; nothing of it is deleted."""


@dataclass(frozen=True, slots=True)
class BringBack(SessionCommand):
    """Let an archived session be there again."""


@dataclass(frozen=True, slots=True)
class ChangeSchedule(SessionCommand):
    """Let the session send `prompt` by itself every so many seconds, or no more (None)."""

    every_seconds: float | None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class ResetCooldown:
    """End one credential's cooldowns, never its siblings' (M41)."""

    credential: CredentialKey


@dataclass(frozen=True, slots=True)
class ProbeNow:
    """Ask the usage endpoint now; `anyway` although the last verdict still counts (M41)."""

    credential: CredentialKey
    model: str
    anyway: bool = False


@dataclass(frozen=True, slots=True)
class DropVerdict:
    """Forget what the usage endpoint said of one credential: whoever decides by it asks anew (M41)."""

    credential: CredentialKey


@dataclass(frozen=True, slots=True)
class ReloadConfiguration:
    """Read the configuration file again."""


@dataclass(frozen=True, slots=True)
class SaveConfiguration:
    """Write an edited text into the configuration file, if it is still the one with `digest`, and put it in force."""

    text: str = field(repr=False)
    digest: str


OnSession = (
    ForceRestore
    | ResetChain
    | UseFallback
    | SwitchModel
    | SendPrompt
    | StopTurn
    | RetryNow
    | NewSession
    | RenameSession
    | ArchiveSession
    | BringBack
    | ChangeSchedule
)
"""What is done to a session of this program's own, by the process that runs it or makes it."""

Command = (
    OnSession
    | TakeChain
    | AnswerQuestion
    | ResetCooldown
    | ProbeNow
    | DropVerdict
    | ReloadConfiguration
    | SaveConfiguration
)
