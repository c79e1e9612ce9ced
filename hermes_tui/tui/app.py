"""The application: its sources, one tick a second, at most ten flushes of changes a second, and the workers."""

import asyncio
import contextlib
import gc
import os
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Final

from rich.console import RenderableType
from textual.app import SuspendNotSupported
from textual.events import Key
from textual.screen import Screen
from textual.worker import Worker, WorkerFailed, WorkerState

from hermes_tui.core import errors
from hermes_tui.core.acts import Command, ReloadConfiguration
from hermes_tui.core.keymap import NO_CHANGE, Keymap
from hermes_tui.core.ports import Running
from hermes_tui.core.secret import without_any
from hermes_tui.core.source import Source
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.tui.alerting import (
    ASKS_TITLE,
    BELL,
    GIVE_TITLE_BACK,
    KEEP_TITLE,
    OFF_PRIMARY_TITLE,
    TITLE,
    notification,
    titled,
)
from hermes_tui.tui.base import BaseApp
from hermes_tui.tui.follower import Follower
from hermes_tui.tui.helping import live_keys
from hermes_tui.tui.performing import Performer
from hermes_tui.tui.screens.confirm import ConfirmScreen
from hermes_tui.tui.screens.main import MainScreen
from hermes_tui.tui.screens.reading import ReadingScreen
from hermes_tui.tui.spawning import Spawned
from hermes_tui.tui.themes import Look, next_theme
from hermes_tui.view.cells import even, shortened
from hermes_tui.view.help import keys_body
from hermes_tui.view.moment import Moment, moment_of
from hermes_tui.view.words import to_ascii

TICK_SECONDS: Final = 1.0
FLUSH_SHARE: Final = 0.02
"""The part of the time that building what changed may take, however many sessions there are; painting it takes about
as much again."""

COUNTED_AT_ONCE: Final = 20
"""Where more sessions than these have changed, those out of sight are judged and counted at the next tick."""

STOP_SECONDS: Final = 1.0
"""How long what runs may take to note where it was; what has not by then is found so at the next start."""

TOAST_CELLS: Final = 60
TOAST_FRAME: Final = 3
"""What the border of a toast and the blanks beside its text take."""

TOAST_LINES: Final = 6
"""So many lines of a toast are shown in the smallest window; in a high one a third of it."""

SESSION_GROUP: Final = "session:"
ENGINE_GROUPS: Final = ("engine", "display")
"""The workers without which the numbers on the screen are old."""

Editor = Callable[[], str | None]
"""Opens the configuration in the user's editor and returns when it is closed: None, or what went wrong."""

LOOK: Final = Look()


def pause_after(seconds: float, updates_per_second: int) -> float:
    """Return the seconds to the next flush after one that took `seconds`; the tick shows everything anyway."""
    return min(max(1 / updates_per_second, seconds / FLUSH_SHARE), TICK_SECONDS)


