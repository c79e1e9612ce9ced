"""`[keys]`: what is taken, and what is said about a line that has no effect."""

import pytest

from .conftest import LoadText
from .test_load import PRIMARY

KEYS = PRIMARY + "[keys]\n"


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("probe = 'ctrl+y'", [("probe", ("ctrl+y",))]),
        ("help = '? , F,f5'", [("help", ("question_mark", "F", "f5"))]),
        ("zoom = 'shift+ctrl+left'", [("zoom", ("ctrl+shift+left",))]),
        ("zoom = '+'\nsort = 'semicolon'", [("zoom", ("plus",)), ("sort", ("semicolon",))]),
        ("probe = 'r'\nreset_chain = 'p'", [("probe", ("r",)), ("reset_chain", ("p",))]),
        ("palette = 'colon'\nprobe = 'ctrl+p'", [("palette", ("colon",)), ("probe", ("ctrl+p",))]),
    ],
)
def test_an_action_gets_the_keys_that_are_written(
    load_text: LoadText, text: str, changed: list[tuple[str, tuple[str, ...]]]
) -> None:
    configuration = load_text(KEYS + text).configuration
    assert configuration.keymap.changed == tuple(changed)
    assert configuration.warnings == ()


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("prob = 'a'", ['line 5: "keys.prob" names no action and has no effect; did you mean "probe"?']),
        ("qqq = 'a'", ['line 5: "keys.qqq" names no action and has no effect']),
        (
            "zoom = 'a, pagedwn'",
            ['line 5: "keys.zoom" holds what is no key of a keyboard and has no effect; did you mean "pagedown"?'],
        ),
        ("back = 'h'", ['line 5: "keys.back" has no effect: escape leaves whatever is open, always; take this out']),
        (
            "zoom = 'q'",
            ['line 5: "keys.zoom" has no effect: "q" is the key of quit already; choose another'],
        ),
        (
            "zoom = 'h'\nsort = 'h'",
            ['line 6: "keys.sort" has no effect: "h" is the key of zoom already; choose another'],
        ),
        (
            "zoom = 'ctrl+i'",
            ['line 5: "keys.zoom" has no effect: "tab" is the key of next_panel already; choose another'],
        ),
        ("zoom = '3'", ['line 5: "keys.zoom" has no effect: "3" is the key of the panels already; choose another']),
        (
            "zoom = 'ctrl+c'",
            ['line 5: "keys.zoom" has no effect: "ctrl+c" is the key of copying already; choose another'],
        ),
    ],
)
def test_a_line_without_effect_is_a_warning_with_its_line_and_the_nearest_name(
    load_text: LoadText, text: str, warnings: list[str]
) -> None:
    assert load_text(KEYS + text).configuration.warnings == tuple(warnings)


@pytest.mark.parametrize(
    "written", ["", "shift+a", "ctrl+A", "ctrl+", "crtl+a", "a,,b", "ctrl+ctrl+a", "f25", "é\u0301"]
)
def test_what_no_terminal_sends_is_no_key_and_is_never_shown(load_text: LoadText, written: str) -> None:
    configuration = load_text(f"{KEYS}zoom = '{written}'").configuration
    assert configuration.keymap.changed == ()
    (warning,) = configuration.warnings
    assert warning.startswith('line 5: "keys.zoom" holds what is no key of a keyboard')
    assert f'"{written}"' not in warning


def test_a_key_that_a_faulty_line_would_have_left_is_still_its_actions(load_text: LoadText) -> None:
    configuration = load_text(KEYS + "probe = 'r'\nreset_chain = 'f99'").configuration
    assert configuration.keymap.changed == ()
    assert sorted(warning.split(" ", 3)[2] for warning in configuration.warnings) == [
        '"keys.probe"',
        '"keys.reset_chain"',
    ]
