"""What running processes tell of a home: it stands above what is inferred, and the keys act through it."""

import asyncio
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.acts import (
    Command,
    DropVerdict,
    ForceRestore,
    ResetChain,
    ResetCooldown,
    TakeChain,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import Code
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ActPerformed
from hermes_tui.core.judging import Judged
from hermes_tui.core.preview import Confirm, Ready, Refused
from hermes_tui.core.restoring import GateName, Step
from hermes_tui.core.session import Phase, Session
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict, VerdictKey
from hermes_tui.hermes.memory import TOLD, Belief, Memory, OpenSession
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import rows
from hermes_tui.hermes.source import HermesHome
from hermes_tui.hermes.values import Entry
from hermes_tui.hermes.verdicts import Verdicts
from hermes_tui.tui.app import HermesApp
from hermes_tui.view.homes import Shown, homes_document
from tests.hermes.made import (
    BENCHED,
    DAY,
    FALLBACK,
    FREE,
    ID,
    LEFT,
    NOW,
    OLD,
    POOLED,
    POOLLESS,
    PRIMARY,
    conversation,
    judge,
    reading,
    served,
)
from tests.hermes.test_source import Shelf
from tests.tui.driving import STILL, press, settle, showing, toasts

KEY = CredentialKey("openai-codex", "oauth-1")
ROUTE = Entry("custom:fb", "small", str(TOLD), "http://127.0.0.1:9/v1")
ON_FALLBACK = OpenSession(77, PRIMARY, ROUTE, (ROUTE,), 1, 1, NOW + DAY)
OTHER = Entry("openrouter", "z-ai/glm-5", str(TOLD))
ON_PRIMARY = OpenSession(77, PRIMARY, PRIMARY, (ROUTE,))
SAID = PlainText("When the next turn begins, the primary is asked.")
AWAY = reading(BENCHED, told=(*LEFT, POOLLESS))


def remembered(live: OpenSession, *beliefs: Belief, **other: Any) -> Memory:
    return Memory({ID: live}, beliefs, 1, **{"clears": True, "drops": True, **other})


def row(live: OpenSession, read: Reading = AWAY) -> Session:
    (session,) = rows(replace(read, memory=remembered(live))).sessions.values()
    return session


def decided(live: OpenSession, read: Reading = AWAY, *beliefs: Belief) -> Judged:
    return judge(replace(read, memory=remembered(live, *beliefs)))


# Rows


def test_its_own_word_stands_above_what_logs_and_files_let_infer() -> None:
    home = row(ON_PRIMARY)
    assert (home.position, home.departure, home.cooldown) == (0, None, None)
    read = reading(BENCHED, spoken=conversation(served(PRIMARY, 500)))
    away = row(ON_FALLBACK, read)
    assert (away.position, str(away.active), away.index) == (1, "custom:fb/small", 1)


def test_its_cooldown_is_exact_and_the_logs_tell_since_when() -> None:
    own = row(ON_FALLBACK).cooldown
    assert own is not None
    assert (own.until, own.armed_at, own.approximate) == (NOW + DAY, NOW - 600, False)


def test_a_chosen_route_has_no_cooldown_and_no_failure_to_tell_of() -> None:
    chosen = row(replace(ON_FALLBACK, pinned=True, chosen_at=NOW - 5))
    assert chosen.departure is not None
    assert (chosen.pinned, chosen.cooldown, chosen.departure.at, chosen.departure.reason) == (True, None, NOW - 5, None)


def test_the_chain_in_force_is_its_own_and_says_what_the_file_knows_of_each_entry() -> None:
    file = replace(FALLBACK, context_length=8_000, faults=(PlainText("no key"),))
    away = row(replace(ON_FALLBACK, chain=(OTHER, ROUTE), position=2), reading(BENCHED, told=LEFT, chain=(file,)))
    assert [str(link.route) for link in away.chain] == ["openrouter/z-ai/glm-5", "custom:fb/small"]
    assert (away.chain[1].fault, away.chain[1].route.context_length) == ("no key", 8_000)


@pytest.mark.parametrize("position", [None, 5])
def test_a_route_that_is_no_entry_any_more_is_told_as_that(position: int | None) -> None:
    away = row(replace(ON_FALLBACK, chain=(), position=position))
    assert (away.position, str(away.active)) == (1, "custom:fb/small")
    assert away.chain[0].fault == "not in the session's chain any more"


def test_a_turn_in_flight_is_shown_as_one() -> None:
    assert row(replace(ON_PRIMARY, in_turn=True, turn_since=NOW - 3)).turn_started_at == NOW - 3
    assert row(replace(ON_PRIMARY, in_turn=True)).phase is Phase.RUNNING
    assert row(ON_PRIMARY).phase is Phase.IDLE


# Decisions


def test_gates_and_facts_cite_the_process_and_nothing_is_inferred_any_more() -> None:
    way, diagnosis = decided(replace(ON_FALLBACK, checks_from=NOW + 90))
    assert all("inferred" not in gate.text and not gate.approximate for gate in way.gates)
    check = next(gate for gate in way.gates if gate.name is GateName.RESTORE_CHECK)
    assert (check.passed, check.changes_at) == (False, NOW + 90)
    assert [fact.source for fact in diagnosis.facts if "own cooldown" in fact.text] == [TOLD]


def test_what_hermes_keeps_of_its_last_question_is_a_gate_with_its_end() -> None:
    belief = Belief(BENCHED.fingerprint, quota=False, asked_at=NOW - 10, until=NOW + 290)
    way, _ = decided(ON_FALLBACK, AWAY, belief)
    gate = next(gate for gate in way.gates if gate.name is GateName.VERDICT)
    assert (gate.passed, gate.changes_at) == (False, NOW + 290)
    assert "keeps no quota" in gate.text


@pytest.mark.parametrize(
    ("live", "read", "code"),
    [
        (replace(ON_FALLBACK, pinned=True), AWAY, Code.PINNED),
        (ON_FALLBACK, reading(FREE, told=(*LEFT, POOLLESS)), Code.COOLDOWN_IN_MEMORY),
        (replace(ON_FALLBACK, cooldown_until=None), reading(FREE, told=(*LEFT, POOLLESS)), Code.RESTORE_DUE),
    ],
)
def test_the_diagnosis_rests_on_what_is_in_memory(live: OpenSession, read: Reading, code: Code) -> None:
    _, diagnosis = decided(live, read)
    assert diagnosis.code is code


def test_where_a_hand_reaches_it_force_restore_is_what_helps() -> None:
    free = reading(FREE, told=(*LEFT, POOLLESS))
    assert "Force restore" in decided(ON_FALLBACK, free)[1].helps
    refused = replace(ON_FALLBACK, refusals=(("force_restore", PlainText("of another release")),))
    assert "Force restore" not in decided(refused, free)[1].helps


def test_a_lift_that_would_not_be_saved_is_told_by_the_pool_that_the_process_has() -> None:
    told = [gate.text for gate in decided(replace(ON_FALLBACK, is_pooled=True))[0].gates]
    assert any("would not be saved" in text for text in told)
    pooled = reading(BENCHED, told=(*LEFT, POOLED))
    told = [gate.text for gate in decided(replace(ON_FALLBACK, is_pooled=False), pooled)[0].gates]
    assert all("would not be saved" not in text for text in told)


def test_the_next_change_is_when_hermes_asks_again_where_that_comes_before_the_date() -> None:
    _, diagnosis = decided(replace(ON_FALLBACK, checks_from=NOW + 90, is_pooled=False))
    assert diagnosis.next is not None
    assert (diagnosis.next.text, diagnosis.next.at) == ("next try", NOW + 90)


def test_a_chosen_route_is_left_by_no_date_and_no_check() -> None:
    way, diagnosis = decided(replace(ON_FALLBACK, pinned=True, cooldown_until=None))
    assert (way.step, way.opens_at) == (Step.STAY, None)
    assert diagnosis.next is not None
    assert (diagnosis.next.text, diagnosis.next.at) == ("nothing by itself", None)


def test_a_forced_session_returns_whatever_its_gates_say() -> None:
    way, diagnosis = decided(replace(ON_FALLBACK, waiting=("force_restore",)))
    assert way.step is Step.RESTORE
    assert diagnosis.next is not None
    assert "as you wish" in diagnosis.next.text


# Verdicts


def shown(read: Reading, own: CachedVerdict | None = None) -> dict[VerdictKey, CachedVerdict]:
    verdicts, facts = Verdicts(), rows(read)
    if own is not None:
        verdicts._rows[own.key] = own
    verdicts.put(facts, read)
    return dict(facts.verdicts)


@pytest.mark.parametrize(("ago", "whose"), [(5, None), (50, TOLD)])
def test_hermes_verdict_stands_where_none_newer_is_ours(ago: float, whose: PlainText | None) -> None:
    belief = Belief(BENCHED.fingerprint, quota=True, asked_at=NOW - 10, until=NOW + 290)
    read = replace(AWAY, memory=remembered(ON_FALLBACK, belief))
    key = VerdictKey("openai-codex", BENCHED.id, "gpt-5.5", BENCHED.fingerprint)
    assert [(one.key, one.asked_by, one.verdict) for one in shown(read).values()] == [(key, TOLD, Verdict.QUOTA)]
    ours = CachedVerdict(key, Verdict.NO_QUOTA, PlainText("full"), NOW - ago, NOW + 300 - ago)
    assert shown(read, ours)[key].asked_by == whose


def test_a_verdict_of_a_token_that_no_login_has_is_shown_nowhere() -> None:
    belief = Belief("2222", quota=True, asked_at=NOW - 10, until=NOW + 290)
    assert shown(replace(AWAY, memory=remembered(ON_FALLBACK, belief))) == {}


# The source


class Holding:
    """Tells what a test puts there. Implements `hermes.memory.Hand`."""

    way: PlainText | None = PlainText("`hermes-tui bridge install` gives this program a hand there")

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.done: list[tuple[str, str]] = []
        self.closed = 0

    def look(self) -> Memory:
        return self.memory

    def act(self, act: str, conversation: str) -> PlainText:
        self.done.append((act, conversation))
        (live,) = self.memory.sessions.values()
        self.memory = remembered(replace(live, waiting=(act,)))
        return SAID

    def clear(self, provider: str, login: str) -> PlainText:
        self.done.append((provider, login))
        return SAID

    def drop(self, fingerprint: str) -> PlainText:
        self.done.append(("drop", fingerprint))
        return SAID

    def close(self) -> None:
        self.closed += 1


def home(memory: Memory, read: Reading = AWAY) -> tuple[HermesHome, Holding, Shelf]:
    hand, shelf = Holding(memory), Shelf(read)
    source = HermesHome(shelf, lambda: NOW, open_hand=lambda: hand)
    source.look()
    return source, hand, shelf


async def test_force_restore_asks_first_says_when_it_is_done_and_is_shown_until_then() -> None:
    source, hand, _ = home(remembered(ON_FALLBACK))
    answer = source.preview(ForceRestore("weekly"))
    assert isinstance(answer, Confirm)
    assert answer.question == "Put weekly back on openai-codex/gpt-5.5 before its reset?"
    assert "weekly asks openai-codex/gpt-5.5 at its next turn" in answer.effect
    assert await source.execute(ForceRestore("weekly")) == SAID
    assert hand.done == [("force_restore", ID)]
    snapshot = source.snapshot()
    assert snapshot.sessions[0].pending == ("force restore at the next turn",)
    (told,) = homes_document([Shown("home", "default", snapshot)], NOW)["sessions"]
    assert (told["pending"], told["owner"]) == (["force restore at the next turn"], 77)
    with pytest.raises(RefusedError, match="asked for already"):
        await source.execute(ForceRestore("weekly"))


@pytest.mark.parametrize(
    ("live", "command", "kind", "words"),
    [
        (ON_PRIMARY, ForceRestore("weekly"), Refused, "weekly is on its primary"),
        (replace(ON_FALLBACK, pinned=True), ForceRestore("weekly"), Confirm, "before its reset"),
        (replace(ON_FALLBACK, in_turn=True), ForceRestore("weekly"), Confirm, "when this turn has ended"),
        (replace(ON_FALLBACK, in_turn=True), ResetChain("weekly"), Ready, "when this turn has ended"),
        (ON_FALLBACK, ResetChain("weekly"), Ready, "the chain of config.yaml, from its first entry"),
        (ON_FALLBACK, UseFallback("weekly"), Refused, "this is the last entry"),
        (replace(ON_FALLBACK, index=0), UseFallback("weekly"), Refused, "this is the last entry"),
        (replace(ON_FALLBACK, chain=(ROUTE, OTHER)), UseFallback("weekly"), Ready, "stays until you restore"),
        (replace(ON_FALLBACK, chain=(OTHER, ROUTE), position=2, index=0), UseFallback("weekly"), Ready, "stays until"),
        (ON_PRIMARY, UseFallback("weekly"), Confirm, "Leave openai-codex/gpt-5.5, which is fine?"),
        (replace(ON_PRIMARY, chain=()), UseFallback("weekly"), Refused, "there is no chain"),
        (replace(ON_PRIMARY, refusals=(("reset_chain", SAID),)), ResetChain("weekly"), Refused, SAID),
        (replace(ON_FALLBACK, chain=()), TakeChain("weekly"), Ready, "a route that is still in it stays"),
        (replace(ON_PRIMARY, chain=()), TakeChain("weekly"), Ready, "takes the chain of config.yaml at its next turn."),
        (ON_FALLBACK, TakeChain("weekly"), Refused, "weekly has the chain of config.yaml"),
    ],
)
def test_each_act_says_what_will_happen_or_why_not(live: OpenSession, command: Command, kind: type, words: str) -> None:
    source, _, _ = home(remembered(live))
    answer = source.preview(command)
    assert isinstance(answer, kind)
    assert words in repr(answer)


def test_nothing_is_asked_where_a_login_is_free() -> None:
    source, _, _ = home(remembered(replace(ON_FALLBACK, cooldown_until=None)), reading(FREE, told=(*LEFT, POOLLESS)))
    assert isinstance(source.preview(ForceRestore("weekly")), Ready)


@pytest.mark.parametrize(
    "command",
    [ForceRestore("weekly"), ResetChain("weekly"), UseFallback("weekly"), TakeChain("weekly"), DropVerdict(KEY)],
)
def test_without_a_bridge_an_act_is_refused_with_what_would_give_a_hand(command: Command) -> None:
    source, hand, _ = home(Memory())
    answer = source.preview(command)
    assert isinstance(answer, Refused)
    assert "`hermes-tui bridge install`" in answer.reason
    hand.way = None
    other = source.preview(command)
    assert isinstance(other, Refused)
    assert "bridge" not in other.reason


async def test_a_verdict_that_hermes_keeps_is_dropped() -> None:
    belief = Belief(BENCHED.fingerprint, quota=False, asked_at=NOW - 10, until=NOW + 290)
    source, hand, _ = home(remembered(ON_FALLBACK, belief))
    assert isinstance(source.preview(DropVerdict(KEY)), Ready)
    assert await source.execute(DropVerdict(KEY)) == SAID
    assert hand.done == [("drop", BENCHED.fingerprint)]


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        (remembered(ON_FALLBACK), "keeps a verdict of openai-codex/oauth-1"),
        (remembered(ON_FALLBACK, Belief(BENCHED.fingerprint, None, NOW, NOW + 300), drops=False), "to forget it"),
    ],
)
def test_a_verdict_that_nobody_keeps_or_can_forget_is_not_dropped(memory: Memory, words: str) -> None:
    answer = home(memory)[0].preview(DropVerdict(KEY))
    assert isinstance(answer, Refused)
    assert words in answer.reason


