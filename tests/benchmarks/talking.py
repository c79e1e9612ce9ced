"""The conversation on the screen: opened, and while a reply streams into it, beside laying all of it out at once."""

from collections.abc import Callable, Iterator
from typing import Final

from hermes_tui.core.snapshot import Live
from hermes_tui.core.text import plain
from hermes_tui.tui.app import FLUSH_SHARE
from hermes_tui.view.markdown import fresh_lines, load
from hermes_tui.view.moment import Moment
from hermes_tui.view.segments import pieces_of
from tests.benchmarks.measuring import Figure, Spent, Watch, in_turn, middle, milliseconds, ratio_of
from tests.benchmarks.plan import Plan
from tests.view.talking import prompt, read, reply, shown, speaking, turns

CELLS: Final = 76
ROOM: Final = 40

SAMPLE: Final = """# What changed

Some **bold** and *soft* words with `code` and a [link](http://127.0.0.1/x).

- one item that is long enough to be folded at the width of the panel, more or less
  - and one inside
- [x] done

| name | figure |
|---|---:|
| probes | 1234 |

```python
def answer(question: str) -> str:
    return "because"  # as always
```

"""
CHUNK: Final = 200
"""Characters that arrive between two flushes."""

OPEN_GOAL_SECONDS: Final = 0.05
FLUSH_GOAL_SECONDS: Final = FLUSH_SHARE / 10
"""Ten flushes a second take no more than what they may."""


def measure(plan: Plan) -> Iterator[Figure]:
    """Measure opening a long reply and a long conversation, and one flush at the end of a long reply."""
    load()
    size, count, rounds = plan.of((50_000, 500, 15), (50_000, 500, 5), (2_000, 20, 1))
    text = plain((SAMPLE * (size // len(SAMPLE) + 1))[:size])
    one = speaking((prompt(0, "?", 1.0), reply(1, text, 2.0)))
    yield _opened(f"a reply of {size // 1000} kB, opened", one, rounds, text)
    yield _opened(f"{count} messages, opened", speaking(turns(count // 2)), rounds, text)
    for name, lines_back in (("followed", 0), ("read elsewhere", -ROOM)):
        yield _flush(f"a flush at the end of a reply of {size // 1000} kB, {name}", text, lines_back, rounds)


def _opened(name: str, moment: Moment, rounds: int, text: str) -> Figure:
    def look() -> None:
        pieces_of.cache_clear()
        shown(read(), moment, CELLS, ROOM)

    return _figure(name, look, text, rounds, OPEN_GOAL_SECONDS)


def _flush(name: str, text: str, lines_back: int, rounds: int) -> Figure:
    reading, prompts = read(), (prompt(0, "?", 1.0),)
    ends = range(len(text) - (rounds + 1) * CHUNK, len(text), CHUNK)
    first, *moments = [speaking(prompts, live=Live(plain(text[:end]), 1.0)) for end in ends]
    shown(reading, first, CELLS, ROOM)
    if lines_back:
        reading.move(lines_back)
    coming = iter(moments)
    return _figure(name, lambda: shown(reading, next(coming), CELLS, ROOM), text, rounds, FLUSH_GOAL_SECONDS)


def _figure(name: str, work: Callable[[], object], text: str, rounds: int, goal_seconds: float) -> Figure:
    """Return what `work` takes, beside laying the whole text out."""

    def whole() -> None:
        for piece in pieces_of(text):
            fresh_lines(piece.segment, CELLS)

    own, bare = map(middle, in_turn(rounds, _watched(work), _watched(whole)))
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


def _watched(work: Callable[[], object]) -> Callable[[], Spent]:
    def run() -> Spent:
        watch = Watch()
        work()
        return watch.spent()

    return run
