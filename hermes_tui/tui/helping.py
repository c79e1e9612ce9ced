"""The keys of whatever screen is open, read from its bindings as they are in force."""

from textual.screen import Screen

from hermes_tui.core.keymap import word_of
from hermes_tui.view.help import Keys


def live_keys(screen: Screen[object]) -> tuple[Keys, ...]:
    """Return the keys that act on `screen` now, its own first, then those of the part that has the focus."""
    found: dict[tuple[bool, str], list[str]] = {}
    for key, (node, binding, enabled, _) in screen.active_bindings.items():
        if enabled and binding.description:
            found.setdefault((node is not screen, binding.description), []).append(word_of(key))
    ordered = sorted(found.items(), key=lambda entry: entry[0][0])
    return tuple(Keys(" ".join(keys), what, of_part=of_part) for (of_part, what), keys in ordered)