def test_routes_that_are_skipped_and_a_chain_that_the_file_no_longer_has_are_told() -> None:
    other = Entry("openrouter", "z-ai/glm-5", str(TOLD))
    live = replace(ON_FALLBACK, chain=(ROUTE, other), skipped=(PlainText("openrouter/z-ai/glm-5"),))
    away = row(live)
    assert away.skipped == (away.chain[1].route.key,)
    facts = [fact.text for fact in decided(live)[1].facts if fact.source == TOLD]
    assert "it skips openrouter/z-ai/glm-5 until its chain is reset" in facts
    assert "it has another chain than config.yaml by now; Take chain puts it in force at its next turn" in facts
    refused = replace(live, skipped=(), refusals=(("take_chain", SAID),))
    assert [fact.text for fact in decided(refused)[1].facts if "chain" in fact.text] == [
        "it has another chain than config.yaml by now"
    ]


async def test_the_key_says_without_a_bridge_why_it_cannot_and_asks_with_one() -> None:
    source, hand, _ = home(Memory())
    app = HermesApp(source, look=STILL)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await settle(pilot)
        (told,) = toasts(app)
        assert "memory alone" in told
        assert "`hermes-tui bridge install`" in told
        hand.memory = remembered(ON_FALLBACK)
        source.look()
        await press(pilot, "b")
        await showing(pilot, "before its reset?")
        await press(pilot, "y")
        await settle(pilot)
        await showing(pilot, "Asked for: force restore at the next")
    assert hand.done == [("force_restore", ID)]


