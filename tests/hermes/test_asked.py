"""What a session asks for: its user's choice, whatever answered it, and whatever Hermes has for its primary since."""

from dataclasses import replace
from typing import Any, Final

import pytest

from hermes_tui.core.acts import ForceRestore, UseFallback
from hermes_tui.core.diagnosis import Code, Diagnosis
from hermes_tui.core.preview import Refused
from hermes_tui.core.restoring import GateName, Step
from hermes_tui.core.session import Session
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.handling import preview
from hermes_tui.hermes.log_templates import FIRST_TURN
from hermes_tui.hermes.memory import Memory, OpenSession
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import rows
from hermes_tui.hermes.values import Conversation, Entry, Happening, Kind
from tests.hermes.made import (
    BENCHED,
    DAY,
    FALLBACK,
    FREE,
    ID,
    LEFT,
    NOW,
    OLD,
    POOLLESS,
    PRIMARY,
    conversation,
    happening,
    judge,
    reading,
    served,
)

BEGAN: Final = happening(Kind.TURN, 601, model="gpt-5.5", provider="openai-codex", reason=FIRST_TURN)
FELL_BACK: Final = (BEGAN, *LEFT[1:], POOLLESS)
"""The first turn of a session whose primary had run out."""


def spoken(provider: str = "custom", model: str = "small", **other: Any) -> Conversation:
    """Return the session as Hermes keeps it where its first answer came from its fallback."""
    return replace(conversation(served(FALLBACK, 500)), provider=provider, model=model, **other)


def row(read: Reading) -> Session:
    (session,) = rows(read).sessions.values()
    return session


def why(read: Reading) -> Diagnosis:
    return judge(read)[1]


def where(read: Reading) -> tuple[str, str, int]:
    session = row(read)
    return str(session.requested), str(session.active), session.position


AWAY: Final = ("openai-codex/gpt-5.5", "custom:fb/small", 1)


# What it asks for


@pytest.mark.parametrize("told", [FELL_BACK, LEFT, ()], ids=["its first turn", "its switch", "no line any more"])
def test_a_session_whose_first_turn_fell_back_is_off_the_primary_that_it_asked_for(told: tuple[Happening, ...]) -> None:
    read = reading(BENCHED, told=told, spoken=spoken())
    assert where(read) == AWAY
    assert why(read).code is Code.WAITING_FOR_RESET
    facts = [fact.text for fact in why(read).facts]
    assert "its row names small: closed and opened again, Hermes asks for that" in facts


def test_a_session_of_a_messenger_is_too_whose_row_names_the_model_that_answered_last() -> None:
    assert where(reading(BENCHED, told=LEFT, spoken=spoken("openai-codex"))) == AWAY


def test_it_asks_for_what_its_first_turn_began_on_though_the_file_names_another_primary_by_now() -> None:
    began = replace(BEGAN, model="gpt-5.4")
    assert where(reading(BENCHED, told=(began, *FELL_BACK[1:]), spoken=spoken()))[0] == "openai-codex/gpt-5.4"


def test_the_same_model_of_another_provider_is_a_fallback_all_the_same() -> None:
    proxy = replace(FALLBACK, model="gpt-5.5")
    answered = replace(conversation(served(proxy, 500)), provider="custom")
    assert where(reading(BENCHED, spoken=answered, chain=(proxy,)))[1:] == ("custom:fb/gpt-5.5", 1)


CHOSE: Final = happening(Kind.SWITCHED, 50, provider="openai-codex", model="gpt-5.5", to_provider="custom:fb")


@pytest.mark.parametrize(
    ("told", "chosen"),
    [((*LEFT, replace(CHOSE, to_model="small")), None), ((), ("custom:fb", "small"))],
    ids=["the log tells", "the row tells"],
)
def test_a_fallback_that_the_user_chose_is_what_the_session_asks_for(
    told: tuple[Happening, ...], chosen: tuple[str, str] | None
) -> None:
    read = reading(BENCHED, told=told, spoken=spoken(chosen=chosen))
    assert where(read) == ("custom:fb/small", "custom:fb/small", 0)
    assert why(read).code is Code.ON_PRIMARY


def test_a_model_that_the_user_chose_stays_what_it_asks_for_while_a_fallback_serves() -> None:
    read = reading(FREE, told=LEFT, spoken=spoken(chosen=("anthropic", "claude-opus-4-6")))
    assert where(read) == ("anthropic/claude-opus-4-6", "custom:fb/small", 1)


def test_a_primary_that_was_restored_is_what_it_asks_for_whatever_its_row_names() -> None:
    back = happening(Kind.RESTORED, 400, model="gpt-5.5", provider="openai-codex")
    assert where(reading(BENCHED, told=(*LEFT, back), spoken=spoken()))[2] == 0


def test_a_codex_model_of_a_fallbacks_name_is_no_entry_of_the_chain() -> None:
    read = reading(FREE, spoken=replace(spoken(), served=(served(Entry("openai-codex", "small", ""), 5),)))
    assert where(read) == ("openai-codex/gpt-5.5", "openai-codex/small", 2)


