"""What the panels say about the afternoon of the tests."""

from dataclasses import replace

import pytest

from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.preview import Confirm, Ready, Refused, preview
from hermes_tui.core.session import RouteHold
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import plain
from hermes_tui.view import chain, conversation, credentials, header, sessions, wayback
from hermes_tui.view.actions import BUTTONS
from hermes_tui.view.line import ARROW, Body, text_of
from hermes_tui.view.moment import Moment, moment_of
from hermes_tui.view.talk import Talk
from hermes_tui.view.wayback import Previews
from tests.tui.fakes import CONFIGURATION, NOW, at, said, story_snapshot
from tests.view.conftest import selecting


def texts(body: Body) -> list[str]:
    """Return every line of a body as text."""
    return [text_of(part) for part in (*body.head, *(row.line for row in body.rows), *body.foot)]


def talked(moment: Moment, cells: int) -> Body:
    """Return the conversation as somebody sees it who has just come."""
    reading = conversation.Reading(Talk(moment.selection.session or ""))
    return conversation.conversation(reading, moment, cells, 20, previews_of(moment))


def previews_of(moment: Moment) -> Previews:
    """Return what every button would do."""
    commands = {action.id: action.command(moment.selection) for action in BUTTONS if action.command}
    return {
        name: preview(command, moment.snapshot, moment.now) for name, command in commands.items() if command is not None
    }


def test_every_session_says_where_it_is_why_and_until_when(afternoon: Moment) -> None:
    rows = texts(sessions.sessions(afternoon, 118))
    assert " ".join(rows[1].split()) == (
        f"{ARROW} nightly-docs RUN zai/glm-5 2/3 LYING PROBE 14:05:40 try in 3m 14:10:38 we"
    )
    assert "WAITING FOR RESET" in rows[2]
    assert "turn in 7m" in rows[3]
    assert "on primary" in rows[4]


@pytest.mark.parametrize(("owner", "shown"), [(4194304, "#4194304"), (None, "-")])
def test_a_session_that_is_not_ours_says_whole_which_process_runs_it(owner: int | None, shown: str) -> None:
    snapshot = story_snapshot()
    foreign = replace(snapshot.sessions[0], owner=owner, mine=False)
    (row,) = sessions.sessions(moment_of(replace(snapshot, sessions=(foreign,)), NOW), 78).rows
    assert text_of(row.line).split()[1] == shown


def test_a_session_of_a_process_that_takes_acts_says_what_its_turn_does_and_where() -> None:
    snapshot = story_snapshot()
    foreign = replace(snapshot.sessions[0], owner=4711, mine=False, takes_acts=True)
    moment = selecting(replace(snapshot, sessions=(foreign,)), "nightly-docs")
    (row,) = sessions.sessions(moment, 118).rows
    assert text_of(row.line).split()[2] == "RUN"
    assert talked(moment, 80).subtitle == "zai/glm-5, live in process 4711"


def test_a_session_of_a_process_that_does_not_answer_says_so_and_nothing_of_its_turn() -> None:
    snapshot, why = story_snapshot(), plain("process 4711 did not answer (in time)")
    silent = replace(snapshot.sessions[0], owner=4711, mine=False, live=None, silence=why)
    moment = selecting(replace(snapshot, sessions=(silent,)), "nightly-docs")
    (row,) = sessions.sessions(moment, 118).rows
    assert text_of(row.line).split()[2] == "SILENT"
    assert talked(moment, 80).subtitle == why


def test_a_session_whose_process_has_ended_is_nobodys() -> None:
    snapshot = story_snapshot()
    left = replace(snapshot.sessions[0], mine=False, abandoned=True, live=None)
    moment = selecting(replace(snapshot, sessions=(left,)), "nightly-docs")
    (row,) = sessions.sessions(moment, 118).rows
    assert text_of(row.line).split()[2] == "NOBODY"
    assert talked(moment, 80).subtitle == "nobody runs it now"


def test_sessions_that_are_left_out_are_counted_in_the_frame(afternoon: Moment) -> None:
    assert "newest" not in sessions.sessions(afternoon, 118).subtitle
    more = replace(afternoon, snapshot=replace(afternoon.snapshot, left_out=1_200))
    assert sessions.sessions(more, 118).subtitle.endswith(f" · newest {len(more.facts.sessions)} of 1,204")