def test_a_session_that_no_process_with_a_bridge_has_open_is_told_as_that() -> None:
    source, _, _ = home(Memory(processes=1))
    answer = source.preview(ForceRestore("weekly"))
    assert isinstance(answer, Refused)
    assert "no Hermes that answers has it open" in answer.reason


async def test_a_cooldown_is_cleared_where_waiting_sessions_are_freed_too_else_in_the_file() -> None:
    source, hand, shelf = home(remembered(ON_FALLBACK))
    answer = source.preview(ResetCooldown(KEY))
    assert isinstance(answer, Confirm)
    assert "Sessions that wait for it ask the primary at their next turn" in answer.effect
    assert await source.execute(ResetCooldown(KEY)) == SAID
    assert (hand.done, shelf.cleared) == ([("openai-codex", BENCHED.id)], [])

    source, hand, shelf = home(Memory(processes=1))
    await source.execute(ResetCooldown(KEY))
    assert (hand.done, shelf.cleared) == ([], [("openai-codex", BENCHED.id)])
    assert [event.act for _, event in source.snapshot().events if isinstance(event, ActPerformed)] == ["reset_cooldown"]


def test_a_login_without_a_cooldown_can_be_cleared_for_the_sessions_that_wait_all_the_same() -> None:
    free = reading(FREE, told=(*LEFT, POOLLESS))
    assert isinstance(home(remembered(ON_FALLBACK), free)[0].preview(ResetCooldown(KEY)), Confirm)
    for live in (ON_PRIMARY, replace(ON_FALLBACK, pinned=True)):
        assert isinstance(home(remembered(live), free)[0].preview(ResetCooldown(KEY)), Refused)


