"""The chat completions dialect: what most providers and every local server speak."""

from collections.abc import Iterable, Sequence

from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.route import Route
from hermes_tui.core.session import Message
from hermes_tui.providers.dialect import (
    CUT_OFF,
    NO_TEXT,
    NOT_JSON,
    JsonObject,
    Piece,
    Trouble,
    as_count,
    as_list,
    as_object,
    error_in,
    parsed,
    refused,
)
from hermes_tui.providers.sse import Frame


class ChatCompletions:
    """Requests and replies of `POST {base}/chat/completions`."""

    def url(self, route: Route) -> str:
        """Return the URL that requests of `route` are posted to."""
        return f"{route.base_url.rstrip('/')}/chat/completions"

    def headers(self, token: str | None) -> dict[str, str]:  # noqa: ARG002 the protocol's shape
        """Return no further headers."""
        return {}

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the JSON body: the system prompt, then the conversation with its roles in turn."""
        system = [{"role": "system", "content": request.system_prompt}] if request.system_prompt else []
        return {
            "model": request.route.model,
            "messages": [*system, *_in_turn(request.messages)],
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def reader(self) -> "ChatReader":
        """Return a reader for one reply."""
        return ChatReader()


def _in_turn(messages: Iterable[Message]) -> list[dict[str, str]]:
    """Merge neighbours of one role: several servers refuse roles that do not alternate."""
    merged: list[dict[str, str]] = []
    for message in messages:
        if not message.text:
            continue
        if merged and merged[-1]["role"] == message.role.value:
            merged[-1]["content"] += f"\n\n{message.text}"
        else:
            merged.append({"role": message.role.value, "content": message.text})
    return merged


class ChatReader:
    """Interprets one chat completion, streamed or whole."""

    def __init__(self) -> None:
        self.complete = False
        self._ended = False
        self._has_text = False
        self._usage: JsonObject = {}

    def read(self, frame: Frame) -> Sequence[Piece]:
        """Return the chunks in one frame: text, signs of thought, or trouble."""
        if frame.data == "[DONE]" and frame.event != "error":
            self.complete = self._ended = True
            return ()
        payload = parsed(frame.data) if frame.data else None
        trouble = error_in(frame, payload)
        if trouble is not None:
            return (trouble,)
        if payload is None:
            return (NOT_JSON,) if frame.data else ()
        self._usage = as_object(payload.get("usage")) or self._usage
        choices = as_list(payload.get("choices"))
        return self._choice(as_object(choices[0]), "delta", frame.data) if choices else ()

    def read_whole(self, payload: JsonObject) -> Sequence[Piece]:
        """Return the chunks of a reply that was not streamed."""
        self.complete = self._ended = True
        self._usage = as_object(payload.get("usage"))
        choices = as_list(payload.get("choices"))
        return self._choice(as_object(choices[0]), "message", "") if choices else (NO_TEXT,)

    def finish(self) -> Piece:
        """Return the end of the reply with its token counts, or why it is none."""
        if not self._ended:
            return CUT_OFF
        if not self._has_text:
            return NO_TEXT
        return ReplyFinished(
            input_tokens=as_count(self._usage.get("prompt_tokens")),
            output_tokens=as_count(self._usage.get("completion_tokens")),
        )

    def _choice(self, choice: JsonObject, key: str, raw: str) -> list[Piece]:
        said = as_object(choice.get(key))
        pieces: list[Piece] = []
        text = _text(said.get("content"))
        if text:
            self._has_text = self._has_text or not text.isspace()
            pieces.append(TextReceived(text))
        elif said.get("reasoning_content") or said.get("reasoning"):
            pieces.append(ThoughtReceived())
        refusal = said.get("refusal")
        reason = choice.get("finish_reason")
        if refusal:
            pieces.append(refused(str(refusal)))
        elif reason in ("content_filter", "refusal", "safety"):
            pieces.append(refused(""))
        elif reason == "error":
            pieces.append(Trouble(raw or "the reply ended in an error"))
        elif reason:
            self._ended = True
        return pieces


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = (as_object(part) for part in as_list(content))
    return "".join(text for part in parts if isinstance(text := part.get("text"), str))
