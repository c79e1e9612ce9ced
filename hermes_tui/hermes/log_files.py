"""The logs of a Hermes home as one stream of happenings.

`agent.log` holds every record, `errors.log` the warnings among them, `gateway.log` and `gui.log` a component's own.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Final

from hermes_tui.core.errors import NothingReachableError
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.following import Follower
from hermes_tui.hermes.log_lines import LineReader, Record
from hermes_tui.hermes.values import NOTHING, Happening

LOGS: Final = ("agent.log", "errors.log", "gateway.log", "gui.log")

HISTORY_BYTES: Final = 5_242_880
"""What is read of each log at first: as much as Hermes lets one grow to before it is rotated."""

HISTORY_DAYS: Final = 7.0

HAPPENINGS: Final = 5_000
"""So many of a log are told at once, the newest."""

REMEMBERED_LINES: Final = 4096
"""Lines by which a record is known again in another log."""

DAY_SECONDS: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Heard:
    """What the logs told since they were last asked, in order of time; `faults` say which of them could not be read.

    `missing` says that there is no log at all, empty where there is one.
    """

    happenings: tuple[Happening, ...]
    faults: tuple[PlainText, ...] = ()
    missing: PlainText = NOTHING


class Log:
    """Reads the logs of the home at `home` and follows them; whoever asks decides when, nothing runs by itself.

    At first it tells the history: of each log at most `history_bytes`, its newest, and nothing older than
    `history_days`. `zone` is that in which Hermes writes its times, None for this machine's own. The directory of the
    logs may be a link (to a larger disk), the logs themselves may not.
    """

    def __init__(
        self,
        home: Path,
        zone: tzinfo | None = None,
        *,
        history_bytes: int = HISTORY_BYTES,
        history_days: float = HISTORY_DAYS,
    ) -> None:
        self._directory = home / "logs"
        self._history_seconds = history_days * DAY_SECONDS
        self._followed = {name: (Follower(self._directory / name, history_bytes), LineReader(zone)) for name in LOGS}
        self._records = _Records()

    def read(self, now: float) -> Heard:
        """Return what was written since the last call, and first the history; `now` in epoch seconds.

        A record that stands in two logs is told once. A log that cannot be read is told in `faults`, and again at each
        call while that lasts; what it holds is told when it can be read.
        """
        since = now - self._history_seconds
        happenings: list[Happening] = []
        faults: list[PlainText] = []
        for name, (_follower, reader) in self._followed.items():
            newest: deque[tuple[bytes, Record]] = deque(maxlen=HAPPENINGS)
            try:
                newest.extend(self._found(name, since))
            except NothingReachableError as error:
                faults.append(one_line(str(error)))
            happenings.extend(reader.told(record) for line, record in newest if self._records.is_new(name, line))
        self._records.forget()
        if len(faults) == len(LOGS):
            del faults[1:]  # what ails them all is said once
        is_there = bool(faults) or any(follower.found for follower, _reader in self._followed.values())
        missing = NOTHING if is_there else one_line(f"{self._directory} holds no log of Hermes yet.")
        happenings.sort(key=attrgetter("time"))
        return Heard(tuple(happenings), tuple(faults), missing)

    def _found(self, name: str, since: float) -> Iterator[tuple[bytes, Record]]:
        follower, reader = self._followed[name]
        for line in follower.lines(since):
            record = reader.find(line)
            if record is not None and record.time >= since:
                yield line, record


class _Records:
    """Which records were told: one that stands in several logs, and as often in one, is the same."""

    def __init__(self) -> None:
        self._counts: dict[bytes, dict[str, int]] = {}

    def is_new(self, log: str, line: bytes) -> bool:
        """Count a line of a log; tell whether it stands there more often than in any other."""
        counts = self._counts.setdefault(line, {})
        counts[log] = counts.get(log, 0) + 1
        return counts[log] > max((count for other, count in counts.items() if other != log), default=0)

    def forget(self) -> None:
        """Keep the newest lines only."""
        for line in list(islice(self._counts, max(len(self._counts) - REMEMBERED_LINES, 0))):
            del self._counts[line]
