"""A session's conversation as one turn sees it, and how it is shown while it grows."""

from collections.abc import Callable
from dataclasses import dataclass

from hermes_tui.core.compaction import Compacted, budget, compact, conversation_tokens
from hermes_tui.core.route import Route
from hermes_tui.core.sealing import unsealed
from hermes_tui.core.session import Message


@dataclass(slots=True)
class Conversation:
    """The messages so far. `on_attempt` is called when a request goes out, `on_wait` with the end of a wait."""

    system_prompt: str | None
    messages: tuple[Message, ...]
    on_text: Callable[[str], None]
    on_attempt: Callable[[], None]
    on_wait: Callable[[float | None], None]

    def add(self, message: Message) -> None:
        """Go on with one more message."""
        self.messages = (*self.messages, message)

    def unseal(self, issuer: str) -> None:
        """Go on without what `issuer` sealed (M12)."""
        self.messages = tuple(unsealed(said) if said.issuer == issuer else said for said in self.messages)

    def tokens(self) -> int:
        """Return the size of the conversation in tokens."""
        return conversation_tokens(self.system_prompt, self.messages)

    def fitting(self, route: Route, attempts: int) -> Compacted:
        """Return the messages for `route` after `attempts` times of compacting (M9)."""
        if not attempts:
            return Compacted(self.messages, 0)
        return compact(self.messages, budget_tokens=budget(route.context_length, attempts, self.tokens()))
