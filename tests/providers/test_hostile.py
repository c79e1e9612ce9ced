"""Hostile input: whatever a server sends, nothing raises, nothing takes long, and no more is read than is bounded."""

import asyncio
import gzip
import json
import math
import random
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.cooldown import HORIZON_SECONDS
from hermes_tui.core.failure import Failure, FailureKind
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, provider_behind
from hermes_tui.core.ports import Chunk, ModelRequest, ReplyFinished, TextReceived
from hermes_tui.core.route import ApiMode
from hermes_tui.core.secret import Redactor, Secret
from hermes_tui.core.text import MESSAGE_LIMIT, PlainText, plain
from hermes_tui.core.verdict import Verdict
from hermes_tui.providers import wire as wire_module
from hermes_tui.providers.body import BODY_LIMIT
from hermes_tui.providers.classify import classify
from hermes_tui.providers.dialect import Trouble, parsed
from hermes_tui.providers.reply import Reply
from hermes_tui.providers.resets import read_time, read_wait
from hermes_tui.providers.usage import PAYLOAD_LIMIT, HttpUsages, read_answer
from hermes_tui.providers.wire import DIALECTS, HttpWire
from hermes_tui.simulator.gallery import shapes

from .hostile import DEEP, ENDLESS, PAYLOADS, filled
from .support import KEY, NOW, ScriptedServer, failure, redact, response, route_to, sse, user

ANY_PROVIDER = tuple(KNOWN_PROVIDERS.values())
WRONG: tuple[object, ...] = (
    *(None, True, -1, 0, 1e308, math.nan, math.inf, 10**30, "", " ", "\0", "\ud800", "9" * 400, "nan", "Infinity"),
    *([], {}, [[]], [{}], {"": {}}, [None] * 50, {"error": {"error": {"error": "x"}}}),
)
MIB = 1024 * 1024
QUICK = 60.0
"""Far more CPU time than any input may take, and far less than one takes that grows by its square: as many times that
of reading a hundred thousand numbers, measured beside it."""

NUMBERS = json.dumps(list(range(100_000)))


def is_quick(do: Callable[[], object], limit: float = QUICK) -> bool:
    """Tell whether `do` takes less than `limit` times what reading `NUMBERS` takes; the best of three tries counts."""
    return any(cpu_seconds(do) < limit * cpu_seconds(lambda: json.loads(NUMBERS)) for _ in range(3))


def cpu_seconds(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return time.process_time() - began


def read(text: str, status: int | None = 429, headers: dict[str, str] | None = None, provider: str = "acme") -> Failure:
    """Classify, and check what holds for every failure."""
    found = classify(provider_behind(provider), status, headers or {}, text, now=NOW, redact=redact, model="model-x")
    assert found.message
    assert len(found.message) <= MESSAGE_LIMIT
    assert found.message == plain(found.message)
    assert "\n" not in found.message
    for wait in (found.retry_after, found.reset.at - NOW if found.reset else None):
        assert wait is None or 0 <= wait <= HORIZON_SECONDS
    return found


def one_of_each() -> list[Any]:
    """Return the longest shape of every provider in the gallery."""
    by_provider = groupby(sorted(shapes().values(), key=lambda shape: shape.provider), lambda shape: shape.provider)
    return [max(found, key=lambda shape: len(shape.body or shape.stream or "")) for _, found in by_provider]


EACH_SHAPE = pytest.mark.parametrize("shape", one_of_each(), ids=lambda shape: shape.name)


@EACH_SHAPE
def test_a_refusal_that_ends_at_any_byte_is_read_as_far_as_it_came(shape: Any) -> None:
    answer = shape.answer(now=NOW, model="model-x")
    text = "".join(answer.parts)
    for end in range(len(text)):
        read(text[:end], answer.status, dict(answer.headers), shape.provider)


@EACH_SHAPE
def test_c106_a_refusal_with_a_wrong_type_in_any_place_is_read(shape: Any) -> None:
    answer = shape.answer(now=NOW, model="model-x")
    for part in answer.parts:
        tree = parsed(part.partition("data: ")[2] or part)
        for mutant in mutants(tree) if tree else ():
            read(json.dumps(mutant), answer.status, dict(answer.headers), shape.provider)


def mutants(tree: Any) -> Iterator[Any]:
    """Yield `tree` with each of its values, itself too, replaced by each wrong one."""
    yield from WRONG
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(parts):
        for mutant in mutants(value):
            copy = tree.copy()
            copy[key] = mutant
            yield copy


@EACH_SHAPE
def test_c106_headers_of_a_refusal_with_a_wrong_value_are_read(shape: Any) -> None:
    answer = shape.answer(now=NOW, model="model-x")
    for name in (*answer.headers, "retry-after", "retry-after-ms", "date", "x-ratelimit-reset"):
        for value in ("", "nan", "-5", "1e400", "9" * 40, "soon", "\x00", "Wed, 99 Foo 0000 99:99:99 GMT", "1" * 9000):
            read("".join(answer.parts), answer.status, {**answer.headers, name: value}, shape.provider)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "code", "type", "details", "metadata", "raw", "reset_at", "retryDelay"]
            )
            | st.text(max_size=6),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
