"""The codec: every value survives the way through JSON, and wrong shapes are named."""

import json
import sys
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.acts import ChangeSchedule, SendPrompt
from hermes_tui.core.codec import (
    COMMANDS,
    EVENTS,
    ROWS,
    decode,
    decode_command,
    decode_event,
    decode_row,
    encode,
    encode_command,
    encode_event,
    row_name,
)
from hermes_tui.core.credential import Credential, CredentialKey
from hermes_tui.core.decision import VerdictForgotten
from hermes_tui.core.errors import StateError
from hermes_tui.core.event import AttemptFailed, GateState, RestoreChecked, TurnStarted
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import VerdictKey

ROUTE = Route("openai", "gpt", "http://127.0.0.1/v1", ApiMode.CHAT_COMPLETIONS, "openai")
FAILED = AttemptFailed(
    time=1.5,
    session="docs",
    provider="openai",
    model="gpt",
    credential="work",
    status=429,
    kind=FailureKind.RATE_LIMIT,
    message=PlainText("slow down"),
    latency=0.25,
)


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of values of the dataclass `kind` with every field drawn, defaulted ones too."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: st.from_type(hints[field.name]) for field in fields(kind)})


for module in [module for name, module in sys.modules.items() if name.startswith("hermes_tui.core.")]:
    for value in [value for value in vars(module).values() if isinstance(value, type) and is_dataclass(value)]:
        st.register_type_strategy(value, values_of)


def through_json(value: object) -> Any:
    return json.loads(json.dumps(encode(value)))


@given(st.sampled_from(sorted(ROWS)).flatmap(lambda name: values_of(ROWS[name])))
def test_every_row_comes_back_from_json_as_it_was(row: Any) -> None:
    assert repr(decode_row(row_name(row), through_json(row))) == repr(row)


@given(st.sampled_from(sorted(EVENTS)).flatmap(lambda name: values_of(EVENTS[name])))
def test_every_event_comes_back_from_json_as_it_was(event: Any) -> None:
    assert repr(decode_event(json.loads(json.dumps(encode_event(event))))) == repr(event)


def test_an_event_line_begins_with_type_time_and_session_and_holds_every_field() -> None:
    line = encode_event(FAILED)
    assert list(line)[:3] == ["type", "time", "session"]
    assert line == {
        "type": "attempt_failed",
        "time": 1.5,
        "session": "docs",
        "provider": "openai",
        "model": "gpt",
        "credential": "work",
        "status": 429,
        "kind": "rate_limit",
        "message": "slow down",
        "latency": 0.25,
    }


def test_an_event_of_no_session_says_null() -> None:
    assert encode_event(TurnStarted(time=1.0, turn=1, prompt=PlainText("hi")))["session"] is None


def test_what_is_unknown_in_an_event_is_written_as_null() -> None:
    line = json.loads(
        json.dumps(
            encode_event(
                RestoreChecked(
                    time=1.0,
                    lifted=False,
                    gates=(GateState(name="cooldown", passed=True, changes_at=None, text=PlainText("over")),),
                )
            )
        )
    )
    assert line["gates"] == [{"name": "cooldown", "passed": True, "changes_at": None, "text": "over"}]


def test_a_field_of_a_newer_version_is_ignored() -> None:
    data = through_json(Session("docs", ROUTE)) | {"mood": "good"}
    assert decode(Session, data) == Session("docs", ROUTE)


def test_a_field_of_an_older_version_that_is_missing_takes_its_default() -> None:
    data = through_json(Session("docs", ROUTE, turns=3))
    del data["turns"]
    assert decode(Session, data).turns == 0


def test_a_session_of_which_nothing_was_arranged_is_written_as_earlier_versions_write_it() -> None:
    assert not {"arrangement", "made_at", "archived_at"} & set(through_json(Session("docs", ROUTE)))


def test_an_event_type_of_a_newer_version_is_none() -> None:
    assert decode_event({"type": "moon_landed", "time": 1.0}) is None