class HermesApp(BaseApp[None]):
    """The dashboard over `source`, and over others that join it.

    `start` is run in a worker after the first paint, and `stop` once when the program leaves, for two seconds at
    most. `on_ready` is called when the first frame was drawn. Sessions run in workers of this app, by `spawn`.
    """

    TITLE = "hermes-tui"

    def __init__(
        self,
        source: Source,
        *,
        look: Look = LOOK,
        editor: Editor | None = None,
        start: Callable[["HermesApp"], Coroutine[object, object, None]] | None = None,
        stop: Callable[[], Awaitable[None]] | None = None,
        on_ready: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(look)
        self.crash: PlainText | None = None
        """The traceback of a fault of this program that ended the app."""
        self.sources: list[Source] = [source]
        """Whose sessions are on the screen, the program's own first."""
        self.performer = Performer(self)
        self.fault: PlainText | None = None
        self.reads = ""
        """What is being read, and joins the screen then."""
        self.stops: list[Callable[[], Awaitable[None]]] = [stop] if stop is not None else []
        """What is called once when the program leaves, all at the same time, for a second at most."""
        self._editor, self._start, self._on_ready = editor, start, on_ready
        self._frozen: tuple[Moment, ...] | None = None
        self._last: dict[Source, Moment] = {}
        self._has_terminal = asyncio.Event()
        self._has_terminal.set()
        self._keys = NO_CHANGE
        self._titled = ""
        self._following: dict[Source | None, Worker[None]] = {}
        self._news = asyncio.Event()
        self._main = MainScreen(self)

    @property
    def source(self) -> Source:
        """The source of the selected session."""
        return self.sources[self._main.place]

    def join(self, source: Source) -> None:
        """Show the sessions of another source, too."""
        self.sources.append(source)
        self._follow_again()
        self.tick()

    def get_default_screen(self) -> Screen[None]:
        """Return the dashboard."""
        return self._main

    def on_mount(self) -> None:
        """Begin to follow the source; everything else waits for the first frame."""
        super().on_mount()
        self.set_interval(TICK_SECONDS, self.tick)
        self._follow_again()
        self.tick()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        if not self.is_headless:  # there may be many of those in one process, one after the other
            gc.freeze()  # what is loaded by now stays; to walk through all of it again would hold up keys and paints
        if self._on_ready is not None:
            self._on_ready()
        if self._start is not None:
            self.run_worker(self._start(self), name="engine", group="engine", exit_on_error=False)

    # Showing

    def tick(self) -> None:
        """Show what the source says now, with all sessions counted: the one tick of the whole screen."""
        self._show()

    def _show(self, *, counts_at_most: int | None = None) -> None:
        if not self._has_terminal.is_set():
            return
        moments = self._moments(counts_at_most)
        self._take_keys(moments[0].keymap)
        self._entitle(moments)
        self._main.show(moments)
        for screen in self.screen_stack[1:]:
            if isinstance(screen, Follower) and self._main.moment is not None:
                screen.show(self._main.moment)

    def _entitle(self, moments: Sequence[Moment]) -> None:
        """Have the title tell who looks elsewhere whether any session asks, or is off its primary (M48)."""
        standings = [standing for moment in moments for standing in moment.standings]
        if any(standing.state.question is not None for standing in standings):
            wanted = ASKS_TITLE
        else:
            wanted = OFF_PRIMARY_TITLE if any(standing.off_primary for standing in standings) else TITLE
        title = titled(wanted, os.environ)
        if self._driver is not None and title != self._titled:
            self._driver.write(title if self._titled else KEEP_TITLE + title)
            self._titled = title

    def _take_keys(self, keymap: Keymap) -> None:
        """Let the keys in force start what they start from now on."""
        if keymap != self._keys:
            self._keys = keymap
            self.set_keymap({action: ",".join(keys) for action, keys in keymap.changed})

    def _moments(self, counts_at_most: int | None = None) -> tuple[Moment, ...]:
        if self._frozen is not None:
            now = self.sources[0].now()
            return tuple(replace(moment, frozen_for=now - moment.now) for moment in self._frozen)
        for source in self.sources:
            before = self._last.get(source)
            moment = moment_of(source.snapshot(), source.now(), before, counts_at_most=counts_at_most)
            is_own = source is self.sources[0]
            self._last[source] = replace(
                moment, fault=self.fault if is_own else None, reads=self.reads if is_own else ""
            )
        return tuple(self._last[source] for source in self.sources)

    def _follow_again(self) -> None:
        """Follow the sources, and show what is new; what has stopped begins again."""
        for source in (None, *self.sources):
            following = self._following.get(source)
            if following is None or following.is_finished:
                work = self._show_news() if source is None else self._follow(source)
                self._following[source] = self.run_worker(work, name="display", group="display", exit_on_error=False)

    async def _follow(self, source: Source) -> None:
        shown = self._last.get(source)
        revision = (shown.snapshot if shown is not None else source.snapshot()).revision
        while True:
            revision = (await source.changed(revision)).revision
            self._news.set()

    async def _show_news(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            began = asyncio.get_running_loop().time()
            if self._frozen is None:
                self._show(counts_at_most=COUNTED_AT_ONCE)
            took = asyncio.get_running_loop().time() - began
            await asyncio.sleep(pause_after(took, self.look.updates_per_second))

    def look_at(self, session: str) -> None:
        """Select `session`, unless the user has chosen one: what a demo is about now."""
        self._main.look_at(session)

    def on_key(self, event: Key) -> None:
        """Open the keys of a screen that has no help of its own, where nothing in it took the key as text."""
        told = isinstance(self.screen, MainScreen | ReadingScreen) or event.key in self.screen.active_bindings
        if event.key in self._keys.keys("help") and not told and self._main.moment is not None:
            event.stop()
            keys = live_keys(self.screen)
            self.push_screen(ReadingScreen(lambda _, cells: keys_body(keys, cells), self._main.moment))

    def freeze(self) -> None:
        """Hold the display still, or let it go on."""
        self._frozen = None if self._frozen else self._moments()
        self.tick()

    def change_theme(self) -> None:
        """Take the next theme."""
        after = next_theme(self.theme)
        if after == self.theme:
            self.tell("This terminal's own colours are used; there is no other theme.", grave=True)
            return
        self.theme = after
        self.tell(f"Theme {after}.")

    def tell(self, text: str, *, grave: bool = False) -> None:
        """Answer the user in a toast, which shows the ends of a long text; `text` is never parsed."""
        cells, lines = min(TOAST_CELLS, self.size.width // 2) - TOAST_FRAME, max(TOAST_LINES, self.size.height // 3)
        told = even(shortened(text, cells, lines))
        self.notify(told, severity="warning" if grave else "information", markup=False, timeout=5)

    async def alert(self, texts: Iterable[str], *, bell: bool, desktop: bool) -> None:
        """Have the terminal call the user: by its bell, once, and by a notification for each text.

        Waits while the terminal is the editor's.
        """
        await self._has_terminal.wait()
        if self._driver is not None:
            shown = map(to_ascii, texts) if self.look.ascii else texts
            notifications = (notification(text, os.environ) for text in shown) if desktop else ()
            self._driver.write((BELL if bell else "") + "".join(notifications))

    def action_help_quit(self) -> None:
        """Say which key leaves: who presses ctrl+c wants to."""
        self.tell(f"{self._keys.word('quit')} quits.")

    def confirm(self, question: str, effect: str, answered: Callable[[bool | None], None]) -> None:
        """Ask before something is lost."""
        self.push_screen(ConfirmScreen(question, effect), answered)

    # Running

    def spawn(self, name: str, work: Coroutine[object, object, None]) -> Running:
        """Run a session's coroutine as a worker of its own group; its error is told, and ends nothing else."""
        return Spawned(self.run_worker(work, name=name, group=f"{SESSION_GROUP}{name}", exit_on_error=False))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say that the engine stopped when a worker failed."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            what = one_line(without_any(f"{event.worker.name}: {errors.told(error)}"), 200)
            if event.worker.group in ENGINE_GROUPS or event.worker.group.startswith(SESSION_GROUP):
                self.fault = what
            self.tell(what, grave=True)
            self.tick()

    def done(self, command: Command) -> None:
        """Note that `command` was done: a reload also restarts what had stopped."""
        if isinstance(command, ReloadConfiguration):
            self.fault = None
            self._follow_again()
        self.tick()

    def edit(self) -> None:
        """Open the configuration in the user's editor, and read it again after."""
        if self._editor is None or self._main.place:
            self.tell("There is no file to edit here.", grave=True)
            return
        self.run_worker(self._edit(self._editor), name="editor", group="editor", exit_on_error=False)

    async def _edit(self, editor: Editor) -> None:
        self._has_terminal.clear()
        try:
            with self.batch_update(), self.suspend():
                problem = await asyncio.to_thread(editor)
        except SuspendNotSupported:
            problem = "This terminal cannot be handed to an editor."
        finally:
            self._has_terminal.set()
        self.refresh()
        if problem:
            self.tell(problem, grave=True)
            return
        await self.performer.do(ReloadConfiguration(), self.sources[0])

    def _handle_exception(self, error: Exception) -> None:
        """Tell of a failure in a worker of the library's as of one in ours (C140); any other ends the app."""
        if isinstance(error, WorkerFailed):
            self.tell(one_line(without_any(errors.told(error.error)), 200), grave=True)
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Leave with the first traceback as text: Textual's own has the values of variables, which may hold keys."""
        self.on_leave()
        self.crash = self.crash or without_any(traceback.format_exc())
        self.panic()

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave at once."""
        self.on_leave()
        super().exit(result, return_code, message)

    def leave(self) -> None:
        """Stop what runs, for a second at most, and leave."""
        self.on_leave()
        self.run_worker(self._leave(), name="leave", group="leave", exclusive=True, exit_on_error=False)

    async def _leave(self) -> None:
        await self._stop_once()
        self.exit()

    async def on_unmount(self) -> None:
        """Stop what runs, however the program leaves, and give the terminal its title back."""
        await self._stop_once()
        self._give_title_back()

    def release_terminal(self) -> None:
        """Give the terminal back, with its title, in another thread than the app's."""
        super().release_terminal()
        self._give_title_back()
        if self._driver is not None:
            self._driver.close()

    def _give_title_back(self) -> None:
        if self._driver is not None and self._titled:
            self._driver.write(GIVE_TITLE_BACK)
            self._titled = ""

    async def _stop_once(self) -> None:
        stops, self.stops = self.stops, []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await asyncio.gather(*(stop() for stop in stops))