def test_who_does_not_answer_is_a_note_and_the_files_stand_for_it() -> None:
    source, _, _ = home(Memory(notes=(PlainText("the bridge of process 7 did not answer"),)))
    snapshot = source.snapshot()
    assert "the bridge of process 7 did not answer" in snapshot.notes
    assert snapshot.sessions[0].row.cooldown is not None
    assert snapshot.sessions[0].row.cooldown.approximate


def test_a_memory_that_says_the_same_changes_nothing() -> None:
    source, hand, _ = home(remembered(ON_FALLBACK))
    before = source.snapshot()
    hand.memory = remembered(replace(ON_FALLBACK))
    assert source.look() is before


async def test_a_process_that_hangs_holds_up_no_reading_and_the_line_is_hung_up_at_the_end() -> None:
    asked, go_on = threading.Event(), threading.Event()

    class Hanging(Holding):
        def look(self) -> Memory:
            asked.set()
            assert go_on.wait(30)
            return super().look()

    hand, shelf = Hanging(remembered(ON_FALLBACK)), Shelf(AWAY)
    source = HermesHome(shelf, lambda: NOW, open_hand=lambda: hand)
    before = source.snapshot()
    watching = asyncio.create_task(source.watch())
    assert await asyncio.to_thread(asked.wait, 30)
    shelf.readings = (reading(FREE),)
    after = await source.changed(before.revision)
    assert after.facts.credentials != before.facts.credentials
    go_on.set()
    told = await source.changed(after.revision)
    assert told.sessions[0].owner == 77
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    assert hand.closed == 1


def test_an_older_hermes_tells_its_minute_exactly() -> None:
    live = replace(ON_FALLBACK, cooldown_until=NOW + 30)
    way, _ = decided(live, reading(BENCHED, told=(*LEFT, POOLLESS), release=OLD))
    own = next(gate for gate in way.gates if gate.name is GateName.SESSION_COOLDOWN)
    assert (own.changes_at, own.approximate) == (NOW + 30, False)
