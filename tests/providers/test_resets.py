"""One parser for every form in which a header or a field holds a time (M14, C30 ... C32, C34)."""

import math
from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.cooldown import FLOOR_SECONDS, HORIZON_SECONDS, cooldown_after
from hermes_tui.core.failure import Reset, ResetSource
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.providers.classify import classify
from hermes_tui.providers.reset_sources import retry_after
from hermes_tui.providers.resets import read_time, read_wait

from .support import redact

NOW = datetime.fromisoformat("2030-01-01T12:00:00Z").timestamp()

pytestmark = pytest.mark.usefixtures("local_zone")


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120), ("1.5", 1.5), (0, 0), ("0", 0), (5400, 5400), ("12ms", 0.012), ("17ms", 0.017), ("1s", 1),
        ("7.66s", 7.66), ("2m59.56s", 179.56), ("6m0s", 360), ("1h2m", 3720), ("2d3h", 183600), ("1m2.5s", 62.5),
        ("2 days 17 hours 14 minutes", 234840), ("22s", 22), ("915ms", 0.915), ("270µs", 0.00027), ("1w", 604800),
        ("2 days, 3 hours and 1 min", 183660), ("13h31m19.5s", 48679.5),
        (NOW + 90, 90), (f"{NOW + 90:.0f}", 90), (f"{NOW + 90:.1f}", 90),
        ("2030-01-01T12:01:00Z", 60), ("2030-01-01T14:01:00+02:00", 60), ("2030-01-01T12:01:00.500Z", 60.5),
        ("2030-01-01t12:01:00z", 60), ("2030-01-01 20:01:00 +0800 CST", 60), ("2030-01-01 12:01:00 UTC", 60),
        ("2030-01-01T12:01:00.123456789Z", 60.123456), ("2030-01-01 12:01:00+00", 60),
        ("Tue, 01 Jan 2030 12:01:00 GMT", 60), ("Tuesday, 01-Jan-30 12:01:00 GMT", 60),
        ("Tue Jan  1 12:01:00 2030", 60), ("  60\t", 60),
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
        "nan", "inf", "-5", "-inf", "1e309", "1e400", "", " ", "soon", "1" * 20, 10**20, math.nan, math.inf, -1, -0.5,
        True, None, [], {}, b"60", "2030-13-45T99:00:00Z", "Wed, 99 Foo 2030 07:28:00 GMT", "5 parsecs", "10 months",
        "2030-02-30T00:00:00Z", "2030-01-01T24:01:00Z", "0x10", "1_000", "1,5", "٣٠", "5 \u017f", "+60", "60 or so",
        "14:00", "midnight", "Monday", "utc", "9" * 5000,
    ],
)  # fmt: skip
def test_c31_what_is_no_time_is_none(value: object) -> None:
    assert read_time(value, now=NOW) is None


@pytest.mark.parametrize("value", ["2020-01-01T00:00:00Z", 1_000_000_000, "Wed, 21 Oct 2015 07:28:00 GMT", 0, "0s"])
def test_m14_a_time_already_past_is_due_now(value: object) -> None:
    assert read_time(value, now=NOW) == Reset(NOW)


@pytest.mark.parametrize("value", ["-5", "nan", "inf", "1e400", "0"])
def test_c31_a_wait_that_is_none_never_spins(value: str) -> None:
    provider = provider_behind("acme")
    told = classify(provider, 429, {"Retry-After": value}, "", now=NOW, redact=redact)
    assert (told.retry_after == 0.0) is (value == "0")
    assert cooldown_after(told, now=NOW, session="s", sole=True).until >= NOW + FLOOR_SECONDS


@pytest.mark.parametrize(
    "value",
    [
        "9999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z", "4000d", "999999999999w",
        9_999_999_999_999_999, "Aug 3 9999, 7am UTC",
    ],
)  # fmt: skip
def test_c32_a_gigantic_wait_is_kept_as_the_horizon(value: object) -> None:
    assert read_time(value, now=NOW) == Reset(NOW + HORIZON_SECONDS, approximate=True)