# Nobody has it open


def test_a_closed_session_whose_row_names_its_fallback_is_not_called_safe_and_the_way_back_is_named() -> None:
    read = reading(FREE, told=FELL_BACK, spoken=spoken(ended_at=NOW - 60))
    way, told = judge(read)
    assert (told.code, way.step, told.next and told.next.at) == (Code.PRIMARY_FORGOTTEN, Step.STAY, None)
    assert [gate.name for gate in way.gates if not gate.passed] == [GateName.NOT_PINNED]
    assert told.helps == "In Hermes, choose its model: /model gpt-5.5 --provider openai-codex."
    assert told.facts[0].text == "it has ended; opened again, Hermes asks for small, which answered it first"


def test_a_killed_hermes_keeps_no_cooldown_in_its_memory() -> None:
    read = reading(FREE, told=(*LEFT, POOLLESS))
    assert why(read).code is Code.COOLDOWN_IN_MEMORY
    assert why(replace(read, registered=frozenset({ID}))).code is Code.COOLDOWN_IN_MEMORY
    killed = replace(read, registered=frozenset())
    assert row(killed).cooldown is None
    assert why(killed).code is Code.RESTORE_DUE
    assert why(killed).facts[0].text == "nobody has it open; opened again, it begins on its primary"


@pytest.mark.parametrize("other", [{"surface": "api_server"}, {"parent": "another"}, {"busy_until": NOW + 60}], ids=min)
def test_a_session_that_need_not_be_in_the_list_of_open_ones_may_be_open(other: dict[str, Any]) -> None:
    read = reading(FREE, told=LEFT, spoken=replace(conversation(served(FALLBACK, 500)), **other))
    assert row(replace(read, registered=frozenset())).cooldown is not None


def test_an_older_hermes_that_opens_it_meanwhile_begins_on_the_fallback_and_stays_there() -> None:
    read = reading(BENCHED, told=LEFT, spoken=conversation(served(FALLBACK, 500), ended_at=NOW - 60), release=OLD)
    assert "opened again, this Hermes begins on a fallback and stays there, until" in why(read).facts[0].text
    assert "after a minute" not in why(read).text


# Its process has another primary


ON_IT: Final = Entry("custom", "small", "Hermes", "http://127.0.0.1:9/v1")
OPENED_ON_IT: Final = OpenSession(77, ON_IT, ON_IT, (ON_IT,))


def remembered(live: OpenSession, read: Reading) -> Reading:
    return replace(read, memory=Memory({ID: live}, (), 1, clears=True))


@pytest.mark.parametrize(
    ("stored", "helps"),
    [
        (conversation(served(FALLBACK, 500)), "Close it there, and open it again once a login of openai-codex is free"),
        (spoken(), "In Hermes, choose its model: /model gpt-5.5 --provider openai-codex."),
    ],
)
def test_a_session_that_was_opened_on_its_fallback_is_off_what_its_user_asked_for(
    stored: Conversation, helps: str
) -> None:
    read = remembered(OPENED_ON_IT, reading(BENCHED, told=FELL_BACK, spoken=stored, release=OLD))
    assert where(read) == AWAY
    assert why(read).code is Code.PRIMARY_FORGOTTEN
    assert helps in why(read).helps
    assert why(read).facts[0].text == "Hermes opened it on custom/small, and has that for its primary"
    restore = preview(ForceRestore("weekly"), row(read), read, NOW)
    assert isinstance(restore, Refused)
    assert "Hermes has custom/small for its primary, and would go there." in restore.reason
    assert helps in restore.reason
    assert preview(UseFallback("weekly"), row(read), read, NOW) == Refused(PlainText("this is the last entry"))


def test_the_model_of_a_fallback_asked_of_the_primarys_provider_is_named_as_it_is() -> None:
    mixed = Entry("openai-codex", "small", "Hermes")
    read = remembered(OpenSession(77, mixed, mixed, (ON_IT,)), reading(FREE, told=FELL_BACK, spoken=spoken()))
    assert where(read) == ("openai-codex/gpt-5.5", "openai-codex/small", 2)
    assert row(read).chain[1].fault == "no entry of the chain: Hermes has it for the primary"
    fell_back = replace(read.memory.sessions[ID], active=ON_IT, position=1, cooldown_until=NOW + DAY)
    away = remembered(fell_back, read)
    assert where(away) == AWAY
    assert (row(away).cooldown, why(away).code) == (None, Code.PRIMARY_FORGOTTEN)


def test_a_model_that_was_chosen_there_just_now_is_what_it_asks_for() -> None:
    chosen = Entry("anthropic", "claude-opus-4-6", "Hermes")
    read = remembered(OpenSession(77, chosen, chosen, ()), reading(FREE, spoken=conversation(served(PRIMARY, 9))))
    assert where(read) == ("anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6", 0)