STATUS = st.none() | st.sampled_from([200, 302, 400, 401, 402, 403, 404, 413, 429, 500, 503, 529, 599, 999, -1])


@given(JSON | st.text(), STATUS, st.dictionaries(st.text(max_size=20), st.text(max_size=30), max_size=3), st.data())
def test_no_refusal_whatever_it_holds_breaks_the_classifier(
    body: object, status: int | None, headers: dict[str, str], data: st.DataObject
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    provider = data.draw(st.sampled_from(ANY_PROVIDER))
    read(text, status, headers, provider.name)
    read(f"Error code: {status} - {body!r}", None, headers, provider.name)


@pytest.mark.parametrize("piece", ENDLESS)
def test_no_text_takes_long_to_classify(piece: str) -> None:
    for start in ("", "x {", '{"error": {"message": "', "<html>", "://"):
        text = start + filled(piece)
        assert is_quick(partial(read, text))


@pytest.mark.parametrize("piece", [*ENDLESS, "://a:a"])
def test_no_text_takes_long_to_redact(piece: str) -> None:
    clean = Redactor([Secret(f"key-{n}-abcdefgh") for n in range(20)]).clean
    for start in ("", "://", "://a:", "ey", "a@"):
        text = start + filled(piece)
        assert is_quick(partial(clean, text))


@pytest.mark.parametrize("text", DEEP, ids=lambda text: text[:12])
def test_no_depth_and_no_width_takes_long_or_breaks_the_classifier(text: str) -> None:
    assert is_quick(partial(read, text))


@given(st.floats() | st.integers() | st.text(max_size=130) | JSON)
def test_c31_no_value_breaks_the_time_parser(value: object) -> None:
    for found in (read_time(value, now=NOW), read_wait(str(value), now=NOW, date=str(value))):
        assert found is None or NOW <= found.at <= NOW + HORIZON_SECONDS


# Replies: the same however the network cuts them.


def event(payload: object, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(payload, ensure_ascii=False)}\n\n"


SAID = "Grüße, 世界 🙂\r\n."
STREAMS: dict[ApiMode, str] = {
    ApiMode.CHAT_COMPLETIONS: ": here\n\n"
    + event({"choices": [{"delta": {"content": SAID}}]})
    + event({"choices": [{"delta": {"content": "Bye."}, "finish_reason": "stop"}]})
    + "data: [DONE]\n\n",
    ApiMode.CODEX_RESPONSES: event({"type": "response.created"}, "response.created")
    + event({"type": "response.output_text.delta", "delta": SAID}, "response.output_text.delta")
    + event({"type": "response.completed", "response": {"status": "completed"}}, "response.completed"),
    ApiMode.ANTHROPIC_MESSAGES: event({"type": "message_start", "message": {"usage": {"input_tokens": 3}}})
    + event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    + event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}})
    + event({"type": "content_block_stop", "index": 0})
    + event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}})
    + event({"type": "message_stop"}),
}
ERRORS = [
    "event: error\n" + event({"error": {"type": "tokens", "code": "rate_limit_exceeded", "message": "Slow down."}}),
    ':HTTP_STATUS/429\nevent:error\ndata:{"code":"Throttling.AllocationQuota","message":"Later."}\n\n',
    event({"error_type": "overloaded", "error_message": "Busy."}),
    "data: this is no JSON\n\n",
]
WHOLES = [
    '{"error": {"message": "Overloaded.", "type": "overloaded_error"}}',
    '[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Later."}}]',
    '{"choices": [{"message": {"content": "Grüße"}, "finish_reason": "stop"}]}',
    '{"choices": [{"message": {"con',
    "<!doctype html><title>Just a moment...</title>",
    "upstream connect error",
    "",
]
Heard = tuple[list[Chunk], Trouble | None]


def heard(mode: ApiMode, pieces: Iterable[bytes]) -> Heard:
    """Return what a reply in `pieces` brings, read as the wire reads it."""
    reply = Reply(DIALECTS[mode].reader())
    chunks: list[Chunk] = []
    for piece in pieces:
        chunks += reply.feed(piece)
        if reply.settled:
            break
    return chunks + reply.end(), reply.trouble


