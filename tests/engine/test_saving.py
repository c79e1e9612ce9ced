"""An edited chain that is saved: in the file, in force, and in the timeline (M44, M45)."""

import asyncio

import pytest

from hermes_tui.core.acts import SaveConfiguration
from hermes_tui.core.editing import AddEntry, Desk, Entry, MoveEntry, RemoveEntry
from hermes_tui.core.errors import ConfigurationError, ConflictError
from hermes_tui.core.event import ActPerformed, ChainTaken, ConfigurationLoaded
from hermes_tui.core.session import Phase
from hermes_tui.core.taking import When, takings
from tests.engine.theatre import Theatre, play, scenario, theatre

TWO_FALLBACKS = scenario("backup/small", "spare/tiny")


def _desk(on: Theatre) -> Desk:
    assert on.fleet.desk is not None
    return on.fleet.desk


def _chain(on: Theatre) -> list[str]:
    return [str(link.route) for link in on.row().chain]


@play
async def test_m44_a_saved_chain_is_in_the_file_in_force_and_in_the_timeline() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        draft = _desk(on).read()
        text = _desk(on).change(draft.text, None, MoveEntry(1, 2))
        text = _desk(on).change(text, None, AddEntry(Entry("spare", "large")))
        effect = await on.fleet.execute(SaveConfiguration(text, draft.digest))
        assert "spare/tiny › backup/small › spare/large" in effect
        assert _desk(on).read().text == text
        assert _chain(on) == ["spare/tiny", "backup/small", "spare/large"]
        (act,) = on.events(ActPerformed)
        assert (act.act, act.effect) == ("edit_chain", effect)
        assert act.target == str(on.on.config)


@play
async def test_m44_what_the_editor_says_beforehand_is_what_happens() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        on.limit()
        await on.turn()
        assert on.row().position == 1
        on.pace("backup", latency=5.0)
        turn = asyncio.ensure_future(on.turn())
        await on.until(lambda: on.row().phase is Phase.RUNNING)
        draft = _desk(on).read()
        text = _desk(on).change(draft.text, None, MoveEntry(1, 2))
        checked = _desk(on).check(text, None)
        assert checked.configuration is not None
        (taking,) = takings(on.fleet.snapshot(), checked.configuration, on.clock.now())
        assert (taking.session, taking.when) == ("s1", When.TURN_ENDED)
        assert taking.what == "stays on backup/small, now entry 2 of 2"
        await on.fleet.execute(SaveConfiguration(text, draft.digest))
        assert on.row().position == 1
        assert await turn
        assert await on.turn()
        assert (on.row().position, str(on.row().active)) == (2, "backup/small")
        assert on.events(ChainTaken)[-1].chain == ("spare/tiny", "backup/small")


@play
async def test_m44_a_file_that_was_changed_meanwhile_is_left_as_it_is_and_nothing_is_taken() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        draft = _desk(on).read()
        theirs = draft.text + "# theirs\n"
        on.on.config.write_text(theirs, encoding="utf-8")
        loaded = len(on.events(ConfigurationLoaded))
        text = _desk(on).change(draft.text, None, RemoveEntry(1))
        with pytest.raises(ConflictError):
            await on.fleet.execute(SaveConfiguration(text, draft.digest))
        assert on.on.config.read_text(encoding="utf-8") == theirs
        assert len(on.events(ConfigurationLoaded)) == loaded
        assert _chain(on) == ["backup/small", "spare/tiny"]


@play
async def test_m44_a_text_with_a_mistake_is_never_saved() -> None:
    async with theatre(TWO_FALLBACKS) as on:
        draft = _desk(on).read()
        with pytest.raises(ConfigurationError, match="line 1"):
            await on.fleet.execute(SaveConfiguration("x" + draft.text, draft.digest))
        assert _desk(on).read() == draft
        assert on.events(ActPerformed) == []
