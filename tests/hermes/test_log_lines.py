"""What single lines of the logs tell, where they are in doubt or of ill will."""

import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hermes_tui.hermes.log_lines import LONGEST_NAME, LineReader
from hermes_tui.hermes.log_templates import FIRST_TURN, TEMPLATES
from hermes_tui.hermes.values import Happening, Kind

ZURICH = ZoneInfo("Europe/Zurich")
SWITCH = "agent.chat_completion_helpers: Fallback activated: a → b (p)"
CLIENT = "thread=t provider=p base_url=u model=m"
FAILED = f"agent.conversation_loop: API call failed (attempt 1/3) error_type=E {CLIENT} summary="


def _line(message: str, stamp: str = "2026-01-01 12:00:00,250", session: str = " [s]") -> bytes:
    return f"{stamp} INFO{session} {message}".encode()


def _read(message: str) -> Happening:
    told = LineReader(UTC).read(_line(message))
    assert told is not None
    return told


def test_a_local_time_is_of_the_zone_in_which_hermes_wrote_it() -> None:
    told = LineReader(ZURICH).read(_line(SWITCH))
    assert told is not None
    assert told.time == datetime(2026, 1, 1, 11, 0, 0, 250_000, UTC).timestamp()


def test_without_a_zone_a_local_time_is_of_this_machine() -> None:
    told = LineReader().read(_line(SWITCH))
    assert told is not None
    assert told.time == datetime(2026, 1, 1, 12, 0, 0, 250_000).astimezone().timestamp()


def test_the_hour_that_summer_time_repeats_is_told_apart_by_the_order_of_lines() -> None:
    reader = LineReader(ZURICH)
    stamps = ("02:10:00", "02:50:00", "02:49:58", "02:10:00", "02:50:00", "03:00:00")
    read = [reader.read(_line(SWITCH, f"2026-10-25 {stamp},000")) for stamp in stamps]
    first = datetime(2026, 10, 25, 0, 10, tzinfo=UTC).timestamp()
    minutes = [(told.time - first) / 60 for told in read if told is not None]
    assert minutes == pytest.approx([0, 40, 40 - 2 / 60, 60, 100, 110])


def test_lines_that_tell_nothing_still_tell_the_two_passes_of_that_hour_apart() -> None:
    reader = LineReader(ZURICH)
    assert reader.read(_line("hermes_cli.plugins: Plugin found", "2026-10-25 02:50:00,000")) is None
    told = reader.read(_line(SWITCH, "2026-10-25 02:10:00,000"))
    assert told is not None
    assert told.time == datetime(2026, 10, 25, 1, 10, tzinfo=UTC).timestamp()


def test_a_date_in_a_message_that_falls_into_the_repeated_hour_lies_ahead_of_its_line() -> None:
    reader = LineReader(ZURICH)
    waits = (
        "agent.agent_runtime_helpers: Primary p rate-limited until 2026-10-25T02:10:00; staying on fallback p/m until"
    )
    assert reader.read(_line(SWITCH, "2026-10-25 02:50:00,000")) is not None
    told = reader.read(_line(waits, "2026-10-25 02:50:01,000"))
    assert told is not None
    assert told.until == datetime(2026, 10, 25, 1, 10, tzinfo=UTC).timestamp()


def test_a_line_of_no_session_has_none() -> None:
    told = LineReader(UTC).read(_line(SWITCH, session=""))
    assert told is not None
    assert told.session == ""


def test_a_turn_that_names_no_session_has_none() -> None:
    told = _read(
        "agent.turn_context: conversation turn: session=none model=m provider=p platform=cli history=0 msg='hi'"
    )
    assert told.session == ""


@pytest.mark.parametrize(
    "prompt", ["it's", 'say "yes"', 'it\'s "both"', "C:\\new\\x41", "größer 🎉", "'", "", "a\x1b[31m", "half of it..."]
)
def test_a_prompt_is_read_as_it_was_written(prompt: str) -> None:
    turn = "agent.turn_context: conversation turn: session=s model=m provider=p platform=cli history=0 msg="
    assert _read(turn + repr(prompt)).text == prompt.replace("\x1b", "\\x1b")


@pytest.mark.parametrize(("history", "is_first"), [("0", True), ("2", False), ("2 history=0", False)])
def test_the_first_turn_of_a_session_is_told_by_its_history_whatever_its_prompt_says(
    history: str, is_first: bool
) -> None:
    turn = f"agent.turn_context: conversation turn: session=s model=m provider=p platform=tui history={history} msg="
    told = _read(f"{turn}' history=0 msg='")
    assert (told.reason == FIRST_TURN, told.provider, told.model) == (is_first, "p", "m")


@pytest.mark.parametrize(
    ("message", "act", "session", "credential", "text"),
    [
        ("Asked for force_restore of session s1: it: is asked.", "force_restore", "s1", "", "it: is asked."),
        ("Done: take_chain of session s1: on the primary", "take_chain", "s1", "", "on the primary"),
        (
            "Asked for clear_cooldown of openai-codex: Gone.",
            "clear_cooldown",
            "s",
            "openai-codex",
            "Gone.",
        ),
    ],
)
def test_what_a_bridge_was_asked_for_is_read(message: str, act: str, session: str, credential: str, text: str) -> None:
    read = _read(f"hermes_tui_bridge: {message}")
    assert (read.kind, read.reason, read.session, read.credential, read.text) == (
        Kind.ACT,
        act,
        session,
        credential,
        text,
    )


