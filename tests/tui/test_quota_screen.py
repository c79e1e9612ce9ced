"""The quotas on the screen: nothing is asked by opening them, `p` asks about the marked account."""

from dataclasses import replace

import pytest

from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.keymap import Keymap
from hermes_tui.tui.screens.main import MainScreen
from tests.tui.driving import STILL, dashboard, everything, settle, showing, toasts
from tests.tui.fakes import CONFIGURATION, NOW, story_facts, story_snapshot


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (48, 14), (40, 12)])
@pytest.mark.parametrize("plainly", [False, True])
async def test_it_opens_at_every_size_and_asks_nobody(size: tuple[int, int], plainly: bool) -> None:
    app, book = dashboard(look=replace(STILL, ascii=plainly))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("u")
        text = await showing(pilot, "40 %")
        assert "Wed 09:12" in text
        assert "esc back" in text
        assert text.isascii() or not plainly
        assert book.done == []


async def test_p_asks_about_the_marked_account_and_says_why_not_while_a_verdict_counts() -> None:
    app, book = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("u")
        await showing(pilot, "40 %")
        await pilot.press("p")
        assert "was asked a moment ago" in toasts(app)[-1]
        book.offset = 400.0
        app.tick()
        await pilot.press("down", "p")
        await settle(pilot)
        assert book.done == [ProbeNow(CredentialKey("openai-codex", "oauth-2"), "gpt-5")]


async def test_capital_p_asks_although_the_verdict_counts() -> None:
    app, book = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("u", "P")
        await settle(pilot)
        assert book.done == [ProbeNow(CredentialKey("openai-codex", "oauth-1"), "gpt-5", anyway=True)]


async def test_keys_of_the_users_own_act_there_too() -> None:
    keymap = Keymap((("probe_anyway", ("ctrl+y",)), ("quota", ("f6",))))
    snapshot = replace(story_snapshot(), facts=story_facts().under(replace(CONFIGURATION, keymap=keymap)))
    app, book = dashboard(snapshot)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("f6")
        await showing(pilot, "ctrl+y although it counts")
        await pilot.press("ctrl+y")
        await settle(pilot)
        assert len(book.done) == 1
        await pilot.press("f6")
        await settle(pilot)
        assert isinstance(app.screen, MainScreen)


async def test_the_countdowns_go_on_while_it_is_open() -> None:
    app, book = dashboard()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("u")
        await showing(pilot, "in 12:41")
        book.offset = 1.0
        app.tick()
        await showing(pilot, "in 12:40")
        assert app.source.now() == NOW + 1.0
        await pilot.press("escape")
        await settle(pilot)
        assert "Quotas" not in everything(app)


async def test_its_keys_are_clicked_too_so_that_a_mouse_alone_asks_and_leaves() -> None:
    app, book = dashboard()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("u")
        text = await showing(pilot, "although it counts")
        await pilot.click("#quota-keys", offset=(text.splitlines()[-1].index("although"), 0))
        await settle(pilot)
        assert book.done == [ProbeNow(CredentialKey("openai-codex", "oauth-1"), "gpt-5", anyway=True)]
        await pilot.click("#quota-keys", offset=(1, 0))
        await showing(pilot, "1 Sessions")
