"""The chronicle: whatever the journal tells, a course has no gap and no overlap, and nothing is made up."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.chronicle import Chronicle
from hermes_tui.core.cooldown import Said
from hermes_tui.core.course import AheadKind, Course, MarkKind, Return
from hermes_tui.core.event import (
    ActPerformed,
    AttemptFailed,
    ChainTaken,
    ClockStepped,
    CredentialBenched,
    CredentialLifted,
    CredentialReplaced,
    Event,
    FallbackActivated,
    Narrated,
    PrimaryRestored,
    PrimaryVerified,
    RestoreFailed,
    SessionCreated,
    TurnFailed,
    VerdictContradicted,
    VerdictReceived,
)
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import Verdict
from tests.core.made import DAY, HOUR, MINUTE, NOW, away, benched, dead, facts, session

PRIMARY, BACKUP, SPARE = "openai-codex/gpt", "backup/small", "spare/tiny"
PROVIDER = "openai-codex"


def created(time: float, name: str = "docs") -> SessionCreated:
    return SessionCreated(time=time, session=name, provider=PROVIDER, model="gpt")


def refused(time: float, route: str = PRIMARY, name: str = "docs") -> AttemptFailed:
    provider, _, model = route.partition("/")
    return AttemptFailed(
        time=time,
        session=name,
        provider=provider,
        model=model,
        credential="one",
        status=429,
        kind=FailureKind.USAGE_LIMIT,
        message=PlainText("used up"),
        latency=0.4,
    )


def left(time: float, position: int = 1, of: str = PRIMARY, name: str = "docs") -> FallbackActivated:
    provider, _, model = (BACKUP, SPARE)[position - 1].partition("/")
    return FallbackActivated(
        time=time,
        session=name,
        position=position,
        provider=provider,
        model=model,
        left=PlainText(of),
        reason=PlainText("429 usage limit"),
        notice=PlainText("left"),
    )


def restored(time: float, *, forced: bool = False, name: str = "docs") -> PrimaryRestored:
    return PrimaryRestored(
        time=time, session=name, provider=PROVIDER, model="gpt", forced=forced, notice=PlainText("back")
    )


def verified(time: float, name: str = "docs") -> PrimaryVerified:
    return PrimaryVerified(time=time, session=name, provider=PROVIDER, model="gpt")


def failed_again(time: float, name: str = "docs") -> RestoreFailed:
    return RestoreFailed(time=time, session=name, provider=PROVIDER, model="gpt", kind=FailureKind.USAGE_LIMIT)


def lifted(time: float, *, on_trial: bool = True, name: str = "docs") -> CredentialLifted:
    return CredentialLifted(
        time=time,
        session=name,
        provider=PROVIDER,
        credential="one",
        model="gpt",
        on_trial=on_trial,
        by=PlainText("probe: quota"),
    )


def cooled(time: float, until: float | None, **fields: Any) -> CredentialBenched:
    known: dict[str, Any] = {
        "session": "docs",
        "provider": PROVIDER,
        "credential": "one",
        "model": None,
        "source": Said.PROVIDER,
        "reason": FailureKind.USAGE_LIMIT,
        "code": 429,
        "message": PlainText("used up"),
    }
    return CredentialBenched(**(known | fields), time=time, until=until)


def asked(time: float, verdict: Verdict = Verdict.QUOTA) -> VerdictReceived:
    return VerdictReceived(
        time=time,
        provider=PROVIDER,
        account="acct-one",
        model="gpt",
        credential="one",
        verdict=verdict,
        why=PlainText("as it said"),
        expires_at=time + 300,
    )


def course(*events: Event, row: Session | None = None, since: float | None = None, now: float = NOW) -> Course:
    """Return the course that events tell, of a session whose row is `row`."""
    chronicle = Chronicle(since)
    chronicle.add(events)
    row = row or session()
    return chronicle.course(facts(row), row, now)


def routes(told: Course) -> list[tuple[float, str | None]]:
    return [(span.start - NOW, span.route) for span in told.spans]


WEEKEND = (
    created(NOW - 3 * DAY),
    refused(NOW - 2 * DAY),
    left(NOW - 2 * DAY),
    lifted(NOW - HOUR),
    restored(NOW - HOUR),
    verified(NOW - HOUR + 60),
)


def test_a_weekend_away_is_three_spans_and_one_absence() -> None:
    told = course(*WEEKEND)
    assert routes(told) == [(-3 * DAY, PRIMARY), (-2 * DAY, BACKUP), (-HOUR, PRIMARY)]
    (absence,) = told.absences
    assert (absence.start, absence.end, absence.verified_at) == (NOW - 2 * DAY, NOW - HOUR, NOW - HOUR + 60)
    assert absence.how is Return.VERDICT
    assert absence.served == ((BACKUP, 2 * DAY - HOUR),)
    assert absence.cause is not None
    assert absence.cause.credential == "one"
    assert told.switches == 2
    assert dict(told.served) == {PRIMARY: DAY + HOUR, BACKUP: 2 * DAY - HOUR}


def test_failed_restores_stay_within_one_absence_and_are_counted() -> None:
    tries = [
        event
        for at in (NOW - 40 * MINUTE, NOW - 20 * MINUTE)
        for event in (lifted(at), restored(at), refused(at + 1), failed_again(at + 1), left(at + 1))
    ]
    told = course(created(NOW - DAY), refused(NOW - HOUR), left(NOW - HOUR), *tries, row=away())
    (absence,) = told.absences
    assert (absence.end, absence.verified_at) == (None, None)
    assert (absence.failed_restores, absence.failed_requests) == (2, 2)
    assert (told.failed_restores, told.failed_requests, told.switches) == (2, 2, 5)
    assert absence.served == ((BACKUP, HOUR - 2.0),)
    kinds = [mark.kind for mark in told.marks if mark.kind is not MarkKind.LIFTED]
    back = [MarkKind.RESTORED, MarkKind.FAILED_AGAIN, MarkKind.LEFT]
    assert kinds == [MarkKind.CREATED, MarkKind.LEFT, *back, *back]


def test_a_walk_along_the_chain_leaves_once_and_moves_on() -> None:
    told = course(created(NOW - HOUR), left(NOW - 60), left(NOW - 59, 2, of=BACKUP), row=away(position=2))
    assert [mark.kind for mark in told.marks] == [MarkKind.CREATED, MarkKind.LEFT, MarkKind.MOVED]
    assert len(told.absences) == 1


def test_a_restore_by_hand_and_one_by_the_date_are_told_apart() -> None:
    begun = (created(NOW - DAY), left(NOW - 2 * HOUR))
    by_hand = course(*begun, restored(NOW - HOUR, forced=True), verified(NOW - HOUR))
    by_date = course(*begun, restored(NOW - HOUR), verified(NOW - HOUR))
    assert by_hand.absences[0].how is Return.FORCED
    assert by_date.absences[0].how is Return.OPEN


def test_a_journal_that_begins_in_the_middle_makes_nothing_up() -> None:
    told = course(restored(NOW - HOUR), verified(NOW - HOUR), since=NOW - DAY)
    assert routes(told) == [(-DAY, None), (-HOUR, PRIMARY)]
    assert told.absences == ()


def test_what_was_left_tells_where_a_session_had_been() -> None:
    told = course(left(NOW - HOUR), row=away(), since=NOW - DAY)
    assert routes(told) == [(-DAY, PRIMARY), (-HOUR, BACKUP)]
    assert told.spans[0].position == 0


def test_a_session_of_which_nothing_is_told_stands_where_its_row_says() -> None:
    assert routes(course(since=NOW - DAY)) == [(-DAY, PRIMARY)]
    assert routes(course(row=away(), since=NOW - DAY)) == [(-DAY, None), (-MINUTE, BACKUP)]


def test_the_row_outranks_a_journal_that_lacks_events() -> None:
    told = course(*WEEKEND, row=away())
    assert told.spans[-1].route == BACKUP
    assert told.spans[-1].start == NOW - MINUTE


def test_a_switch_of_the_model_is_followed_and_an_older_note_of_a_chain_is_unknown() -> None:
    other = session(requested=replace(session().requested, model="gpt-mini"))
    taken = ChainTaken(time=NOW - 60, session="docs", chain=(BACKUP,), primary="openai-codex/gpt-mini", position=0)
    told = course(created(NOW - DAY), left(NOW - HOUR), taken, row=other)
    assert routes(told)[-1] == (-60, "openai-codex/gpt-mini")
    assert told.absences[0].how is Return.CHAIN
    older = ChainTaken(time=NOW - 60, session="docs", chain=("spare/tiny",))
    assert routes(course(created(NOW - DAY), left(NOW - HOUR), older, restored(NOW - 30)))[-2:] == [
        (-60, None),
        (-30, PRIMARY),
    ]


def test_a_clock_that_was_set_back_takes_what_came_later_to_its_new_time() -> None:
    told = course(created(NOW - DAY), left(NOW + HOUR), ClockStepped(time=NOW - 60, step=-3660.0), row=away())
    assert routes(told) == [(-DAY, PRIMARY), (-60, BACKUP)]
    assert told.marks[-1].kind is MarkKind.CLOCK


def test_a_cooldown_lasts_until_it_is_lifted_and_a_repeated_one_is_the_same() -> None:
    told = course(
        created(NOW - 3 * HOUR),
        cooled(NOW - 3 * HOUR, NOW + DAY),
        cooled(NOW - 2 * HOUR, NOW + 2 * DAY),
        lifted(NOW - HOUR, on_trial=True),
        lifted(NOW - HOUR + 1, on_trial=False),
    )
    (cooling,) = told.coolings
    assert (cooling.start, cooling.end) == (NOW - 3 * HOUR, NOW - HOUR + 1)


def test_m23_what_is_left_of_an_assumed_cooldown_stays_the_same_when_the_clock_is_set() -> None:
    """It was to last an hour, and the clock was set after ten minutes of it."""
    for step in (HOUR, -HOUR):
        begin = NOW - 4 * HOUR
        at = begin + 10 * MINUTE + step
        told = course(
            created(begin - MINUTE),
            cooled(begin, begin + HOUR, source=Said.ASSUMED),
            ClockStepped(time=at, step=step),
        )
        (cooling,) = told.coolings
        assert (cooling.start, cooling.end) == (min(begin, at), at + 50 * MINUTE)


def test_m23_a_providers_date_stands_and_what_was_over_stays_over_when_the_clock_is_set_back() -> None:
    begin = NOW - 4 * HOUR
    told = course(
        created(begin - MINUTE),
        cooled(begin, begin + 2 * HOUR),
        cooled(begin, NOW, credential="two"),
        lifted(begin + MINUTE, on_trial=False),
        ClockStepped(time=begin - HOUR, step=-HOUR - 10 * MINUTE),
    )
    assert [(one.start, one.end) for one in told.coolings] == [
        (begin - HOUR, begin - HOUR),
        (begin - HOUR, NOW),
    ]


def test_the_present_cooldown_reaches_into_the_future_and_comes_from_the_row() -> None:
    chronicle, row = Chronicle(), away()
    chronicle.add([created(NOW - DAY), cooled(NOW - HOUR, NOW + HOUR), left(NOW - HOUR)])
    told = chronicle.course(facts(row, benched()), row, NOW)
    (cooling,) = told.coolings
    assert (cooling.start, cooling.end) == (NOW - HOUR, NOW + 2 * DAY)
    assert told.ahead[-1].at == NOW + 2 * DAY
    assert told.ahead[-1].kind is AheadKind.RESET


def test_a_dead_credential_has_no_end() -> None:
    chronicle, row = Chronicle(), away()
    chronicle.add([created(NOW - DAY), cooled(NOW - MINUTE, None)])
    (cooling,) = chronicle.course(facts(row, dead()), row, NOW).coolings
    assert (cooling.start, cooling.end) == (NOW - MINUTE, None)


def test_clearing_a_cooldown_by_hand_ends_it_and_is_marked() -> None:
    cleared = ActPerformed(
        time=NOW - 60, act="reset_cooldown", target="openai-codex/one", effect=PlainText("one is free")
    )
    told = course(created(NOW - DAY), cooled(NOW - HOUR, NOW + DAY), cleared)
    assert told.coolings[0].end == NOW - 60
    assert told.marks[-1].kind is MarkKind.ACT


def test_what_is_known_to_come_is_in_order_and_ahead() -> None:
    row = away(next_run_at=NOW + HOUR, checked_at=NOW - 60)
    times = [one.at for one in Chronicle().course(facts(row, benched()), row, NOW).ahead]
    assert times == sorted(times)
    assert NOW + HOUR in times
    assert NOW + 240 in times
    assert all(at > NOW for at in times)


def told_of(name: str, time: float, pick: int) -> Event:
    """Return one of everything that can happen."""
    kinds: tuple[Event, ...] = (
        created(time, name),
        refused(time, name=name),
        left(time, 1, name=name),
        left(time, 2, of=BACKUP, name=name),
        restored(time, name=name),
        restored(time, forced=True, name=name),
        verified(time, name),
        failed_again(time, name),
        lifted(time, name=name),
        lifted(time, on_trial=False, name=name),
        cooled(time, time + 600, session=name),
        cooled(time, time - 600, session=name),
        cooled(time, None, session=name),
        CredentialReplaced(time=time, provider=PROVIDER, credential="one"),
        asked(time),
        asked(time, Verdict.NO_QUOTA),
        asked(time, Verdict.UNKNOWN),
        VerdictContradicted(
            time=time, session=name, provider=PROVIDER, account="acct-one", model="gpt", until=time + 60, count=1
        ),
        TurnFailed(time=time, session=name, error=PlainText("none left"), earliest=None, exhausted=True),
        TurnFailed(time=time, session=name, error=PlainText("no"), earliest=None),
        ActPerformed(time=time, session=name, act="use_fallback", target=name, effect=PlainText("done")),
        ChainTaken(time=time, session=name, chain=(BACKUP, SPARE), primary=PRIMARY, position=1),
        ChainTaken(time=time, session=name, chain=(SPARE,), primary="other/model", position=0),
        ChainTaken(time=time, session=name, chain=(SPARE,)),
        ClockStepped(time=time, step=-5.0),
        Narrated(time=time, text=PlainText("meanwhile")),
    )
    return kinds[pick % len(kinds)]


MOMENTS = st.tuples(
    st.sampled_from(("docs", "code")),
    st.floats(NOW - DAY, NOW + HOUR, allow_nan=False),
    st.integers(0, 25),
)


@given(
    st.lists(MOMENTS, max_size=30),
    st.sampled_from((session(), away(), away(position=2))),
    st.one_of(st.none(), st.floats(NOW - 2 * DAY, NOW)),
)
def test_spans_touch_and_cover_the_whole_time_whatever_comes_in_whatever_order(
    moments: list[tuple[str, float, int]], row: Session, since: float | None
) -> None:
    told = course(*(told_of(*moment) for moment in moments), row=row, since=since)
    assert told.spans[0].start == told.since
    assert told.spans[-1].end == told.until == NOW
    assert all(before.end == span.start for before, span in pairwise(told.spans))
    assert all(span.end >= span.start for span in told.spans)
    assert told.spans[-1].route == str(row.active)
    times = [mark.time for mark in told.marks]
    assert times == sorted(times)
    assert all(told.since <= at <= NOW for at in times)
    assert all(one.end is None or one.end >= one.start for one in told.coolings)
    assert all(absence.end is None or absence.end >= absence.start for absence in told.absences)
    assert sum(seconds for _, seconds in told.served) <= NOW - told.since + 1e-6


@given(st.lists(MOMENTS, max_size=20), st.integers(0, 20))
def test_it_is_the_same_whether_events_come_at_once_or_one_by_one(
    moments: list[tuple[str, float, int]], cut: int
) -> None:
    events = [told_of(*moment) for moment in moments]
    whole, parts, row = Chronicle(), Chronicle(), away()
    whole.add(events)
    parts.add(events[:cut])
    parts.course(facts(row), row, NOW)
    parts.add(events[cut:])
    assert whole.course(facts(row), row, NOW) == parts.course(facts(row), row, NOW)
