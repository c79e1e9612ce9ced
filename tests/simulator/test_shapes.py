"""The gallery: every shape over real HTTP through the real wire, by what it means and what happens next."""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import httpx
import pytest

from hermes_tui.commands.understanding import Understood, understand
from hermes_tui.core.failure import FailureKind, Reset, ResetSource, Scope
from hermes_tui.core.route import ApiMode
from hermes_tui.core.text import plain
from hermes_tui.providers.classify import classify
from hermes_tui.providers.transport import tls
from hermes_tui.simulator import Account, Provider, SetShape, Simulator, World, jumping, shapes
from hermes_tui.simulator.placeholders import fill
from hermes_tui.simulator.reply import KEEP_ALIVE
from hermes_tui.simulator.shape import Answer, Ending, Next, Shape

from .bench import EPOCH, bearer, now, prompt


def numbered(shape: Shape) -> str:
    """Return a shape's name with its cases."""
    return "-".join((*shape.cases, shape.name)).lower()


EVERY = pytest.mark.parametrize("shape", shapes().values(), ids=numbered)
BY_THIS_CLOCK = [shape for shape in shapes().values() if re.search(r"@\{(stamp|clock|moment)", shape.body or "")]
MARKUP = re.compile(r"</?[a-z!][^<>]*>(?<!<redacted>)|[{\[]\s*[\"']", re.IGNORECASE)
NEVER_SENT = {FailureKind.NO_CREDENTIAL, FailureKind.MISCONFIGURED, FailureKind.UNKNOWN}
"""Kinds that no provider's answer means: two are told before a request, one is what nobody knows."""
PATHS = {
    ApiMode.CHAT_COMPLETIONS: "chat/completions",
    ApiMode.CODEX_RESPONSES: "responses",
    ApiMode.ANTHROPIC_MESSAGES: "messages",
}


@cache
def understood() -> dict[str, Understood]:
    """Return what becomes of requests that meet the shapes, one after another."""
    return {met.shape.name: met for met in understand(shapes().values())}


def is_read_as_expected(met: Understood) -> None:
    """Fail unless the failure is what the shape's reading says."""
    failure, expected = met.failure, met.shape.reading
    told = (failure.kind, failure.scope, met.next, failure.reset.source if failure.reset else None)
    assert told == (expected.kind, expected.scope, expected.next, expected.source), met.shape.name
    assert met.resets_in == (expected.resets_in and pytest.approx(expected.resets_in, abs=expected.within))
    assert failure.reset is None or failure.reset.approximate is not expected.sure


@EVERY
def test_a_shape_is_read_as_it_says_and_never_kept_as_an_answer(shape: Shape) -> None:
    is_read_as_expected(understood()[shape.name])


@EVERY
def test_a_persons_message_is_one_line_without_markup_json_or_ids(shape: Shape) -> None:
    message = understood()[shape.name].failure.message
    assert message
    assert "\n" not in message
    assert MARKUP.findall(message) == []
    assert re.findall(r"\b(?:org_|proj_|user_|[0-9a-f]{8}-[0-9a-f]{4})\w+", message) == []


@pytest.mark.parametrize("api_mode", ApiMode)
def test_a_refusal_is_read_alike_by_a_route_of_any_dialect(api_mode: ApiMode) -> None:
    refusals = [shape for shape in shapes().values() if shape.stream is None and shape.status != 200]
    for met in understand(shape.model_copy(update={"api_mode": api_mode}) for shape in refusals):
        is_read_as_expected(met)


WRAPPED = {
    "in an array": lambda body: json.dumps([json.loads(body)]),
    "under another key": lambda body: json.dumps({"detail": json.loads(body)}),
    "quoted in a message": lambda body: json.dumps({"error": {"message": body}}),
    "printed by an exception": lambda body: f"The provider said: {json.loads(body)!r}",
}
REFUSED_AS_JSON = [
    shape
    for shape in shapes().values()
    if (shape.body or "")[:1] in ("{", "[") and shape.status != 200 and shape.ending is Ending.CLOSE
]


