"""Two hundred lives, each ended with kill -9 at a random moment: what was acknowledged is there (M21)."""

import os
import random
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from hermes_tui.core.decision import Record
from hermes_tui.core.event import (
    ActPerformed,
    ChainTaken,
    ConfigurationLoaded,
    CredentialBenched,
    CredentialLifted,
    FallbackActivated,
    PrimaryRestored,
    RetryScheduled,
    SessionInterrupted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    VerdictContradicted,
    VerdictReceived,
)
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.session import Message, Phase
from hermes_tui.simulator.action import Action, Reopen, SetMode, SetPace, SetUsage
from hermes_tui.simulator.mode import Mode, UsageMode
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.storage.entries import Entry
from hermes_tui.storage.faults import NoStateError
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.locks import open_lock, try_exclusive
from hermes_tui.storage.ownership import Ownership
from hermes_tui.storage.writable import LOCK_FILE, STATE_FILE
from hermes_tui.wiring import open_ledger
from tests.cli.conftest import Provider
from tests.durability.conftest import new_world
from tests.durability.life import World, make_state, make_state_within, play_once, work
from tests.durability.lives import Heard, Zygote
from tests.engine.theatre import DAY, scenario

LINES: Final = 10
LIVES: Final = 20
MOST_WORDS: Final = 70
"""How much a life may say before its end is near: two words for each commit."""

LONGEST_SECONDS: Final = 0.02
"""How much longer it may live then."""

MADE: Final = 60
HALF_MADE: Final = f"{STATE_FILE}-journal"
"""Beside the state while SQLite turns it into one with a write-ahead log."""

WRITE_BYTES: Final = 700
"""No divisor of what SQLite writes at once: its pages, records and headers are cut in the middle."""

CODEX: Final = "openai-codex"
FINE: Final = (Reopen(provider=CODEX), SetMode(provider=CODEX, mode=Mode.OK), SetMode(provider="backup", mode=Mode.OK))
LIMIT: Final = SetMode(provider=CODEX, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY)
HONEST: Final = SetUsage(provider=CODEX, mode=UsageMode.HONEST)
LYING: Final[tuple[Action, ...]] = (*FINE, LIMIT, SetUsage(provider=CODEX, mode=UsageMode.LIES))
WEATHERS: Final[tuple[tuple[Action, ...], ...]] = (
    (*FINE, HONEST),
    (*FINE, HONEST, LIMIT),
    LYING,
    LYING,
    (*FINE, HONEST, SetMode(provider=CODEX, mode=Mode.SERVER_ERROR)),
    (*FINE, HONEST, LIMIT, SetMode(provider="backup", mode=Mode.UNAVAILABLE)),
)
MET: Final = (
    *(ChainTaken, ConfigurationLoaded, CredentialBenched, CredentialLifted, FallbackActivated, PrimaryRestored),
    *(RetryScheduled, VerdictContradicted, VerdictReceived),
    *("force_restore", "reset_chain", "reset_cooldown"),
)
"""What the lives must have been through, taken together, for the proof to mean anything."""


@dataclass
class Chronicle:
    """What lives that follow one another have written, as the disk showed it after the last of them."""

    world: World
    records: list[Record] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    messages: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))

    def compare(self, heard: Heard) -> None:
        """Look at the disk as a life left it: what it acknowledged is there, and of one commit more all or nothing."""
        try:
            ledger = SqliteLedger.open(self.world.state, read_only=True)
        except NoStateError:
            assert self.records == heard.records == []
            return
        written = recorded(ledger.journal(len(self.records)))
        assert written in (heard.records, [*heard.records, *heard.under_way])
        self._take(written)
        assert ledger.position == len(self.records)
        assert ledger.facts == self.facts
        for name, session in self.facts.sessions.items():
            assert list(ledger.messages(name)) == self.messages[name]
            assert len(self.messages[name]) == session.messages
        self._nothing_is_locked()

    def _take(self, written: list[Record]) -> None:
        self.records += written
        for row in (row for record in written for row in record.rows):
            self.facts.put(row)
            if isinstance(row, Message):
                self.messages[row.session].append(row)

    def nothing_was_rewritten(self) -> None:
        """The whole journal is what it was when each life had ended."""
        ledger = SqliteLedger.open(self.world.state, read_only=True)
        assert recorded(ledger.journal()) == self.records
        assert fold(ledger.journal_rows()) == ledger.facts

    def _nothing_is_locked(self) -> None:
        lock = open_lock(self.world.state / LOCK_FILE)
        assert try_exclusive(lock)
        os.close(lock)
        owners = Ownership(self.world.state)
        assert all(owners.owner(name) is None for name in self.facts.sessions)

    def where(self, heard: Heard) -> Iterator[str]:
        """Yield where the kill landed."""
        phases = {session.phase for session in self.facts.sessions.values()}
        yield from (f"in a turn that is {phase}" for phase in phases if phase is not Phase.IDLE)
        yield "in a commit" if heard.under_way else "between commits"

    def met(self) -> Iterator[object]:
        """Yield what the lives have been through: kinds of events, and names of acts."""
        for event in (record.event for record in self.records):
            yield event.act if isinstance(event, ActPerformed) else type(event)

    def every_turn_ended_before_the_next(self) -> None:
        """A turn that a kill cut off was recorded as interrupted before its session went on."""
        running: set[str | None] = set()
        for event in (record.event for record in self.records):
            match event:
                case TurnStarted(session=session):
                    assert session not in running
                    running.add(session)
                case TurnCompleted(session=session) | TurnFailed(session=session) | SessionInterrupted(session=session):
                    running.remove(session)
        assert running == set()


