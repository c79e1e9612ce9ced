"""The first line, and the lines that say why numbers may be old."""

from dataclasses import replace

import pytest

from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, Death
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.keymap import NO_CHANGE
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText, plain
from hermes_tui.view.footer import footer
from hermes_tui.view.header import header, notices
from hermes_tui.view.line import line_width, text_of
from hermes_tui.view.moment import Moment, moment_of
from tests.tui.fakes import CONFIGURATION, NOW, story_facts, story_snapshot


def test_the_first_line_answers_whether_anything_is_wrong(afternoon: Moment) -> None:
    assert text_of(header(afternoon, 120)) == (
        " ! 2 of 4 sessions off their primary (1 lying probe) │ ✓ 3 ok  ◐ 2 cooling  ✗ 1 dead"
        " │ hermes-tui.toml ✓ │ 14:07:22"
    )


def test_a_narrow_first_line_keeps_the_health(afternoon: Moment) -> None:
    assert text_of(header(afternoon, 80)).startswith(
        " ! 2/4 off (1 lying probe) │ ✓ 3 ◐ 2 ✗ 1 │ hermes-tui.toml ✓ │ 14:07"
    )
    assert text_of(header(afternoon, 20)).startswith(" ! 2/4 off")


def test_a_frozen_display_says_for_how_long(afternoon: Moment) -> None:
    assert "FROZEN 0:32" in text_of(header(replace(afternoon, frozen_for=32.0), 120))


@pytest.mark.parametrize(
    ("owners", "said"), [((7, 7), "1 process does not answer"), ((7, 8), "2 processes do not answer")]
)
def test_processes_that_do_not_answer_are_told_at_any_width(owners: tuple[int, int], said: str) -> None:
    page = story_snapshot()
    why = PlainText("the process did not answer")
    silent = [
        replace(state, owner=owner, mine=False, silence=why)
        for state, owner in zip(page.sessions, owners, strict=False)
    ]
    moment = moment_of(replace(page, sessions=(*silent, *page.sessions[2:])), NOW)
    for cells in (120, 80, 48):
        assert f" {said} │ !" in text_of(header(moment, cells))


def test_a_home_that_is_being_read_is_told_before_anything_is_said_to_be_well(afternoon: Moment) -> None:
    reading = replace(afternoon, reads="Hermes")
    for moment in (reading, replace(afternoon, beside=(reading, afternoon))):
        assert text_of(header(moment, 80)).startswith(" reading Hermes ... │ !")


def test_a_broken_file_is_named_in_the_header_and_in_full_below(afternoon: Moment) -> None:
    broken = replace(afternoon, snapshot=replace(afternoon.snapshot, problem=plain("hermes-tui.toml, line 14: [/]")))
    assert "hermes-tui.toml ✗ using 14:01:00" in text_of(header(broken, 120))
    assert [text_of(part) for part in notices(broken)] == [" hermes-tui.toml, line 14: [/]  e shows it."]


def test_a_problem_that_no_edit_mends_leads_nobody_to_the_editor(afternoon: Moment) -> None:
    elsewhere = replace(afternoon.snapshot, problem=plain("auth.json: permission denied"), edit_mends=False)
    moment = replace(afternoon, snapshot=elsewhere)
    assert "hermes-tui.toml ✓" in text_of(header(moment, 120))
    assert [text_of(part) for part in notices(moment)] == [" auth.json: permission denied"]


