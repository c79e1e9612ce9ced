"""Lines of Hermes' logs, read as happenings.

A record is `<local time> <LEVEL>[ [<session>]] <logger>: <message>`. Its message may go on over further lines (a long
error, a traceback): they belong to the record and tell nothing of their own. What is not known is nothing, quietly.
"""

import re
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Final, NamedTuple

from hermes_tui.core.secret import KEY_SHAPES, Redactor
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.log_templates import TEMPLATES, Template
from hermes_tui.hermes.values import Happening

LONGEST_NAME: Final = 200
"""Characters kept of a name or a reason."""

DISORDER_SECONDS: Final = 300.0
"""How far a line may stand behind the one before it: several processes write one log, each from a queue."""

_RECORD: Final = re.compile(
    rb"(\d{4}-\d\d-\d\d \d\d:\d\d):(\d\d),(\d{3}) [A-Z]{1,10}(?: \[(.{1,200}?)\])? ([\w.]{1,200}): "
)
_ESCAPED: Final = re.compile(r"\\(['\"\\])")
_REDACTOR: Final = Redactor()


class Record(NamedTuple):
    """A line that tells something: when (epoch seconds), and what of it was found by which template."""

    time: float
    template: Template
    found: re.Match[str]
    session: str


class LineReader:
    """Reads the lines of one log, in their order.

    `zone` is the one in which Hermes wrote its local times, None for this machine's own. In the hour that summer time
    repeats, a line is of the first pass unless that would put it before the line that it follows: then the clock has
    been put back in between. (Where all of a log's first pass is missing, it cannot be told, and the first is taken.)
    """

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone
        self._minute = b""
        self._starts = (0.0, 0.0)
        self._latest = float("-inf")

    def read(self, line: bytes) -> Happening | None:
        """Return what a line without its line break tells, None where that is nothing."""
        record = self.find(line)
        return None if record is None else self.told(record)

    def find(self, line: bytes) -> Record | None:
        """Return what `told` makes a happening of, which takes most of the time; None where a line tells nothing."""
        record = _RECORD.match(line)
        if record is None:
            return None
        minute, seconds, milliseconds, session, logger = record.groups()
        templates = TEMPLATES.get(logger)
        if templates is None and minute == self._minute:
            return None
        time = self._moment(minute, int(seconds) + int(milliseconds) / 1000)
        if templates is None or time is None:
            return None
        message = line[record.end() :].decode(errors="replace").rstrip("\r")
        for template in templates:
            if (found := template.pattern.match(message)) is not None:
                return Record(time, template, found, (session or b"").decode(errors="replace"))
        return None

    def _moment(self, minute: bytes, seconds: float) -> float | None:
        if minute != self._minute:
            try:
                self._starts = self._both(datetime.fromisoformat(minute.decode()))
            except (ValueError, OverflowError, OSError):
                return None  # no such day, or one that this machine's clock cannot tell
            self._minute = minute
        first, second = self._starts
        moment = second if first < second and first + seconds < self._latest - DISORDER_SECONDS else first
        self._latest = moment + seconds
        return self._latest

    def _both(self, local: datetime) -> tuple[float, float]:
        """Return the moments of a local time in the first and in the second pass of an hour that is repeated."""
        first, second = (local.replace(tzinfo=self._zone, fold=fold).timestamp() for fold in (0, 1))
        return first, second

    def told(self, record: Record) -> Happening:
        """Return what a record tells."""
        time, template, found, session = record
        said = {name: text for name, text in found.groupdict().items() if text is not None}
        named = said.get("session", session)
        return Happening(
            time=time,
            kind=template.kind,
            session=_name("" if named == "none" else named),
            provider=_name(said.get("provider", template.provider)),
            model=_name(said.get("model", "")),
            to_provider=_name(said.get("to_provider", "")),
            to_model=_name(said.get("to_model", "")),
            credential=_name(said.get("credential", "")),
            code=int(said["code"]) if "code" in said else None,
            reason=one_line(_clean(said.get("reason", template.reason)), LONGEST_NAME),
            until=self._until(said, time),
            text=_clean(_spoken(said["prompt"]) if "prompt" in said else said.get("text", found.string)),
        )

    def _until(self, said: dict[str, str], time: float) -> float | None:
        if "seconds" in said:
            return time + float(said["seconds"])
        if "epoch" in said:
            return float(said["epoch"])
        if "date" in said:
            try:
                first, second = self._both(datetime.fromisoformat(said["date"]))
            except (ValueError, OverflowError, OSError):
                return None
            return first if first >= time else max(first, second)
        return None


@lru_cache(maxsize=1024)
def _name(text: str) -> str:
    """Return a name as Hermes itself uses it (a login's label may be an address), without what looks like a key."""
    for shape in KEY_SHAPES if text else ():
        text = shape.sub("<redacted>", text)
    return one_line(text, LONGEST_NAME)


@lru_cache(maxsize=256)
def _clean(text: str) -> PlainText:
    return one_line(_REDACTOR.clean(text))


def _spoken(quoted: str) -> str:
    """Return a prompt without the quotes and backslashes of its `repr`; other escapes stay as they are seen."""
    quote = quoted[:1]
    if quote not in ("'", '"') or len(quoted) < 2 or not quoted.endswith(quote):
        return quoted
    return _ESCAPED.sub(r"\1", quoted[1:-1])