def test_a_row_kind_of_a_newer_version_is_none() -> None:
    assert decode_row("moon", {}) is None


def test_a_tuple_of_values_is_encoded_item_by_item() -> None:
    assert encode((ROUTE, 1)) == [encode(ROUTE), 1]


def test_a_named_tuple_keeps_its_type() -> None:
    row = VerdictForgotten(VerdictKey("openai", "me", "gpt", "ab12"))
    decoded = decode_row("verdict_forgotten", through_json(row))
    assert isinstance(decoded, VerdictForgotten)
    assert isinstance(decoded.key, VerdictKey)


def test_a_whole_number_where_seconds_belong_is_read_as_seconds() -> None:
    data = through_json(Session("docs", ROUTE)) | {"home_at": 5}
    assert isinstance(decode(Session, data).home_at, float)


@pytest.mark.parametrize(
    ("change", "blamed"),
    [
        ({"name": 3}, "Session.name: expected text, found 3"),
        ({"requested": "openai/gpt"}, "Session.requested: expected Route, found 'openai/gpt'"),
        ({"chain": {}}, "Session.chain: expected a list"),
        ({"turns": True}, "Session.turns: expected a whole number, found True"),
        ({"turns": 1.5}, "Session.turns: expected a whole number"),
        ({"home_at": "noon"}, "Session.home_at: expected a number"),
        ({"pinned": 1}, "Session.pinned: expected true or false"),
        ({"phase": "asleep"}, "Session.phase: expected one of idle, running, waiting, found 'asleep'"),
        ({"phase": []}, "Session.phase: expected one of"),
        ({"chain": [{"route": {}}]}, "Session.chain: Link.route: Route.provider is missing"),
    ],
)
def test_a_wrong_shape_names_its_field(change: dict[str, object], blamed: str) -> None:
    with pytest.raises(StateError) as caught:
        decode(Session, through_json(Session("docs", ROUTE)) | change)
    assert str(caught.value).startswith(blamed)


def test_a_key_with_too_few_parts_is_refused() -> None:
    data = through_json(Credential(CredentialKey("openai", "work"), "ab12"))
    with pytest.raises(StateError, match=r"Credential\.key: expected 2 items, found 1"):
        decode(Credential, data | {"key": ["openai"]})


@pytest.mark.parametrize("data", [None, [], "turn_started", 3])
def test_an_event_that_is_no_object_is_refused(data: object) -> None:
    with pytest.raises(StateError, match="expected an event"):
        decode_event(data)


@pytest.mark.parametrize("kind", COMMANDS.values(), ids=COMMANDS)
@settings(max_examples=10)
@given(data=st.data())
def test_every_act_on_a_session_comes_back_as_it_was(kind: Any, data: st.DataObject) -> None:
    command = data.draw(st.from_type(kind))
    assert repr(decode_command(json.loads(json.dumps(encode_command(command))))) == repr(command)


def test_an_act_names_itself_and_a_schedule_that_ends_is_none() -> None:
    assert encode_command(ChangeSchedule("docs", None)) == {
        "act": "change_schedule",
        "session": "docs",
        "every_seconds": None,
        "prompt": "",
    }


def test_an_act_that_only_a_newer_version_knows_is_none() -> None:
    assert decode_command({"act": "fly", "session": "docs"}) is None
    assert decode_command({"act": "reset_cooldown", "credential": ["openai", "work"]}) is None


@pytest.mark.parametrize("data", [None, "stop", [], {"act": "send_prompt"}, {"act": "stop_turn", "session": 5}])
def test_an_act_of_another_shape_is_refused(data: object) -> None:
    with pytest.raises(StateError):
        decode_command(data)


def test_an_act_with_more_fields_than_are_known_is_taken() -> None:
    assert decode_command({"act": "send_prompt", "session": "s", "text": "Go.", "mood": "calm"}) == SendPrompt(
        "s", "Go."
    )
