"""A home on the screen: snapshots while it changes, what can be done there, and why the rest cannot."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.core.acts import (
    ChangeSchedule,
    Command,
    ForceRestore,
    NewSession,
    ProbeNow,
    ReloadConfiguration,
    ResetChain,
    ResetCooldown,
    SaveConfiguration,
    SendPrompt,
    StopTurn,
    SwitchModel,
    UseFallback,
)
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import Event, TurnStarted
from hermes_tui.core.preview import Confirm, Ready, Refused
from hermes_tui.core.session import Message
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.source import HermesHome
from hermes_tui.hermes.story import story
from hermes_tui.hermes.values import Logins
from hermes_tui.hermes.watching import EVENTS_SHOWN
from tests.hermes.made import BENCHED, DAY, FREE, ID, LEFT, NOW, OLD, POOLED, POOLLESS, reading

KEY = CredentialKey("openai-codex", "oauth-1")


class Shelf:
    """Gives the readings that a test puts there. Implements `hermes.source.Reader`."""

    def __init__(self, *readings: Reading | Exception) -> None:
        self.readings: Sequence[Reading | Exception] = readings
        self.cleared: list[tuple[str, str]] = []

    def look(self, now: float) -> Reading:  # noqa: ARG002 - the home's
        first, *others = self.readings
        self.readings = others or self.readings
        if isinstance(first, Exception):
            raise first
        return first

    def messages(self, conversation: str) -> tuple[Message, ...]:  # noqa: ARG002 - the home's
        return ()

    def events(self) -> tuple[tuple[int, Event], ...]:
        return ()

    def clear(self, provider: str, login: str) -> None:
        self.cleared.append((provider, login))


AWAY = reading(BENCHED, told=(*LEFT, POOLLESS))


def home(*readings: Reading | Exception) -> tuple[HermesHome, Shelf]:
    shelf = Shelf(*readings)
    return HermesHome(shelf, lambda: NOW), shelf


async def test_the_snapshot_is_the_same_while_nothing_has_changed() -> None:
    source, _ = home(AWAY)
    before = source.snapshot()
    await source.execute(ReloadConfiguration())
    assert source.snapshot() is before
    assert [(state.name, state.source, state.mine) for state in before.sessions] == [("weekly", "hermes", False)]


async def test_who_waits_is_told_of_a_change() -> None:
    source, _ = home(AWAY, reading(FREE, told=(*LEFT, POOLLESS)))
    before = source.snapshot()
    waiting = asyncio.ensure_future(source.changed(before.revision))
    await source.execute(ReloadConfiguration())
    after = await waiting
    assert after.revision > before.revision
    assert after.facts.credentials != before.facts.credentials


async def test_a_home_is_read_by_one_at_a_time() -> None:
    met = []
    both = threading.Barrier(2)

    class Slow(Shelf):
        def look(self, now: float) -> Reading:
            if threading.current_thread() is not threading.main_thread():
                try:
                    met.append(both.wait(0.2))
                except threading.BrokenBarrierError:
                    both.reset()
            return super().look(now)

    source = HermesHome(Slow(AWAY), lambda: NOW)
    await asyncio.gather(source.execute(ReloadConfiguration()), source.execute(ReloadConfiguration()))
    assert met == []


async def test_a_watch_that_dies_says_so_and_never_shows_old_numbers_as_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.hermes.watching.LOOK_SECONDS", 0.0)
    source, _ = home(AWAY, OSError("gone"))
    with suppress(OSError):
        await source.watch()
    assert source.snapshot().engine_stopped
    assert "gone" in str(source.snapshot().problem)


def test_what_could_not_be_read_is_named_above_everything() -> None:
    source, _ = home(replace(AWAY, troubles=(("auth.json", PlainText("permission denied")),)))
    assert source.snapshot().problem == "auth.json: permission denied"
    assert not source.snapshot().edit_mends
    source, _ = home(replace(AWAY, troubles=(("config.yaml", PlainText("line 2: no colon")),)))
    assert source.snapshot().edit_mends


def test_a_saved_chain_asks_first_and_says_what_it_does_not_do() -> None:
    source, _ = home(AWAY)
    answer = source.preview(SaveConfiguration("", ""))
    assert isinstance(answer, Confirm)
    assert "config.yaml" in answer.question
    assert answer.effect == (
        "Sessions take another chain at their next turn, and none comes home by it. "
        "weekly: on a fallback, keeping the chain of before until its own cooldown ends."
    )
    old, _ = home(replace(AWAY, release=OLD))
    assert "others have to be started again" in str(old.preview(SaveConfiguration("", "")))


async def test_a_cleared_cooldown_asks_first_and_says_what_it_does_not_do() -> None:
    source, shelf = home(AWAY)
    answer = source.preview(ResetCooldown(KEY))
    assert isinstance(answer, Confirm)
    assert "keeps its own cooldown in memory" in answer.effect
    assert "auth.json" in answer.question
    assert "cleared" in await source.execute(ResetCooldown(KEY))
    assert shelf.cleared == [("openai-codex", "aaaaaa")]


@pytest.mark.parametrize(
    ("login", "why"),
    [
        (FREE, "has no cooldown to clear"),
        (replace(BENCHED, inherited=True), "belongs to the root's home"),
        (replace(BENCHED, status="dead"), "sign in again"),
        (replace(BENCHED, label="another"), "auth.json has no openai-codex/oauth-1 any more"),
    ],
)
def test_a_cooldown_that_cannot_be_cleared_says_why(login: object, why: str) -> None:
    source, _ = home(reading(login, told=LEFT))  # type: ignore[arg-type]
    answer = source.preview(ResetCooldown(KEY))
    assert isinstance(answer, Refused)
    assert why in answer.reason


def test_a_cooldown_of_one_model_alone_can_be_cleared() -> None:
    source, _ = home(reading(replace(FREE, model_cooldowns=(("gpt-5.5", NOW + DAY),)), told=LEFT))
    assert isinstance(source.preview(ResetCooldown(KEY)), Confirm)


@pytest.mark.parametrize(
    "command",
    [
        ForceRestore("weekly"),
        ResetChain("weekly"),
        UseFallback("weekly"),
        SwitchModel("weekly", "zai", "glm-5"),
        SendPrompt("weekly", "Go on."),
        StopTurn("weekly"),
        NewSession("another"),
        ChangeSchedule("weekly", None),
        ProbeNow(KEY, "gpt-5.5"),
    ],
)
async def test_what_only_hermes_can_do_is_refused_with_where_to_do_it(command: Command) -> None:
    source, shelf = home(AWAY)
    answer = source.preview(command)
    assert isinstance(answer, Refused)
    assert "Hermes" in answer.reason
    with pytest.raises(RefusedError, match="Hermes"):
        await source.execute(command)
    assert shelf.cleared == []


def test_reading_again_is_always_possible() -> None:
    assert isinstance(home(AWAY)[0].preview(ReloadConfiguration()), Ready)


def test_where_one_session_goes_on_what_was_decided_of_the_others_still_stands() -> None:
    """The screen decides anew only what rests on rows that are others."""
    ours, (spoken,) = HermesHome(Shelf(AWAY), lambda: NOW), AWAY.conversations
    other = replace(spoken, id="other", title=PlainText("other"))
    readings = [replace(AWAY, conversations=(one, spoken)) for one in (other, replace(other, messages=9))]
    before, after = ours_after(ours, readings[0]), ours_after(ours, readings[1])
    assert after.facts.differ_in_sessions_alone(before.facts)
    assert after.facts.sessions["weekly"] is before.facts.sessions["weekly"]
    assert (before.facts.sessions["other"].messages, after.facts.sessions["other"].messages) == (4, 9)


@pytest.mark.parametrize(
    "change",
    [
        {"logins": Logins((FREE,))},
        {"release": OLD},
        {"configuration": replace(AWAY.configuration, modified_at=NOW)},  # type: ignore[type-var]
    ],
    ids=["logins", "release", "configuration"],
)
def test_where_anything_else_is_another_everything_is_decided_anew(change: dict[str, Any]) -> None:
    ours = HermesHome(Shelf(AWAY), lambda: NOW)
    before, after = ours_after(ours, AWAY), ours_after(ours, replace(AWAY, **change))
    assert not after.facts.differ_in_sessions_alone(before.facts)


def test_a_session_of_which_the_logs_tell_more_is_decided_anew() -> None:
    ours = HermesHome(Shelf(AWAY), lambda: NOW)
    before, after = ours_after(ours, AWAY), ours_after(ours, replace(AWAY, stories={ID: story((*LEFT, POOLED))}))
    sessions = [snapshot.facts.sessions["weekly"] for snapshot in (before, after)]
    assert sessions[0] is not sessions[1]


def ours_after(source: HermesHome, read: Reading) -> Snapshot:
    """Return the snapshot after the home was read so."""
    source._reading = read
    source._touch()
    return source.snapshot()


def test_a_snapshot_has_the_newest_events_and_the_history_all() -> None:
    class Told(Shelf):
        def events(self) -> tuple[tuple[int, Event], ...]:
            turn = TurnStarted(time=NOW, session="weekly", turn=1, prompt=PlainText("Go on."))
            return tuple((number, turn) for number in range(EVENTS_SHOWN + 3))

    source = HermesHome(Told(AWAY), lambda: NOW)
    assert [number for number, _ in source.snapshot().events] == list(range(3, EVENTS_SHOWN + 3))
    assert len(asyncio.run(source.history("weekly", 0.0))) == EVENTS_SHOWN + 3