def read(shape: Shape, body: str) -> tuple[FailureKind, Scope, Reset | None]:
    """Return what a refusal means that is the shape's in everything but its body."""
    answer = shape.answer(now=EPOCH, model=shape.model)
    told = classify(shape.known, answer.status, answer.headers, body, now=EPOCH, redact=plain, model=shape.model)
    return told.kind, told.scope, told.reset


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_c21_an_error_is_read_alike_however_it_is_wrapped(wrap: Callable[[str], str]) -> None:
    bodies = {shape.name: shape.answer(now=EPOCH, model=shape.model).parts[0] for shape in REFUSED_AS_JSON}
    other = [s.name for s in REFUSED_AS_JSON if read(s, wrap(bodies[s.name])) != read(s, bodies[s.name])]
    assert other == []


@pytest.fixture
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock shows the time of the zone that a test names."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"], indirect=True)
@pytest.mark.parametrize("shape", BY_THIS_CLOCK, ids=numbered)
def test_c35_a_time_without_a_zone_is_read_alike_on_any_machine(shape: Shape) -> None:
    (met,) = understand([shape])
    is_read_as_expected(met)


async def received(client: httpx.AsyncClient, api_mode: ApiMode, expected: Answer) -> Answer:
    """Return what comes over the wire: status, the headers that are expected, the whole text, and how it ends."""
    status, headers, text, ending = None, {}, "", Ending.CLOSE
    try:
        path = f"/p/v1/{PATHS[api_mode]}"
        async with client.stream("POST", path, headers=bearer("k"), json=prompt("model-x")) as answer:
            status, headers = answer.status_code, {name: answer.headers.get(name, "") for name in expected.headers}
            async for data in answer.aiter_raw():
                text += data.decode()
                if expected.ending is Ending.KEEP_ALIVES and (text,) == expected.parts:
                    ending = Ending.KEEP_ALIVES
                    break
    except httpx.ReadTimeout:
        ending = Ending.SILENCE
    except httpx.ReadError:
        ending = Ending.RESET
    except httpx.RemoteProtocolError:
        ending = Ending.CUT
    return Answer(status, headers, (text,), ending)


@jumping
async def test_every_answer_goes_over_the_wire_to_the_letter() -> None:
    world = World([Provider("p", accounts={"anyone": Account("anyone")})], now=now)
    async with (
        Simulator(world, now=now) as simulator,
        httpx.AsyncClient(base_url=simulator.base_url, verify=tls(), trust_env=False, timeout=20.0) as client,
    ):
        for shape in shapes().values():
            world.apply(SetShape(provider="p", shape=shape.name))
            answer = shape.answer(now=now(), model="model-x")
            alive = KEEP_ALIVE if answer.ending is Ending.KEEP_ALIVES else ""
            expected = replace(answer, parts=("".join(answer.parts) + alive,))
            assert await received(client, shape.api_mode, expected) == expected, shape.name
            assert (simulator.requests[-1].met, simulator.requests[-1].status) == (shape.name, expected.status)


def test_there_is_a_shape_for_every_kind_of_failure_and_every_step() -> None:
    readings = [shape.reading for shape in shapes().values()]
    assert {reading.kind for reading in readings} == set(FailureKind) - NEVER_SENT
    assert {reading.scope for reading in readings} == set(Scope)
    assert {reading.next for reading in readings} == set(Next)
    assert {reading.source for reading in readings} == {None, *ResetSource}
    assert {shape.ending for shape in shapes().values()} == set(Ending)


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("zone", ["UTC"], indirect=True)
@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("@{model}", "m"),
        ("@{epoch 2h}", "1900007200"),
        ("@{epoch_ms 500ms}", "1900000000500"),
        ("@{iso 1m}", "2030-03-17T17:47:40Z"),
        ("@{http_date -5m}", "Sun, 17 Mar 2030 17:41:40 GMT"),
        ("@{stamp 1d}", "2030-03-18 17:46:40"),
        ("@{clock 0s}", "5:47 PM"),
        ("@{clock 6h13m}", "12:00 AM"),
        ("@{moment 5d}", "Mar 22nd, 2030 5:47 PM"),
        ("@{zoned 1d}", "Mar 18, 6:47pm (Europe/Zurich)"),
        ("@{day 1d}", "2030-03-18 at 00:00 UTC"),
        ('{"@type":"x"}', '{"@type":"x"}'),
    ],
)
def test_a_placeholder_is_filled_for_the_moment_of_the_request(text: str, filled: str) -> None:
    assert fill(text, now=EPOCH, model="m") == filled


@pytest.mark.parametrize("text", ["@{epoc 2h}", "@{epoch}", "@{model 2h}", "@{iso soon}"])
def test_a_wrong_placeholder_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        fill(text, now=EPOCH, model="m")
