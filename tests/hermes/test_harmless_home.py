"""C122: a home is watched for an hour while another process works in it: nothing of it is harmed, nobody waits."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final

import pytest

from hermes_tui.hermes.reader import HomeReader
from hermes_tui.hermes.values import Home
from tests.hermes.busy_home import TOUCHED, BusyWriter, make_busy_home, untouched

REFRESHES: Final = 3_600
EVERY: Final = 30
"""So many looks from one write to the next."""

WATCHERS: Final = 50
PASSING: Final = ("is being written", "kept busy by another process")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_busy_home(tmp_path / "home")


def strange(home: Path, before: dict[str, tuple[str, int]]) -> list[str]:
    """Return what is there that neither was before nor is the writer's."""
    found = (str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    return [name for name in found if name not in before and not name.lstrip(".").startswith(TOUCHED)]


def test_c122_an_hour_of_looks_at_a_home_at_work_harms_nothing(home: Path) -> None:
    before, reader = untouched(home), HomeReader(Home(home, home), None)
    readings, last = 0, None
    troubles: set[str] = set()
    left: list[str] = []
    with BusyWriter(home) as writer:
        for second in range(REFRESHES):
            if second % EVERY == 0:
                writer.write()
            reading = reader.look(float(second))
            readings, last = readings + (reading is not last), reading
            troubles |= {why for _, why in reading.troubles if not any(words in why for words in PASSING)}
            if second % 100 == 0:
                reader.messages("s1")
                left += strange(home, before)
    assert writer.written == REFRESHES / EVERY
    assert readings > writer.written / 4
    assert (troubles, left) == (set(), [])
    after = reader.look(float(REFRESHES))
    assert after.troubles == ()
    assert sum(one.messages for one in after.conversations) == writer.written
    assert untouched(home) == before
    assert {path.name for path in home.glob("state.db*")} == {"state.db"}


@pytest.mark.parametrize("seconds", [0.01, None], ids=["while another process works there", "at rest"])
def test_c122_watchers_that_are_killed_leave_nothing_behind(home: Path, seconds: float | None) -> None:
    before = untouched(home)
    command = [sys.executable, "-m", "tests.hermes.killed_watchers", str(home), str(WATCHERS)]
    with BusyWriter(home, seconds) if seconds else nullcontext():
        died = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    assert died == WATCHERS
    assert strange(home, before) == []
    assert untouched(home) == before
    assert {path.name for path in home.glob("state.db*")} == {"state.db"}
    with closing(sqlite3.connect(home / "state.db", timeout=0)) as database:
        database.execute("BEGIN EXCLUSIVE")
