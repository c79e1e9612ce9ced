"""The list of models, over real HTTP: in every shape that servers use, and from servers that send anything else."""

import json
from collections.abc import AsyncIterator

import pytest

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.failure import Failure, FailureKind
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.secret import Secret
from hermes_tui.providers import catalogue as module
from hermes_tui.providers.catalogue import HttpCatalogues, catalogue_in

from .support import KEY, NOW, ScriptedServer, redact, response, route_to

KEY_HEADERS = {"authorization", "x-api-key", "api-key"}
LIST = json.dumps({"object": "list", "data": [{"id": "model-x", "object": "model"}]})


@pytest.fixture
async def catalogues() -> AsyncIterator[HttpCatalogues]:
    made = HttpCatalogues(redact, now=lambda: NOW, patience=5.0)
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("payload", "models"),
    [
        ({"data": [{"id": "a"}, {"id": "b", "context_length": 8192}]}, {"a": None, "b": 8192}),
        ({"data": [{"id": "a", "context_window": 131072}]}, {"a": 131072}),
        ({"data": [{"id": "a", "max_model_len": 4096}]}, {"a": 4096}),
        ({"data": [{"id": "a", "max_context_length": 32768}]}, {"a": 32768}),
        ({"data": [{"type": "model", "id": "a", "display_name": "A"}], "has_more": False}, {"a": None}),
        ({"models": [{"name": "models/a", "inputTokenLimit": 1048576}]}, {"models/a": 1048576}),
        ({"models": [{"model": "a"}]}, {"a": None}),
        ([{"id": "a"}], {"a": None}),
        (["a", "b"], {"a": None, "b": None}),
        ({"data": []}, {}),
        ([], {}),
    ],
)
def test_every_shape_of_a_list_is_read(payload: object, models: dict[str, int | None]) -> None:
    assert catalogue_in(json.dumps(payload).encode()) == Catalogue(models)


@pytest.mark.parametrize("more", [{"has_more": True}, {"nextPageToken": "x"}])
def test_a_page_of_a_list_is_not_all_of_it(more: dict[str, object]) -> None:
    read = catalogue_in(json.dumps({"data": [{"id": "a"}]} | more).encode())
    assert read == Catalogue({"a": None}, complete=False)


@pytest.mark.parametrize(
    "entry",
    [None, 7, [], {"id": None}, {"id": ""}, {"id": "  "}, {"id": ["a"]}, {}, {"id": {"id": "a"}}],
)
def test_an_entry_that_names_no_model_hides_no_other(entry: object) -> None:
    assert catalogue_in(json.dumps({"data": [entry, {"id": "a"}]}).encode()) == Catalogue({"a": None})


@pytest.mark.parametrize("window", [0, -1, True, "8192", 1.5, None, [], 1e309])
def test_a_window_that_is_no_number_of_tokens_is_none(window: object) -> None:
    assert catalogue_in(json.dumps({"data": [{"id": "a", "context_length": window}]}).encode()) == Catalogue(
        {"a": None}
    )


@pytest.mark.parametrize(
    "body", [b"", b"<html>Sign in</html>", b"{", b"\xff\xfe", b"[" * 100_000, b"7", b'{"error": "x"}', b'"list"']
)
def test_what_is_no_list_is_said_to_be_none(body: bytes) -> None:
    read = catalogue_in(body)
    assert isinstance(read, Failure)
    assert read.kind is FailureKind.INVALID_RESPONSE


def test_a_name_from_outside_steers_no_terminal() -> None:
    read = catalogue_in(json.dumps({"data": [{"id": "a\x1b[2J\n" + "b" * 1000}]}).encode())
    assert isinstance(read, Catalogue)
    (name,) = read.windows
    assert name.startswith("a␛[2J b")
    assert len(name) == 200


@pytest.mark.parametrize(
    ("mode", "line", "headers"),
    [
        (ApiMode.CHAT_COMPLETIONS, "GET /v1/models HTTP/1.1", {"authorization": f"Bearer {KEY.reveal()}"}),
        (ApiMode.CODEX_RESPONSES, "GET /v1/models HTTP/1.1", {"authorization": f"Bearer {KEY.reveal()}"}),
        (ApiMode.ANTHROPIC_MESSAGES, "GET /v1/models?limit=1000 HTTP/1.1", {"x-api-key": KEY.reveal()}),
    ],
)
async def test_it_is_a_get_with_the_key_as_the_dialect_sends_it(
    server: ScriptedServer, catalogues: HttpCatalogues, mode: ApiMode, line: str, headers: dict[str, str]
) -> None:
    server.scripts = [response(LIST), response("", "401 Unauthorized")]
    read = await catalogues.read(route_to(server.base_url, mode), KEY)
    assert read == Catalogue({"model-x": None}, checks_keys=True)
    seen, stranger = server.seen
    assert (seen.line, seen.body) == (line, b"")
    assert headers.items() <= seen.headers.items()
    assert stranger.line == line
    assert not KEY_HEADERS & stranger.headers.keys()


@pytest.mark.parametrize("second", [response(LIST), b""])
async def test_a_list_that_everybody_gets_says_nothing_about_the_key(
    server: ScriptedServer, catalogues: HttpCatalogues, second: bytes
) -> None:
    server.scripts = [response(LIST), second]
    read = await catalogues.read(route_to(server.base_url), KEY)
    assert read == Catalogue({"model-x": None}, checks_keys=False)


