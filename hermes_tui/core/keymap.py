"""Which keys start which action: the default ones, and what `[keys]` of the configuration makes of them.

Keys are named as the screen's library names them: `p`, `P`, `f5`, `ctrl+y`, `question_mark`.
"""

import string
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.values import dataclass

DEFAULT: Final[Mapping[str, tuple[str, ...]]] = {
    "force_restore": ("b",),
    "reset_chain": ("r",),
    "use_fallback": ("f",),
    "take_chain": ("C",),
    "probe": ("p",),
    "probe_anyway": ("P",),
    "clear_cooldown": ("c",),
    "drop_verdict": ("D",),
    "prompt": ("i",),
    "switch_model": ("m",),
    "stop_turn": ("x",),
    "retry_now": ("w",),
    "new_session": ("n",),
    "rename": ("N",),
    "schedule": ("T",),
    "archive": ("A",),
    "show_archived": ("a",),
    "edit_chain": ("e",),
    "edit_file": ("E",),
    "reload": ("R",),
    "help": ("question_mark", "f1"),
    "palette": ("colon", "ctrl+p"),
    "filter": ("slash",),
    "sort": ("s",),
    "reverse": ("S",),
    "detail": ("enter",),
    "back": ("escape",),
    "timeline": ("v",),
    "quota": ("u",),
    "zoom": ("z",),
    "freeze": ("space",),
    "copy": ("y",),
    "next_panel": ("tab",),
    "previous_panel": ("shift+tab",),
    "down": ("j", "down"),
    "up": ("k", "up"),
    "first": ("g", "home"),
    "last": ("G", "end"),
    "page_down": ("pagedown",),
    "page_up": ("pageup",),
    "unfold": ("o",),
    "next_message": ("right_square_bracket",),
    "previous_message": ("left_square_bracket",),
    "next_match": ("full_stop",),
    "previous_match": ("comma",),
    "theme": ("t",),
    "quit": ("q", "ctrl+q"),
}
"""The keys of every action, by its identity, which never changes."""

BACK: Final = "back"
"""The action whose key stays: escape leaves dialogs, too."""

PANEL_KEYS: Final = ("1", "2", "3", "4", "5", "6")
"""Panels are chosen by their numbers, always."""

FIXED: Final[Mapping[str, str]] = {**dict.fromkeys(PANEL_KEYS, "the panels"), "ctrl+c": "copying"}
"""Keys that no action can have, and what has them."""

_MODIFIERS: Final = frozenset(("alt", "ctrl", "hyper", "meta", "shift", "super"))
_COMMON: Final = {"/": "slash", "\\": "backslash", "@": "at", "-": "minus", "+": "plus", "_": "underscore"}
"""Characters with another name than Unicode's."""

SIGNS: Final[Mapping[str, str]] = {
    _COMMON.get(sign) or unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_"): sign
    for sign in string.punctuation
}
"""The names of the signs on a keyboard, each with its sign."""

NAMED: Final = (
    *("enter", "escape", "tab", "space", "backspace", "insert", "delete"),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *(f"f{number}" for number in range(1, 25)),
)
"""The keys that write no sign."""

_SHORT: Final = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup"}
_SENT_AS: Final = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+left_square_bracket": "escape"}
"""What terminals cannot tell apart."""

_BY_SIGN: Final = {sign: name for name, sign in SIGNS.items()}


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys in force: `changed` holds the actions that have others than the default ones."""

    changed: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def keys(self, action: str) -> tuple[str, ...]:
        """Return the keys of an action by its identity."""
        return dict(self.changed).get(action) or DEFAULT[action]

    def words(self, action: str) -> tuple[str, ...]:
        """Return the keys of an action as a person reads them."""
        return tuple(map(word_of, self.keys(action)))

    def word(self, action: str) -> str:
        """Return the first key of an action as a person reads it."""
        return self.words(action)[0]


def word_of(key: str) -> str:
    """Return a key as a person reads it: `?` for `question_mark`, `esc` for `escape`."""
    *modifiers, last = key.split("+")
    return "+".join((*modifiers, SIGNS.get(last) or _SHORT.get(last, last)))


NO_CHANGE: Final = Keymap()


@dataclass(frozen=True, slots=True)
class KeyFault:
    """Why a line of `[keys]` has no effect."""

    action: str
    what: str


def key_name(written: str) -> str | None:
    """Return a key as it is named here (`?` is `question_mark`), None for what is no key."""
    *modifiers, last = ("plus",) if written == "+" else written.split("+")
    last = _BY_SIGN.get(last, last)
    letter = len(last) == 1 and last.isalnum()
    if not letter and last not in NAMED and last not in SIGNS:
        return None
    if not _MODIFIERS.issuperset(modifiers) or len(set(modifiers)) < len(modifiers):
        return None
    if letter and modifiers and (modifiers == ["shift"] or last != last.lower()):
        return None
    name = "+".join((*sorted(modifiers), last))
    return _SENT_AS.get(name, name)


def understand_keys(written: Mapping[str, str]) -> tuple[Keymap, tuple[KeyFault, ...]]:
    """Return the keys in force where `[keys]` says `written`, and which of its lines have no effect.

    What is faulty keeps its default keys, and so does the later of two that want the same.
    """
    changed: dict[str, tuple[str, ...]] = {}
    faults: list[KeyFault] = []
    for action, value in written.items():
        words = [word.strip() for word in value.split(",")]
        names = {word: key_name(word) for word in words}
        unknown = next((word for word, name in names.items() if name is None), None)
        if action not in DEFAULT:
            faults.append(KeyFault(action, f"names no action and has no effect{did_you_mean(action, DEFAULT)}"))
        elif action == BACK:
            faults.append(KeyFault(action, "has no effect: escape leaves whatever is open, always; take this out"))
        elif unknown is not None:
            faults.append(KeyFault(action, _unknown(unknown)))
        else:
            changed[action] = tuple(dict.fromkeys(name for name in names.values() if name is not None))
    while taken := next(_taken(changed), None):
        faults.append(taken)
        del changed[taken.action]
    return Keymap(tuple(changed.items())), tuple(faults)


def _unknown(word: str) -> str:
    """Say that `word` is no key; it is never shown, for it might be a secret in the wrong place."""
    hint = did_you_mean(word, (*NAMED, *SIGNS))
    example = ': write one as "p", "f5", "ctrl+y" or "question_mark"'
    return f"holds what is no key of a keyboard and has no effect{hint or example}"


def _taken(changed: dict[str, tuple[str, ...]]) -> Iterator[KeyFault]:
    """Yield the changes that want another's key, the last one first."""
    in_force = {**DEFAULT, **changed}
    for action in reversed(changed):
        others = {key: other for other, keys in in_force.items() if other != action for key in keys}
        owners = {**others, **FIXED}
        for key in changed[action]:
            if key in owners:
                yield KeyFault(action, f'has no effect: "{key}" is the key of {owners[key]} already; choose another')
