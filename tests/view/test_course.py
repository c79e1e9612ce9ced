"""The timeline's picture and its words: what is drawn, what is said, at every size."""

from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.chronicle import Chronicle
from hermes_tui.core.course import Course
from hermes_tui.core.event import Event
from hermes_tui.core.session import Session
from hermes_tui.core.verdict import Verdict
from hermes_tui.view.cells import width
from hermes_tui.view.course import moments, picture_cells, pictured, timeline_keys, waiting, worded
from hermes_tui.view.course_words import long_duration
from hermes_tui.view.line import Body, line_width, text_of
from hermes_tui.view.looking import SPANS, Looking, Window, first_look
from hermes_tui.view.picture import TICK_CELLS, ticks
from hermes_tui.view.words import DAY_SECONDS, local, to_ascii
from tests.core.made import HOUR, MINUTE, NOW, away, benched, facts, session
from tests.core.test_chronicle import (
    MOMENTS,
    asked,
    cooled,
    created,
    failed_again,
    left,
    lifted,
    refused,
    restored,
    told_of,
    verified,
)

SUNDAY = datetime(2026, 3, 8, 10, 0).astimezone().timestamp()
MONDAY = SUNDAY + 22 * HOUR
FRIDAY = datetime(2026, 3, 6, 18, 0).astimezone().timestamp()
RESET = datetime(2026, 3, 11, 9, 12).astimezone().timestamp()
SIZES = [(118, 37), (78, 21), (58, 17), (46, 11), (38, 9)]


def weekend() -> list[Event]:
    """Return what happened from Friday evening to Monday morning, an hour ago."""
    out, back, again = FRIDAY + 5 * MINUTE, SUNDAY, MONDAY - HOUR
    return [
        created(FRIDAY),
        created(FRIDAY, "code"),
        refused(out),
        cooled(out, RESET),
        left(out),
        asked(out + 16 * HOUR, Verdict.NO_QUOTA),
        asked(back),
        lifted(back),
        restored(back),
        verified(back + 70),
        lifted(back + 70, on_trial=False),
        refused(again),
        cooled(again, RESET),
        left(again),
        left(again + 60, name="code"),
        lifted(again + 300),
        restored(again + 300),
        refused(again + 302),
        failed_again(again + 302),
        left(again + 302),
    ]


def told() -> tuple[Chronicle, Session, Course]:
    """Return the weekend as a chronicle, and the session that went through it."""
    chronicle, row = Chronicle(), away()
    chronicle.add(weekend())
    known = facts(row, benched(seconds=RESET - NOW, since=MONDAY - HOUR, last_at=MONDAY - HOUR))
    return chronicle, row, chronicle.course(known, row, MONDAY)


def picture(size: tuple[int, int] = (118, 37), looking: Looking | None = None, *, alone: bool = False) -> Body:
    """Return the weekend's picture."""
    chronicle, row, course = told()
    others = {"docs": row} if alone else {"docs": row, "code": away("code")}
    return pictured(course, row, others, chronicle, looking or first_look(course.since, MONDAY), size)


def text(body: Body) -> list[str]:
    """Return every line of a body."""
    return [text_of(line) for line in (*body.head, *(row.line for row in body.rows), *body.foot)]


def one(lines: list[str], start: str) -> str:
    """Return the line that begins so."""
    (found,) = [line for line in lines if line.startswith(start)]
    return found


def test_c126_friday_to_monday_is_seen_at_a_glance() -> None:
    lines = text(picture())
    primary, backup = one(lines, "  0 openai-codex/gpt"), one(lines, "› 1 backup/small")
    assert primary.count("█") == pytest.approx(21 / 72 * picture_cells(118), abs=2)
    assert backup.count("█") == pytest.approx(41 / 72 * picture_cells(118), abs=2)
    assert "Sat" in lines[0]
    assert "Sun" in lines[0]
    assert "Mon" in lines[0]
    assert "now" in lines[0]


def test_a_route_that_came_and_went_within_a_column_is_seen_too() -> None:
    assert one(text(picture(looking=Looking(12 * HOUR))), "  0 openai-codex/gpt").count("▌") == 1


def test_the_cooldown_reaches_beyond_now_and_names_its_end() -> None:
    cooling = one(text(picture()), "  one cools")
    assert cooling.endswith("Wed 09:12")
    assert cooling.count("▒") > 30


def test_marks_and_verdicts_have_lanes_of_their_own_and_a_legend() -> None:
    lines = text(picture())
    events, verdicts = one(lines, "  events"), one(lines, "  verdicts")
    assert [mark for mark in events if mark in "↓↑✓✗*"] == ["↓", "✓", "✗"]
    assert "n" in verdicts[12:]
    assert "q" in verdicts[12:]
    for meaning in ("left", "verified", "failed again", "no quota"):
        assert meaning in lines[-1]