def said_in(reply: Heard) -> str:
    return "".join(chunk.text for chunk in reply[0] if isinstance(chunk, TextReceived))


def cut(raw: bytes, dice: random.Random) -> list[bytes]:
    """Return `raw` in pieces of a few bytes, some of them empty."""
    borders = sorted(dice.choices(range(len(raw) + 1), k=len(raw) // 5 + 1))
    return [raw[start:end] for start, end in zip([0, *borders], [*borders, len(raw)], strict=True)]


def every_reply(mode: ApiMode) -> list[bytes]:
    """Return replies of all kinds as bytes: whole and broken, with every line end, with and without a mark."""
    stream = STREAMS[mode]
    half = stream[: len(stream) // 2]
    texts = [stream, half, *(stream[: stream.index("\n\n") + 2] + error for error in ERRORS), *ERRORS, *WHOLES]
    texts += [stream + "data: {not json}\n\n", f"\n \n{stream}", stream.rstrip("\n"), f"retry: 1\nid: 7\n{stream}"]
    replies = [text.replace("\n", end).encode() for text in texts for end in ("\n", "\r\n", "\r")]
    replies += [b"\xef\xbb\xbf" + reply for reply in replies]
    return [*replies, stream.encode()[:-30] + b"\xff\xfe\xc3", b"\xef\xbb", b"\x00" * 50, b"data: \xed\xa0\x80\n\n"]


@pytest.mark.parametrize("mode", ApiMode)
def test_a_reply_means_the_same_however_it_is_cut(mode: ApiMode) -> None:
    dice = random.Random(7)
    for raw in every_reply(mode):
        whole = heard(mode, [raw])
        assert heard(mode, (raw[at : at + 1] for at in range(len(raw)))) == whole, raw
        for _ in range(5):
            assert heard(mode, cut(raw, dice)) == whole, raw


@pytest.mark.parametrize("mode", ApiMode)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_m4_a_reply_that_ends_at_any_byte_before_its_end_is_no_answer(mode: ApiMode, end: str) -> None:
    raw = STREAMS[mode].replace("\n", end).encode()
    complete = next(size for size in range(len(raw) + 1) if heard(mode, [raw[:size]])[1] is None)
    assert said_in(heard(mode, [raw[:complete]])) == said_in(heard(mode, [raw]))
    for size in range(complete):
        chunks, trouble = heard(mode, [raw[:size]])
        assert trouble is not None
        assert not any(isinstance(chunk, ReplyFinished) for chunk in chunks)


@pytest.mark.parametrize("mode", ApiMode)
def test_what_follows_a_complete_reply_takes_nothing_from_it(mode: ApiMode) -> None:
    complete = STREAMS[mode].encode()
    assert heard(mode, [complete + b"data: " + b"x" * 2 * MIB]) == heard(mode, [complete])


@pytest.mark.parametrize("mode", ApiMode)
def test_c106_a_reply_with_a_wrong_type_in_any_place_breaks_no_reader(mode: ApiMode) -> None:
    frames = STREAMS[mode].split("\n\n")
    for at, frame in enumerate(frames):
        head, mark, data = frame.rpartition("data: ")
        if data[:1] != "{":
            continue
        for mutant in mutants(json.loads(data)):
            changed = [*frames[:at], f"{head}{mark}{json.dumps(mutant)}", *frames[at + 1 :]]
            heard(mode, ["\n\n".join(changed).encode()])
            heard(mode, [json.dumps(mutant).encode()])


@pytest.mark.parametrize("mode", ApiMode)
@given(pieces=st.lists(st.binary(max_size=40) | st.sampled_from([b"data: ", b"\r", b"\n\n", b"{", b'"', b"event:"])))
def test_no_bytes_break_a_reply(mode: ApiMode, pieces: list[bytes]) -> None:
    chunks, trouble = heard(mode, pieces)
    assert (trouble is None) == any(isinstance(chunk, ReplyFinished) for chunk in chunks)
    assert heard(mode, [b"".join(pieces)]) == (chunks, trouble)


@pytest.mark.parametrize("mode", ApiMode)
@pytest.mark.parametrize(
    "piece",
    [b"data: x", b"\n", b"\r", b": " + b"p" * 99 + b"\n", b"data:\n", b"event: e\n", b"x", b"<p>", b"[", b"{", b"\x00"],
)
def test_a_reply_without_end_is_given_up_quickly(mode: ApiMode, piece: bytes) -> None:
    block = piece * (64 * 1024 // len(piece))
    assert is_quick(lambda: heard(mode, [block] * 300), limit=10 * QUICK)
    _, trouble = heard(mode, [block] * 300)
    assert trouble is not None


# The usage endpoint.

USAGE = {
    "plan_type": "pro",
    "account_id": "user-x",
    "rate_limit": {
        "allowed": None,
        "limit_reached": None,
        "primary_window": {"used_percent": 12, "limit_window_seconds": 18000, "reset_after_seconds": 60, "reset_at": 0},
        "secondary_window": {"used_percent": 40, "limit_window_seconds": 604800, "reset_at": NOW + 60},
    },
    "additional_rate_limits": [
        {"limit_name": "model-x", "metered_feature": "x", "rate_limit": {"primary_window": {"used_percent": 3}}}
    ],
    "credits": {"has_credits": False, "unlimited": False, "balance": "0"},
}


def test_c106_a_payload_with_a_wrong_type_in_any_place_is_read_and_never_as_more_than_it_says() -> None:
    spoiled = 0
    for mutant in mutants(USAGE):
        reading = usage(json.dumps(mutant).encode())
        windows = reading.usage.windows if reading.usage else ()
        assert all(0 <= window.used_percent < math.inf for window in windows)
        assert len({window.name for window in windows}) == len(windows)
        spoiled += reading.verdict is Verdict.UNKNOWN
    assert spoiled > 50


def test_c106_a_payload_that_ends_at_any_byte_is_unknown() -> None:
    text = json.dumps(USAGE).encode()
    assert usage(text).verdict is Verdict.QUOTA
    assert {usage(text[:end]).verdict for end in range(len(text))} == {Verdict.UNKNOWN}


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps({"rate_limit": value}).encode()))
def test_no_body_breaks_the_usage_reader(body: bytes) -> None:
    assert usage(body).verdict in Verdict


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_payload_takes_long(name: str) -> None:
    body = json.dumps(PAYLOADS[name]).encode()
    assert is_quick(partial(usage, body))


def usage(body: bytes) -> Any:
    return read_answer(200, {}, body, model="model-x", now=NOW, redact=redact)


# Over real HTTP: how much is read.


@asynccontextmanager
async def endless(head: bytes, piece: bytes) -> AsyncIterator[tuple[int, Callable[[], int]]]:
    """Serve an answer that never ends; yields the port, and how many bytes of it went out so far."""
    sent = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        try:
            writer.write(head)
            while True:
                writer.write(piece)
                await writer.drain()
                sent += len(piece)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], lambda: sent
    finally:
        server.close()


IN_BUFFERS = 8 * MIB
"""More than what the system may hold of a connection that nobody reads from."""


@pytest.mark.parametrize(
    ("status", "piece", "bound"),
    [
        (429, b"x" * 65536, BODY_LIMIT),
        (200, b"<p>" + b"x" * 65536, BODY_LIMIT),
        (200, b"data: " + b"x" * 65536, MIB),
        (200, b"x" * 65536, MIB),
        (200, (b": " + b"p" * 99 + b"\n") * 640, 16 * MIB),
        (200, b"[" + b" " * 65536, 16 * MIB),
    ],
)
async def test_an_answer_without_end_is_read_to_its_bound(
    wire: HttpWire, status: int, piece: bytes, bound: int
) -> None:
    async with endless(b"HTTP/1.1 %d X\r\n\r\n" % status, piece) as (port, sent):
        request = ModelRequest(route_to(f"http://127.0.0.1:{port}/v1"), None, (user("hello"),), 5.0)
        found = await failure(wire, request)
        assert found.kind in FailureKind
        assert sent() < bound + IN_BUFFERS


async def test_a_usage_answer_without_end_is_read_to_its_bound() -> None:
    usages = HttpUsages(redact, now=lambda: NOW)
    async with endless(b"HTTP/1.1 200 OK\r\n\r\n", b"[" + b" " * 65536) as (port, sent):
        reading = await usages.read(route_to(f"http://127.0.0.1:{port}/backend-api/codex"), KEY)
        assert reading.why == "the usage endpoint's answer is too large to be one"
        assert sent() < PAYLOAD_LIMIT + IN_BUFFERS
    await usages.close()


@pytest.mark.parametrize("begun", [b"", b'{"error": {"message": "You hit your usage li'])
async def test_a_refusal_whose_words_do_not_end_is_still_that_refusal(
    server: ScriptedServer, wire: HttpWire, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(wire_module, "REFUSAL_SECONDS", 0.05)
    head = b"HTTP/1.1 429 X\r\nContent-Type: application/json\r\nRetry-After: 60\r\nContent-Length: 900\r\n\r\n"
    server.scripts, server.hang = [head + begun], True
    found = await failure(wire, ModelRequest(route_to(server.base_url), None, (user("hello"),), 5.0))
    assert (found.status, found.kind.is_limit, found.retry_after) == (429, True, 60)


@pytest.mark.parametrize("status", [200, 429])
async def test_an_answer_that_is_compressed_twice_is_not_unpacked(
    server: ScriptedServer, wire: HttpWire, status: int
) -> None:
    bomb = gzip.compress(gzip.compress(bytes(20 * MIB)))
    server.scripts = [response(bomb, f"{status} X", Content_Encoding="gzip, gzip")]
    request = ModelRequest(route_to(server.base_url), None, (user("hello"),), 5.0)
    tracemalloc.start()
    found = await failure(wire, request)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.kind is FailureKind.INVALID_RESPONSE
    assert most < 5 * MIB


# The key of the request, wherever a server repeats it.

OWN = Secret("Zq9plain0secret1Qw8vT3xYmN2")
ESCAPED = "".join(f"\\u{ord(sign):04x}" for sign in OWN.reveal())


def echoes(key: str) -> list[bytes]:
    """Return answers that repeat `key` in every place, in the forms that parsers undo too."""
    said = f"Incorrect key {key}: see https://127.0.0.1/?api_key={key}"
    bodies: Sequence[object] = (
        {"error": {"message": said, "type": key, "code": key, "param": key}},
        {"error": {"code": key}},
        {"error": {"type": f"bad {key}"}},
        {"code": key, "error": key},
        {"message": [{"error": key}], "detail": {key: key}},
        {
            "error": {
                "message": "Provider returned error",
                "metadata": {"provider_name": key, "raw": f'{{"a": "{key}"}}'},
            }
        },
        {
            "error": {
                "message": f"litellm.AuthenticationError: X - {{'error': {{'message': '{key}', 'code': '{key}'}}}}"
            }
        },
        [key],
        key,
    )
    texts = [json.dumps(body) for body in bodies]
    texts += [f'{{"error": {{"message": "{ESCAPED}", "code": "{ESCAPED}"}}}}', f'{{"error": {{"message": "{said}'[:-1]]
    texts += [
        said,
        said[: said.index(key) + 16],
        f'{{"a": 1, "message": "{said[: said.index(key) + 16]}',
        f"{'x' * 3990} {key}",
        "y" * (BODY_LIMIT - 9) + key,
        f"<html><title>{key}</title>{key}</html>",
    ]
    refusals = [
        response(text, f"{status} X", X_Request_Id=key, Www_Authenticate=f"Bearer {key}")
        for text in texts
        for status in (200, 400, 401, 403, 429, 503)
    ]
    frames = [f"event: error\n{event(body)}" for body in bodies] + [
        f"data: {said}\n\n",
        f"event: {key}\ndata: {key}\n\n",
    ]
    halves = [event({"choices": [{"delta": {"content": part}}]}) for part in (key[:9], key[9:])]
    return [*refusals, *(sse(*halves, frame) for frame in frames), sse(*halves)]


async def test_c121_the_key_of_a_request_is_in_no_failure(server: ScriptedServer) -> None:
    wire = HttpWire(plain, now=lambda: NOW)
    for mode in ApiMode:
        for script in echoes(OWN.reveal()):
            server.scripts = [script]
            request = ModelRequest(route_to(server.base_url, mode), None, (user("hello"),), 5.0)
            found = await failure(wire, request, OWN)
            told = repr(found).lower()
            assert OWN.reveal()[:12].lower() not in told, script
            assert OWN.reveal()[-12:].lower() not in told, script
    await wire.close()


async def test_c121_the_token_of_a_probe_is_in_no_reading(server: ScriptedServer) -> None:
    key = OWN.reveal()
    usages = HttpUsages(PlainText, now=lambda: NOW)
    named = {"limit_name": f"model-x {key}", "rate_limit": {"primary_window": {"used_percent": 1}, f"{key}_window": {}}}
    said = {"plan_type": key, "rate_limit": {f"{key}_window": {"used_percent": 1}}, "additional_rate_limits": [named]}
    for script in (response(json.dumps(said)), response(key, "403 X"), response(key, "302 X", Location=f"/{key}")):
        server.scripts = [script]
        reading = await usages.read(route_to(server.base_url, ApiMode.CODEX_RESPONSES), OWN)
        assert key[:12].lower() not in repr(reading).lower()
    await usages.close()
