"""One parser for every form of time (M14), and the order in which sources are believed."""

import json
import math
import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.cooldown import HORIZON_SECONDS
from hermes_tui.core.failure import Reset
from hermes_tui.providers.body import read_body
from hermes_tui.providers.reset_sources import find_reset, retry_after
from hermes_tui.providers.resets import read_text, read_time, read_wait

NOW = datetime.fromisoformat("2030-01-01T12:00:00Z").timestamp()


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120), ("1.5", 1.5), (0, 0), ("0", 0), (5400, 5400), ("12ms", 0.012), ("17ms", 0.017), ("1s", 1),
        ("7.66s", 7.66), ("2m59.56s", 179.56), ("6m0s", 360), ("1h2m", 3720), ("2d3h", 183600), ("1m2.5s", 62.5),
        ("2 days 17 hours 14 minutes", 234840), ("22s", 22), ("915ms", 0.915),
        (NOW + 90, 90), (f"{NOW + 90:.0f}", 90), (f"{(NOW + 90) * 1000:.0f}", 90),
        ("2030-01-01T12:01:00Z", 60), ("2030-01-01T14:01:00+02:00", 60), ("2030-01-01T12:01:00.500Z", 60.5),
        ("Tue, 01 Jan 2030 12:01:00 GMT", 60),
    ],
)  # fmt: skip
def test_m14_every_form_of_a_value_is_read(value: object, seconds: float) -> None:
    found = read_time(value, now=NOW)
    assert found is not None
    assert found.at - NOW == pytest.approx(seconds, abs=1e-5)
    assert not found.approximate


@pytest.mark.parametrize(
    "value",
    [
        "nan",
        "inf",
        "-5",
        "-inf",
        "1e309",
        "1e400",
        "",
        " ",
        "soon",
        "1" * 20,
        10**20,
        math.nan,
        math.inf,
        -1,
        True,
        None,
        [],
        {},
        "2030-13-45T99:00:00Z",
        "Wed, 99 Foo 2030 07:28:00 GMT",
        "5 parsecs",
    ],
)
def test_c31_what_is_no_time_is_none(value: object) -> None:
    assert read_time(value, now=NOW) is None


@pytest.mark.parametrize("value", ["2020-01-01T00:00:00Z", 1_000_000_000, "Wed, 21 Oct 2015 07:28:00 GMT", 0])
def test_m14_a_time_already_past_is_due_now(value: object) -> None:
    assert read_time(value, now=NOW) == Reset(NOW)


@pytest.mark.parametrize("value", ["9999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z", "4000d"])
def test_c32_a_gigantic_wait_is_kept_as_the_horizon(value: str) -> None:
    assert read_time(value, now=NOW) == Reset(NOW + HORIZON_SECONDS, approximate=True)


def test_m14_a_date_without_zone_is_approximate_and_takes_the_later_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    assert read_time("2030-01-02 03:04:05", now=NOW) == Reset(at("2030-01-02T08:04:05Z"), approximate=True)


def test_c30_a_date_in_retry_after_is_measured_by_the_servers_own_clock() -> None:
    date, sent = "Tue, 01 Jan 2030 13:00:30 GMT", "Tue, 01 Jan 2030 13:00:00 GMT"
    assert read_wait(date, now=NOW, date=sent) == Reset(NOW + 30)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "Tue, 01 Jan 2030 12:00:30 GMT"}, 30),
        ({"retry-after": "Tue, 01 Jan 2030 11:00:30 GMT"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "2", "retry-after-ms": "1870"}, 1.87),
        ({"retry-after": "2", "retry-after-ms": "soon"}, 2),
    ],
)
def test_c30_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float) -> None:
    found = retry_after(headers, now=NOW)
    assert found is not None
    assert found.at - NOW == pytest.approx(seconds)


@pytest.mark.parametrize("value", ["", "-5", "nan", "inf", "1e400", "soon"])
def test_c31_an_unreadable_retry_after_is_no_hint(value: str) -> None:
    assert retry_after({"retry-after": value}, now=NOW) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please try again in 1m2.5s. Thanks", Reset(NOW + 62.5)),
        ("try again in 2 days 17 hours 14 minutes", Reset(NOW + 234840)),
        ("reset after 49s", Reset(NOW + 49)),
        ("Please retry after 12 seconds", Reset(NOW + 12)),
        ("Please retry in 10.68s.", Reset(NOW + 10.68)),
        ("usage limit reached, resets in 3600s", Reset(NOW + 3600)),
        ("try again at 11:50 PM", Reset(at("2030-01-01T23:50Z"), approximate=True)),
        ("try again at 11:50 AM.", Reset(at("2030-01-02T11:50Z"), approximate=True)),
        ("plan usage limit reached, try again after 14:00", Reset(at("2030-01-01T14:00Z"), approximate=True)),
        ("try again at Jan 11th, 2030 12:27 AM", Reset(at("2030-01-11T00:27Z"), approximate=True)),
        ("session limit · resets 10:10pm (Europe/Madrid)", Reset(at("2030-01-01T21:10Z"))),
        ("weekly limit · resets Jan 3, 7am (Europe/Zurich)", Reset(at("2030-01-03T06:00Z"))),
        ("resets 3pm (PST)", Reset(at("2030-01-01T23:00Z"))),
        ("will reset at 2030-01-02 03:04:05", Reset(at("2030-01-02T03:04:05Z"), approximate=True)),
        ("will reset at 2030-01-02T03:04:05Z", Reset(at("2030-01-02T03:04:05Z"))),
    ],
)
def test_m14_sentences_are_read(text: str, expected: Reset) -> None:
    found = read_text(text, now=NOW)
    assert found is not None
    assert found.at == pytest.approx(expected.at)
    assert found.approximate is expected.approximate