def recorded(entries: Iterable[Entry]) -> list[Record]:
    return [Record(entry.event, entry.rows) for entry in entries if entry.event is not None]


@pytest.fixture
def script() -> Scenario:
    return scenario("backup/small", "spare/tiny", sessions=2, runtime={"probe_interval_seconds": 4.0})


@pytest.fixture
def paced(provider: Provider) -> Provider:
    """The provider, slow enough for kills to land while replies stream."""
    for name in provider.simulator.world.providers:
        provider.apply(SetPace(provider=name, latency=0.003, tokens_per_second=400.0))
    return provider


def test_m21_two_hundred_kills_lose_nothing_that_was_acknowledged(
    lives: Zygote, paced: Provider, tmp_path: Path
) -> None:
    seed = os.environ.get("DURABILITY_SEED") or str(random.randrange(10**9))
    dice = random.Random(seed)
    landed: Counter[str] = Counter()
    met: set[object] = set()
    for line in range(LINES):
        chronicle = Chronicle(new_world(tmp_path / str(line), paced))
        weathers = dice.sample(WEATHERS, len(WEATHERS))
        for number in range(LIVES):
            for action in weathers[number * len(weathers) // LIVES]:
                paced.apply(action)
            life = lives.life(work, chronicle.world, f"{seed} {line} {number}")
            heard = life.kill(words=dice.randrange(MOST_WORDS), seconds=dice.uniform(0, LONGEST_SECONDS))
            try:
                chronicle.compare(heard)
            except AssertionError as error:
                error.add_note(f"DURABILITY_SEED={seed}, line {line}, life {number}")
                raise
            landed.update(chronicle.where(heard))
        chronicle.compare(lives.life(play_once, chronicle.world).outlive())
        chronicle.nothing_was_rewritten()
        chronicle.every_turn_ended_before_the_next()
        met.update(chronicle.met())
    assert set(MET) <= met
    assert landed.keys() == {"in a turn that is running", "in a turn that is waiting", "in a commit", "between commits"}


def seconds_to_make(lives: Zygote, world: World) -> float:
    began = time.monotonic()
    life = lives.life(make_state, world)
    life.said.poll(None)
    made = time.monotonic()
    life.kill()
    return made - began


def none_or_whole(world: World) -> str:
    """Look at a state that may have been half made: there is none or a whole one, and it can be made whole."""
    try:
        assert SqliteLedger.open(world.state, read_only=True).facts == Facts()
        found = "there"
    except NoStateError:
        found = "not there"
    with open_ledger(world.state) as ledger:
        assert ledger.facts == Facts()
    assert SqliteLedger.open(world.state, read_only=True).facts == Facts()
    return found


def test_m21_a_kill_while_the_state_is_made_leaves_none_or_a_whole_one(
    lives: Zygote, provider: Provider, tmp_path: Path
) -> None:
    whole_seconds = seconds_to_make(lives, new_world(tmp_path / "whole", provider))
    found: Counter[str] = Counter()
    for number in range(MADE):
        world = new_world(tmp_path / str(number), provider)
        lives.life(make_state, world).kill(seconds=2 * whole_seconds * number / MADE)
        found[none_or_whole(world)] += 1
    assert found.keys() == {"there", "not there"}


def test_m21_a_state_whose_making_ended_in_the_middle_of_a_write_is_made_whole(
    lives: Zygote, provider: Provider, tmp_path: Path
) -> None:
    found: Counter[str] = Counter()
    exit_code, size = -signal.SIGXFSZ, 0
    while exit_code == -signal.SIGXFSZ:
        world = new_world(tmp_path / str(size), provider)
        exit_code = lives.life(make_state_within, world, size).exit_code()
        found["half made"] += (world.state / HALF_MADE).exists()
        found[none_or_whole(world)] += 1
        size += WRITE_BYTES
    assert exit_code == 0
    assert all(found[kind] for kind in ("half made", "there", "not there")), found
