"""The wire over real HTTP: complete replies, and everything that is none."""

import json
import traceback
from collections.abc import Callable
from dataclasses import replace

import httpx
import pytest

from hermes_tui.core.failure import FailureKind, RequestError, Scope
from hermes_tui.core.ports import ModelRequest, ReplyFinished, TextReceived, ThoughtReceived
from hermes_tui.core.secret import Secret
from hermes_tui.providers.transport import tls, transport_failure
from hermes_tui.providers.wire import HttpWire

from .support import DONE, KEY, NOW, ScriptedServer, chunks, data, failure, redact, response, route_to, says, sse, user

Ask = Callable[..., ModelRequest]
USAGE = data({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}})


async def test_a_streamed_reply_arrives_in_pieces_and_ends_with_its_tokens(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [sse(says("Hel"), says("lo", "stop"), USAGE, DONE)]
    assert await chunks(wire, ask()) == [TextReceived("Hel"), TextReceived("lo"), ReplyFinished(7, 2)]
    sent = server.seen[0]
    assert sent.line == "POST /v1/chat/completions HTTP/1.1"
    assert sent.headers["authorization"] == f"Bearer {KEY.reveal()}"
    assert sent.json["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
    ]


async def test_a_complete_reply_leaves_its_connection_for_the_next_turn(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [sse(says("a", "stop"), DONE), sse(says("b", "stop"), DONE)]
    await chunks(wire, ask())
    await chunks(wire, ask())
    assert server.connections == 1


async def test_m3_rebuild_makes_new_connections(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts = [sse(says("a", "stop"), DONE), sse(says("b", "stop"), DONE)]
    await chunks(wire, ask())
    await wire.rebuild()
    await chunks(wire, ask())
    assert server.connections == 2


async def test_a_server_that_holds_the_connection_open_after_done_does_not_hang_the_turn(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts, server.hang = [sse(says("a", "stop"), DONE, ended=False)], True
    assert (await chunks(wire, ask()))[-1] == ReplyFinished()


async def test_a_server_that_ignores_streaming_is_read_as_a_whole_reply(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    reply = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    server.scripts = [response(json.dumps(reply))]
    assert await chunks(wire, ask()) == [TextReceived("hi"), ReplyFinished(3, None)]


async def test_m11_keep_alives_and_comments_yield_nothing(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts = [sse(": OPENROUTER PROCESSING\n\n", "\n\n", says("a", "stop"), ": ping\n\n", DONE)]
    assert await chunks(wire, ask()) == [TextReceived("a"), ReplyFinished()]


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "hm", "content": None},
        {"reasoning": "hm", "content": ""},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
    ],
)
async def test_reasoning_is_a_sign_of_life_and_no_text(
    server: ScriptedServer, wire: HttpWire, ask: Ask, delta: dict[str, object]
) -> None:
    thought = data({"choices": [{"delta": delta}]})
    server.scripts = [sse(thought, says("a", "stop"), DONE)]
    assert await chunks(wire, ask()) == [ThoughtReceived(), TextReceived("a"), ReplyFinished()]


@pytest.mark.parametrize(
    ("events", "last"),
    [
        pytest.param((says("hi", "length"), DONE), ReplyFinished(), id="cut at a length"),
        pytest.param((says("hi"), data({"choices": [], "usage": {}}), DONE), ReplyFinished(), id="no finish_reason"),
        pytest.param((says("hi", "stop"), USAGE), ReplyFinished(7, 2), id="no done"),
        pytest.param((says("hi", "STOP"), DONE), ReplyFinished(), id="capitals"),
        pytest.param(
            (data({"choices": None, "prompt_filter_results": []}), says("hi", "stop"), DONE),
            ReplyFinished(),
            id="a filter's report without choices",
        ),
        pytest.param(
            (
                data({"choices": [{"delta": {"content": "hi"}}], "base_resp": {"status_code": 0, "status_msg": ""}}),
                DONE,
            ),
            ReplyFinished(),
            id="a status that says well",
        ),
        pytest.param(
            (data({"choices": [{"delta": {"content": "hi", "refusal": None}}], "error": None}), DONE),
            ReplyFinished(),
            id="an error that is none",
        ),
        pytest.param((data([{"choices": [{"delta": {"content": "hi"}}]}]), DONE), ReplyFinished(), id="in an array"),
        pytest.param(
            (data({"choices": [{"delta": {"content": [{"type": "text", "text": "hi"}]}}]}), DONE),
            ReplyFinished(),
            id="content in parts",
        ),
    ],
)
async def test_a_reply_is_read_in_every_form_that_servers_give_it(
    server: ScriptedServer, wire: HttpWire, ask: Ask, events: tuple[str, ...], last: ReplyFinished
) -> None:
    server.scripts = [sse(*events)]
    assert await chunks(wire, ask()) == [TextReceived("hi"), last]


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        pytest.param((says("par"), says("tial")), FailureKind.INVALID_RESPONSE, id="no end marker"),
        pytest.param((DONE,), FailureKind.INVALID_RESPONSE, id="c23 bare done"),
        pytest.param((says("", "stop"), DONE), FailureKind.INVALID_RESPONSE, id="c23 empty text"),
        pytest.param((), FailureKind.INVALID_RESPONSE, id="empty stream"),
        pytest.param((says("a"), "data: {oops\n\n"), FailureKind.INVALID_RESPONSE, id="not JSON"),
        pytest.param(("data: " + "x" * 1_100_000 + "\n\n",), FailureKind.INVALID_RESPONSE, id="endless event"),
        pytest.param(
            (says("a"), data({"code": "Throttling.AllocationQuota", "message": "slow"}, "error")),
            FailureKind.RATE_LIMIT,
            id="c21 event error",
        ),
        pytest.param(
            (says("a"), ':HTTP_STATUS/429\ndata: {"code":"X","message":"y"}\n\n'),
            FailureKind.RATE_LIMIT,
            id="c21 status comment",
        ),
        pytest.param(
            (says("a"), data({"error_type": "overloaded_error"})),
            FailureKind.OVERLOADED,
            id="c21 error_type",
        ),
        pytest.param(
            (data({"object": "error", "message": "Rate limit exceeded", "type": "rate_limited"}),),
            FailureKind.RATE_LIMIT,
            id="c21 object error",
        ),
        pytest.param(
            (says("a"), data({"error": {"code": 502, "message": "upstream"}, "choices": [{"delta": {}}]})),
            FailureKind.SERVER_ERROR,
            id="c21 error beside choices",
        ),
        pytest.param((says("a"), data({"object": "error", "message": "boom"})), FailureKind.UNKNOWN, id="c21 vllm"),
        pytest.param(
            (says("a"), data([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "x"}}])),
            FailureKind.RATE_LIMIT,
            id="c21 error in an array",
        ),
        pytest.param(
            (says("a"), data({"choices": None, "base_resp": {"status_code": 1039, "status_msg": "rate limit"}})),
            FailureKind.RATE_LIMIT,
            id="c21 status in the reply",
        ),
        pytest.param(
            (says("a"), data({"code": 500, "msg": "404 NOT_FOUND", "success": False})),
            FailureKind.SERVER_ERROR,
            id="c21 a code and words",
        ),
        pytest.param((says("a"), data({"detail": "Too Many Requests"})), FailureKind.RATE_LIMIT, id="c21 detail alone"),
        pytest.param((says("a"), "data: Rate limit exceeded\n\n"), FailureKind.RATE_LIMIT, id="c21 bare words"),
        pytest.param((says("a", "error"), DONE), FailureKind.SERVER_ERROR, id="c21 ended in an error"),
        pytest.param((says("a", "insufficient_system_resource"), DONE), FailureKind.OVERLOADED, id="no resources"),
        pytest.param((says("a", "network_error"), DONE), FailureKind.SERVER_ERROR, id="model lost"),
        pytest.param((says("a", "abort"), DONE), FailureKind.INVALID_RESPONSE, id="aborted"),
        pytest.param(
            (says("a", "model_context_window_exceeded"), DONE), FailureKind.CONTEXT_OVERFLOW, id="window full"
        ),
        *(
            pytest.param((says("a", reason), DONE), FailureKind.REFUSED, id=f"c24 {reason}")
            for reason in (
                "content_filter",
                "SAFETY",
                "PROHIBITED_CONTENT",
                "RECITATION",
                "BLOCKLIST",
                "SPII",
                "sensitive",
                "content_filter: PROHIBITED_CONTENT",
                "refusal",
            )
        ),
        pytest.param((data({"choices": [{"delta": {"refusal": "I "}}]}),), FailureKind.REFUSED, id="c24 cut refusal"),
        pytest.param(
            (data({"choices": [{"delta": {"refusal": "I cannot"}}]}), DONE), FailureKind.REFUSED, id="c24 refusal"
        ),
        pytest.param(
            (says("a"), data({"error": {"message": "new_sensitive (1027)"}})), FailureKind.REFUSED, id="c25 filter"
        ),
        pytest.param(
            (says("a"), data({"choices": [], "x_groq": {"id": "r", "error": "over capacity"}}), DONE),
            FailureKind.OVERLOADED,
            id="c21 beside the choices",
        ),
    ],
)
async def test_c21_c23_c24_c25_a_stream_that_is_no_complete_reply_is_a_classified_failure(
    server: ScriptedServer, wire: HttpWire, ask: Ask, events: tuple[str, ...], kind: FailureKind
) -> None:
    server.scripts = [sse(*events)]
    assert (await failure(wire, ask())).kind is kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error":{"code":429,"message":"Rate limit exceeded"}}', FailureKind.RATE_LIMIT),
        ('{"object":"error","message":"boom"}', FailureKind.UNKNOWN),
        ('{"choices":[]}', FailureKind.INVALID_RESPONSE),
        ("<html><title>Just a moment...</title></html>", FailureKind.BLOCKED),
        ("<html><title>Welcome</title></html>", FailureKind.INVALID_RESPONSE),
        ('{"choices":[{"message":{"refusal":"no"}}]}', FailureKind.REFUSED),
        ("", FailureKind.INVALID_RESPONSE),
        ("{broken", FailureKind.INVALID_RESPONSE),
    ],
)
async def test_c21_c23_c24_a_200_that_is_not_a_stream_is_read_for_what_it_is(
    server: ScriptedServer, wire: HttpWire, ask: Ask, body: str, kind: FailureKind
) -> None:
    server.scripts = [response(body)]
    assert (await failure(wire, ask())).kind is kind