@pytest.mark.parametrize(
    "text",
    ["", "try again soon", "10 requests in 1 minute", "try again at 25:99", "resets 13pm", "Limit 30000, Requested 5"],
)
def test_m14_a_sentence_without_a_time_to_come_back_is_none(text: str) -> None:
    assert read_text(text, now=NOW) is None


def test_a_zone_that_nobody_knows_leaves_the_time_approximate() -> None:
    found = read_text("resets 10:10pm (Mars/Olympus_Mons)", now=NOW)
    assert found == Reset(at("2030-01-01T22:10Z"), approximate=True)


BODY_AT, BODY_IN, HEADER, WAIT = NOW + 500, 400, f"{NOW + 300:.0f}", "200"


@pytest.mark.parametrize(
    ("body", "headers", "seconds"),
    [
        ({"resets_at": BODY_AT, "resets_in_seconds": BODY_IN, "message": "try again in 100s"}, True, 500),
        ({"resets_in_seconds": BODY_IN, "message": "try again in 100s"}, True, 400),
        ({"resets_at": "soon", "message": "try again in 100s"}, True, 300),
        ({"message": "try again in 100s"}, False, 200),
    ],
)
def test_m14_body_outranks_headers_and_headers_outrank_retry_after(
    body: dict[str, object], headers: bool, seconds: float
) -> None:
    sent = {"retry-after": WAIT}
    if headers:
        sent |= {"x-codex-primary-used-percent": "100", "x-codex-primary-reset-at": HEADER}
    found = find_reset(sent, read_body(json.dumps({"error": body})), now=NOW)
    assert found is not None
    assert found.at - NOW == pytest.approx(seconds)


def test_m14_text_is_the_last_resort() -> None:
    assert find_reset({}, read_body('{"message":"try again in 100s"}'), now=NOW) == Reset(NOW + 100)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (
            {
                "x-codex-primary-used-percent": "100", "x-codex-primary-reset-after-seconds": "60",
                "x-codex-secondary-used-percent": "41", "x-codex-secondary-reset-after-seconds": "9000",
            },
            60,
        ),
        (
            {
                "x-codex-primary-used-percent": "100", "x-codex-primary-reset-after-seconds": "60",
                "x-codex-secondary-used-percent": "100", "x-codex-secondary-reset-after-seconds": "9000",
            },
            9000,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "5", "anthropic-ratelimit-requests-reset": f"{NOW + 90:.0f}",
                "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": f"{NOW + 30:.0f}",
            },
            30,
        ),
        (
            {
                "anthropic-ratelimit-unified-5h-status": "rejected", "anthropic-ratelimit-unified-5h-reset": "60",
                "anthropic-ratelimit-unified-7d-status": "allowed", "anthropic-ratelimit-unified-7d-reset": "900",
            },
            60,
        ),
        (
            {
                "x-ratelimit-remaining-requests": "10", "x-ratelimit-reset-requests": "2m59.56s",
                "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7.66s",
            },
            7.66,
        ),
        ({"x-ratelimit-reset": f"{(NOW + 8) * 1000:.0f}"}, 8),
    ],
)  # fmt: skip
def test_m14_of_several_windows_the_latest_full_one_counts(headers: dict[str, str], seconds: float) -> None:
    found = find_reset(headers, read_body(""), now=NOW)
    assert found is not None
    assert found.at - NOW == pytest.approx(seconds)


@pytest.mark.parametrize("sentinel", ["0", "-1"])
def test_a_placeholder_in_a_reset_header_is_no_reset(sentinel: str) -> None:
    assert find_reset({"x-ratelimit-reset-tokens": sentinel}, read_body(""), now=NOW) is None


TIMELIKE = st.text(alphabet="0123456789.:-+TZamph sdwinet,JanGMT()/é٣", max_size=60)


@given(st.one_of(TIMELIKE, st.text(max_size=60), st.floats(), st.integers(), st.none(), st.booleans()))
def test_m14_no_value_breaks_the_parser_or_brings_a_time_that_is_none(value: object) -> None:
    found = read_time(value, now=NOW)
    assert found is None or NOW <= found.at <= NOW + HORIZON_SECONDS


@given(st.sampled_from(["try again ", "resets at ", "retry in ", "wait "]), TIMELIKE)
def test_m14_no_sentence_breaks_the_parser_or_brings_a_time_that_is_none(cue: str, rest: str) -> None:
    found = read_text(cue + rest, now=NOW)
    assert found is None or NOW <= found.at <= NOW + HORIZON_SECONDS


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "date", "x-ratelimit-reset"]), TIMELIKE))
def test_m14_no_header_breaks_the_parser(headers: dict[str, str]) -> None:
    found = find_reset(headers, read_body(""), now=NOW)
    assert found is None or math.isfinite(found.at)