def test_a_stopped_engine_says_from_when_the_numbers_are(afternoon: Moment) -> None:
    stopped = replace(afternoon, fault=plain("nightly-docs: ValueError: [oops]"))
    assert [text_of(part) for part in notices(stopped)] == [
        " The engine stopped: nightly-docs: ValueError: [oops]. Numbers below are from 14:07:22. R restarts it."
    ]


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (1, " Nobody runs nightly-docs now: the process that did has ended. R runs it here."),
        (2, " Nobody runs nightly-docs and triage now: the process that did has ended. R runs them here."),
        (3, " Nobody runs 3 sessions now: the process that did has ended. R runs them here."),
    ],
)
def test_sessions_whose_process_has_ended_are_told_with_the_key_that_runs_them(
    afternoon: Moment, number: int, told: str
) -> None:
    states = afternoon.snapshot.sessions
    left = (*(replace(state, mine=False, abandoned=True) for state in states[:number]), *states[number:])
    moment = replace(afternoon, snapshot=replace(afternoon.snapshot, sessions=left))
    assert told in [text_of(part) for part in notices(moment)]


def with_credentials(*rows: Credential) -> Moment:
    """Return a moment in which the Codex pool is all there is."""
    facts = story_facts()
    facts.configuration = replace(CONFIGURATION, pools=CONFIGURATION.pools[:1])
    for row in rows:
        facts.put(row)
    return moment_of(Snapshot(1, NOW, "own", facts), NOW)


def test_when_all_cool_down_the_first_return_is_named() -> None:
    bench = Cooldown(NOW, NOW + 250, Said.PROVIDER, FailureKind.USAGE_LIMIT, 429, plain(""), "s", NOW)
    free = Credential(CredentialKey("openai-codex", "key-ci"), "0b3d", cooldown=bench)
    (banner,) = notices(with_credentials(free))
    assert text_of(banner) == (
        " All 3 credentials are cooling. First back: openai-codex/key-ci in 4:10 (14:11:32). Press p to ask now."
    )


def test_when_all_are_dead_the_way_to_sign_in_is_named() -> None:
    death = Death(NOW, FailureKind.AUTH_REVOKED, 401, plain("revoked"), "triage")
    labels = (("oauth-1", "a91f"), ("oauth-2", "77c2"), ("key-ci", "0b3d"))
    rows = [Credential(CredentialKey("openai-codex", label), mark, death=death) for label, mark in labels]
    (banner,) = notices(with_credentials(*rows))
    assert text_of(banner).startswith(" No credential can be used.")
    assert "Sign in again with codex login" in text_of(banner)


def test_a_state_that_is_locked_is_said_while_it_is() -> None:
    locked = replace(healthy(), locked=PlainText("The state is locked by another process."))
    assert " The state is locked by another process." in [text_of(one) for one in notices(moment_of(locked, NOW))]


def test_the_footer_fits_and_always_ends_with_quit() -> None:
    for cells in range(40, 140):
        assert line_width(footer(cells, NO_CHANGE)) <= cells
        assert text_of(footer(cells, NO_CHANGE)).endswith("q Quit")


def test_a_narrow_footer_keeps_what_brings_the_primary_back() -> None:
    assert text_of(footer(48, NO_CHANGE)) == " ? Help  : Commands  b Restore  p Probe  q Quit"
    assert text_of(footer(60, NO_CHANGE)) == " ? Help  : Commands  / Filter  b Restore  p Probe  q Quit"


def test_without_sessions_and_configuration_the_header_says_so() -> None:
    assert "no sessions" in text_of(header(moment_of(Snapshot(0, NOW, "own"), NOW), 120))
    assert "all on their primary" in text_of(header(moment_of(healthy(), NOW), 120))


def healthy() -> Snapshot:
    """Return the afternoon without the sessions that are away."""
    snapshot = story_snapshot()
    return replace(snapshot, sessions=snapshot.sessions[2:])


def test_c81_a_primary_that_is_set_wrong_stands_in_the_first_line_until_it_is_mended(afternoon: Moment) -> None:
    *others, last = afternoon.snapshot.sessions
    faulty = replace(last, row=replace(last.row, requested_fault="OPENAI_API_KEY is not set"))
    broken = moment_of(replace(afternoon.snapshot, sessions=(*others, faulty)), NOW)
    assert text_of(header(broken, 120)).startswith(" ! 3 of 4 sessions off their primary (1 config fault) ")
