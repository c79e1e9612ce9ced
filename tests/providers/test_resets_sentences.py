"""Sentences that say when to come back, and those that only look like it (M14, C35)."""

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.cooldown import HORIZON_SECONDS
from hermes_tui.core.failure import Reset
from hermes_tui.providers import moments
from hermes_tui.providers.sentences import read_text

NOW = datetime.fromisoformat("2030-01-01T12:00:00Z").timestamp()
"""A Tuesday."""

Zone = Callable[[str], None]


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def read(text: str, now: str | float = NOW) -> Reset | None:
    return read_text(text, now=at(now) if isinstance(now, str) else now)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Rate limit reached for model-x. Please try again in 1m2.5s. Visit the limits page.", 62.5),
        ("Please try again in 915ms.", 0.915),
        ("or try again in 2 days 17 hours 14 minutes.", 234840),
        ("You have exhausted your capacity on this model. Your quota will reset after 49s.", 49),
        ("Your quota will reset after 3h20m54s.", 12054),
        ("Please retry after 12 seconds. To increase your default rate limit", 12),
        ("Please retry in 10.68s.", 10.68),
        ("usage limit reached, resets in 3600s", 3600),
        ("Rate limit of 50 per 86400s exceeded. Please wait 42513 seconds before retrying.", 42513),
        ("Please wait 0 seconds before retrying.", 0),
        ("wait 42,513 seconds", 42513),
        ("request reached max RPM: 3, please try again after 1 seconds", 1),
        ("No deployments available for selected model, Try again in 5 seconds. Passed model=m", 5),
        ("Out of call volume quota. Quota will be replenished in 02:13:22.", 8002),
        ("Quota will be replenished in 6.02:13:22.", 526402),
        ("retry_delay {\n  seconds: 38\n}", 38),
        ("Error code: 429 - {'error': {'type': 'x', 'resets_in_seconds': 5400, 'eligible", 5400),
        ("Retry-After: 30", 30),
        ("retry_after_ms=500;", 0.5),
        ("resets_at: 1893499260, plan", 60),
        ("Claude usage limit reached|1893499260", 60),
        ("Usage limit resets in: 3 hr 5 mins", 11100),
        ("Wait at least 30 seconds.", 30),
        ("try your request again in an hour", 3600),
        ("resets in 5 hours from now", 18000),
    ],
)
def test_m14_a_wait_in_a_sentence_is_read(text: str, seconds: float) -> None:
    found = read(text)
    assert found is not None
    assert (round(found.at - NOW, 5), found.approximate) == (seconds, False)


