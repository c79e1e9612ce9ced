"""Being told of a home: what is new since its first reading, once, by whose dashboard it is for."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hermes_tui.commands.means import by_one_of_all
from hermes_tui.commands.telling import HomeTeller
from hermes_tui.core.event import ActPerformed, Event, FallbackActivated, PrimaryVerified
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.telling import REMINDER, Occasion, Wanted
from hermes_tui.core.text import PlainText
from hermes_tui.engine.clock import EngineClock
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.source import HermesHome
from hermes_tui.hermes.values import Running
from hermes_tui.storage.ownership import Ownership
from hermes_tui.tui.app import HermesApp
from hermes_tui.view.telling import Notice
from tests.engine.theatre import HOUR, play
from tests.hermes.made import BENCHED, DAY, ID, LEFT, NOW, POOLLESS, reading
from tests.hermes.test_source import Shelf
from tests.tui.driving import dashboard, settle, toasts

WORDS = PlainText("words")
AWAY = reading(BENCHED, told=(*LEFT, POOLLESS))
EVERYTHING = Wanted(tuple(Occasion))


class Logs(Shelf):
    """A shelf whose logs tell something."""

    heard: tuple[tuple[int, Event], ...] = ()

    def events(self) -> tuple[tuple[int, Event], ...]:
        return self.heard


class Watched:
    """A home that is told of while the clock is moved."""

    def __init__(self, page: Reading, wanted: Wanted = EVERYTHING) -> None:
        self.clock = EngineClock(start=NOW, elapsed=asyncio.get_running_loop().time)
        self.shelf = Logs(page)
        self.home = HermesHome(self.shelf, self.clock.now)
        self.told: list[tuple[float, Notice]] = []
        self._running = asyncio.ensure_future(HomeTeller(self.home, self._tell, wanted=lambda: wanted).run())

    async def _tell(self, notices: Sequence[Notice]) -> None:
        self.told += [(self.clock.now() - NOW, notice) for notice in notices]

    async def after(self, seconds: float, *heard: Event) -> None:
        """Have the logs tell of something after a while."""
        await self.clock.sleep(seconds)
        number = self.shelf.heard[-1][0] if self.shelf.heard else 0
        self.shelf.heard += tuple(enumerate(heard, number + 1))
        await self.turn(self.shelf.readings[0])

    async def turn(self, page: Reading | Exception) -> None:
        """Have the home read like this from now on."""
        assert isinstance(page, Reading)
        self.shelf.readings = (replace(page, at=self.clock.now()),)
        await self.home._look()
        await asyncio.sleep(0)

    async def end(self) -> None:
        self._running.cancel()
        await asyncio.wait([self._running])
        assert self._running.cancelled(), self._running.exception()


def left(at: float, session: str = "weekly") -> Event:
    return FallbackActivated(
        time=at, session=session, position=1, provider="custom", model="small", left=WORDS, reason=WORDS, notice=WORDS
    )


def back(at: float) -> Event:
    return PrimaryVerified(time=at, session="weekly", provider="openai-codex", model="gpt-5.5")


@play
async def test_what_happens_from_now_on_is_told_once_with_whose_session_it_is() -> None:
    watched = Watched(AWAY)
    await watched.after(10.0, left(NOW + 9.9))
    await watched.after(10.0, ActPerformed(time=NOW + 20, session="weekly", act="a", target="b", effect=WORDS))
    await watched.after(100.0, back(NOW + 119.9))
    await watched.end()
    assert [(round(at), notice.about, notice.text) for at, notice in watched.told] == [
        (10, "fallback", "hermes: weekly: words"),
        (120, "restored", "hermes: weekly on openai-codex/gpt-5.5: verified by a reply"),
    ]


@play
async def test_what_is_read_first_is_no_news_nor_what_is_older_and_read_late() -> None:
    watched = Watched(AWAY)
    await watched.after(30.0, left(NOW - DAY), left(NOW - 1, "nightly"))
    assert watched.told == []
    await watched.after(30.0, left(NOW + 59))
    assert [notice.session for _, notice in watched.told] == ["weekly"]
    await watched.end()


@play
async def test_what_could_not_be_read_for_a_while_is_not_told_again() -> None:
    watched = Watched(AWAY)
    await watched.after(10.0, left(NOW + 9))
    heard, watched.shelf.heard = watched.shelf.heard, ()
    await watched.after(100.0)
    watched.shelf.heard = heard
    await watched.after(100.0)
    assert len(watched.told) == 1
    await watched.after(100.0, left(NOW + 309))
    assert len(watched.told) == 2
    await watched.end()


@play
async def test_a_burst_is_told_once_a_minute_with_a_count_though_nothing_new_happens_then() -> None:
    watched = Watched(AWAY)
    for second in range(5):
        await watched.after(1.0, left(NOW + second))
    await watched.clock.sleep(HOUR)
    await watched.end()
    assert [(round(at), notice.text[:16]) for at, notice in watched.told] == [
        (1, "hermes: weekly: "),
        (61, "hermes: 4 times,"),
    ]


OPEN = replace(AWAY, running=(Running(99, "cli", ID),))


@play
async def test_c126_reminded_is_of_what_somebody_has_open_though_nothing_new_happens() -> None:
    watched = Watched(OPEN, Wanted((), 12 * HOUR))
    await watched.clock.sleep(30 * HOUR)
    await watched.end()
    assert [(round((at + 600) / HOUR), notice.about) for at, notice in watched.told] == [(12, REMINDER), (24, REMINDER)]


@play
async def test_c126_reminded_is_of_nothing_that_nobody_has_open_nor_when_somebody_opens_it() -> None:
    watched = Watched(AWAY, Wanted((), 12 * HOUR))
    await watched.clock.sleep(20 * HOUR)
    await watched.turn(OPEN)
    await watched.clock.sleep(10 * HOUR)
    await watched.end()
    ((at, notice),) = watched.told
    assert (round((at + 600) / HOUR), notice.about) == (24, REMINDER)
    assert notice.text.startswith("hermes: weekly is off its primary for 1d 00h: ")


@play
async def test_nothing_is_asked_of_a_home_that_rests() -> None:
    watched = Watched(AWAY)
    await watched.after(1.0, left(NOW + 1))
    looked: list[float] = []

    def snapshot() -> Snapshot:
        looked.append(watched.clock.now())
        return HermesHome.snapshot(watched.home)

    watched.home.snapshot = snapshot  # type: ignore[method-assign]
    await watched.clock.sleep(DAY)
    assert len(looked) <= 1
    await watched.after(1.0, back(NOW + DAY + 2))
    await watched.end()
    assert len(watched.told) == 2


def notice(about: str) -> Notice:
    return Notice(about, "weekly", WORDS)


class Dashboards:
    """Several dashboards on one state, and what each of them tells."""

    def __init__(self, state: Path, app: HermesApp) -> None:
        self.owners = [Ownership(state) for _ in range(2)]
        self.told: list[tuple[int, str]] = []
        self._app = app

    async def see(self, number: int, about: str, home: str = "/h") -> None:
        async def tell(notices: Sequence[Notice]) -> None:
            self.told += [(number, one.about) for one in notices]

        await by_one_of_all(tell, self._app, self.owners[number], home)([notice(about)])


async def test_of_several_dashboards_one_runs_the_command_and_another_when_that_has_ended(tmp_path: Path) -> None:
    several = Dashboards(tmp_path, dashboard()[0])
    await several.see(0, Occasion.FALLBACK)
    await several.see(1, Occasion.FALLBACK)
    await several.see(1, Occasion.RESTORED, home="/another")
    assert several.told == [(0, "fallback"), (1, "restored")]
    several.owners[0].release_all()
    await several.see(1, Occasion.DEAD)
    assert several.told[2:] == [(1, "dead")]


async def test_a_question_is_told_by_the_dashboard_that_runs_its_session(tmp_path: Path) -> None:
    several = Dashboards(tmp_path, dashboard()[0])
    await several.see(0, Occasion.FALLBACK)
    await several.see(1, Occasion.ASKS)
    assert several.told == [(0, "fallback"), (1, "asks")]


async def test_where_it_cannot_be_found_out_who_tells_each_does_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    app, _ = dashboard()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        several = Dashboards(tmp_path / "state", app)
        await several.see(0, Occasion.FALLBACK)
        await settle(pilot)
        assert several.told == [(0, "fallback")]
        assert "state" in " ".join(toasts(app))
