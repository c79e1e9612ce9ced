"""The conversation as a provider may be sent it: roles in turn, nothing blank, sealed parts for their issuer alone."""

import json
from collections.abc import Iterable, Sequence

from hermes_tui.core.session import Message, Role
from hermes_tui.providers.dialect import JsonObject, as_list, as_object


def in_turn(messages: Iterable[Message]) -> list[tuple[Role, list[Message]]]:
    """Return the conversation as the strictest server takes it: the user begins and has the last word, roles alternate.

    What one side said in a row is one turn, what is blank is left out.
    """
    turns: list[tuple[Role, list[Message]]] = []
    for message in messages:
        if not message.text or message.text.isspace():
            continue
        if turns and turns[-1][0] is message.role:
            turns[-1][1].append(message)
        elif turns or message.role is Role.USER:
            turns.append((message.role, [message]))
    return turns[:-1] if turns and turns[-1][0] is Role.ASSISTANT else turns


def joined(said: Sequence[Message]) -> str:
    """Return what one side said in a row as one text."""
    return said[0].text if len(said) == 1 else "\n\n".join(message.text for message in said)


def sealed(message: Message, issuer: str) -> Sequence[JsonObject]:
    """Return the sealed parts of `message` that `issuer` made; anyone else's are left out (M12)."""
    if message.opaque is None or message.issuer != issuer:
        return ()
    try:
        parts = json.loads(message.opaque)
    except (ValueError, RecursionError):
        return ()
    return [part for part in map(as_object, as_list(parts)) if part]