@pytest.mark.parametrize("text", ["Try again in less than a minute.", "in about: try again in about 1 minute"])
def test_m14_a_vague_wait_is_approximate(text: str) -> None:
    assert read(text) == Reset(NOW + 60, approximate=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("session limit · resets 10:10pm (Europe/Madrid)", "2030-01-01T21:10Z"),
        ("weekly limit · resets Jan 3, 7am (Europe/Zurich)", "2030-01-03T06:00Z"),
        ("You've hit your limit · resets Jan 10 at 7am (America/Chicago)", "2030-01-10T13:00Z"),
        ("resets Jan 10, 2030, 7:30 a.m. (America/Argentina/Buenos_Aires)", "2030-01-10T10:30Z"),
        ("resets 3pm (PST)", "2030-01-01T23:00Z"),
        ("resets 3pm UTC+8", "2030-01-02T07:00Z"),
        ("resets 15:00 GMT-03:30", "2030-01-01T18:30Z"),
        ("resets Thursday 9am (Europe/Zurich)", "2030-01-03T08:00Z"),
        ("resets Mon 12:00 AM UTC", "2030-01-07T00:00Z"),
        ("resets every Monday at 9am UTC", "2030-01-07T09:00Z"),
        ("resets Tuesday 9am UTC", "2030-01-08T09:00Z"),
        ("quota resets at midnight Pacific Time", "2030-01-02T08:00Z"),
        ("quota resets at midnight (PT)", "2030-01-02T08:00Z"),
        ("resets daily at 00:00 UTC", "2030-01-02T00:00Z"),
        ("available again tomorrow at 9am UTC", "2030-01-02T09:00Z"),
        ("will reset at 2030-01-02T03:04:05Z", "2030-01-02T03:04:05Z"),
        ("It will reset at 2030-01-02 03:04:05 +0800 CST.", "2030-01-01T19:04:05Z"),
        ("You will regain access on 2030-02-01 at 00:00 UTC.", "2030-02-01T00:00Z"),
        ("Next reset: 3 Jan 2030 07:00 GMT", "2030-01-03T07:00Z"),
        (
            "Your token-plan 1-week quota has been exhausted. The quota will reset at 01-27 09:25:00 UTC.",
            "2030-01-27T09:25Z",
        ),
        ("resets 7am on Jan 3 (Europe/Zurich)", "2030-01-03T06:00Z"),
        ("resets 7:30pm (Europe/Zurich) on Thursday", "2030-01-03T18:30Z"),
        ("resets at 3pm UTC tomorrow", "2030-01-02T15:00Z"),
        ("resets on Thursday, Jan 3rd, at noon UTC", "2030-01-03T12:00Z"),
        ("Retry-After: Wed, 02 Jan 2030 07:28:00 GMT", "2030-01-02T07:28Z"),
    ],
)
def test_c35_a_moment_with_its_zone_is_exact_wherever_it_is_read(local_zone: Zone, text: str, expected: str) -> None:
    for zone in ("UTC", "Pacific/Auckland"):
        local_zone(zone)
        assert read(text) == Reset(at(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try again at 11:50 PM", "2030-01-02T04:50Z"),
        ("try again at 10:10\u202fPM.", "2030-01-02T03:10Z"),
        ("plan usage limit reached, try again after 14:00", "2030-01-01T19:00Z"),
        ("try again at 6:59 AM", "2030-01-02T11:59Z"),
        ("Try again at Jan 11th, 2030 12:27 AM.", "2030-01-11T05:27Z"),
        ("Try again at January 11th, 12:27 PM.", "2030-01-11T17:27Z"),
        ("5-hour limit reached ∙ resets 3pm", "2030-01-01T20:00Z"),
        ("resets on Monday", "2030-01-07T05:00Z"),
        ("rate limited until 14:00", "2030-01-01T19:00Z"),
        ("resets 10:10pm (Mars/Olympus_Mons)", "2030-01-02T03:10Z"),
        ("resets 10:10pm (../etc/passwd)", "2030-01-02T03:10Z"),
        ("resets 10:10pm (America/Argentina)", "2030-01-02T03:10Z"),
        ("will reset at 2030-01-02 03:04:05", "2030-01-02T08:04:05Z"),
        ("\u60a8\u7684\u9650\u989d\u5c06\u5728 2030-01-02 03:04:05 \u91cd\u7f6e\u3002", "2030-01-02T08:04:05Z"),
    ],
)
def test_c35_without_a_zone_it_is_this_machines_time_and_approximate(
    local_zone: Zone, text: str, expected: str
) -> None:
    local_zone("America/New_York")
    assert read(text) == Reset(at(expected), approximate=True)


@pytest.mark.parametrize("name", ["CST", "BST"])
def test_c35_an_abbreviation_of_two_zones_is_approximate(name: str) -> None:
    found = read(f"resets 3pm {name}")
    assert found is not None
    assert found.approximate


