"""What a panel shows stays true for as long as it says so: until then nothing is built again."""

import random
from collections.abc import Callable

import pytest

from hermes_tui.core.preview import preview
from hermes_tui.view.actions import BUTTONS
from hermes_tui.view.chain import chain
from hermes_tui.view.credentials import credentials
from hermes_tui.view.events import events
from hermes_tui.view.line import Body, text_of
from hermes_tui.view.moment import Moment, moment_of, selection_for
from hermes_tui.view.rows import row_reads_until
from hermes_tui.view.sessions import sessions
from hermes_tui.view.wayback import compact_way_back, tight_way_back, way_back_body
from hermes_tui.view.words import reads_until
from tests.tui.fakes import DAY, NOW, story_snapshot
from tests.view.talking import read, shown

CELLS = 120
SNAPSHOT = story_snapshot()

Make = Callable[[Moment], Body]


def _with_buttons(make: Callable[..., Body]) -> Make:
    def body(moment: Moment) -> Body:
        commands = {action.id: action.command(moment.selection) for action in BUTTONS if action.command}
        previews = {name: preview(command, SNAPSHOT, NOW) for name, command in commands.items() if command is not None}
        return make(moment, CELLS, previews)

    return body


BODIES: dict[str, Make] = {
    "sessions": lambda moment: sessions(moment, CELLS),
    "chain": lambda moment: chain(moment, CELLS),
    "way back": _with_buttons(way_back_body),
    "tight way back": _with_buttons(tight_way_back),
    "compact way back": _with_buttons(compact_way_back),
    "credentials": lambda moment: credentials(moment, CELLS),
    "conversation": lambda moment: shown(read(), moment, CELLS),
    "events": lambda moment: events(moment, CELLS),
}


def _read(body: Body) -> list[str]:
    rows = [text_of(row.line) for row in body.rows]
    return [body.title, body.subtitle, *map(text_of, body.head), *rows, *map(text_of, body.foot)]


@pytest.mark.parametrize("name", BODIES)
def test_nothing_reads_differently_before_it_is_said_to(name: str) -> None:
    dice, make, stood = random.Random(11), BODIES[name], 0
    for _ in range(100):
        now = NOW + dice.choice((60.0, 3600.0, DAY, 4 * DAY)) * dice.random()
        moment = moment_of(SNAPSHOT, now)
        session = dice.choice(SNAPSHOT.sessions).name
        moment = moment.selecting(selection_for(SNAPSHOT, session, dice.choice(moment.known).row.key))
        body = make(moment)
        assert body.dates is not None
        until = min((reads_until(body.dates, now), *(row_reads_until(row, now) for row in body.rows)))
        later = now + dice.random() * (min(until, moment.holds_until) - now)
        if later > now:
            stood += 1
            assert _read(body) == _read(make(moment_of(SNAPSHOT, later, moment).selecting(moment.selection)))
    assert stood > 25


@pytest.mark.parametrize(
    ("left", "still"),
    [(2 * DAY, 0.999), (2 * DAY + 1800, 1800.999), (7200 + 30, 30.999), (3600.5, 1.499), (90, 0.999), (-90.25, 0.75)],
)
def test_a_count_stands_for_its_hour_its_minute_or_its_second(left: float, still: float) -> None:
    now = 1_900_000_020.0
    assert now % 60 == 0
    assert reads_until((now + left, None), now) - now == pytest.approx(min(still, 60.0))


@pytest.mark.parametrize(("left", "still"), [(1830, 30.999), (61.5, 2.499), (59.5, 0.499), (-90.25, 29.75)])
def test_a_rough_count_stands_for_its_minute_until_the_last(left: float, still: float) -> None:
    now = 1_900_000_020.0
    assert reads_until((now + left,), now, rough=True) - now == pytest.approx(still)


def test_without_dates_all_stands_until_the_full_minute() -> None:
    now = 1_900_000_020.0
    assert reads_until((), now + 12.5) == now + 60
