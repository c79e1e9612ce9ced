"""Every screen that is kept as text: a line each, with the situation and the keys that lead there."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from textual.pilot import Pilot

from hermes_tui.core.acts import Command
from hermes_tui.core.preview import Confirm, Preview
from hermes_tui.core.text import plain
from hermes_tui.tui.app import HermesApp
from tests.tui import situations
from tests.tui.driving import settle
from tests.tui.fakes import StoryBook
from tests.tui.situations import Situation

WIDE: Final = (120, 40)
SIZES: Final = (WIDE, (80, 24), (60, 20), (48, 14))

Opened = Callable[[Pilot[Any], Path], Awaitable[None]]
"""Goes on from where the keys lead; the path is the configuration's."""


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen, its name that of its files. `seconds` pass before it is looked at."""

    name: str
    keys: tuple[str, ...] = ()
    situation: Situation = situations.story
    seconds: float = 0.0
    then: Opened | None = None
    sizes: tuple[tuple[int, int], ...] = SIZES


async def conflict(pilot: Pilot[Any], path: Path) -> None:
    """Change a file elsewhere while it is edited here, and save."""
    await pilot.press("end", "x")
    path.write_text(path.read_text("utf-8").replace("glm-5", "glm-6"), encoding="utf-8")
    await pilot.press("ctrl+s")
    await settle(pilot)


async def joined(pilot: Pilot[Any], _: Path) -> None:
    """Let another program's sessions join, and go to one of them."""
    assert isinstance(pilot.app, HermesApp)
    pilot.app.join(StoryBook(situations.of_another()))
    await pilot.press(*"jjjjj")
    await settle(pilot)


async def makers(pilot: Pilot[Any], _: Path) -> None:
    """Let another program's sessions join that can make some, and ask for a new one."""
    assert isinstance(pilot.app, HermesApp)
    pilot.app.join(StoryBook(replace(situations.of_another(), runs_new=plain("Hermes of /home/ada/.hermes"))))
    await pilot.press("n")
    await settle(pilot)


async def saving(pilot: Pilot[Any], _: Path) -> None:
    """Save a file that another program runs by, which asks first."""
    assert isinstance(pilot.app, HermesApp)

    def asks(command: Command) -> Preview:
        return SAVING

    pilot.app.source.preview = asks  # type: ignore[method-assign]
    await pilot.press("end", "space", "number_sign", "space", *"mine", "ctrl+s")
    await settle(pilot)


SAVING: Final = Confirm(
    plain("Save /home/ada/.hermes/config.yaml?"),
    plain("Sessions take another chain at their next turn, and none comes home by it."),
)

SCREENS: Final = (
    *(Screen(f"main-{number}", (str(number),)) for number in range(1, 7)),
    Screen("main-roomy", sizes=((160, 50), (80, 50), (60, 40))),
    Screen("main-too-small", sizes=((47, 20), (100, 13), (20, 6))),
    Screen("zoomed", ("4", "z")),
    Screen("timeline", ("v",)),
    Screen("timeline-text", ("v", "t")),
    Screen("quota", ("u",)),
    Screen("help", ("question_mark",)),
    Screen("help-question", ("b", "f1")),
    Screen("help-editor", ("e", "f1")),
    Screen("detail-session", ("1", "enter")),
    Screen("detail-credential", ("4", "enter")),
    Screen("detail-event", ("6", "j", "j", "enter")),
    Screen("confirm", ("b",)),
    Screen("new-session", ("n",)),
    Screen("prompt", ("i",)),
    Screen("filter-hides-all", ("1", "slash", *"foo", "enter")),
    Screen("sorted", ("4", "s", "S")),
    Screen("frozen", ("space",), seconds=32),
    Screen("palette", ("colon",)),
    Screen("editor", ("e",)),
    Screen("entry-form", ("e", "tab", "a")),
    Screen("conflict", ("e",), then=conflict),
    Screen("saving", ("e",), then=saving),
    Screen("joined", then=joined),
    Screen("asking", ("5",), situations.asking),
    Screen("answering", ("i",), situations.asking),
    Screen("new-session-elsewhere", ("n",), situations.hosting),
    Screen("new-session-where", then=makers),
    *(
        Screen(f"state-{situation.__name__.replace('_', '-')}", ("4",), situation)
        for situation in (
            situations.probing,
            situations.stale,
            situations.due,
            situations.on_trial,
            situations.cleared,
            situations.last_seconds,
            situations.assumed,
            situations.all_well,
            situations.all_cooling,
            situations.all_dead,
        )
    ),
    *(
        Screen(f"trouble-{situation.__name__.replace('_', '-')}", ("2",), situation)
        for situation in (
            situations.nothing,
            situations.no_sessions,
            situations.no_credentials,
            situations.one_link,
            situations.broken_file,
            situations.engine_stopped,
            situations.read_only,
            situations.locked,
            situations.lost,
        )
    ),
)
