"""Ports: what the engine needs from the outside, as protocols that the other parts fill."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Protocol, Self, TypeVar

from hermes_tui.core.acts import OnSession
from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.decision import Decision
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import Event
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import Failure
from hermes_tui.core.route import Route
from hermes_tui.core.secret import Secret
from hermes_tui.core.session import Message
from hermes_tui.core.snapshot import Live
from hermes_tui.core.telling import Telling
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass
from hermes_tui.core.verdict import Reading

T = TypeVar("T")


class Watchdog(Protocol):
    """A limit on silence, touched by every sign of life."""

    async def __aenter__(self) -> Self:
        """Begin to wait."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; raises TimeoutError where the silence was too long."""

    def touch(self, seconds: float) -> None:
        """Start waiting anew, from now on for `seconds`."""


class Clock(Protocol):
    """The one clock of an engine. `now` is epoch seconds; waits are seconds of that same clock."""

    def now(self) -> float:
        """Return the time in epoch seconds."""

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`."""

    def timeout(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """Return a context that raises TimeoutError when it takes longer than `seconds`."""

    def watchdog(self, seconds: float) -> Watchdog:
        """Return a context that raises TimeoutError when nothing touches it for `seconds`."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model: where, with what instructions, and the conversation so far, oldest first.

    `timeout_seconds` bounds connecting, and each read and write; the stall limits are the engine's. `account` is the
    credential's.
    """

    route: Route
    system_prompt: str | None
    messages: tuple[Message, ...]
    timeout_seconds: float
    account: str = ""

    @property
    def issuer(self) -> str:
        """Who seals the reply's opaque history, and alone accepts it again (M12)."""
        return self.route.issuer(self.account)


@dataclass(frozen=True, slots=True)
class TextReceived:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtReceived:
    """A sign of life that is not text: the model reasons."""


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """The stream said that it is complete. `opaque` is JSON that only its issuer accepts (M12)."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    opaque: str | None = None


Chunk = TextReceived | ThoughtReceived | ReplyFinished


class Wire(Protocol):
    """One session's connection to providers: one client, never shared."""

    def stream(self, request: ModelRequest, secret: Secret | None) -> AsyncGenerator[Chunk, None]:
        """Send `request` and yield the reply; the last chunk is `ReplyFinished`.

        Raises RequestError, classified, for everything else: nothing received before it is an answer (M4).
        """

    async def rebuild(self) -> None:
        """Close the client and its connections, and make new ones (M3, M6)."""

    async def close(self) -> None:
        """Close the client for good."""


class Usages(Protocol):
    """Asks usage endpoints; one for all sessions. Sends no prompt and refreshes no token (M36)."""

    async def read(self, route: Route, secret: Secret) -> Reading:
        """Return what the endpoint says for the route's model; every failure is a reading of `unknown`."""

    async def close(self) -> None:
        """Close the client."""


class Catalogues(Protocol):
    """Asks servers for the models that they list; spends no token."""

    async def read(self, route: Route, secret: Secret | None) -> Catalogue | Failure:
        """Return the models that the route's server lists to `secret`, or why it lists none; never raises."""

    async def close(self) -> None:
        """Close the client."""


class Keyring(Protocol):
    """Knows the secrets behind the configuration's credentials."""

    def secret(self, key: CredentialKey) -> Secret | None:
        """Return the secret of a credential, None where the provider needs none."""

    def redact(self, text: str) -> PlainText:
        """Return foreign text with every known secret taken out, plain."""

    async def ask(self, pool: str, *, again: bool = False) -> None:
        """Run the commands that print the keys of a pool and were not asked yet, with `again` all of them.

        What they bring is found by whoever reads the file the next time.
        """

    def forget(self) -> None:
        """Let commands be asked again when their keys are next needed."""


class Ledger(Protocol):
    """The truth: rows and their events, on disk, shared by processes."""

    @property
    def facts(self) -> Facts:
        """The rows as last read; `refresh` brings what other processes wrote."""

    @property
    def position(self) -> int:
        """The number of the newest journal entry that the facts contain."""

    @property
    def refusal(self) -> StateError | None:
        """Why nothing can be committed, None where it can."""

    def refresh(self) -> bool:
        """Read what other processes wrote since; tell whether anything changed."""

    def commit(self, decide: Callable[[Facts], Decision[T]]) -> T:
        """Run `decide` on the current rows inside one transaction, write its rows and events, return its value."""

    def messages(self, session: str) -> tuple[Message, ...]:
        """Return a session's conversation, oldest first."""

    def recent(self, limit: int, after: int = 0) -> tuple[tuple[int, Event], ...]:
        """Return the newest journal entries beyond number `after`, oldest first."""

    def tail(self, after: int) -> tuple[tuple[int, Event], ...]:
        """Return all journal entries beyond number `after`, oldest first."""

    def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        """Return the journal of `session` and of all credentials since `since`, oldest first; any thread may ask.

        None asks for what tells the course of every session.
        """

    def prune(self, now: float) -> int:
        """Drop a few journal entries that are older than anybody asks for; return how many."""

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after every commit or refresh that changed something; the result unsubscribes."""


class Configured(Protocol):
    """A loaded configuration together with the secrets it refers to, and how the user is told, which no state keeps."""

    @property
    def configuration(self) -> Configuration:
        """What is in force, without secrets."""

    @property
    def keyring(self) -> Keyring:
        """The secrets behind it."""

    @property
    def telling(self) -> Telling:
        """How the user is told of what matters."""


class Running(Protocol):
    """A coroutine that was handed to a spawner."""

    def cancel(self) -> None:
        """Ask it to end."""

    async def wait(self) -> None:
        """Wait until it has ended, however it ends."""


class Spawner(Protocol):
    """Runs a session's coroutine: a Textual worker in the app, a task in a headless run."""

    def spawn(self, name: str, work: Coroutine[object, object, None]) -> Running:
        """Start `work` under `name`."""


class Owners(Protocol):
    """Knows which process runs a session, or does what one at a time may do; the kernel releases a dead one's."""

    def acquire(self, session: str) -> bool:
        """Make this process the one that runs `session`; tell whether it is."""

    def owner(self, session: str) -> int | None:
        """Return the process id that runs `session`, None where nobody does."""

    def release(self, session: str) -> None:
        """Give up `session`."""

    def release_all(self) -> None:
        """Give up every session of this process."""


class Neighbours(Protocol):
    """Asks the other processes of a state, which run sessions too. It blocks, and is made to run in threads."""

    def lives(self, pid: int) -> Mapping[str, Live]:
        """Return what is on no disk of the sessions that process `pid` runs, by name; one that rests is left out.

        Raises NothingReachableError where it does not answer, RefusedError with the reason where it must not be asked.
        """

    def execute(self, pid: int, command: OnSession) -> PlainText:
        """Have process `pid` do `command`; return what it did in one sentence.

        Raises RefusedError with its reason, NothingReachableError where nobody knows whether it was done.
        """
