"""The form of an entry: what it offers, by keys alone, and that nothing typed is lost."""

from pathlib import Path

import pytest

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.tui.screens.entry_form import EntryForm
from hermes_tui.tui.widgets.offer_list import OfferList
from tests.tui.driving import everything, settle
from tests.tui.editing import FILE, Editor, editing

SECRET = "sk-secret-key-of-anthropic-0123456789"
SIZES = pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14)])


def form(editor: Editor) -> EntryForm:
    assert isinstance(editor.app.screen, EntryForm)
    return editor.app.screen


def offered(editor: Editor, field: str) -> list[str]:
    """Return what is offered below a field, nothing while the list is closed."""
    offers = form(editor).query_one(f"#{field}-offers", OfferList)
    return [offer.value for offer in offers._offers] if offers.display else []


@SIZES
async def test_providers_are_offered_below_the_field_with_whether_their_key_is_set(
    path: Path, size: tuple[int, int]
) -> None:
    async with editing(path, size=size, environ={"ANTHROPIC_API_KEY": SECRET}) as editor:
        await editor.press("tab", "a")
        await editor.shows("openai-codex", "groq", "zai", "anthropic", "key set")
        assert offered(editor, "provider")[:3] == ["openai-codex", "groq", "zai"]
        assert SECRET not in everything(editor.app)
        assert SECRET[:8] not in everything(editor.app)


@SIZES
async def test_arrows_choose_and_enter_takes_and_goes_on(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("tab", "a", *"z", "down", "enter")
        assert form(editor).field("provider").value == "zai"
        assert offered(editor, "provider") == []
        assert form(editor).focused is form(editor).field("model")
        assert offered(editor, "model") == ["glm-5"]
        await editor.press("down", "ctrl+s")
        await editor.shows("3 entries")
        assert editor.text.count('model = "glm-5"') == 3


async def test_the_mark_can_be_taken_back_and_anything_else_be_typed(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "a", "down", "down", "up", "up", *"own-server", "enter", *"mine", "enter")
        assert offered(editor, "base_url") == []
        await editor.press("down", "up")
        assert offered(editor, "base_url") != []
        await editor.press(*"http://127.0.0.1:9/v1", "ctrl+s")
        assert 'provider = "own-server"\nmodel = "mine"\nbase_url = "http://127.0.0.1:9/v1"\n' in editor.text


async def test_escape_takes_the_mark_back_first_and_leaves_then(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "a", "down", "escape")
        assert offered(editor, "provider") == []
        await editor.press("escape")
        assert editor.app.screen is editor.screen
        assert editor.text == FILE


async def test_a_field_that_is_filled_offers_others_once_asked(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "enter")
        assert form(editor).field("provider").value == "groq"
        assert offered(editor, "provider") == []
        await editor.press("down", "down", "down", "enter")
        assert form(editor).field("provider").value == "zai"


@SIZES
async def test_what_the_desk_refuses_stays_in_the_form_with_everything_typed(path: Path, size: tuple[int, int]) -> None:
    async with editing(path, size=size) as editor:
        await editor.press("tab", "a", *"zai", "enter", *"glm", "enter", *"not an address", "ctrl+s")
        await editor.shows('base_url" must be')
        assert [form(editor).field(name).value for name in ("provider", "model", "base_url")] == [
            "zai",
            "glm",
            "not an address",
        ]
        assert editor.text == FILE
        form(editor).field("base_url").value = ""
        form(editor).field("api_key").value = "<kept beef>"
        await editor.press("ctrl+s")
        await editor.shows("stands for no key")
        assert editor.text == FILE


async def test_the_providers_own_list_is_asked_for_by_a_key_alone(path: Path) -> None:
    async with editing(path) as editor:
        editor.asked.lists["zai"] = Catalogue({"glm-5": 128000, "glm-5-air": 64000})
        await editor.press("tab", "a", *"zai", "ctrl+l")
        await editor.shows("zai lists 2 models", "glm-5-air", "64000 tokens")
        assert form(editor).focused is form(editor).field("model")
        await editor.press("down", "down", "enter")
        assert form(editor).field("model").value == "glm-5-air"
        assert form(editor).field("context_length").value == "64000"


async def test_a_list_that_cannot_be_had_says_why_and_a_provider_is_needed(path: Path) -> None:
    async with editing(path) as editor:
        await editor.press("tab", "a", "ctrl+l")
        await editor.shows("name the provider first")
        await editor.press(*"zai", "ctrl+l")
        await editor.shows("No list of models came: 401.")
        assert form(editor).field("provider").value == "zai"


async def test_hostile_names_are_offered_as_text(path: Path) -> None:
    async with editing(path) as editor:
        editor.asked.lists["zai"] = Catalogue({"[red]x[/]": None, "[@click=app.quit]y": None})
        await editor.press("tab", "a", *"zai", "ctrl+l")
        await editor.shows("[red]x[/]", "[@click=app.quit]y")
        await editor.pilot.click("#model-offers", offset=(2, 2))
        await settle(editor.pilot)
        assert form(editor).field("model").value == "[@click=app.quit]y"
