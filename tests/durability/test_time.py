"""Several processes on one state, while somebody sets the wall clock and closes the laptop (M23)."""

import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.event import ClockStepped
from hermes_tui.core.facts import Facts
from hermes_tui.simulator.action import SetMode
from hermes_tui.simulator.mode import Mode
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.storage.ledger import SqliteLedger
from tests.cli.conftest import Provider
from tests.durability.life import World, play_once
from tests.durability.lives import Life, Zygote
from tests.durability.timekeeping import Shifts, keep_time
from tests.engine.theatre import DAY, scenario

PROCESSES: Final = 3
STEPS: Final = 40
HOUR: Final = 3600.0

DATED: Final = CredentialKey("openai-codex", "openai-codex-1")
ASSUMED: Final = CredentialKey("backup", "backup-1")


class Machine:
    """A machine whose clock can be set, with processes that run on one state."""

    def __init__(self, world: World, shifts: Shifts, processes: list[Life]) -> None:
        self._shifts = shifts
        self._processes = processes
        self._ledger = SqliteLedger.open(world.state, read_only=True)

    def set_clock(self, by: float) -> None:
        """Set the wall clock, and wait until every process has seen it and done what it does."""
        self._shifts.set_clock(by)
        for process in self._processes:
            while not process.said.recv():
                pass
        self._wait_for_looks(1)

    def sleep(self, seconds: float) -> None:
        """Close the laptop, and wait until every process has looked at its clock and done what it does."""
        self._shifts.sleep(seconds)
        self._wait_for_looks(2)

    def _wait_for_looks(self, count: int) -> None:
        """Wait for further looks of every process; what follows a look is done when the next one comes."""
        for process in self._processes:
            while process.said.poll():
                process.said.recv()
            for _ in range(count):
                process.said.recv()

    @contextmanager
    def without_one(self) -> Iterator[None]:
        """Let one process stand still, as one in the background of a shell does."""
        stopped = self._processes.pop()
        os.kill(stopped.pid, signal.SIGSTOP)
        yield
        os.kill(stopped.pid, signal.SIGCONT)
        self._processes.append(stopped)
        self._wait_for_looks(2)

    @property
    def facts(self) -> Facts:
        """The rows on disk."""
        self._ledger.refresh()
        return self._ledger.facts

    def bench(self, key: CredentialKey) -> Cooldown:
        """Return a credential's cooldown."""
        cooldown = next(row.cooldown for row in self.facts.credentials.values() if row.key == key)
        assert cooldown is not None
        return cooldown

    def steps(self) -> list[float]:
        """Return the steps of the wall clock that are in the journal."""
        return [event.step for _, event in self._ledger.tail(0) if isinstance(event, ClockStepped)]


@pytest.fixture
def script() -> Scenario:
    return scenario("backup/small", "spare/tiny")


@pytest.fixture
def machine(lives: Zygote, provider: Provider, world: World) -> Iterator[Machine]:
    provider.apply(SetMode(provider=DATED.pool, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY))
    provider.apply(SetMode(provider=ASSUMED.pool, mode=Mode.PAYMENT_REQUIRED))
    lives.life(play_once, world).outlive()
    shifts = world.home / "shifts"
    processes = [lives.life(keep_time, world, shifts) for _ in range(PROCESSES)]
    for process in processes:
        process.said.recv()
    yield Machine(world, Shifts(shifts), processes)
    for process in processes:
        process.kill()


def test_m23_a_clock_that_is_set_under_three_processes_is_carried_over_once_each_time(machine: Machine) -> None:
    dated, assumed = machine.bench(DATED), machine.bench(ASSUMED)
    assert (dated.source, assumed.source) == (Said.PROVIDER, Said.ASSUMED)
    dice = random.Random(23)
    steps = [dice.choice((-1, 1)) * dice.uniform(60, HOUR) for _ in range(STEPS)]
    for done, step in enumerate(steps, 1):
        machine.set_clock(step)
        assert machine.steps() == pytest.approx(steps[:done], abs=0.1)
    assert machine.bench(DATED).until == dated.until
    assert machine.bench(ASSUMED).until == pytest.approx(assumed.until + sum(steps), abs=0.1)


def test_m23_a_process_that_stood_still_meanwhile_carries_nothing_over_again(machine: Machine) -> None:
    assumed = machine.bench(ASSUMED)
    with machine.without_one():
        machine.set_clock(HOUR)
        machine.sleep(HOUR)
    assert machine.steps() == pytest.approx([HOUR], abs=0.1)
    assert machine.bench(ASSUMED).until == pytest.approx(assumed.until + HOUR, abs=0.1)


def test_m23_a_laptops_sleep_moves_no_date(machine: Machine) -> None:
    before = machine.facts.copy()
    for hours in (1, 8, 40):
        machine.sleep(hours * HOUR)
    assert machine.steps() == []
    assert machine.facts == before


def test_m23_a_clock_that_is_set_while_the_laptop_sleeps_is_carried_over_once(machine: Machine) -> None:
    assumed = machine.bench(ASSUMED)
    machine.sleep(8 * HOUR)
    machine.set_clock(-HOUR)
    assert machine.steps() == pytest.approx([-HOUR], abs=0.1)
    assert machine.bench(ASSUMED).until == pytest.approx(assumed.until - HOUR, abs=0.1)
