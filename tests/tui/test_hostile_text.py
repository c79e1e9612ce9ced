"""Text from outside can neither crash nor steer the screen (C132, C133)."""

from dataclasses import replace

import pytest

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import TurnFailed
from hermes_tui.core.session import Departure, Role
from hermes_tui.core.snapshot import Live, Snapshot
from hermes_tui.core.text import PlainText, plain
from tests.tui.driving import dashboard, everything, settle, toasts
from tests.tui.fakes import NOW, said, story_snapshot

SHORT = ["[/]", "[", "[@click=app.quit]x"]


def poisoned(text: PlainText) -> Snapshot:
    """Return the afternoon with `text` wherever text from outside is shown."""
    snapshot = story_snapshot()
    state = snapshot.sessions[0]
    departure = state.row.departure
    assert isinstance(departure, Departure)
    row = replace(state.row, name=text, departure=replace(departure, message=text, credential=text))
    poison = replace(
        state,
        row=row,
        messages=(said(text, 0, Role.USER, text), replace(said(text, 1, Role.ASSISTANT, text), route=text)),
        live=Live(text, NOW - 1),
    )
    facts = snapshot.facts
    assert isinstance(facts.configuration, Configuration)
    facts.configuration = replace(facts.configuration, origin=text, warnings=(text,))
    for key, credential in list(facts.credentials.items()):
        if credential.cooldown is not None:
            facts.credentials[key] = replace(
                credential, cooldown=replace(credential.cooldown, message=text, session=text)
            )
    for verdict_key, verdict in list(facts.verdicts.items()):
        facts.verdicts[verdict_key] = replace(verdict, why=text)
    failed = TurnFailed(time=NOW, session=text, error=text, earliest=None)
    return replace(
        snapshot,
        sessions=(poison, *snapshot.sessions[1:]),
        problem=text,
        events=((1, failed),),
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [*((text, (120, 40)) for text in SHORT), ("[link=x", (80, 24)), ("\\[", (48, 14)), ("\x1b]0;owned\x07", (60, 20))],
)
async def test_c132_markup_from_outside_is_shown_as_it_stands(text: str, size: tuple[int, int]) -> None:
    app, _ = dashboard(poisoned(plain(text)))
    async with app.run_test(size=size, notifications=True) as pilot:
        for key in "123456":
            await pilot.press(key)
            assert plain(text) in everything(app)
            assert "\x1b" not in everything(app)
        for keys in (
            ("1", "enter"),
            ("4", "enter"),
            ("6", "enter"),
            ("b",),
            ("x",),
            ("q",),
            ("i",),
            ("slash",),
            ("n",),
        ):
            await pilot.press(*keys)
            await settle(pilot)
            everything(app)
            await pilot.press("escape")
        app.tell(plain(text))
        await settle(pilot)
        assert app.is_running


async def test_c132_clicking_where_markup_would_have_been_does_nothing() -> None:
    app, _ = dashboard(poisoned(plain("[@click=app.quit]x")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for row in range(2, 39, 3):
            await pilot.click(offset=(12, row))
            if len(app.screen_stack) > 1:
                await pilot.press("escape")
        assert app.is_running


async def test_a_refusal_from_the_source_is_told_as_it_stands() -> None:
    app, book = dashboard()

    async def refuse(command: object) -> PlainText:
        raise RefusedError("[/] no [@click=app.quit]x")

    book.execute = refuse  # type: ignore[method-assign]
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert toasts(app) == ["[/] no [@click=app.quit]x."]
