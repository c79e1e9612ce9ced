"""`--hermes`: the homes of a real Hermes that a command is about, opened and read; nothing is written to them."""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hermes_tui.commands.wall_clock import now
from hermes_tui.core.errors import NothingReachableError
from hermes_tui.hermes.homes import profile_name
from hermes_tui.hermes.reader import BUSY_SECONDS
from hermes_tui.hermes.source import HermesHome
from hermes_tui.view.homes import Shown
from hermes_tui.view.status import Document
from hermes_tui.wiring import open_homes

_PAUSE_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """The homes that a command is about: that in the folder `home`, else Hermes' own; of its profiles one, or all."""

    home: Path | None = None
    profile: str | None = None


class Opened(NamedTuple):
    """One home with its folder and the name of its profile."""

    path: str
    profile: str
    source: HermesHome

    def shown(self) -> Shown:
        """Return the home as it is told."""
        return Shown(self.path, self.profile, self.source.snapshot())


def opened(
    asked: Asked, clock: Callable[[], float] = now, sleep: Callable[[float], None] = time.sleep
) -> tuple[Opened, ...]:
    """Return the homes that are asked for, read; while Hermes keeps its sessions to itself, they are waited for a bit.

    Raises UsageError where there is none.
    """
    homes = open_homes(asked.home, asked.profile, os.environ, clock)
    deadline = time.monotonic() + BUSY_SECONDS
    for _, source in homes:
        source.look()  # running processes too, where they can be asked
        while source.waits and time.monotonic() < deadline:
            sleep(_PAUSE_SECONDS)
            source.look()
    return tuple(Opened(str(home.path), profile_name(home), source) for home, source in homes)


def choose(homes: Sequence[Opened]) -> str:
    """Return what to add to a command that means one of several profiles."""
    return f"add --profile {' or '.join(home.profile for home in homes)}"


def unless_unread(homes: Sequence[Opened]) -> None:
    """Raise NothingReachableError where a home could not be read: what is asked for may be there."""
    for home in homes:
        if problem := home.source.snapshot().problem:
            raise NothingReachableError(f"{home.path} cannot be read now: {problem}")


def write(document: Document) -> None:
    """Print a document as JSON."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
