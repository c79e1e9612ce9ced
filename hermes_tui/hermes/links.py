"""Routes as `config.yaml`, `state.db`, the logs and a running Hermes name them, and the place of one in a chain."""

from typing import Final

from hermes_tui.core.route import ApiMode, Link, Route
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.known import KNOWN, canonical
from hermes_tui.hermes.values import Entry

CUSTOM: Final = "custom"
"""What Hermes calls every provider of the user's own, where it does not name it `custom:name`."""

CODEX: Final = "openai-codex"
"""The one provider whose usage endpoint Hermes asks."""

NOT_IN_FILE: Final = "not in the file any more"
NOT_IN_CHAIN: Final = "not in the session's chain any more"
TAKEN_FOR_PRIMARY: Final = "no entry of the chain: Hermes has it for the primary"

_MODES: Final = {mode.value: mode for mode in ApiMode}


def link_of(entry: Entry) -> Link:
    """Return an entry as a route, with why it cannot serve."""
    mode = _MODES.get(entry.api_mode, ApiMode.CODEX_RESPONSES if entry.provider == CODEX else ApiMode.CHAT_COMPLETIONS)
    route = Route(entry.provider, entry.model, entry.base_url, mode, entry.provider, entry.context_length)
    return Link(route, "; ".join(entry.faults) or None)


def placed(chain: tuple[Link, ...], provider: str, model: str) -> tuple[tuple[Link, ...], int]:
    """Return the chain with the serving route in it, and its position there."""
    for position, link in enumerate(chain, 1):
        if is_same_route(link.route, provider, model):
            return chain, position
    lost = link_of(Entry(provider or "unknown", model, "state.db", faults=(PlainText(NOT_IN_FILE),)))
    return (*chain, lost), len(chain) + 1


def is_same_route(known: Route | Entry, provider: str, model: str) -> bool:
    """Tell whether `known` is what Hermes means by a provider and a model; it may name no provider."""
    return known.model == model and (not provider or _is_same_provider(known.provider, provider))


def _is_same_provider(one: str, other: str) -> bool:
    """Tell whether both mean one provider: Hermes records each of the user's own as `custom`."""
    names = [canonical(name.removeprefix(f"{CUSTOM}:")) for name in (one, other)]
    return names[0] == names[1] or (CUSTOM in names and all(name == CUSTOM or name not in KNOWN for name in names))
