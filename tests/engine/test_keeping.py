"""Sessions made, renamed and archived while they run, over a restart, and beside other processes."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from hermes_tui.core import keeping
from hermes_tui.core.acts import (
    ArchiveSession,
    BringBack,
    ChangeSchedule,
    NewSession,
    RenameSession,
    SendPrompt,
)
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import SessionInterrupted, TurnStarted
from hermes_tui.core.facts import fold
from hermes_tui.core.plans import archived
from hermes_tui.core.ports import Owners
from hermes_tui.core.session import Phase
from tests.engine.theatre import HOUR, Theatre, play, scenario, second_process, theatre

ONE = scenario("backup/small")
TEMPLATE = scenario(
    "backup/small",
    session_fields={
        "system_prompt": "Be short.",
        "primary": {"provider": "backup", "model": "small"},
        "fallback_providers": [{"provider": "openai-codex", "model": "gpt"}],
    },
)


def _names(on: Theatre) -> list[str]:
    return [state.name for state in on.fleet.snapshot().sessions]


async def _said(on: Theatre, session: str) -> list[str]:
    return [message.text for message in await on.fleet.messages(session)]


def _prompts(on: Theatre, session: str) -> list[str]:
    return [event.prompt for event in on.events(TurnStarted, session)]


@play
async def test_a_session_like_an_entry_of_the_file_asks_where_that_one_asks_also_after_a_restart() -> None:
    async with theatre(TEMPLATE) as on:
        await on.fleet.execute(NewSession("docs", like="s1", prompt="Two\nlines."))
        await on.until(lambda: on.row("docs").messages == 2)
        assert on.calls("backup") == 1
        await on.fleet.close()
        async with second_process(on) as again:
            assert _names(again) == ["s1", "docs"]
            assert await again.turn("docs")
            assert again.calls("backup") == 2
            assert (await _said(again, "docs"))[0] == "Two\nlines."
            assert again.row("docs").arranged.system_prompt == "Be short."


@play
async def test_a_schedule_that_the_user_made_runs_at_once_then_by_the_clock_and_outlives_a_restart() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(NewSession("docs", prompt="Look.", every_seconds=HOUR))
        await on.clock.sleep(2 * HOUR + 60)
        assert _prompts(on, "docs") == ["Look."] * 3
        await on.fleet.close()
        async with second_process(on) as again:
            await again.clock.sleep(HOUR)
            assert len(_prompts(again, "docs")) == 4
            await again.fleet.execute(ChangeSchedule("docs", 60.0, "Look closer."))
            await again.clock.sleep(65)
            assert _prompts(again, "docs")[-1] == "Look closer."
            await again.fleet.execute(ChangeSchedule("docs", None))
            await again.clock.sleep(2 * HOUR)
            assert len(_prompts(again, "docs")) == 5


@play
async def test_a_renamed_session_goes_on_with_its_conversation_its_events_and_its_lock() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(NewSession("docs"))
        on.limit()
        assert await on.turn("docs", "Begin.")
        await on.fleet.execute(RenameSession("docs", "papers"))
        assert await on.turn("papers", "Go on.")
        assert (await _said(on, "papers"))[::2] == ["Begin.", "Go on."]
        assert on.fleet.snapshot().session("docs") is None
        assert _prompts(on, "papers") == ["Begin.", "Go on."]
        assert {event.session for _, event in on.fleet.snapshot().events} == {None, "s1", "papers"}
        assert [event for _, event in await on.fleet.history("papers", 0.0) if isinstance(event, TurnStarted)]
        assert "docs" not in repr(on.facts.credentials)
        assert fold(on.on.ledger.journal_rows()) == on.facts
        async with second_process(on) as beside:
            assert beside.fleet.snapshot().sessions[1].owner is not None
            await on.fleet.close()
        async with second_process(on) as again:
            assert await again.turn("papers", "And now?")
            assert (await _said(again, "papers"))[::2] == ["Begin.", "Go on.", "And now?"]
            await again.fleet.execute(NewSession("docs"))
            assert (await _said(again, "docs")) == []


@play
async def test_a_session_is_renamed_neither_while_its_turn_runs_nor_where_another_process_runs_it() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(NewSession("docs"))
        async with second_process(on) as beside:
            with pytest.raises(RefusedError, match=r"process \d+ runs docs; act there"):
                await beside.fleet.execute(RenameSession("docs", "papers"))
        on.pace("openai-codex", latency=60)
        turn = asyncio.ensure_future(on.turn("docs"))
        await on.until(lambda: on.row("docs").phase is Phase.RUNNING)
        with pytest.raises(RefusedError, match="turn runs"):
            await on.fleet.execute(RenameSession("docs", "papers"))
        assert await turn


@play
async def test_a_name_that_another_process_holds_is_not_taken_and_the_session_goes_on() -> None:
    async with theatre(ONE) as on, second_process(on) as beside:
        await on.fleet.execute(NewSession("docs"))
        assert beside.fleet._roster.owners.acquire("papers")
        with pytest.raises(RefusedError, match="runs papers"):
            await on.fleet.execute(RenameSession("docs", "papers"))
        assert await on.turn("docs")


@play
async def test_archiving_stops_the_turn_drops_what_waits_and_nothing_of_it_runs_after_a_restart() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(NewSession("docs", prompt="Look.", every_seconds=HOUR))
        await on.until(lambda: on.row("docs").messages == 2)
        on.pace("openai-codex", latency=60)
        turns = [asyncio.ensure_future(on.turn("docs")) for _ in range(2)]
        await on.until_asked("openai-codex")
        await on.clock.sleep(1)
        await on.fleet.execute(ArchiveSession("docs"))
        assert await asyncio.gather(*turns) == [False, False]
        assert len(on.events(SessionInterrupted)) == 1
        assert _names(on) == ["s1"]
        with pytest.raises(RefusedError, match="bring it back first"):
            await on.fleet.execute(SendPrompt("docs", "Go on."))
        await on.fleet.close()
        async with second_process(on) as again:
            calls = again.calls()
            await again.clock.sleep(3 * HOUR)
            assert again.calls() == calls
            assert [row.name for row in archived(again.facts)] == ["docs"]
            await again.fleet.execute(BringBack("docs"))
            await again.until(lambda: again.row("docs").messages == 5)
            assert _names(again) == ["s1", "docs"]


@play
async def test_an_archived_entry_of_the_file_stays_so_when_the_file_is_read_again() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(ArchiveSession("s1"))
        await on.fleet.configure(on.fleet._around.configured)
        assert _names(on) == []
        await on.fleet.execute(BringBack("s1"))
        assert await on.turn("s1")


@play
async def test_what_another_process_makes_and_leaves_is_run_here_without_being_asked() -> None:
    async with theatre(ONE, watch=True) as on:
        async with second_process(on, only=()) as beside:
            await beside.fleet.execute(NewSession("docs", prompt="Look.", every_seconds=HOUR))
        await on.clock.sleep(3)
        assert on.fleet.snapshot().sessions[1].mine
        await on.until(lambda: on.row("docs").messages == 2)


@play
async def test_two_sessions_of_one_name_are_never_made() -> None:
    async with theatre(ONE) as on, second_process(on) as beside:
        made = await asyncio.gather(
            on.fleet.execute(NewSession("docs")), beside.fleet.execute(NewSession("docs")), return_exceptions=True
        )
        assert [isinstance(one, RefusedError) for one in made].count(True) == 1


@dataclass(slots=True)
class _Late:
    """Who owns what, asked too late: `deed` has been done by then."""

    owners: Owners
    deed: Callable[[], object]

    def acquire(self, name: str) -> bool:
        """Own the session `name` after the deed."""
        self.deed()
        return self.owners.acquire(name)

    def owner(self, name: str) -> int | None:
        """Return who owns the session `name`."""
        return self.owners.owner(name)

    def release(self, name: str) -> None:
        """Give the session `name` up."""
        self.owners.release(name)

    def release_all(self) -> None:
        """Give every session up."""
        self.owners.release_all()


@pytest.mark.parametrize("is_late", [False, True], ids=["before its row is made", "before it is owned"])
@pytest.mark.parametrize("deed", [RenameSession("docs", "papers"), ArchiveSession("docs")], ids=["renamed", "archived"])
@play
async def test_a_session_that_another_process_renames_or_archives_while_it_begins_here_does_not(
    is_late: bool, deed: RenameSession | ArchiveSession
) -> None:
    async with theatre(ONE) as on, second_process(on, only=()) as beside:
        await beside.fleet.execute(NewSession("docs"))
        on.on.ledger.refresh()
        roster, now = on.fleet._roster, on.clock.now()
        plans = [plan for plan in roster.plans() if plan.name == "docs"]

        def done() -> None:
            if isinstance(deed, RenameSession):
                beside.on.ledger.commit(lambda facts: keeping.rename(facts, "docs", "papers", now))
            elif not beside.row("docs").archived:
                beside.on.ledger.commit(lambda facts: keeping.archive(facts, "docs", now))

        if is_late:
            roster.owners = _Late(roster.owners, done)
        else:
            done()
        await roster._begin(plans)
        assert not on.fleet.runs("docs")
        assert roster.owners.owner("docs") is None
        assert _names(on)[:1] == ["s1"]
        assert "docs" not in _names(on)
        assert (on.facts.sessions.get("docs") is None) == isinstance(deed, RenameSession)


@play
async def test_a_session_whose_new_name_belongs_to_one_that_is_busy_goes_on() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(NewSession("docs"))
        on.pace("openai-codex", latency=60)
        turn = asyncio.ensure_future(on.turn("s1"))
        await on.until(lambda: on.row("s1").phase is Phase.RUNNING)
        with pytest.raises(RefusedError, match="s1's turn runs"):
            await on.fleet._roster.rename("docs", "s1")
        assert on.fleet.runs("docs")
        assert await turn


@play
async def test_a_prompt_to_a_session_that_is_about_to_be_called_otherwise_is_refused_and_not_lost() -> None:
    async with theatre(ONE) as on:
        await on.fleet.execute(NewSession("docs"))
        runner = on.fleet._roster.runner("docs")
        renaming = asyncio.ensure_future(on.fleet.execute(RenameSession("docs", "papers")))
        await asyncio.sleep(0)
        assert not runner.wanted
        with pytest.raises(RefusedError, match="takes no prompt now"):
            await on.fleet.execute(SendPrompt("docs", "Go on."))
        await renaming
        assert await on.turn("papers", "Go on.")


@play
async def test_a_session_is_run_here_although_its_maker_still_holds_it_at_the_first_look() -> None:
    async with theatre(ONE) as on, second_process(on, only=()) as beside:
        owners, roster = beside.fleet._roster.owners, on.fleet._roster
        await beside.fleet.execute(NewSession("docs"))
        assert owners.acquire("docs")
        on.on.ledger.refresh()
        await roster.begin_new()
        assert not on.fleet.runs("docs")
        owners.release("docs")
        await roster.begin_new()
        assert on.fleet.runs("docs")


@play
async def test_a_session_that_another_process_goes_on_to_run_is_left_to_it() -> None:
    async with theatre(ONE) as on, second_process(on) as beside:
        await beside.fleet.execute(NewSession("docs"))
        on.on.ledger.refresh()
        for _ in range(2):
            await on.fleet._roster.begin_new()
        await beside.fleet.close()
        await on.fleet._roster.begin_new()
        assert not on.fleet.runs("docs")
