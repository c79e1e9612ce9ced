"""Reading what providers send, beside `json.loads` of the same bytes: refusals, times, streams, usage, long replies."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Final

from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.route import ApiMode
from hermes_tui.core.secret import Redactor, Secret
from hermes_tui.core.text import PlainText, plain
from hermes_tui.providers.classify import classify
from hermes_tui.providers.dialect import parsed
from hermes_tui.providers.reply import Reply
from hermes_tui.providers.sentences import read_text
from hermes_tui.providers.usage import read_answer
from hermes_tui.providers.wire import DIALECTS
from hermes_tui.simulator.gallery import shapes
from tests.benchmarks.measuring import MIB, Figure, Spent, Watch, in_turn, middle, milliseconds, ratio_of, times
from tests.benchmarks.plan import Plan
from tests.core.made import NOW
from tests.providers.hostile import ENDLESS, PAYLOADS, filled

MODEL: Final = "model-x"
KEYS: Final = 20
"""Secrets that are looked for in every text."""

REPLY_BYTES: Final = 64 * 1024
ODD_SIZES: Final = (1, 2, 3, 5, 7, 1021, 4093, 65521)
"""The sizes of the pieces in which a stream comes, over and over."""

REFUSAL_GOAL_SECONDS: Final = 0.001
WORST_GOAL_SECONDS: Final = 0.02
USAGE_GOAL_RATIO: Final = 2.0
STREAM_GOAL_RATIO: Final = 4.0


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure each reader on what is usual and on the worst that is known."""
    rounds = plan.of(21, 7, 1)
    redact = _redactor()
    yield _refusals(rounds, redact)
    yield _worst("a refusal, the worst of", rounds, _sentences(), lambda text: _classify(text, redact))
    yield _worst("a time in a sentence, the worst of", rounds, _sentences(), lambda text: read_text(text, now=NOW))
    yield _usage(rounds, redact)
    yield _within("redacting a reply of 64 KiB", rounds, _prose(), redact, goal_seconds=WORST_GOAL_SECONDS)
    yield _stream(plan.of(5, 3, 1), plan.of(10, 2, 1) * MIB)


def _redactor() -> Callable[[str], PlainText]:
    redactor = Redactor([Secret(f"benchmark-secret-{n:02}-of-many") for n in range(KEYS)])
    return lambda text: plain(redactor.clean(text))


def _refusals(rounds: int, redact: Callable[[str], PlainText]) -> Figure:
    """Measure one refusal: the mean over the gallery's JSON answers, each with its own status and headers."""
    found = [(shape, shape.answer(now=NOW, model=MODEL)) for shape in shapes().values() if shape.stream is None]
    answers = [(shape, answer, body) for shape, answer in found if parsed(body := "".join(answer.parts)) is not None]

    def read() -> None:
        for shape, answer, body in answers:
            classify(shape.known, answer.status, answer.headers, body, now=NOW, redact=redact, model=MODEL)

    def load() -> None:
        for _, _, body in answers:
            json.loads(body)

    ours, beside = in_turn(rounds, _each(len(answers), read), _each(len(answers), load))
    return _figure(f"a refusal, of {len(answers)} in the gallery", ours, beside, REFUSAL_GOAL_SECONDS)


def _sentences() -> Sequence[str]:
    return [json.dumps({"error": {"message": filled(piece)}}) for piece in ENDLESS]


def _prose() -> str:
    line = "They ran the tests, read core/secret.py (line 42), and changed x-ratelimit-reset to one_time at most.\n"
    return json.dumps(filled(line, REPLY_BYTES))


def _classify(text: str, redact: Callable[[str], PlainText]) -> None:
    classify(provider_behind("openai"), 429, {}, text, now=NOW, redact=redact, model=MODEL)


def _usage(rounds: int, redact: Callable[[str], PlainText]) -> Figure:
    def read(text: str) -> None:
        read_answer(200, {}, text.encode(), model=MODEL, now=NOW, redact=redact)

    worst = _longest([json.dumps(payload) for payload in PAYLOADS.values()], read)
    ours, beside = in_turn(rounds, _each(1, lambda: read(worst)), _each(1, lambda: json.loads(worst)))
    name = f"a usage payload of {len(worst) // 1024} KiB, the worst of {len(PAYLOADS)}"
    return _beside(name, ours, beside, USAGE_GOAL_RATIO)


def _worst(name: str, rounds: int, texts: Sequence[str], read: Callable[[str], object]) -> Figure:
    """Measure the text that takes longest to read."""
    worst = _longest(texts, read)
    return _within(f"{name} {len(texts)}", rounds, worst, read, goal_seconds=WORST_GOAL_SECONDS)


def _within(name: str, rounds: int, text: str, read: Callable[[str], object], *, goal_seconds: float) -> Figure:
    ours, beside = in_turn(rounds, _each(1, lambda: read(text)), _each(1, lambda: json.loads(text)))
    return _figure(name, ours, beside, goal_seconds)


def _figure(name: str, ours: Sequence[Spent], beside: Sequence[Spent], goal_seconds: float) -> Figure:
    own, bare = middle(ours), middle(beside)
    return Figure(
        name,
        milliseconds(own.wall),
        f"≤ {milliseconds(goal_seconds)} of CPU",
        milliseconds(own.cpu),
        own.cpu <= goal_seconds,
        milliseconds(bare.wall),
        ratio_of(own.wall, bare.wall),
        milliseconds(own.cpu),
        milliseconds(bare.cpu),
    )


def _longest(texts: Sequence[str], read: Callable[[str], object]) -> str:
    return max(texts, key=lambda text: _each(1, lambda: read(text))().cpu)


def _each(count: int, work: Callable[[], object]) -> Callable[[], Spent]:
    """Return what does `work` and says what one of its `count` parts took."""

    def run() -> Spent:
        watch = Watch()
        work()
        spent = watch.spent()
        return Spent(spent.wall / count, spent.cpu / count)

    return run


def _stream(rounds: int, size: int) -> Figure:
    """Measure a streamed reply of `size` bytes in odd pieces, beside loading the JSON in its events one by one."""
    delta = json.dumps({"id": "x", "choices": [{"index": 0, "delta": {"content": "token " * 40}}]})
    count = size // len(delta)
    raw = f"data: {delta}\n\n".encode() * count + b"data: [DONE]\n\n"
    pieces = list(_cut(raw))

    def read() -> None:
        reply = Reply(DIALECTS[ApiMode.CHAT_COMPLETIONS].reader())
        for piece in pieces:
            reply.feed(piece)
        assert reply.trouble is None

    def load() -> None:
        for _ in range(count):
            json.loads(delta)

    ours, beside = in_turn(rounds, _each(1, read), _each(1, load))
    return _beside(f"a stream of {size // MIB} MiB in {len(pieces):,} odd pieces", ours, beside, STREAM_GOAL_RATIO)


def _beside(name: str, ours: Sequence[Spent], beside: Sequence[Spent], goal_ratio: float) -> Figure:
    own, bare = middle(ours), middle(beside)
    ratio = own.cpu / bare.cpu
    return Figure(
        name,
        milliseconds(own.wall),
        f"≤ {times(goal_ratio)} of CPU",
        times(ratio),
        ratio <= goal_ratio,
        milliseconds(bare.wall),
        times(own.wall / bare.wall),
        milliseconds(own.cpu),
        milliseconds(bare.cpu),
    )


def _cut(raw: bytes) -> Iterator[bytes]:
    at = 0
    for size in cycle(ODD_SIZES):
        if at >= len(raw):
            return
        yield raw[at : at + size]
        at += size
