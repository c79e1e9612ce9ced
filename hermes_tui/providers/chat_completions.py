"""The chat completions dialect: what most providers and every local server speak."""

from collections.abc import Sequence

from hermes_tui.core.known_provider import KeyHeader
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.providers.dialect import (
    CUT_OFF,
    NO_TEXT,
    JsonObject,
    Piece,
    as_count,
    as_list,
    as_object,
    error_in,
    parsed,
    refused,
    unreadable,
)
from hermes_tui.providers.endings import bad_end
from hermes_tui.providers.history import in_turn, joined
from hermes_tui.providers.sse import Frame


class ChatCompletions:
    """Requests and replies of `POST {base}/chat/completions`."""

    path = "/chat/completions"
    key_header = KeyHeader.BEARER

    def headers(self, token: str | None) -> dict[str, str]:  # noqa: ARG002 the protocol's shape
        """Return no further headers."""
        return {}

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the JSON body: the system prompt, then the conversation with its roles in turn."""
        route = request.route
        system = [{"role": "system", "content": request.system_prompt}] if request.system_prompt else []
        turns = [{"role": role, "content": joined(said)} for role, said in in_turn(request.messages)]
        counted = {"stream_options": {"include_usage": True}}
        return {
            "model": route.model,
            "messages": [*system, *turns],
            "stream": True,
            **(counted if provider_behind(route.provider, route.base_url).counts_tokens else {}),
        }

    def reader(self) -> "ChatReader":
        """Return a reader for one reply."""
        return ChatReader()


class ChatReader:
    """Interprets one chat completion, streamed or whole."""

    def __init__(self) -> None:
        self.complete = False
        self._ended = False
        self._has_text = False
        self._refusal: list[str] = []
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
            return (unreadable(frame.data),) if frame.data else ()
        return self._take(payload, "delta")

    def read_whole(self, payload: JsonObject) -> Sequence[Piece]:
        """Return the chunks of a reply that was not streamed."""
        self.complete = self._ended = True
        return self._take(payload, "message")

    def finish(self) -> Piece:
        """Return the end of the reply with its token counts, or why it is none."""
        if self._refusal:
            return refused("".join(self._refusal))
        if not self._ended:
            return CUT_OFF
        if not self._has_text:
            return NO_TEXT
        return ReplyFinished(
            input_tokens=as_count(self._usage.get("prompt_tokens")),
            output_tokens=as_count(self._usage.get("completion_tokens")),
        )

    def _take(self, payload: JsonObject, key: str) -> Sequence[Piece]:
        self._usage = as_object(payload.get("usage")) or self._usage
        choices = as_list(payload.get("choices"))
        if choices:
            return self._choice(as_object(choices[0]), key)
        blocked = as_object(payload.get("promptFeedback")).get("blockReason")
        return (refused(f"the provider blocked the prompt ({blocked})"),) if isinstance(blocked, str) else ()

    def _choice(self, choice: JsonObject, key: str) -> list[Piece]:
        said = as_object(choice.get(key))
        content = said.get("content")
        text, refusal = _text(content), said.get("refusal")
        pieces: list[Piece] = []
        if text:
            self._has_text = self._has_text or not text.isspace()
            pieces.append(TextReceived(text))
        elif content or refusal or said.get("reasoning_content") or said.get("reasoning"):
            pieces.append(ThoughtReceived())
        if isinstance(refusal, str) and refusal:
            self._refusal.append(refusal)
        reason = choice.get("finish_reason")
        self._ended = self._ended or bool(reason)
        trouble = bad_end(reason, "".join(self._refusal))
        return pieces if trouble is None else [*pieces, trouble]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = (as_object(part) for part in as_list(content))
    return "".join(text for part in parts if isinstance(text := part.get("text"), str))
