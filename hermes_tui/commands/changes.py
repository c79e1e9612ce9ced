"""What changes while a status is watched, as lines for a person or as JSON objects with a type."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from hermes_tui.commands.terminal import show
from hermes_tui.core.codec import encode_event
from hermes_tui.core.event import Event
from hermes_tui.core.text import PlainText
from hermes_tui.view.event_words import tell, told_line
from hermes_tui.view.status import Document, standing, standing_words


class Changes:
    """Prints changes as they are met. `profile` is whose they are, where there are several."""

    def __init__(self, *, as_json: bool, profile: str | None = None) -> None:
        self._as_json = as_json
        self._profile = profile

    def status(self, document: Document, lines: str) -> None:
        """Print the status that the changes begin with, by its document or its `lines`."""
        if self._as_json:
            _write({"type": "status", **document})
        else:
            show(lines)

    def event(self, event: Event) -> None:
        """Print an event, unless it is a quiet one."""
        told = tell(event)
        if not told.quiet:
            self._print(event.time, told.topic, told.text, encode_event(event))

    def standings(self, before: Mapping[str, Document], after: Mapping[str, Document], now: float) -> None:
        """Print where each session stands that stood elsewhere `before`; both are documents by name."""
        for name in {**before, **after}:
            was, is_now = before.get(name), after.get(name)
            if standing(was) != standing(is_now):
                changed = {"type": "standing_changed", "time": now, "session": name, "standing": is_now}
                self._print(now, "standing", standing_words(name, is_now, now), changed)

    def problem(self, problem: PlainText | None, now: float) -> None:
        """Print why the numbers may be old from now on, None where that has passed."""
        changed = {"type": "problem_changed", "time": now, "problem": problem}
        self._print(now, "problem", problem or "everything can be read again", changed)

    def note(self, note: PlainText, now: float) -> None:
        """Print what is no fault and good to know."""
        self._print(now, "note", note, {"type": "noted", "time": now, "note": note})

    def _print(self, time: float, topic: str, text: str, document: dict[str, Any]) -> None:
        if self._as_json:
            _write(document if self._profile is None else {**document, "profile": self._profile})
        else:
            where = "" if self._profile is None else f"{self._profile}: "
            show(told_line(time, topic, where + text) + "\n")


def _write(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