def test_a_filter_that_hides_every_session_says_how_to_clear_it(afternoon: Moment) -> None:
    assert texts(sessions.sessions(afternoon, 78, sought="foo")) == [
        '  No session matches "foo". esc clears the filter.'
    ]


def test_without_sessions_the_panel_says_the_next_step() -> None:
    nothing = moment_of(replace(story_snapshot(), sessions=()), NOW)
    assert texts(sessions.sessions(nothing, 78)) == ["  No sessions. Press n to start one."]
    noted = replace(nothing, snapshot=replace(nothing.snapshot, notes=(plain("state.db is not there."),)))
    assert texts(sessions.sessions(noted, 78))[1:] == ["  state.db is not there."]


def test_sessions_sort_by_their_next_change(afternoon: Moment) -> None:
    body = sessions.sessions(afternoon, 118, sort="next change")
    assert [row.key for row in body.rows][:2] == [("own", "nightly-docs"), ("own", "heartbeat")]


def test_c54_every_credential_has_a_row_and_a_word_of_its_own_the_dead_one_too(afternoon: Moment) -> None:
    rows = texts(credentials.credentials(afternoon, 90))
    assert "◐ COOLING" in rows[1]
    assert "Wed 09:12" in rows[1]
    assert rows[1].endswith("quota 3:16 ✗")
    assert "no quota 0:09" in rows[2]
    assert "✗ DEAD" in rows[3]
    assert "never" in rows[3]
    assert "· NOT SET" in rows[4]
    assert "no key" in rows[4]


def test_a_credential_that_is_lent_says_whose_it_is(afternoon: Moment) -> None:
    known = afternoon.known[0]
    lent = known._replace(member=replace(known.member, lender="/home/ada/.hermes"))
    assert credentials.story(lent, NOW)[0] == "It belongs to /home/ada/.hermes, which lends it."
    assert credentials.story(lent, NOW)[1:] == credentials.story(known, NOW)


def test_the_selected_credential_tells_its_story(afternoon: Moment) -> None:
    story = " ".join(texts(credentials.credentials(afternoon, 90))[-4:])
    assert "acct-1: 5 h 12 % · week 40 %; verdict expires in 3:16." in story
    assert "A 429 at 14:05:40 contradicts it." in story
    assert "from nightly-docs" in story


def test_a_countdown_at_zero_is_due_not_ok() -> None:
    later = selecting(story_snapshot(), "triage", "oauth-2", now=at(14, 20, 4))
    row = texts(credentials.credentials(later, 90))[2]
    assert "◐ DUE" in row
    assert "due" in row


def test_a_stale_verdict_shows_its_age() -> None:
    later = selecting(story_snapshot(), "triage", "oauth-2", now=at(14, 8, 31))
    assert texts(credentials.credentials(later, 100))[2].endswith("no quota 6m STALE")
    assert texts(credentials.credentials(later, 60))[2].endswith("no quota 6:00!")


def test_without_credentials_the_panel_promises_that_nothing_is_sent() -> None:
    bare = Snapshot(1, NOW, "own", Facts(replace(CONFIGURATION, pools=())))
    assert "Nothing is sent anywhere" in " ".join(texts(credentials.credentials(moment_of(bare, NOW), 60)))


def test_the_chain_tells_benched_from_missing(afternoon: Moment) -> None:
    rows = texts(chain.chain(afternoon, 40))
    assert "◐ COOLING 12m" in rows[0]
    assert "· NOT SET no key" in rows[1]
    assert rows[2].startswith(f"{ARROW} 2 zai/glm-5")
    assert "✓ IN USE" in rows[2]
    assert rows[4] == "On 2 since 14:05:40: 429 usage limit."


@pytest.mark.parametrize(
    ("position", "holds_for", "shown"),
    [
        (0, 1.0, "◐ COOLING 12m"),
        (0, 3600.0, "◐ ON HOLD 1h 00m"),
        (1, 3600.0, "· NOT SET no key"),
        (3, 60.0, "◐ ON HOLD 1m"),
    ],
)
def test_a_hold_hides_no_state_that_ends_later_or_never(
    afternoon: Moment, position: int, holds_for: float, shown: str
) -> None:
    standing = afternoon.standing
    assert standing is not None
    row = standing.state.row
    route = (row.requested, *(link.route for link in row.chain))[position]
    hold = RouteHold(route.key, NOW + holds_for, 1, FailureKind.TIMEOUT)
    held = replace(standing, state=replace(standing.state, row=replace(row, holds=(hold,))))
    entry = chain.entries(held, afternoon)[position]
    found = f"{entry.outlook.state.value.text} {chain.ending(entry.outlook, NOW).text}"
    assert " ".join(found.split()) == shown


