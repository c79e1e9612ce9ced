"""Compaction: a conversation that fits, without asking a model (M9)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hermes_tui.core.sealing import unsealed
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass

BYTES_PER_TOKEN: Final = 3
DEFAULT_WINDOW_TOKENS: Final = 128_000


def tokens_of(text: str) -> int:
    """Return the tokens that `text` is taken for: one for each three bytes."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def conversation_tokens(system_prompt: str | None, messages: Sequence[Message]) -> int:
    """Return the tokens that a whole conversation is taken for."""
    return tokens_of(system_prompt or "") + sum(tokens_of(message.text) for message in messages)


@dataclass(frozen=True, slots=True)
class Compacted:
    """A conversation with its middle left out; `left_out` counts the messages that are missing."""

    messages: tuple[Message, ...]
    left_out: int


def compact(messages: Sequence[Message], *, budget_tokens: int) -> Compacted:
    """Keep the first message and the newest that fit into `budget_tokens`, and say how many are left out.

    The newest message is always kept, whatever its size; the first one carries the line that counts the rest. Sealed
    parts are left out: they take room that nobody counts, and may be bound to what stood before them (M12).
    """
    if len(messages) <= 1:
        return Compacted(tuple(messages), 0)
    first, *rest = map(unsealed, messages)
    left = budget_tokens - tokens_of(first.text + _line(len(rest)))
    kept: list[Message] = []
    while rest and (not kept or tokens_of(rest[-1].text) <= left):
        message = rest.pop()
        left -= tokens_of(message.text)
        kept.append(message)
    kept.reverse()
    while rest and len(kept) > 1 and kept[0].role is Role.ASSISTANT:
        rest.append(kept.pop(0))
    if not rest:
        return Compacted((first, *kept), 0)
    return Compacted((replace(first, text=PlainText(first.text + _line(len(rest)))), *kept), len(rest))


def _line(left_out: int) -> str:
    return f"\n\n[{left_out} earlier messages are left out here to fit the model's window.]"


def budget(window_tokens: int | None, attempts: int, conversation: int) -> int:
    """Return the tokens to compact to on attempt number `attempts` (from 1): half, a quarter, an eighth."""
    window = min(window_tokens or DEFAULT_WINDOW_TOKENS, conversation)
    return window >> attempts
