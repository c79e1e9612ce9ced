"""Strictness: what each API checks in a request before it answers, and how it says that something is wrong.

As strict as the strictest server of each kind: whoever passes here is refused nowhere for the form of a conversation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from hermes_tui.core.known_providers import provider_behind
from hermes_tui.simulator.account import Account, Provider
from hermes_tui.simulator.mode import Dialect
from hermes_tui.simulator.refusal import Refusal, error_body
from hermes_tui.simulator.sealing import Seal


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a model: its API, its JSON body, its headers, and whose it is."""

    dialect: Dialect
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    provider: Provider
    account: Account | None

    @property
    def seal(self) -> Seal | None:
        """What the reply's reasoning is sealed with, None where none may be sent: Codex encrypts it when asked to."""
        match self.dialect:
            case Dialect.ANTHROPIC_MESSAGES:
                return self.seal_after(len(_objects(self.body, "messages")))
            case Dialect.CODEX_RESPONSES if "reasoning.encrypted_content" in (self.body.get("include") or ()):
                return self.seal_after(0)
            case _:
                return None

    def seal_after(self, count: int) -> Seal:
        """Return the seal on what follows the first `count` messages."""
        account = self.account.label if self.account else ""
        before = (self.body.get("system"), *_objects(self.body, "messages")[:count]) if count else ()
        return Seal(f"{self.provider.name}/{account}/{self.body['model']}", before)


def refusal_of_form(asked: Asked) -> Refusal | None:
    """Return what is answered to a request that its API does not take, None for one that it does."""
    return next(_CHECKS[asked.dialect](asked), None)


def _chat(asked: Asked) -> Iterator[Refusal]:
    messages = _objects(asked.body, "messages")
    if "stream_options" in asked.body and not provider_behind(asked.provider.name).counts_tokens:
        detail = {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}
        yield Refusal(422, {"object": "error", "message": {"detail": [detail]}, "type": "invalid_request_error"})
    spoken = messages[1:] if messages and messages[0].get("role") == "system" else messages
    for place, message in enumerate(messages):
        if set(message) != {"role", "content"} or _blank(message.get("content")):
            yield _openai(f"messages[{place}] must have a role and content, and nothing else")
    yield from map(_openai, _disorder(spoken))


def _codex(asked: Asked) -> Iterator[Refusal]:
    body, items = asked.body, _objects(asked.body, "input")
    if _blank(body.get("instructions")):
        yield Refusal(400, {"detail": "Instructions are required"})
    if body.get("store") is not False:
        yield Refusal(400, {"detail": "Store must be set to false"})
    if not items:
        yield _openai("One of 'input' or 'previous_response_id' must be provided.")
    for item, following in zip(items, [*items[1:], {}], strict=True):
        if item.get("type") == "reasoning":
            thought = str(item.get("encrypted_content"))
            text, _, mark = thought.rpartition(".")
            if mark != asked.seal_after(0).mark(text):
                words = f"The encrypted content {thought[:4]}...{thought[-4:]} could not be verified."
                yield Refusal(400, error_body(words, "invalid_request_error", "invalid_encrypted_content"))
            if (following.get("type"), following.get("role")) not in (("reasoning", None), ("message", "assistant")):
                yield _openai("Item of type 'reasoning' was provided without its required following item.")
        elif wrong := _wrong_item(item):
            yield _openai(wrong)


def _wrong_item(item: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a message; its type may be left out, and its content be a plain text."""
    kinds = {"user": "input_text", "assistant": "output_text"}
    kind = kinds.get(str(item.get("role")))
    content = item.get("content")
    parts = [{"type": kind, "text": content}] if isinstance(content, str) else _objects(item, "content")
    if item.get("type", "message") != "message" or kind is None or not parts:
        return f"Invalid value: {item.get('type')!r}."
    if any(part.get("type") != kind or _blank(part.get("text")) for part in parts):
        return f"Invalid content of a message by {item['role']}."
    return None


def _anthropic(asked: Asked) -> Iterator[Refusal]:
    messages = _objects(asked.body, "messages")
    if "anthropic-version" not in asked.headers:
        yield _invalid("anthropic-version: header is required")
    bound = asked.body.get("max_tokens")
    if not isinstance(bound, int) or bound < 1:
        yield _invalid("max_tokens: Field required")
    if "system" in asked.body and _blank(asked.body["system"]):
        yield _invalid("system: text content blocks must be non-empty")
    yield from map(_invalid, _disorder(messages))
    for number, message in enumerate(messages):
        blocks = _objects(message, "content")
        if not blocks:
            yield _invalid(f"messages.{number}: all messages must have non-empty content")
        for place, block in enumerate(blocks):
            if wrong := _wrong_block(block, asked.seal_after(number)):
                yield _invalid(f"messages.{number}.content.{place}{wrong}")


def _wrong_block(block: Mapping[str, Any], seal: Seal) -> str | None:
    match block:
        case {"type": "text", "text": str(text)}:
            return None if text.strip() else ": text content blocks must contain non-whitespace text"
        case {"type": "thinking", "thinking": str(text), "signature": str(mark)}:
            return None if mark == seal.mark(text) else ": Invalid `signature` in `thinking` block"
        case {"type": "thinking"}:
            return ".thinking.signature: Field required"
        case _:
            return f": Input tag {block.get('type')!r} does not match any of the expected tags"


_CHECKS: Final[Mapping[Dialect, Callable[[Asked], Iterator[Refusal]]]] = {
    Dialect.CHAT_COMPLETIONS: _chat,
    Dialect.CODEX_RESPONSES: _codex,
    Dialect.ANTHROPIC_MESSAGES: _anthropic,
}


def _disorder(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with the order of roles."""
    roles = [message.get("role") for message in messages]
    if not roles:
        yield "messages: at least one message is required"
    if any(role not in ("user", "assistant") for role in roles):
        yield "messages: only user and assistant may speak, after one system message"
    if any(role == following for role, following in pairwise(roles)):
        yield "messages: roles must alternate between user and assistant"
    if roles and (roles[0], roles[-1]) != ("user", "user"):
        yield "messages: the conversation must begin and end with a user message"


def _objects(table: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = table.get(key)
    return [part if isinstance(part, dict) else {} for part in value] if isinstance(value, list) else []


def _blank(value: Any) -> bool:
    return not isinstance(value, str) or not value.strip()


def _openai(message: str) -> Refusal:
    return Refusal(400, error_body(message, "invalid_request_error", None))


def _invalid(message: str) -> Refusal:
    return Refusal(400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}})