async def test_without_a_key_none_is_sent(server: ScriptedServer, catalogues: HttpCatalogues) -> None:
    server.scripts = [response(LIST)]
    await catalogues.read(route_to(server.base_url), None)
    (seen,) = server.seen
    assert not KEY_HEADERS & seen.headers.keys()


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        ("401 Unauthorized", '{"error": {"message": "bad key sk-test-0123456789abcdefghij"}}', FailureKind.AUTH),
        ("402 Payment Required", '{"error": {"message": "Insufficient Balance"}}', FailureKind.BILLING),
        (
            "429 Too Many Requests",
            '{"error": {"code": "rate_limit_exceeded", "message": "slow"}}',
            FailureKind.RATE_LIMIT,
        ),
        ("503 Service Unavailable", "<html>503</html>", FailureKind.SERVER_ERROR),
    ],
)
async def test_a_refusal_is_classified_like_any_other_and_holds_no_key(
    server: ScriptedServer, catalogues: HttpCatalogues, status: str, body: str, kind: FailureKind
) -> None:
    server.scripts = [response(body, status)]
    read = await catalogues.read(route_to(server.base_url), KEY)
    assert isinstance(read, Failure)
    assert read.kind is kind
    assert "0123456789" not in read.message


async def test_a_redirect_is_not_followed(server: ScriptedServer, catalogues: HttpCatalogues) -> None:
    server.scripts = [response("", "301 Moved Permanently", Location="https://elsewhere.example/v1/models")]
    read = await catalogues.read(route_to(server.base_url), KEY)
    assert isinstance(read, Failure)
    assert (read.kind, len(server.seen)) == (FailureKind.WRONG_ENDPOINT, 1)


@pytest.mark.parametrize("query", ["", "?api-version=2"])
async def test_c17_a_base_url_without_its_version_is_told_where_the_list_is(
    server: ScriptedServer, catalogues: HttpCatalogues, query: str
) -> None:
    root = server.base_url.removesuffix("/v1")
    server.scripts = [response("not found", "404 Not Found", "text/plain"), response(LIST)]
    read = await catalogues.read(route_to(f"{root}{query}"), KEY)
    assert isinstance(read, Failure)
    assert (read.kind, read.message) == (
        FailureKind.WRONG_ENDPOINT,
        f"the list is at {root}/v1{query}: write that as base_url",
    )
    assert [seen.line for seen in server.seen] == [f"GET /models{query} HTTP/1.1", f"GET /v1/models{query} HTTP/1.1"]


async def test_a_server_without_a_list_says_so_with_its_own_words(
    server: ScriptedServer, catalogues: HttpCatalogues
) -> None:
    gone = response("404 page not found", "404 Not Found", "text/plain")
    server.scripts = [gone, gone]
    read = await catalogues.read(route_to(server.base_url), KEY)
    assert isinstance(read, Failure)
    assert (read.kind, read.status) == (FailureKind.WRONG_ENDPOINT, 404)


async def test_where_the_list_is_open_to_all_the_key_is_asked_about_first(
    server: ScriptedServer, catalogues: HttpCatalogues
) -> None:
    route = Route("openrouter", "model-x", server.base_url, ApiMode.CHAT_COMPLETIONS, "openrouter")
    server.scripts = [response('{"error": {"message": "No auth", "code": 401}}', "401 Unauthorized")]
    read = await catalogues.read(route, KEY)
    assert isinstance(read, Failure)
    assert read.kind is FailureKind.AUTH
    server.scripts = [response('{"data": {"label": "x"}}'), response(LIST)]
    assert await catalogues.read(route, KEY) == Catalogue({"model-x": None}, checks_keys=True)
    assert [seen.line.split()[1] for seen in server.seen] == ["/v1/key", "/v1/key", "/v1/models"]


async def test_a_server_that_hangs_is_given_up(server: ScriptedServer) -> None:
    server.scripts, server.hang = [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"], True
    impatient = HttpCatalogues(redact, now=lambda: NOW, patience=0.05)
    read = await impatient.read(route_to(server.base_url), KEY)
    await impatient.close()
    assert isinstance(read, Failure)
    assert (read.kind, read.status) == (FailureKind.TIMEOUT, None)


async def test_a_list_without_end_is_not_read_to_its_end(
    server: ScriptedServer, catalogues: HttpCatalogues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LIST_LIMIT", 10_000)
    server.scripts = [response("[" + '"model", ' * 100_000)]
    read = await catalogues.read(route_to(server.base_url), KEY)
    assert isinstance(read, Failure)
    assert read.kind is FailureKind.INVALID_RESPONSE


async def test_a_proxy_that_cannot_be_used_is_said(
    server: ScriptedServer, catalogues: HttpCatalogues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://x")
    read = await catalogues.read(route_to("https://models.example/v1"), KEY)
    assert isinstance(read, Failure)
    assert read.kind is FailureKind.CONNECTION


@pytest.mark.parametrize("key", ["schlüssel-of-mine", "two words of a key", "a-key-and\na-line", ""])
async def test_a_key_that_no_header_can_carry_is_told_and_never_sent(
    server: ScriptedServer, catalogues: HttpCatalogues, key: str
) -> None:
    told = await catalogues.read(route_to(server.base_url), Secret(key))
    assert isinstance(told, Failure)
    assert told.kind is FailureKind.AUTH
    assert server.connections == 0