def test_all_sessions_are_seen_in_the_same_time() -> None:
    lines = text(picture())
    docs, code = one(lines, "› docs"), one(lines, "  code")
    assert "─" in docs
    assert docs.rindex("1") == code.rindex("1")
    assert code.count("1") == pytest.approx(1, abs=1)


def test_a_session_alone_needs_no_overview() -> None:
    assert picture(alone=True).rows == ()


def test_the_sentence_of_what_the_cursor_stands_on_is_below_the_picture() -> None:
    _, _, course = told()
    looking = first_look(course.since, MONDAY)
    back = looking.moved(-1, moments(course), MONDAY, picture_cells(118))
    lines = text(picture(looking=back))
    assert "restored to openai-codex/gpt; the first reply will tell" in "\n".join(lines)
    pointer = next(line for line in lines if line.strip() == "^")
    assert one(lines, "  events")[len(pointer) - 1] == "✓"


def test_the_cursor_walks_through_every_column_that_has_a_mark_and_stops_at_both_ends() -> None:
    _, _, course = told()
    looking, seen = first_look(course.since, MONDAY), []
    for _ in range(20):
        looking = looking.moved(-1, moments(course), MONDAY, 90)
        seen.append(looking.cursor)
    assert seen[-1] == seen[-2] == FRIDAY + 5 * MINUTE
    for _ in range(20):
        looking = looking.moved(1, moments(course), MONDAY, 90)
    assert looking.cursor == course.ahead[-1].at
    assert looking.window(MONDAY, 90).holds(course.ahead[-1].at)


def test_zooming_in_takes_marks_apart_that_shared_a_column() -> None:
    far = Looking(3 * DAY_SECONDS, cursor=MONDAY - HOUR)
    near = far.zoomed(6, MONDAY)
    assert near.span == SPANS[0]
    assert near.window(MONDAY, 90).holds(MONDAY - HOUR)
    here = far.window(MONDAY, 90).column(MONDAY - HOUR)
    assert far.window(MONDAY, 90).column(MONDAY - HOUR + 302) in (here, here + 1)
    assert near.window(MONDAY, 90).column(MONDAY - HOUR + 302) > near.window(MONDAY, 90).column(MONDAY - HOUR) + 3


def test_the_zoom_stays_within_an_hour_and_a_month() -> None:
    looking = Looking(SPANS[0])
    assert looking.zoomed(5, MONDAY).span == SPANS[0]
    assert looking.zoomed(-50, MONDAY).span == SPANS[-1]


def test_panning_leaves_now_and_home_comes_back_to_it() -> None:
    looking = Looking(3 * DAY_SECONDS)
    earlier = looking.panned(-2, MONDAY)
    assert earlier.window(MONDAY, 90).end < MONDAY
    assert earlier.home() == looking
    assert earlier.panned(2, MONDAY).window(MONDAY, 90) == looking.window(MONDAY, 90)


def test_the_picture_moves_by_whole_columns_only() -> None:
    looking = Looking(3 * DAY_SECONDS)
    assert looking.window(MONDAY, 90) == looking.window(MONDAY + 1, 90)
    later = looking.window(MONDAY + looking.span / 90, 90)
    assert later.start - looking.window(MONDAY, 90).start == pytest.approx(looking.span / 90)


@pytest.mark.parametrize("size", SIZES)
def test_every_size_keeps_routes_marks_and_a_sentence_within_its_width(size: tuple[int, int]) -> None:
    body = picture(size)
    lines = text(body)
    assert all(width(line) <= size[0] for line in lines)
    assert len(body.head) <= size[1]
    assert "█" in one(lines, "  0 ")
    assert "█" in one(lines, "› 1 ")
    assert one(lines, "  events")
    assert any("left" in line or "restored" in line or "and more" in line for line in lines)


@pytest.mark.parametrize("size", SIZES)
def test_in_ascii_every_mark_keeps_its_place(size: tuple[int, int]) -> None:
    for line in text(picture(size)):
        plain = to_ascii(line)
        assert plain.isascii()
        assert "?" not in plain
        assert len(plain) == width(line)


