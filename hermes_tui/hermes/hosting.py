"""Sessions of a home that this program runs in a Hermes of its own: what is told of them, and who runs them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from hermes_tui.core.question import Question
from hermes_tui.core.session import Role
from hermes_tui.core.text import PlainText


class Said(Protocol):
    """Something that was said, as it was heard at `at` (epoch seconds)."""

    @property
    def role(self) -> Role:
        """Who said it."""

    @property
    def text(self) -> PlainText:
        """What."""

    @property
    def at(self) -> float:
        """When."""


class HostedSession(Protocol):
    """Where such a session stands; the same object while nothing has changed. Times are epoch seconds."""

    @property
    def conversation(self) -> str:
        """The id of its conversation in the home."""

    @property
    def title(self) -> PlainText:
        """What it was called when it was opened."""

    @property
    def pid(self) -> int:
        """The process that has it."""

    @property
    def started_at(self) -> float:
        """When it was opened."""

    @property
    def in_turn(self) -> bool:
        """Whether a turn runs."""

    @property
    def turn_since(self) -> float | None:
        """When its newest turn began."""

    @property
    def said(self) -> Sequence[Said]:
        """What was said in its newest turn, whether the home has it yet or not."""

    @property
    def text(self) -> PlainText:
        """What has streamed since."""

    @property
    def doing(self) -> PlainText:
        """What its turn is at beside that."""

    @property
    def trouble(self) -> PlainText:
        """What went wrong last."""

    @property
    def queued(self) -> int:
        """How many prompts wait for the turn to end."""

    @property
    def question(self) -> Question | None:
        """What it waits for."""


Lost = Callable[[HostedSession, PlainText], None]
"""Is told of a session whose process ended by itself, and how it ended."""


class Host(Protocol):
    """Runs sessions of one home; the first one starts its process, and with the last one it ends.

    What cannot be done raises RefusedError with the reason, NothingReachableError where Hermes does not answer.
    """

    def sessions(self) -> Mapping[str, HostedSession]:
        """Return the sessions that are open, by the id of the conversation."""

    async def start(self, title: str, prompt: str) -> None:
        """Begin a conversation, with its first prompt if any."""

    def ready(self) -> AbstractAsyncContextManager[None]:
        """Have the process run meanwhile, which takes seconds to start."""

    async def open(self, conversation: str, title: str, prompt: str) -> None:
        """Go on with a conversation that nobody has open, with a prompt."""

    async def prompt(self, conversation: str, prompt: str) -> bool:
        """Send a prompt, or keep it until the turn has ended; tell whether it waits."""

    async def stop(self, conversation: str) -> None:
        """Stop the turn that runs."""

    async def answer(self, conversation: str, key: str, answer: str) -> None:
        """Answer the question with that key."""

    async def let_go(self, conversation: str) -> None:
        """Close a session; the home keeps its conversation."""

    async def end(self) -> None:
        """End the process, and with it all sessions."""


OpenHost = Callable[[Callable[[], None], Lost], Host]
"""Makes a host that calls the first whenever a session is to be told anew, and the second for each that is lost."""
