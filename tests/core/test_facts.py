"""Facts: folding rows gives what a restart sees (M21)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.decision import Row, VerdictForgotten
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.session import Message, Role
from hermes_tui.core.text import PlainText
from tests.core.made import (
    HOUR,
    NOW,
    away,
    benched,
    candidate,
    configuration,
    credential,
    hold,
    session,
    trial,
    verdict,
)

ROWS = st.lists(
    st.sampled_from(
        [
            configuration(),
            configuration(chain=()),
            session(),
            away(),
            away("other"),
            credential(),
            benched(),
            benched("two", HOUR),
            verdict(),
            verdict(ago=5.0),
            VerdictForgotten(candidate().verdict_key),
            hold(),
            hold(count=2),
            trial(),
            Message("docs", 0, Role.USER, PlainText("hello"), NOW),
        ]
    )
)


@given(ROWS)
def test_m21_folding_again_what_was_folded_changes_nothing(rows: list[Row]) -> None:
    assert fold(rows, fold(rows)) == fold(rows)


@given(ROWS, ROWS)
def test_m21_folding_goes_on_where_it_stopped(first: list[Row], then: list[Row]) -> None:
    assert fold(then, fold(first)) == fold([*first, *then])


@given(ROWS, ROWS)
def test_a_copy_is_not_reached_by_later_changes(first: list[Row], then: list[Row]) -> None:
    known = fold(first)
    copied = known.copy()
    fold(then, known)
    assert copied == fold(first)


def test_m21_the_newest_row_of_each_thing_is_its_value() -> None:
    known = fold([session(), away(), benched(), credential(), verdict(), VerdictForgotten(candidate().verdict_key)])
    assert known == Facts(sessions={"docs": away()}, credentials={credential().token: credential()})


def test_a_verdict_that_was_never_there_can_be_forgotten() -> None:
    assert fold([VerdictForgotten(candidate().verdict_key)]) == Facts()


def test_m21_each_process_sees_the_same_rows_under_its_own_configuration() -> None:
    own = configuration(chain=())
    known = fold((configuration(), away(), benched()))
    assert known.under(own).configuration == own
    assert replace(known.under(own), configuration=known.configuration) == known
    assert known.under(own).sessions is known.sessions


def test_a_copy_shares_the_tables_in_which_nothing_has_changed() -> None:
    row, held = away(), benched()
    facts = fold((row, held))
    first = facts.copy()
    same = facts.copy(first)
    assert (same.sessions is first.sessions, same.differ_in_sessions_alone(first)) == (True, True)
    facts.put(replace(row, turns=row.turns + 1))
    turned = facts.copy(first)
    assert (turned.sessions is first.sessions, turned.credentials is first.credentials) == (False, True)
    assert turned.differ_in_sessions_alone(first)
    assert first.sessions[row.name] is row
    facts.put(replace(held, request_count=held.request_count + 1))
    assert not facts.copy(turned).differ_in_sessions_alone(turned)