NO_WAIT = [
    "", "try again soon", "try again later", "10 requests in 1 minute", "Limit 30000, Requested 5",
    "limit of 30 requests per minute exceeded, please try again later",
    "Please try again later. Limit: 30 requests in 1 minute.",
    "Too many requests. Retry. Limit 60 per 60 s.",
    "retry 3 times in 60 seconds", "retry after 3 attempts", "retry after 2 failed attempts in 10 s",
    "Please wait a moment", "wait before 5 requests", "wait up to 5 minutes", "try again in a few minutes",
    "resets every 5 hours", "limits reset (every 5h and every week)", "resets monthly", "resets in 1 month",
    "last reset at 14:00", "reset 5 minutes ago", "resets 2 hours 30 minutes ago", "it was reset at 14:00",
    "resets 24 hours after your first message", "try again within 24 hours of the reset", "resets 5 hour limit",
    "connection reset after 30s", "reset reason: connection timeout", "reset your password at 5pm",
    "model-x is deprecated and no longer available after 2030-01-05 00:00:00Z",
    "available since 2030-01-05 00:00:00Z", "available in 3 regions",
    "upgrade to version 2.5 m", "retry with model gpt-5.5 m", "credits reset for $5.00", "$5 refreshes",
    "try again at 25:99", "resets 13pm", "resets 0am UTC", "resets 8/3/2030, 7:00 AM", "try again in 1:30",
    "resets Feb 30, 7am", "resets at the start of next month", "resets at 99-99 12:00:00 UTC", "resets UTC",
    "resets on the dashboard", "resets 2030-02-31", "resets 2030-01-02T25:00:00Z", "resets Foo 3, 7am",
    "try again at \u0661\u0662:\u0663\u0660", "wait 5 \u017f", "wait 1.234.567 s", "wait 5,00 s",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_WAIT)
def test_c35_a_sentence_without_a_time_to_come_back_is_none_and_never_now(text: str) -> None:
    assert read(text) is None


def test_m14_the_first_time_that_can_be_read_counts() -> None:
    assert read("Try again at 25:99. Or wait 5 s, the day resets at midnight UTC.") == Reset(NOW + 5)


@pytest.mark.parametrize(
    ("now", "text", "expected"),
    [
        ("2029-12-31T23:59:30Z", "resets Jan 3, 7am UTC", "2030-01-03T07:00Z"),
        ("2029-12-31T23:59:30Z", "resets 12:05am UTC", "2030-01-01T00:05Z"),
        ("2030-01-01T00:00:05Z", "resets Dec 31, 11:59pm UTC", "2030-01-01T00:00:05Z"),
        ("2029-12-31T22:30:00Z", "resets Jan 1, 12:15am (Europe/Zurich)", "2029-12-31T23:15Z"),
        ("2028-02-28T12:00:00Z", "resets Feb 29, 7am UTC", "2028-02-29T07:00Z"),
        ("2028-02-28T23:00:00Z", "resets tomorrow at 9am UTC", "2028-02-29T09:00Z"),
        ("2027-02-28T23:00:00Z", "resets tomorrow at 9am UTC", "2027-03-01T09:00Z"),
        ("2027-02-28T12:00:00Z", "resets 2028-02-29 at 07:00 UTC", "2027-04-04T12:00Z"),
    ],
)
def test_c35_years_turn_and_leap(now: str, text: str, expected: str) -> None:
    found = read(text, now)
    assert found is not None
    assert found.at == at(expected)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2030-01-01T23:50:00Z", "2030-01-01T23:50:00Z"),
        ("2030-01-01T23:50:40Z", "2030-01-01T23:50:40Z"),
        ("2030-01-01T23:51:30Z", "2030-01-02T23:50:00Z"),
    ],
)
def test_c35_a_time_without_seconds_lasts_its_whole_minute(now: str, expected: str) -> None:
    assert read("try again at 11:50 PM UTC", now) == Reset(at(expected))


SPRING, AUTUMN = "2030-03-31", "2030-10-27"
"""The nights on which Zurich's clocks go from 2 to 3, and from 3 to 2, both at 01:00 UTC."""


