"""The logs of a home are one stream of happenings, each told once."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_tui.hermes.log_files import DAY_SECONDS, LOGS, REMEMBERED_LINES, Log
from hermes_tui.hermes.log_templates import TEMPLATES
from hermes_tui.hermes.values import Happening, Kind

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC).timestamp()


def _line(label: str, seconds: int = 0, *, level: str = "WARNING") -> str:
    stamp = f"2026-01-01 11:{seconds // 60:02}:{seconds % 60:02},000"
    return f"{stamp} {level} [s] agent.credential_pool: credential pool: rotated to {label}\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path


def _write(home: Path, log: str, *lines: str) -> None:
    with (home / "logs" / log).open("a", encoding="utf-8") as stream:
        stream.writelines(lines)


def _labels(happenings: tuple[Happening, ...]) -> list[str]:
    return [happening.credential for happening in happenings]


def test_the_logs_are_told_in_order_of_time(home: Path) -> None:
    _write(home, "agent.log", _line("one", 1), _line("four", 4))
    _write(home, "errors.log", _line("three", 3))
    _write(home, "gateway.log", _line("two", 2))
    _write(home, "gui.log", _line("five", 5))
    assert _labels(Log(home, UTC).read(NOW).happenings) == ["one", "two", "three", "four", "five"]


def test_a_record_that_stands_in_two_logs_is_told_once(home: Path) -> None:
    log = Log(home, UTC)
    for name in LOGS:
        _write(home, name, _line("one", 1))
    assert _labels(log.read(NOW).happenings) == ["one"]
    _write(home, "errors.log", _line("two", 2))
    assert _labels(log.read(NOW).happenings) == ["two"]
    _write(home, "agent.log", _line("two", 2))
    assert _labels(log.read(NOW).happenings) == []


def test_two_records_that_read_the_same_are_told_twice(home: Path) -> None:
    for name in ("agent.log", "errors.log"):
        _write(home, name, _line("one", 1), _line("one", 1))
    assert _labels(Log(home, UTC).read(NOW).happenings) == ["one", "one"]


def test_what_is_remembered_of_records_is_bounded(home: Path) -> None:
    log = Log(home, UTC)
    _write(home, "agent.log", *(_line(f"login {number}", number % 3000) for number in range(REMEMBERED_LINES + 10)))
    assert len(log.read(NOW).happenings) == REMEMBERED_LINES + 10
    assert len(log._records._counts) == REMEMBERED_LINES


def test_each_read_tells_what_was_written_since_the_one_before(home: Path) -> None:
    log = Log(home, UTC)
    _write(home, "agent.log", _line("one", 1))
    assert _labels(log.read(NOW).happenings) == ["one"]
    assert log.read(NOW).happenings == ()
    _write(home, "agent.log", _line("two", 2), "a line that goes on\n")
    assert _labels(log.read(NOW).happenings) == ["two"]


def test_nothing_older_than_the_history_is_told(home: Path) -> None:
    _write(home, "agent.log", _line("one", 1))
    assert _labels(Log(home, UTC, history_days=1).read(NOW).happenings) == ["one"]
    assert Log(home, UTC, history_days=1).read(NOW + 2 * DAY_SECONDS).happenings == ()


def test_of_a_long_history_the_newest_is_told(home: Path) -> None:
    lines = [_line(f"{number:03}", number) for number in range(100)]
    _write(home, "agent.log", *lines)
    told = _labels(Log(home, UTC, history_bytes=10 * len(lines[0])).read(NOW).happenings)
    assert told == [f"{number:03}" for number in range(91, 100)]


def test_a_home_without_logs_says_so(tmp_path: Path) -> None:
    log = Log(tmp_path, UTC)
    none = log.read(NOW)
    assert (none.missing, none.faults) == (f"{tmp_path / 'logs'} holds no log of Hermes yet.", ())
    (tmp_path / "logs").mkdir()
    _write(tmp_path, "agent.log", _line("one"))
    heard = log.read(NOW)
    assert (_labels(heard.happenings), heard.faults, heard.missing) == (["one"], (), "")


def test_a_log_that_cannot_be_read_does_not_hide_the_others(home: Path) -> None:
    log = Log(home, UTC)
    os.mkfifo(home / "logs" / "errors.log")
    _write(home, "agent.log", _line("one", 1))
    heard = log.read(NOW)
    assert _labels(heard.happenings) == ["one"]
    assert heard.faults == (f"{home / 'logs' / 'errors.log'} cannot be read: it is no regular file.",)
    assert log.read(NOW).faults == heard.faults


def test_where_none_can_be_read_it_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    assert Log(tmp_path, UTC).read(NOW).faults == (f"{tmp_path / 'logs' / LOGS[0]} cannot be read: Not a directory.",)


def test_logs_on_another_disk_are_read_through_the_link_to_their_directory(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "logs").mkdir(parents=True)
    _write(elsewhere, "agent.log", _line("one"))
    home = tmp_path / "home"
    home.mkdir()
    (home / "logs").symlink_to(elsewhere / "logs")
    assert _labels(Log(home, UTC).read(NOW).happenings) == ["one"]


def test_reading_writes_nothing(home: Path) -> None:
    _write(home, "agent.log", _line("one"))
    before = sorted((path.name, path.stat().st_mtime_ns) for path in home.rglob("*"))
    Log(home, UTC).read(NOW)
    assert sorted((path.name, path.stat().st_mtime_ns) for path in home.rglob("*")) == before


def test_each_kind_is_told_of_by_a_template() -> None:
    assert {template.kind for templates in TEMPLATES.values() for template in templates} == set(Kind)


def test_of_more_than_is_told_at_once_the_newest_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.hermes.log_files.HAPPENINGS", 2)
    log = Log(home, UTC)
    _write(home, "agent.log", *(_line(f"{number}", number) for number in range(5)))
    assert _labels(log.read(NOW).happenings) == ["3", "4"]
    _write(home, "agent.log", _line("5", 5))
    assert _labels(log.read(NOW).happenings) == ["5"]


def test_a_log_that_is_just_being_rotated_is_not_missing(home: Path) -> None:
    _write(home, "agent.log", _line("one", 1))
    log = Log(home, UTC)
    assert log.read(NOW).missing == ""
    (home / "logs" / "agent.log").rename(home / "logs" / "agent.log.1")
    assert log.read(NOW).missing == ""
    (home / "logs" / "agent.log.1").unlink()
    assert log.read(NOW).missing