@pytest.mark.parametrize("wait", ["9999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_c32_a_gigantic_retry_after_benches_until_the_horizon(wait: str) -> None:
    told = classify(provider_behind("acme"), 429, {"Retry-After": wait}, "", now=NOW, redact=redact)
    bench = cooldown_after(told, now=NOW, session="s", sole=True)
    assert (bench.until, bench.approximate) == (NOW + HORIZON_SECONDS, True)


@pytest.mark.parametrize("ticks", [1, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("form", [int, float, str, "{}.0".format])
def test_c34_an_epoch_is_one_instant_in_whatever_it_counts(ticks: int, form: Callable[[int], object]) -> None:
    found = read_time(form((int(NOW) + 60) * ticks), now=NOW)
    assert found is not None
    assert found.at - NOW == pytest.approx(60, abs=1e-5)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2030-01-02 03:04:05", "2030-01-02T08:04:05Z"),
        ("2030-01-02T03:04:05", "2030-01-02T08:04:05Z"),
        ("2030-01-02", "2030-01-02T05:00:00Z"),
    ],
)
def test_m14_a_date_without_zone_is_approximate_and_takes_the_later_reading(
    local_zone: Callable[[str], None], value: str, expected: str
) -> None:
    local_zone("America/New_York")
    assert read_time(value, now=NOW) == Reset(at(expected), approximate=True)
    local_zone("Asia/Tokyo")
    assert read_time(value, now=NOW) == Reset(
        at(f"{value}Z" if "T" in value or " " in value else f"{value}T00:00Z"), approximate=True
    )


def test_c30_a_date_in_retry_after_is_measured_by_the_servers_own_clock() -> None:
    date, sent = "Tue, 01 Jan 2030 13:00:30 GMT", "Tue, 01 Jan 2030 13:00:00 GMT"
    assert read_wait(date, now=NOW, date=sent) == Reset(NOW + 30)


@pytest.mark.parametrize("sent", ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", "1" * 500])
def test_c30_a_senseless_date_of_the_response_moves_nothing(sent: str) -> None:
    assert read_wait("Tue, 01 Jan 2030 12:00:30 GMT", now=NOW, date=sent) == Reset(NOW + 30)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "Tue, 01 Jan 2030 12:00:30 GMT"}, 30),
        ({"retry-after": "Tue, 01 Jan 2030 11:00:30 GMT"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "120s"}, 120),
        ({"retry-after": f"{NOW + 45:.0f}"}, 45),
        ({"retry-after": "2030-01-01T12:00:40Z"}, 40),
        ({"retry-after": "2", "retry-after-ms": "1870"}, 1.87),
        ({"retry-after": "2", "retry-after-ms": "soon"}, 2),
        ({"retry-after-ms": "915.5"}, 0.9155),
    ],
)
def test_c30_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float) -> None:
    found = retry_after(headers, now=NOW)
    assert found is not None
    assert found.at - NOW == pytest.approx(seconds)
    assert found.source is ResetSource.RETRY_AFTER


def test_c30_the_case_of_a_headers_name_is_nothing() -> None:
    told = classify(provider_behind("acme"), 429, {"RETRY-AFTER": "30"}, "", now=NOW, redact=redact)
    assert told.reset == Reset(NOW + 30, source=ResetSource.RETRY_AFTER)


@pytest.mark.parametrize("value", ["", "-5", "nan", "inf", "1e400", "soon", "tomorrow"])
def test_c31_an_unreadable_retry_after_is_no_hint(value: str) -> None:
    assert retry_after({"retry-after": value}, now=NOW) is None


TIMELIKE = st.text(alphabet="0123456789.:-+TZamph sdwinet,JanGMT()/é٣\u017f\u212a", max_size=60)


@given(st.one_of(TIMELIKE, st.text(max_size=60), st.floats(), st.integers(), st.none(), st.booleans()))
def test_m14_no_value_breaks_the_parser_or_brings_a_time_that_is_none(value: object) -> None:
    found = read_time(value, now=NOW)
    assert found is None or NOW <= found.at <= NOW + HORIZON_SECONDS


@given(TIMELIKE, TIMELIKE)
def test_m14_no_retry_after_breaks_the_parser(value: str, date: str) -> None:
    found = read_wait(value, now=NOW, date=date)
    assert found is None or NOW <= found.at <= NOW + HORIZON_SECONDS
