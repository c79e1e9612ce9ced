"""Themes: readable, and chosen by what the terminal can do."""

import pytest
from textual.color import Color

from hermes_tui.tui.styles import style_sheets, styles_folder
from hermes_tui.tui.themes import ANSI, DARK, LIGHT, SAFE, STATE_TOKENS, THEMES, look_for, next_theme
from tests.tui.driving import dashboard, settle

TRUE = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def contrast(one: Color, other: Color) -> float:
    """Return the contrast of two colours as WCAG defines it."""

    def luminance(colour: Color) -> float:
        parts = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
            for part in (colour.r / 255, colour.g / 255, colour.b / 255)
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", [DARK, LIGHT, SAFE])
@pytest.mark.parametrize("token", STATE_TOKENS)
def test_state_text_has_a_contrast_of_four_and_a_half_on_every_background(name: str, token: str) -> None:
    theme = next(theme for theme in THEMES if theme.name == name)
    colour = Color.parse(theme.variables[f"hermes-{token}"])
    grounds = [theme.background, theme.variables["hermes-raised"], theme.variables["hermes-cursor"]]
    for ground in grounds:
        assert ground is not None
        assert contrast(colour, Color.parse(ground)) >= 4.5, (token, ground)


def test_the_terminal_decides_what_it_can_show() -> None:
    assert look_for(TRUE, "utf-8").theme == DARK
    assert look_for(TRUE, "utf-8", theme=SAFE).theme == SAFE
    assert look_for(TRUE | {"NO_COLOR": "1"}, "utf-8", theme=SAFE).theme == ANSI
    assert look_for({"TERM": "xterm"}, "utf-8").theme == ANSI
    assert look_for({"TERM": "linux"}, "utf-8").ascii
    assert look_for(TRUE, "iso-8859-1").ascii
    assert not look_for(TRUE, "UTF-8").ascii
    assert look_for(TRUE, "utf-8", ascii_only=True).ascii
    assert not look_for(TRUE | {"TEXTUAL_ANIMATIONS": "none"}, "utf-8").motion
    assert next_theme(ANSI) == ANSI


async def test_no_color_leaves_no_colour_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app, _ = dashboard(look=look_for({"NO_COLOR": "1"}, "utf-8"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        filters = app.get_line_filters()
        for strip in app.screen._compositor.render_strips(app.size):
            drawn = strip
            for line_filter in filters:
                drawn = drawn.apply_filter(line_filter, Color.parse("black"))
            for segment in drawn:
                style = segment.style
                assert style is None or style.color is None or style.color.is_default
                assert style is None or style.bgcolor is None or style.bgcolor.is_default


def test_the_style_sheets_are_beside_or_inside_the_package() -> None:
    assert styles_folder().name == "styles"
    assert sorted(map(str, style_sheets())) == sorted(map(str, styles_folder().glob("*.tcss")))
