"""C116: a chain that is being edited is examined as its text stands, saved or not; no prompt is sent."""

import asyncio
from typing import Any

import pytest

from hermes_tui.core.editing import AddEntry, EditEntry, Entry, RemoveEntry
from hermes_tui.core.errors import ConfigurationError, RefusedError
from hermes_tui.core.event import ActPerformed
from hermes_tui.core.examining import Examiner
from hermes_tui.core.fitness import Fitness
from hermes_tui.core.remark import Gravity
from hermes_tui.simulator.mode import Mode
from hermes_tui.simulator.scenario import Scenario

from .theatre import Theatre, play, scenario, theatre

TWO = scenario("backup/small", "spare/tiny")
MODELS = {"small": 8000, "large": 64000}


def listing(script: Scenario) -> Scenario:
    """Return a scenario whose backup lists its models."""
    tables = script.model_dump(mode="json", exclude_unset=True)
    tables["simulator"]["providers"]["backup"]["models"] = MODELS
    return Scenario.model_validate(tables)


def examiner(on: Theatre) -> Examiner:
    assert on.fleet.examiner is not None
    return on.fleet.examiner


def text(on: Theatre, *changes: Any) -> str:
    """Return the file's text with changes that are not saved."""
    assert on.fleet.desk is not None
    found = on.fleet.desk.read().text
    for change in changes:
        found = on.fleet.desk.change(found, None, change)
    return found


async def examined(on: Theatre, unsaved: str) -> dict[str, Fitness]:
    return {str(one.route): one async for one in examiner(on).examine(unsaved, None)}


def running() -> set[str]:
    """Return the names of the coroutines that run as tasks."""
    return {getattr(task.get_coro(), "__name__", "") for task in asyncio.all_tasks()}


def prompts(on: Theatre) -> list[str]:
    return [request.path for request in on.on.simulator.requests if request.model is not None]


@play
async def test_c116_an_entry_that_is_not_saved_is_tested_with_the_rest() -> None:
    async with theatre(listing(TWO)) as on:
        unsaved = text(on, AddEntry(Entry("backup", "large")), AddEntry(Entry("backup", "gone")), RemoveEntry(2))
        found = await examined(on, unsaved)
        assert {name: one.gravity for name, one in found.items()} == {
            "openai-codex/gpt": Gravity.NOTE,
            "backup/small": Gravity.NOTE,
            "backup/large": Gravity.NOTE,
            "backup/gone": Gravity.DOUBT,
        }
        assert any("is not among the 2 that the server lists" in remark.what for remark in found["backup/gone"].remarks)
        assert prompts(on) == []
        assert [str(link.route) for link in on.facts.configuration.chain] == ["backup/small", "spare/tiny"]  # type: ignore[union-attr]


@play
async def test_c116_one_list_serves_every_entry_of_a_server() -> None:
    async with theatre(listing(TWO)) as on:
        await examined(on, text(on, AddEntry(Entry("backup", "large")), RemoveEntry(2)))
        with_key = [request for request in on.on.simulator.requests if request.path == "/backup/v1/models"]
        assert len(with_key) == 2  # one with the key, and one without it, to see whether the server checks it


@play
async def test_c116_answers_are_told_as_they_come_and_what_is_open_is_given_up() -> None:
    async with theatre(TWO) as on:
        on.mode("spare", Mode.TIMEOUT)
        answers = examiner(on).examine(text(on), None)
        first = await anext(answers)
        assert str(first.route) != "spare/tiny"
        assert "_told" in running()
        await answers.aclose()
        assert "_told" not in running()


@play
async def test_c116_a_silent_server_is_waited_for_no_longer_than_the_others_need_it() -> None:
    async with theatre(TWO) as on:
        on.mode("spare", Mode.TIMEOUT)
        began = on.clock.now()
        found = await examined(on, text(on))
        assert on.clock.now() - began < 10
        assert found["spare/tiny"].gravity is not Gravity.NOTE
        assert found["backup/small"].gravity is Gravity.NOTE


@play
async def test_c116_no_key_goes_to_another_host_than_its_providers() -> None:
    async with theatre(TWO) as on:
        unsaved = text(on, AddEntry(Entry("openai-codex", "gpt", base_url="https://elsewhere.invalid/v1"), 1))
        found = [one async for one in examiner(on).examine(unsaved, None) if one.position == 1]
        (stranger,) = found
        assert (stranger.gravity, stranger.askable) == (Gravity.FAULT, ())
        assert "key is not sent there" in stranger.remarks[0].what


@play
async def test_m45_a_question_to_the_usage_endpoint_is_in_the_timeline() -> None:
    async with theatre(TWO) as on:
        await examined(on, text(on))
        assert [event.act for event in on.events(ActPerformed)] == ["probe"]


@play
async def test_m35_two_tests_at_once_ask_the_usage_endpoint_once() -> None:
    async with theatre(TWO) as on:
        await asyncio.gather(examined(on, text(on)), examined(on, text(on)))
        asked = [request.path for request in on.on.simulator.requests if "usage" in request.path]
        assert len(asked) == 1


@play
async def test_what_is_wrong_is_not_examined() -> None:
    async with theatre(TWO) as on:
        with pytest.raises(ConfigurationError, match="not TOML"):
            await examined(on, text(on) + "[")


@play
async def test_the_models_of_a_server_are_listed_for_an_entry_that_has_none_yet() -> None:
    async with theatre(listing(TWO)) as on:
        catalogue = await examiner(on).models(text(on), Entry("backup"))
        assert dict(catalogue.windows) == MODELS
        assert prompts(on) == []


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (Entry("nobody"), 'provider "nobody" is not configured'),
        (Entry("openai-codex"), "lists its models to nobody"),
        (Entry("groq"), "GROQ_API_KEY"),
    ],
)
def test_a_list_that_cannot_be_had_is_refused_with_the_reason(entry: Entry, why: str) -> None:
    @play
    async def run() -> None:
        async with theatre(TWO) as on:
            with pytest.raises(RefusedError, match=why):
                await examiner(on).models(text(on), entry)

    run()


@play
async def test_a_server_that_refuses_its_list_is_quoted() -> None:
    async with theatre(TWO) as on:
        on.mode("backup", Mode.UNAUTHORIZED)
        with pytest.raises(RefusedError, match="no list of models came: 401"):
            await examiner(on).models(text(on, EditEntry(1, Entry("backup", "small"))), Entry("backup"))
