"""What the tests of the chain editor share: a file that saving really writes, the editor over it, who is asked."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from hermes_tui.config.desk import FileDesk
from hermes_tui.core.acts import Command, SaveConfiguration
from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.editing import Entry
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.fitness import Fitness, fitness
from hermes_tui.core.remark import Gravity, Remark, Witness
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.editor.panels import EntriesPanel
from hermes_tui.tui.screens.editor import EditorScreen
from hermes_tui.tui.themes import Look
from hermes_tui.tui.widgets.code_area import CodeArea
from tests.tui.driving import STILL, press, settle, showing
from tests.tui.fakes import NOW, StoryBook, story_snapshot

FILE = """\
# Mine, and commented.
[primary]
provider = "openai-codex"
model = "gpt-5"

[[fallback_providers]]  # the cheap one
provider = "groq"
model = "llama"
own = "a key that nobody knows"

# the good one
[[fallback_providers]]
provider = "zai"
model = "glm-5"
base_url = "http://127.0.0.1:9/v1"

[[sessions]]
name = "nightly-docs"

[[sessions]]
name = "triage"

[[sessions.fallback_providers]]
provider = "zai"
model = "glm-5"
base_url = "http://127.0.0.1:9/v1"
"""


class Asked:
    """An examiner whose servers answer when the test lets them."""

    def __init__(self, desk: FileDesk) -> None:
        self._desk = desk
        self.texts: list[str] = []
        self.given_up = 0
        self.lists: dict[str, Catalogue] = {}
        self.may_answer = asyncio.Semaphore(0)
        self.says = {
            "groq": (Gravity.FAULT, "the server does not accept the key"),
            "zai": (Gravity.DOUBT, "not listed"),
        }

    async def examine(self, text: str, owner: str | None) -> AsyncGenerator[Fitness, None]:
        """Yield what is configured, and one remark, for each route in turn."""
        self.texts.append(text)
        configuration = self._desk.understand(text).configuration
        primary, chain = configuration.routes_of(configuration.plan(owner) if owner else None)
        links, facts = (primary, *chain), story_snapshot().facts.under(configuration)
        try:
            for at in reversed(range(len(links))):
                await self.may_answer.acquire()
                gravity, what = self.says.get(links[at].route.provider, (Gravity.NOTE, "the server lists the model"))
                known = fitness(links, at, configuration, facts, needed=0, now=NOW)
                yield Fitness(at, known.route, known.pool, (Remark(gravity, Witness.SERVER, PlainText(what)),))
        except GeneratorExit:
            self.given_up += 1
            raise

    async def models(self, text: str, entry: Entry) -> Catalogue:  # noqa: ARG002 - the examiner's
        """Return the provider's list, or refuse."""
        if entry.provider not in self.lists:
            raise RefusedError("no list of models came: 401")
        return self.lists[entry.provider]


class Editable(StoryBook):
    """The story, with a file that saving really writes."""

    def __init__(self, path: Path, environ: Mapping[str, str], snapshot: Snapshot | None = None) -> None:
        desk = FileDesk(path, environ=environ, now=lambda: NOW)
        self.asked = Asked(desk)
        super().__init__(snapshot or story_snapshot(), desk, self.asked)
        self.file = desk

    async def execute(self, command: Command) -> PlainText:
        """Save as the engine does; note all else."""
        if isinstance(command, SaveConfiguration):
            self.file.save(command.text, command.digest)
        return await super().execute(command)


class Editor:
    """The editor that is open, and what tests ask of it."""

    def __init__(self, app: HermesApp, pilot: Pilot[None], asked: Asked) -> None:
        self.app, self.pilot, self.asked = app, pilot, asked

    @property
    def screen(self) -> EditorScreen:
        """The editor, whatever is open over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, EditorScreen))

    @property
    def rows(self) -> EntriesPanel:
        """The rows of the chain."""
        return self.screen.entries

    @property
    def area(self) -> CodeArea:
        """The text."""
        return self.screen.area

    @property
    def text(self) -> str:
        """The text as it stands."""
        return self.area.text

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until they are done."""
        await press(self.pilot, *keys)
        await settle(self.pilot)

    async def shows(self, *words: str) -> None:
        """Wait until the screen shows `words`."""
        for word in words:
            await showing(self.pilot, word)


@asynccontextmanager
async def editing(
    path: Path,
    *,
    size: tuple[int, int] = (120, 40),
    look: Look = STILL,
    session: int = 0,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Editor]:
    """Open the dashboard, and the editor on the session at a place in the list."""
    book = Editable(path, environ or {})
    app = HermesApp(book, look=look)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press(*["j"] * session, "e")
        await pilot.pause()
        assert isinstance(app.screen, EditorScreen)
        yield Editor(app, pilot, book.asked)