@pytest.mark.parametrize(
    ("now", "text", "expected", "approximate"),
    [
        (f"{SPRING}T00:30Z", "resets 1:59am", f"{SPRING}T00:59Z", False),
        (f"{SPRING}T00:30Z", "resets 2:30am", f"{SPRING}T01:30Z", True),
        (f"{SPRING}T00:30Z", "resets 3am", f"{SPRING}T01:00Z", False),
        (f"{SPRING}T12:00Z", "resets 2:30am", "2030-04-01T00:30Z", False),
        ("2030-03-30T12:00Z", "resets tomorrow at 9am", f"{SPRING}T07:00Z", False),
        (f"{AUTUMN}T00:10Z", "resets 2:30am", f"{AUTUMN}T01:30Z", True),
        (f"{AUTUMN}T01:10Z", "resets 2:30am", f"{AUTUMN}T01:30Z", True),
        (f"{AUTUMN}T00:10Z", "resets 3am", f"{AUTUMN}T02:00Z", False),
        (f"{AUTUMN}T01:40Z", "resets 2:30am", "2030-10-28T01:30Z", False),
        ("2030-10-26T12:00Z", "resets Oct 27, 9am", f"{AUTUMN}T08:00Z", False),
    ],
)
def test_c35_on_the_nights_on_which_the_clock_changes(
    local_zone: Zone, now: str, text: str, expected: str, approximate: bool
) -> None:
    assert read(f"{text} (Europe/Zurich)", now) == Reset(at(expected), approximate)
    local_zone("Europe/Zurich")
    assert read(text, now) == Reset(at(expected), approximate=True)


def test_c35_on_a_machine_without_zones_a_named_one_is_unknown_and_nothing_breaks(
    monkeypatch: pytest.MonkeyPatch, local_zone: Zone
) -> None:
    def no_such_zone(name: str) -> None:
        raise KeyError(f"No time zone found with key {name}")

    monkeypatch.setattr(moments, "ZoneInfo", no_such_zone)
    assert read("resets 10:10pm (Europe/Madrid)") == Reset(at("2030-01-01T22:10Z"), approximate=True)
    assert read("resets 10:10pm UTC") == Reset(at("2030-01-01T22:10Z"))


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "unit",
    ["resets at ", "9", "resets (", "resets mondays ", "resets 1 ", "retry after 9", "\u0661", "at " * 20, "\x00", " "],
)
def test_m14_a_megabyte_without_a_time_is_none(unit: str) -> None:
    assert read(unit * (MEGABYTE // len(unit))) is None


def test_m14_of_a_long_text_the_beginning_is_read() -> None:
    assert read("Try again in 5s. " + "x " * MEGABYTE) == Reset(NOW + 5)
    assert read("x " * MEGABYTE + "Try again in 5s.") is None


TIMELIKE = st.text(alphabet="0123456789.:-+TZamph sdwinet,JanGMT()/é٣\u017f\u212a\u2003", max_size=80)
WORDS = st.sampled_from(
    ["try again ", "resets ", "at ", "in ", "after ", "retry", "wait ", "Jan 3", ", 7am", " (Europe/Zurich)", "12:30",
     "tomorrow ", "Monday ", "2030-01-02", "T03:04:05", "+08:00", "UTC+99", "5 days ", "1m2.5s", "an hour", "|", "{"]
)  # fmt: skip


@given(st.lists(WORDS | TIMELIKE, max_size=12).map("".join), st.floats(0, 4e9))
def test_m14_no_sentence_breaks_the_parser_or_brings_a_time_that_is_none(text: str, now: float) -> None:
    found = read_text(text, now=now)
    assert found is None or now <= found.at <= now + HORIZON_SECONDS


@given(st.binary(max_size=300))
def test_m14_no_bytes_break_the_parser(raw: bytes) -> None:
    text = "resets at " + raw.decode(errors="replace")
    found = read_text(text, now=NOW)
    assert found is None or NOW <= found.at <= NOW + HORIZON_SECONDS