async def test_c24_a_refusal_in_pieces_is_told_whole(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    pieces = [data({"choices": [{"delta": {"refusal": piece}}]}) for piece in ("I cannot ", "help with that.")]
    server.scripts = [sse(*pieces, says("", "stop"), DONE)]
    told = await failure(wire, ask())
    assert (told.kind, told.message) == (FailureKind.REFUSED, "I cannot help with that.")


async def test_m4_a_connection_dropped_in_mid_reply_is_no_connection(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [sse(says("par"), ended=False)]
    assert (await failure(wire, ask())).kind is FailureKind.CONNECTION


async def test_a_reply_without_end_is_given_up_before_it_fills_memory(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [sse(*([says("x" * 900_000)] * 20), DONE)]
    told = await failure(wire, ask())
    assert (told.kind, told.message) == (
        FailureKind.INVALID_RESPONSE,
        "the reply is larger than an answer may be",
    )


async def test_m2_a_port_where_nobody_listens_is_no_connection(wire: HttpWire) -> None:
    request = ModelRequest(route_to("http://127.0.0.1:9/v1"), None, (user("hi"),), 5.0)
    assert (await failure(wire, request)).kind is FailureKind.CONNECTION


async def test_m2_a_server_that_says_nothing_is_a_timeout(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts, server.hang = [b""], True
    assert (await failure(wire, ask(timeout_seconds=0.05))).kind is FailureKind.TIMEOUT


@pytest.mark.parametrize("base_url", ["ftp://x/v1", "http://x:port/v1", "nowhere"])
async def test_m9_an_address_that_is_none_is_a_wrong_url(wire: HttpWire, base_url: str) -> None:
    request = ModelRequest(route_to(base_url), None, (user("hi"),), 5.0)
    assert (await failure(wire, request)).kind is FailureKind.WRONG_ENDPOINT


async def test_a_redirect_is_not_followed_so_that_the_key_stays_with_its_provider(
    server: ScriptedServer, wire: HttpWire, ask: Ask
) -> None:
    server.scripts = [response("", "302 Found", Location="/elsewhere"), response("", "200 OK")]
    assert (await failure(wire, ask())).kind is FailureKind.WRONG_ENDPOINT
    assert len(server.seen) == 1


async def test_a_refusal_carries_status_reset_and_words(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    body = {"error": {"type": "usage_limit_reached", "message": "limit", "resets_in_seconds": 5400}}
    server.scripts = [response(json.dumps(body), "429 Too Many Requests")]
    told = await failure(wire, ask())
    assert (told.status, told.kind, told.scope) == (429, FailureKind.USAGE_LIMIT, Scope.ACCOUNT)
    assert told.reset is not None
    assert told.reset.at == NOW + 5400


async def test_a_huge_error_body_is_read_only_in_part(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts = [response("boom " * 1_000_000, "500 Internal Server Error")]
    told = await failure(wire, ask())
    assert told.kind is FailureKind.SERVER_ERROR
    assert len(told.message) <= 500


@pytest.mark.parametrize("status", ["401 Unauthorized", "200 OK"])
async def test_an_echoed_key_is_in_no_text_that_leaves_the_wire(
    server: ScriptedServer, wire: HttpWire, ask: Ask, status: str
) -> None:
    body = {"error": {"message": f"Incorrect API key provided: {KEY.reveal()} by someone@example.invalid"}}
    server.scripts = [response(json.dumps(body), status)]
    with pytest.raises(RequestError) as caught:
        await chunks(wire, ask())
    shown = "".join(traceback.format_exception(caught.value))
    for text in (caught.value.failure.message, str(caught.value), repr(caught.value.failure), shown):
        assert KEY.reveal() not in text
        assert "someone@" not in text
    assert caught.value.__context__ is None


@pytest.mark.parametrize("value", ["", "with\nnewline-in-it", "schlüssel-with-umlaut", "two words"])
async def test_a_key_that_no_header_can_carry_is_named_as_such_and_not_shown(
    wire: HttpWire, ask: Ask, value: str
) -> None:
    told = await failure(wire, ask(), Secret(value))
    assert told.kind is FailureKind.AUTH
    assert not value or value not in told.message


@pytest.mark.parametrize("kind", ["refusal", "frame"])
async def test_a_key_that_was_replaced_meanwhile_is_not_told_by_the_provider_that_got_it(
    kind: str, server: ScriptedServer, ask: Ask
) -> None:
    old = Secret("an-old-key-0123456789")
    error = {"error": {"message": f"Incorrect API key provided: {old.reveal()}"}}
    server.scripts = [response(json.dumps(error), "401 Unauthorized") if kind == "refusal" else sse(data(error))]
    wire = HttpWire(redact, now=lambda: NOW)
    told = await failure(wire, ask(), old)
    await wire.close()
    assert "Incorrect API key provided" in told.message
    assert old.reveal() not in told.message


async def test_azure_gets_its_key_in_a_header_of_its_own(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts = [sse(says("a", "stop"), DONE)]
    request = ask()
    await chunks(wire, replace(request, route=replace(request.route, provider="azure")))
    assert server.seen[0].headers["api-key"] == KEY.reveal()
    assert "authorization" not in server.seen[0].headers


async def test_a_local_server_gets_no_authorization(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts = [sse(says("a", "stop"), DONE)]
    await chunks(wire, ask(), None)
    assert "authorization" not in server.seen[0].headers


async def test_a_proxy_of_the_environment_is_never_used_for_this_machine(
    server: ScriptedServer, wire: HttpWire, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.scripts = [sse(says("a", "stop"), DONE)]
    assert (await chunks(wire, ask()))[0] == TextReceived("a")


async def test_a_proxy_that_cannot_be_used_is_a_failure_that_says_so(
    wire: HttpWire, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://proxy")
    assert "proxy" in (await failure(wire, ask())).message


async def test_all_wires_share_one_tls_context(wire: HttpWire) -> None:
    assert tls() is tls()


async def test_a_turn_that_is_cancelled_closes_its_connection(server: ScriptedServer, wire: HttpWire, ask: Ask) -> None:
    server.scripts, server.hang = [sse(says("a"), ended=False)], True
    stream = wire.stream(ask(), KEY)
    assert await anext(stream) == TextReceived("a")
    await stream.aclose()
    server.scripts, server.hang = [sse(says("b", "stop"), DONE)], False
    assert (await chunks(wire, ask()))[0] == TextReceived("b")


def test_a_server_that_cannot_be_reached_is_told_without_the_systems_number() -> None:
    told = transport_failure(httpx.ConnectError("[Errno -2] Name or service not known"), redact)
    assert told.message == "cannot connect: Name or service not known"
