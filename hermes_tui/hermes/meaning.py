"""What the keys around the chain of a `config.yaml` mean to Hermes, for whoever writes them."""

from collections.abc import Iterator
from typing import Any, Final

from hermes_tui.core.editing import Explained
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.fallbacks import CHAIN, LEGACY
from hermes_tui.hermes.known import CONTEXT_FLOOR, STRATEGIES

_NONE: Final = "none"
_KEY: Final = "${NAME} of a variable in .env; the key itself works, and is better kept out of the file"
_MODES: Final = "chat_completions, codex_responses, anthropic_messages, bedrock_converse"

_ENTRY: Final = {
    "provider": ("Who serves the model.", "none: it must be there", "a name that Hermes knows, or custom:NAME"),
    "model": ("The model's name at that provider.", "none: it must be there", "text"),
    "base_url": ("The address of the server.", "the provider's own", "an http or https address"),
    "api_key": ("The key of this entry alone.", "the provider's logins", _KEY),
    "key_env": ("The variable that holds the key.", _NONE, "the name of a variable in .env"),
    "api_key_env": ("The variable that holds the key, by its other name.", _NONE, "the name of a variable in .env"),
    "api_mode": ("The dialect that the server speaks.", "the provider's own", _MODES),
    "context_length": (
        "What the model can read, in tokens.",
        "what is known of the model",
        f"a number; Hermes skips what has less than {CONTEXT_FLOOR:,}",
    ),
}
_CUSTOM: Final = _ENTRY | {"name": ("What entries call it: custom:NAME.", "none: it must be there", "text")}
_MEANINGS: Final[dict[tuple[str, ...], tuple[str, str, str]]] = {
    (CHAIN,): ("Where a session goes when its primary fails or runs out, in this order.", _NONE, "a list of entries"),
    (LEGACY,): ("A chain as older releases wrote it; it comes last.", _NONE, "one entry, or a list of them"),
    ("model",): ("The model that every session asks for first: the primary.", _NONE, "a table, or a model's name"),
    ("model", "default"): ("The primary's name at its provider.", _NONE, "text"),
    ("custom_providers",): ("Servers of your own, by name.", _NONE, "a list of tables"),
    ("providers",): ("Servers of your own, or what is tuned of known ones.", _NONE, "a table for each"),
    ("credential_pool_strategies",): (
        "The order in which a provider's logins are used.",
        "fill_first",
        ", ".join(sorted(STRATEGIES)),
    ),
    ("fallback",): ("How a session leaves its primary (from 0.22 on).", "each setting's own", "a table"),
    ("fallback", "min_switch_reset_seconds"): (
        "A limit that ends sooner than this is waited for on the primary.",
        "0, which never waits",
        "seconds",
    ),
    **{(CHAIN, name): said for name, said in _ENTRY.items()},
    **{(LEGACY, name): said for name, said in _ENTRY.items()},
    **{("model", name): said for name, said in _ENTRY.items() if name != "model"},
    **{("custom_providers", name): said for name, said in _CUSTOM.items()},
}


def explained(root: Any, line: int, column: int) -> Explained | None:
    """Return what the key at a place (line from 1, column from 0) means, None where nothing is known of one.

    It is the last one that begins before the place on its line, else the first of the line.
    """
    marks = [(way, key.start_mark) for way, key in _keys(root, ())] if root is not None else []
    here = [(way, mark.column) for way, mark in marks if mark.line == line - 1 and way in _MEANINGS]
    way = next((way for way, begin in reversed(here) if begin <= column), here[0][0] if here else None)
    if way is None:
        return None
    what, default, allowed = _MEANINGS[way]
    return Explained(one_line(".".join(way)), PlainText(what), PlainText(default), PlainText(allowed))


def _keys(node: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every key of the first two tables, with the way to it; a list's tables are as one."""
    for item in node.value if isinstance(node.value, list) else ():
        if isinstance(item, tuple):
            key, value = item
            inner = (*way, str(key.value))
            yield inner, key
            if not way:
                yield from _keys(value, inner)
        elif way:
            yield from _keys(item, way)