@given(st.sampled_from(SPANS), st.integers(20, 160), st.floats(FRIDAY - 400 * DAY_SECONDS, FRIDAY + 400 * DAY_SECONDS))
def test_ticks_stand_at_round_local_times_and_never_too_close(span: float, cells: int, end: float) -> None:
    window = Window(end - span, end, cells)
    step, at = ticks(window)
    assert all(window.holds(tick) for tick in at)
    for tick in at:
        moment = local(tick)
        assert moment.second == 0
        assert (moment.hour * 60 + moment.minute) % (min(step, DAY_SECONDS) // 60) == 0
    columns = [window.column(tick) for tick in at]
    assert all(later - before >= TICK_CELLS - 1 for before, later in pairwise(columns))


@given(st.lists(MOMENTS, max_size=25), st.sampled_from(SPANS), st.sampled_from(SIZES), st.integers(-4, 4))
def test_whatever_is_told_can_be_drawn_and_said(
    happened: list[tuple[str, float, int]], span: float, size: tuple[int, int], pan: int
) -> None:
    chronicle, row, now = Chronicle(), session(), NOW
    chronicle.add(told_of(*one) for one in happened)
    course = chronicle.course(facts(row), row, now)
    looking = Looking(span).panned(pan, now)
    body = pictured(course, row, {"docs": row, "code": session("code")}, chronicle, looking, size)
    assert all(line_width(line) <= size[0] for line in (*body.head, *(shown.line for shown in body.rows), *body.foot))
    assert all(line_width(shown.line) <= size[0] for shown in worded(course, size[0]).rows)


def test_the_text_tells_each_absence_in_one_sentence_and_the_sums() -> None:
    _, _, course = told()
    lines = "\n".join(text(worded(course, 200)))
    assert (
        "Fri 18:05 left openai-codex/gpt for backup/small (429 usage limit, one), Sun 10:00 restored by a verdict, "
        "verified Sun 10:01: 39 h 55 min on backup/small." in lines
    )
    assert "Mon 07:00 left openai-codex/gpt for backup/small" in lines
    assert "1 restore failed, 1 request refused, still away: 59 min on backup/small so far." in lines
    assert "5 switches, 1 failed restore, 1 request refused by the primary while away." in lines
    assert "Verdicts about its primary: 1 quota, 1 no quota." in lines


def test_c127_a_walk_that_is_repeated_is_one_sentence_with_its_counts() -> None:
    chronicle, row = Chronicle(), away(position=2)
    events: list[Event] = [created(FRIDAY), left(FRIDAY + 60), left(FRIDAY + 61, 2, of="backup/small")]
    for turn in range(30):
        at = FRIDAY + 600 + turn * 300
        events += [restored(at), refused(at + 1), failed_again(at + 1), left(at + 1)]
        events += [left(at + 2, 2, of="backup/small")]
    chronicle.add(events)
    course = chronicle.course(facts(row), row, MONDAY)
    (sentence,) = [line for line in text(worded(course, 300)) if "left" in line]
    assert "30 restores failed, 30 requests refused, still away" in sentence


def test_the_journal_that_is_read_or_cannot_be_is_said_plainly() -> None:
    assert text(waiting("docs", None, 60)) == ["Reading the journal."]
    assert text(waiting("docs", "state.db: is locked", 60)) == ["The journal cannot be read: state.db: is locked"]


@pytest.mark.parametrize("cells", [38, 46, 58, 78, 118])
def test_the_keys_fit_and_begin_with_the_way_back(cells: int) -> None:
    for as_text in (True, False):
        keys = text_of(timeline_keys(cells, as_text=as_text))
        assert keys.startswith(" esc back")
        assert len(keys) <= cells


def test_an_unfamiliar_name_stays_what_it_is() -> None:
    chronicle, row = Chronicle(), session("[red]x[/]")
    chronicle.add([created(FRIDAY, "[red]x[/]")])
    course = chronicle.course(facts(row), row, MONDAY)
    body = pictured(course, row, {row.name: row}, chronicle, first_look(course.since, MONDAY), (78, 21))
    assert body.title == "Timeline of [red]x[/]"


def test_lengths_of_time_are_said_as_a_person_does() -> None:
    told = [long_duration(seconds) for seconds in (40, 720, 39.2 * 3600, 76 * 3600)]
    assert told == ["40 s", "12 min", "39 h 12 min", "3 d 4 h"]


def test_where_there_is_little_room_the_gravest_of_a_column_is_told() -> None:
    _, _, course = told()
    looking = Looking(3 * DAY_SECONDS, cursor=MONDAY - HOUR + 302)
    body = text(picture((46, 11), looking))
    assert any("failed again:" in line for line in body)
    assert any("more here: + shows it closer" in line for line in body)
    roomy = "\n".join(text(picture((118, 37), looking)))
    assert "more here" not in roomy
    assert len([mark for mark in course.marks if mark.time >= MONDAY - HOUR]) == roomy.count("\n07:0")


def test_where_there_is_room_everything_in_a_column_is_told() -> None:
    chronicle, row = Chronicle(), away()
    chronicle.add([created(FRIDAY), *(left(FRIDAY + second) for second in range(12))])
    course = chronicle.course(facts(row), row, MONDAY)
    rows = {row.name: row}
    for lines, all_told in ((50, True), (24, False)):
        looking = Looking(3 * DAY_SECONDS, cursor=FRIDAY)
        body = text(pictured(course, row, rows, chronicle, looking, (118, lines)))
        assert sum("for backup/small: " in line for line in body) == (12 if all_told else 7)
        assert any("more here" in line for line in body) is not all_told
        assert len(body) <= lines
