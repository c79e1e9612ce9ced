"""Themes: dark, light, safe for colour-blind eyes, and the terminal's own colours; chosen before the app is built.

A theme that is set later cannot repair what `NO_COLOR` or a terminal of 16 colours decided at construction.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from textual.theme import BUILTIN_THEMES, Theme

DARK: Final = "hermes-dark"
LIGHT: Final = "hermes-light"
SAFE: Final = "hermes-safe"
ANSI: Final = "hermes-ansi"

STATE_TOKENS: Final = ("ok", "cooling", "dead", "probing", "trial", "muted", "key", "you")


def _theme(name: str, *, background: str, foreground: str, dark: bool, tokens: Mapping[str, str]) -> Theme:
    return Theme(
        name,
        primary=tokens["trial"],
        secondary=tokens["you"],
        warning=tokens["cooling"],
        error=tokens["dead"],
        success=tokens["ok"],
        accent=tokens["probing"],
        foreground=foreground,
        background=background,
        surface=tokens["raised"],
        panel=tokens["raised"],
        dark=dark,
        ansi=name == ANSI,
        variables=(BUILTIN_THEMES["ansi-dark"].variables if name == ANSI else {})
        | {f"hermes-{token}": colour for token, colour in tokens.items()},
    )


THEMES: Final = (
    _theme(
        DARK,
        background="#10141b",
        foreground="#d8dee8",
        dark=True,
        tokens={
            "ok": "#7ee08f",
            "cooling": "#f2c14e",
            "dead": "#ff8078",
            "probing": "#c9a2ff",
            "trial": "#74bcff",
            "muted": "#929cac",
            "key": "#74bcff",
            "you": "#5fd7de",
            "line": "#3d4757",
            "focus": "#74bcff",
            "raised": "#1a212c",
            "cursor": "#1f2d42",
        },
    ),
    _theme(
        LIGHT,
        background="#fcfcfa",
        foreground="#1f2328",
        dark=False,
        tokens={
            "ok": "#0f5f26",
            "cooling": "#744700",
            "dead": "#ae1c1b",
            "probing": "#6236a0",
            "trial": "#054da8",
            "muted": "#555d69",
            "key": "#054da8",
            "you": "#0a5a63",
            "line": "#b4bac4",
            "focus": "#054da8",
            "raised": "#f0f1ee",
            "cursor": "#dfe9f6",
        },
    ),
    _theme(
        SAFE,
        background="#121212",
        foreground="#e6e6e6",
        dark=True,
        tokens={
            "ok": "#56b4e9",
            "cooling": "#f0e442",
            "dead": "#e8731a",
            "probing": "#d68bb4",
            "trial": "#00b386",
            "muted": "#a3a3a3",
            "key": "#e6e6e6",
            "you": "#9ad0f0",
            "line": "#565656",
            "focus": "#e6e6e6",
            "raised": "#1d1d1d",
            "cursor": "#262626",
        },
    ),
    _theme(
        ANSI,
        background="ansi_default",
        foreground="ansi_default",
        dark=True,
        tokens={
            "ok": "ansi_green",
            "cooling": "ansi_yellow",
            "dead": "ansi_red",
            "probing": "ansi_magenta",
            "trial": "ansi_blue",
            "muted": "ansi_default",
            "key": "ansi_cyan",
            "you": "ansi_cyan",
            "line": "ansi_default",
            "focus": "ansi_default",
            "raised": "ansi_default",
            "cursor": "ansi_default",
        },
    ),
)

BY_NAME: Final = {theme.name: theme for theme in THEMES}
CYCLE: Final = (DARK, LIGHT, SAFE)


@dataclass(frozen=True, slots=True)
class Look:
    """How the dashboard looks: a theme's name, ASCII instead of glyphs and lines, and whether anything moves.

    Changes are shown `updates_per_second` times at most.
    """

    theme: str = DARK
    ascii: bool = False
    motion: bool = True
    updates_per_second: int = 10

    @property
    def native_colours(self) -> bool:
        """Whether only the terminal's own colours are used."""
        return self.theme == ANSI


def look_for(
    environ: Mapping[str, str],
    encoding: str,
    *,
    theme: str | None = None,
    ascii_only: bool = False,
    motion: bool = True,
) -> Look:
    """Return the look for a terminal, by its environment and the encoding of its output.

    `NO_COLOR` or a terminal without 256 colours takes the terminal's own; `theme` is what the user asked for else.
    `TERM=linux` and an encoding other than UTF-8 take ASCII.
    """
    term = environ.get("TERM", "")
    many = environ.get("COLORTERM", "") in ("truecolor", "24bit") or "256color" in term or "direct" in term
    plain = "NO_COLOR" in environ or not (many or environ.get("WT_SESSION"))
    poor = term == "linux" or encoding.replace("-", "").lower() not in ("utf8", "utf16")
    chosen = ANSI if plain else theme if theme in BY_NAME else DARK
    still = not motion or environ.get("TEXTUAL_ANIMATIONS", "").lower() == "none"
    return Look(chosen, ascii=ascii_only or poor, motion=not still)


def next_theme(name: str) -> str:
    """Return the theme after `name`."""
    return CYCLE[(CYCLE.index(name) + 1) % len(CYCLE)] if name in CYCLE else name
