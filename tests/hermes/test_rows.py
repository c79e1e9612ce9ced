"""A home as rows: names, credentials and sessions as every screen shows them."""

from dataclasses import replace

import pytest

from hermes_tui.core.cooldown import Said
from hermes_tui.core.credential import Status
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.session import Phase
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.naming import names
from hermes_tui.hermes.reasons import reason_of
from hermes_tui.hermes.rows import ENDED_SECONDS, rows
from hermes_tui.hermes.values import Entry, Login, Logins
from tests.hermes.made import BENCHED, DAY, FALLBACK, FREE, LEFT, NOW, PRIMARY, conversation, reading, served


def test_two_sessions_of_one_title_are_told_apart() -> None:
    one = conversation()
    other = replace(one, id="20260528_130000_ffee00")
    third = replace(one, id="20260528_140000_000000", title=PlainText(""))
    assert list(names((one, other, third)).values()) == ["weekly ab12cd", "weekly ffee00", "20260528_140000_000000"]


@pytest.mark.parametrize(
    ("login", "status"),
    [
        (FREE, Status.OK),
        (BENCHED, Status.EXHAUSTED),
        (replace(BENCHED, benched_until=NOW - 1), Status.OK),
        (replace(FREE, model_cooldowns=(("gpt-5.5", NOW + 5),)), Status.EXHAUSTED),
        (replace(FREE, status="dead", status_at=NOW), Status.DEAD),
    ],
)
def test_a_login_is_what_hermes_takes_it_for(login: Login, status: Status) -> None:
    (row,) = rows(reading(login)).credentials.values()
    assert row.status(NOW) is status


def test_a_date_that_a_provider_gave_is_told_apart_from_one_that_hermes_assumes() -> None:
    (said,) = rows(reading(BENCHED)).credentials.values()
    (assumed,) = rows(reading(replace(BENCHED, reset_at=None))).credentials.values()
    assert said.cooldown is not None
    assert assumed.cooldown is not None
    assert (said.cooldown.source, assumed.cooldown.source) == (Said.PROVIDER, Said.ASSUMED)


def test_a_key_that_stands_in_the_file_alone_is_a_credential_by_its_reference() -> None:
    configuration = rows(reading(FREE, chain=(replace(FALLBACK, key_reference="${FBKEY}"),))).configuration
    assert configuration is not None
    pool = configuration.pool("custom:fb")
    assert pool is not None
    assert [(member.label, member.fault) for member in pool.members] == [("${FBKEY}", None)]


def test_a_login_that_hermes_has_not_used_yet_is_signed_in_and_not_called_a_missing_key() -> None:
    read = replace(reading(), logins=Logins(signed_in=("openai-codex",)))
    configuration = rows(read).configuration
    assert configuration is not None
    assert [pool.members[0].label for pool in configuration.pools] == ["signed in", "no key"]


def test_a_login_without_a_token_says_so_and_an_api_key_may_stand_elsewhere() -> None:
    empty = replace(FREE, has_token=False)
    keyed = replace(empty, id="b", label="key", auth_type="api_key")
    configuration = rows(reading(empty, keyed)).configuration
    assert configuration is not None
    pool = configuration.pool("openai-codex")
    assert pool is not None
    assert [member.fault is None for member in pool.members] == [False, True]


def test_a_session_asks_for_what_it_was_started_with_although_the_file_names_another() -> None:
    read = reading(FREE, spoken=replace(conversation(served(PRIMARY, 5)), model="gpt-4", provider="openai"))
    (session,) = rows(read).sessions.values()
    assert str(session.requested) == "openai/gpt-4"


def test_a_turn_in_flight_is_running() -> None:
    (session,) = rows(reading(FREE, spoken=conversation(busy_until=NOW + 60, busy_by=1))).sessions.values()
    assert session.phase is Phase.RUNNING


@pytest.mark.parametrize(("ago", "archived"), [(60.0, False), (ENDED_SECONDS + 1, True)])
def test_a_session_that_ended_long_ago_is_put_aside(ago: float, archived: bool) -> None:
    (session,) = rows(reading(FREE, spoken=conversation(ended_at=NOW - ago))).sessions.values()
    assert session.archived is archived


def test_a_custom_provider_is_found_again_under_the_word_that_hermes_records() -> None:
    (session,) = rows(reading(BENCHED, told=LEFT, chain=(PRIMARY, FALLBACK))).sessions.values()
    assert session.position == 2


def test_an_entry_that_cannot_serve_says_why_in_the_chain() -> None:
    broken = Entry("groq", "", "fallback_providers[0]", faults=(PlainText("no model"), PlainText("no key")))
    configuration = rows(reading(FREE, chain=(broken,))).configuration
    assert configuration is not None
    assert configuration.chain[0].fault == "no model; no key"


@pytest.mark.parametrize(
    ("code", "words", "kind"),
    [
        (429, "usage_limit_reached", FailureKind.USAGE_LIMIT),
        (429, "RateLimitError HTTP 429: The usage limit has been reached", FailureKind.USAGE_LIMIT),
        (429, "", FailureKind.RATE_LIMIT),
        (402, "", FailureKind.BILLING),
        (429, "insufficient_quota", FailureKind.BILLING),
        (401, "token_revoked", FailureKind.AUTH_REVOKED),
        (401, "AuthenticationError", FailureKind.AUTH),
        (502, "", FailureKind.SERVER_ERROR),
        (None, "", FailureKind.UNKNOWN),
    ],
)
def test_hermes_words_for_a_failure_are_kinds(code: int | None, words: str, kind: FailureKind) -> None:
    assert reason_of(code, words) is kind


def test_a_session_that_nobody_answered_yet_is_on_its_primary() -> None:
    (session,) = rows(reading(FREE, spoken=conversation())).sessions.values()
    assert (session.position, session.made_at) == (0, NOW - DAY)