def test_a_prompt_that_was_cut_off_is_shown_as_it_stands() -> None:
    turn = "agent.turn_context: conversation turn: session=s model=m provider=p platform=cli history=0 msg="
    assert _read(turn + "'half").text == "'half"
    assert _read(turn + "'").text == "'"


def test_a_side_question_under_the_sessions_id_is_no_turn_of_it() -> None:
    turn = "agent.turn_context: conversation turn: session=s model=m provider=p platform=cli history=0 msg='hi'"
    end = (
        "agent.conversation_loop: Turn ended: reason=text_response model=m api_calls=1/9 budget=1/9 tool_turns=0 "
        "last_msg_role=assistant response_len=3 session=s"
    )
    assert _read(turn).kind is Kind.TURN
    assert _read(end).kind is Kind.ANSWERED
    reader = LineReader(UTC)
    assert reader.read(_line(f"{turn} origin=background_review")) is None
    assert reader.read(_line(f"{end} origin=background_review")) is None
    assert _read(turn.replace("hi", "hi origin=x")).text == "hi origin=x"


def test_a_turn_that_hermes_believes_stuck_ended_without_an_answer() -> None:
    told = _read(
        "agent.conversation_loop: Turn ended with pending tool result (agent may appear stuck). Turn ended: "
        "reason=pending_tool_result model=m api_calls=1/9 budget=1/9 tool_turns=1 last_msg_role=tool response_len=0 "
        "session=s last_tool=bash"
    )
    assert (told.kind, told.reason, told.session) == (Kind.ENDED, "pending_tool_result", "s")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"Traceback (most recent call last):",
        b'  File "agent.conversation_loop", line 3, in <module>',
        b"\xff\xfe\x00",
        b"2026-01-01 12:00:00,250",
        _line("agent.chat_completion_helpers: Fallback"),
        _line("agent.elsewhere: Fallback activated: a → b (p)"),
        _line(SWITCH, "2026-13-41 99:99:99,999"),
        _line(SWITCH, "0000-00-00 00:00:00,000"),
        _line(SWITCH, "12:00:00,250"),
    ],
)
def test_what_is_not_known_is_nothing(line: bytes) -> None:
    assert LineReader(UTC).read(line) is None


def test_the_days_at_the_ends_of_the_calendar_are_nothing_or_a_time() -> None:
    for year in ("0001", "9999"):
        told = LineReader(ZURICH).read(_line(SWITCH, f"{year}-12-31 23:59:59,999"))
        assert told is None or isinstance(told.time, float)


def test_text_is_plain_one_line_and_capped() -> None:
    told = _read(FAILED + "HTTP 500:\t\x1b[31m" + "x" * 5000)
    assert told.code == 500
    assert "\x1b" not in told.text
    assert "\t" not in told.text
    assert len(told.text) == 500


def test_a_name_is_plain_and_capped() -> None:
    told = _read("agent.credential_pool: credential pool: rotated to \x1b]0;owned\x07" + "y" * 5000)
    assert "\x1b" not in told.credential
    assert len(told.credential) == LONGEST_NAME


def test_keys_are_taken_out_of_text_reasons_and_names() -> None:
    key = "sk-live0123456789abcdef"
    told = _read(f"{FAILED}HTTP 401: Incorrect API key provided: {key}. See me@example.test")
    assert (told.text, told.code) == ("HTTP 401: Incorrect API key provided: <redacted>. See <redacted>", 401)
    assert key not in _read(f"agent.agent_runtime_helpers: Failed to restore primary runtime: {key}").reason
    assert key not in _read(f"agent.credential_pool: credential pool: rotated to {key}").credential


def test_a_login_is_named_as_hermes_names_it_though_that_be_an_address() -> None:
    assert _read("agent.credential_pool: credential pool: rotated to me@example.test").credential == "me@example.test"


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    told = LineReader(UTC).read(_line(FAILED) + b"caf\xe9")
    assert told is not None
    assert told.text == "caf\ufffd"


def test_the_carriage_return_of_another_system_is_no_part_of_a_line() -> None:
    told = LineReader(UTC).read(_line(SWITCH) + b"\r")
    assert told is not None
    assert told.to_provider == "p"


@given(some.sampled_from(sorted(TEMPLATES)), some.text(max_size=300))
def test_no_message_of_a_known_logger_raises(logger: bytes, message: str) -> None:
    LineReader(UTC).read(b"2026-01-01 12:00:00,250 INFO " + logger + b": " + message.encode(errors="surrogatepass"))


BEGINNINGS = (
    "API call failed (attempt 1/3) error_type=E thread=",
    "Retrying API call in 1s (attempt 1/3) thread=",
    "Turn ended: reason=",
    "Turn ended with pending tool result ",
    "conversation turn: session=s model=m provider=p ",
    "Fallback activated: ",
    "Fallback skip: ",
    "credential pool: marking ",
    "credential pool: pruning DEAD manual entry ",
    "Primary runtime restored for new turn: ",
    "Primary provider auth failed ",
    "Profile x: ",
    "",
)
FILLINGS = (
    " ",
    "a",
    "(",
    ") ",
    " thread= provider=",
    " via ",
    "→",
    " origin=a",
    "a/",
    ":",
    "' ",
    " model=m",
    "| provider=",
)


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_long_line_of_ill_will_takes_no_time(beginning: str) -> None:
    reader = LineReader(UTC)
    for logger in TEMPLATES:
        for filling in FILLINGS:
            line = b"2026-01-01 12:00:00,250 INFO " + logger + f": {beginning}{filling * 16_384}"[:16_384].encode()
            began = time.process_time()
            reader.read(line)
            assert time.process_time() - began < 0.5, (logger, beginning, filling)
