"""What a login is really like where the log knows more than `auth.json`."""

from dataclasses import replace
from typing import Final

import pytest

from hermes_tui.core.acts import ForceRestore, ResetCooldown
from hermes_tui.core.credential import Credential, CredentialKey, Status
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.preview import Confirm
from hermes_tui.hermes import handling, previews
from hermes_tui.hermes.memory import Memory, OpenSession
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import rows
from hermes_tui.hermes.values import Happening, Kind, Login
from tests.hermes.made import (
    BENCHED,
    DAY,
    FALLBACK,
    FREE,
    ID,
    LEFT,
    NOW,
    POOLLESS,
    PRIMARY,
    conversation,
    happening,
    judge,
    reading,
    served,
)

REFUSED: Final = (
    happening(Kind.FAILED, 600, code=429, provider="openai-codex", reason="RateLimitError"),
    *LEFT[2:],
    POOLLESS,
)
"""A switch of a session that had been put back without its pool: nothing of it is written into `auth.json`."""

CLEARED: Final = replace(FREE, cleared_at=NOW - 700)


def login(read: Reading) -> Credential:
    (row,) = rows(read).credentials.values()
    return row


def status(*logins: Login, told: tuple[Happening, ...] = REFUSED, answered: float = 9_999) -> Status:
    spoken = conversation(served(FALLBACK, 500), served(PRIMARY, answered))
    return next(iter(rows(reading(*logins, told=told, spoken=spoken)).credentials.values())).status(NOW)


def test_a_refusal_that_is_newer_than_the_file_benches_the_login() -> None:
    row = login(reading(CLEARED, told=REFUSED))
    assert (row.status(NOW), row.cleared_at) == (Status.EXHAUSTED, None)
    assert row.cooldown is not None
    assert (row.cooldown.since, row.cooldown.until, row.cooldown.code) == (NOW - 600, NOW + 2 * DAY, 429)


@pytest.mark.parametrize(
    ("logins", "told", "answered"),
    [
        ((replace(FREE, cleared_at=NOW - 10),), REFUSED, 9_999),
        ((FREE,), REFUSED, 10),
        ((FREE, replace(FREE, id="b", label="other", fingerprint="2222")), REFUSED, 9_999),
        ((FREE,), (replace(REFUSED[0], code=503), *REFUSED[1:]), 9_999),
        ((FREE,), (replace(REFUSED[0], provider="openrouter"), *REFUSED[1:]), 9_999),
        ((FREE,), (REFUSED[0], *REFUSED[2:]), 9_999),
    ],
    ids=["cleared since", "answered since", "one of two", "no limit", "another provider", "no date"],
)
def test_the_file_counts_where_the_log_knows_nothing_newer_of_the_login(
    logins: tuple[Login, ...], told: tuple[Happening, ...], answered: float
) -> None:
    assert status(*logins, told=told, answered=answered) is Status.OK


def test_cleared_is_said_of_a_login_until_it_answers_or_refuses_again() -> None:
    assert login(reading(CLEARED)).cleared_at == NOW - 700
    assert login(reading(replace(BENCHED, cleared_at=NOW - 700))).cleared_at is None
    assert login(reading(CLEARED, spoken=conversation(served(PRIMARY, 10)))).cleared_at is None


HELD: Final = OpenSession(77, PRIMARY, FALLBACK, (FALLBACK,), 1, 1, NOW + 2 * DAY)


def test_a_forced_restore_that_was_refused_is_not_advised_again() -> None:
    read = replace(reading(CLEARED, told=REFUSED), memory=Memory({ID: HELD}, (), 1, clears=True))
    diagnosis = judge(read)[1]
    assert diagnosis.code is Code.NO_EARLY_REOPEN
    assert diagnosis.helps == "Wait until the time shown, or force restore once there is quota."
    (session,) = rows(read).sessions.values()
    restore = handling.preview(ForceRestore("weekly"), session, read, NOW)
    assert isinstance(restore, Confirm)
    assert "may refuse once more" in restore.effect
    assert "auth.json" not in restore.effect


def test_no_cooldown_of_a_free_login_is_offered_to_be_cleared_where_sessions_wait_for_it() -> None:
    read = replace(reading(CLEARED, told=REFUSED), memory=Memory({ID: HELD}, (), 1, clears=True))
    answer = previews.preview(ResetCooldown(CredentialKey("openai-codex", "oauth-1")), read, NOW)
    assert isinstance(answer, Confirm)
    assert answer.question == "Have nobody wait for openai-codex/oauth-1 any more?"
    assert answer.effect.startswith("auth.json has no cooldown of it. Sessions that wait for it ask the primary")
