"""Words for states and times."""

from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.cooldown import HORIZON_SECONDS, Said
from hermes_tui.core.failure import ResetSource
from hermes_tui.view.words import State, countdown, date_source, duration, to_ascii, verdict_words, wall
from tests.tui.fakes import DAY, NOW, at, limit, story_facts


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2 * DAY + 14 * 3600, "2d 14h"),
        (34 * DAY, "34d 00h"),
        (3 * 3600 + 7 * 60 + 59, "3h 07m"),
        (761, "12:41"),
        (60, "1:00"),
        (41, "0:41"),
        (4, "0:04"),
        (0, "0:00"),
        (-5, "0:00"),
    ],
)
def test_a_duration_is_said_in_its_two_largest_units_within_seven_cells(seconds: float, words: str) -> None:
    assert duration(seconds) == words
    assert len(words) <= 7


def test_a_countdown_that_has_passed_is_due_and_never_negative() -> None:
    assert countdown(NOW - 1, NOW) == "due"
    assert countdown(NOW, NOW) == "due"
    assert countdown(NOW + 0.2, NOW) == "0:01"
    assert countdown(None, NOW) == "-"


@pytest.mark.parametrize(
    ("left", "words"),
    [(DAY + 3600, "1d 01h"), (3660, "1h 01m"), (3599, "59m"), (60, "1m"), (59.2, "1m"), (58.9, "0:59"), (0, "due")],
)
def test_a_rough_countdown_counts_minutes_and_seconds_in_the_last_one(left: float, words: str) -> None:
    assert countdown(NOW + left, NOW, rough=True) == words


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (at(14, 20, 3), "14:20:03"),
        (at(9, 12) + 2 * DAY, "Wed 09:12"),
        (at(9, 12) - 2 * DAY, "Sat 09:12"),
        (at(9, 12) + 20 * DAY, "29 Mar"),
        (None, "-"),
    ],
)
def test_a_moment_is_a_time_today_a_weekday_within_a_week_and_a_date_after(moment: float | None, words: str) -> None:
    assert wall(moment, NOW) == words


def test_an_assumed_moment_carries_a_tilde() -> None:
    assert wall(at(14, 20), NOW, assumed=True) == "~14:20:00"


def test_every_state_has_a_glyph_with_an_ascii_twin_of_the_same_width_and_a_word() -> None:
    for state in State:
        assert state.value.word
        assert len(to_ascii(state.value.glyph)) == 1
        assert to_ascii(state.value.text).isascii()


def test_a_verdict_says_how_long_it_still_counts_and_then_its_age() -> None:
    verdict = next(row for row in story_facts().verdicts.values() if row.key.fingerprint == "a91f")
    assert verdict_words(verdict, NOW, contradicted=True) == "quota 3:16 ✗"
    assert verdict_words(verdict, verdict.asked_at + 312, contradicted=False) == "quota 5:12!"
    assert verdict_words(verdict, verdict.asked_at + 312, contradicted=False, rough=True) == "quota 5m!"
    assert verdict_words(verdict, NOW, contradicted=False, rough=True) == "quota 3:16"


def test_foreign_letters_become_question_marks_as_wide_as_they_are() -> None:
    assert to_ascii("日本 é") == "???? ?"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"said_in": ResetSource.BODY_DATE}, "a date in the provider's answer"),
        ({"said_in": ResetSource.BODY_WAIT}, "a wait in the provider's answer"),
        ({"said_in": ResetSource.QUOTA_HEADERS}, "the provider's quota headers"),
        ({"said_in": ResetSource.RETRY_AFTER}, "the provider's Retry-After"),
        ({"said_in": ResetSource.SENTENCE, "approximate": True}, "a sentence of the provider, not exact"),
        ({"said_in": ResetSource.DOCUMENTED, "approximate": True}, "the provider's documentation, not exact"),
        ({"approximate": True, "until": NOW + HORIZON_SECONDS}, "the provider, farther ahead than is kept"),
        ({"source": Said.ASSUMED, "approximate": True}, "assumed here"),
    ],
)
def test_m14_where_a_date_comes_from_is_said_in_words(fields: dict[str, Any], words: str) -> None:
    assert date_source(replace(limit(NOW, NOW + DAY), **fields)) == words