def test_the_chain_fits_one_line(afternoon: Moment) -> None:
    assert f"{ARROW} 2 zai ✓ IN USE {ARROW}" in text_of(chain.chain_line(afternoon, 78))


def test_m47_the_gates_stand_in_order_with_the_time_of_their_next_change(afternoon: Moment) -> None:
    rows = texts(wayback.way_back_body(afternoon, 40, previews_of(afternoon)))
    assert rows[0] == "LYING PROBE"
    gates = [row for row in rows if row.startswith(("✓", "✗"))]
    assert [row.split("  ")[0][2:] for row in gates] == [
        "not pinned",
        "session cooldown",
        "pool",
        "restore check",
        "verdict believed",
        "may go first",
    ]
    assert gates[1].split()[-2:] == ["12:41", "14:20:03"]


def test_m39_the_button_says_that_it_asks_first_and_a_refused_one_says_why(afternoon: Moment) -> None:
    rows = texts(wayback.way_back_body(afternoon, 60, previews_of(afternoon)))
    assert "b Force restore (asks first)" in rows
    idle = selecting(story_snapshot(), "heartbeat")
    rows = texts(wayback.way_back_body(idle, 60, previews_of(idle)))
    assert "b Force restore: heartbeat is on its primary" in rows
    assert "x Stop turn: heartbeat has no turn running" in rows
    assert "Nothing to restore: heartbeat is on its first provider." in rows


def test_the_previews_of_the_buttons_are_the_real_ones(afternoon: Moment) -> None:
    answers = previews_of(afternoon)
    assert isinstance(answers["force_restore"], Confirm)
    assert isinstance(answers["reset_chain"], Ready)
    assert isinstance(previews_of(selecting(story_snapshot(), "refactor-auth"))["force_restore"], Refused)


def test_the_detail_names_each_fact_with_its_time_and_source(afternoon: Moment) -> None:
    rows = " ".join(texts(wayback.detail(afternoon, 100)))
    assert "14:05:38" in rows
    assert "(usage endpoint)" in rows
    assert "the probe says no quota" in rows


def test_the_conversation_streams_and_names_who_answers(afternoon: Moment) -> None:
    body = talked(afternoon, 76)
    assert texts(body)[1] == "  Summarise what changed in the API since Friday."
    assert texts(body)[-1].endswith("and▌")
    assert body.subtitle == "zai/glm-5, live"


def test_c142_rows_of_every_panel_fit_their_cells_whatever_the_names_are() -> None:
    from rich.cells import cell_len  # noqa: PLC0415

    snapshot = story_snapshot()
    hostile = plain("日本語の👩‍👩‍👧 e\u0301\u0301 [/][@click=app.quit]x very long indeed")
    state = snapshot.sessions[0]
    state = replace(
        state,
        row=replace(state.row, name=hostile),
        messages=(said(hostile, 0, state.messages[0].role, hostile * 5),),
    )
    moment = selecting(replace(snapshot, sessions=(state, *snapshot.sessions[1:])), hostile)
    for cells in range(38, 130):
        answers = previews_of(moment)
        for body in (
            sessions.sessions(moment, cells),
            credentials.credentials(moment, cells),
            chain.chain(moment, cells),
            wayback.way_back_body(moment, cells, answers),
            wayback.compact_way_back(moment, cells, answers),
            wayback.detail(moment, cells),
            talked(moment, cells),
            credentials.credential_detail(moment, cells),
        ):
            for text in texts(body):
                assert cell_len(text) <= cells, (cells, text)
        assert cell_len(text_of(header.header(moment, cells))) <= cells


@pytest.mark.parametrize("session", ["nightly-docs", "triage", "heartbeat", "refactor-auth"])
def test_every_session_can_be_looked_at(session: str) -> None:
    moment = selecting(story_snapshot(), session)
    assert texts(wayback.detail(moment, 80))
    assert texts(talked(moment, 80))
