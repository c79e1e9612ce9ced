"""What every key of the file means, for whoever writes it: in a sentence, with its default and the values it takes."""

from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from hermes_tui.config import schema
from hermes_tui.config.lines import LineIndex
from hermes_tui.config.problems import Where, safe, spelled
from hermes_tui.core.configuration import OnRefusal, Policy, Pool, RestoreMode, Strategy
from hermes_tui.core.editing import Explained
from hermes_tui.core.keymap import DEFAULT
from hermes_tui.core.text import PlainText

RUNTIME: Final[dict[str, str]] = {
    "policy": f"When to believe that a limit ended before its date: {', '.join(Policy)}.",
    "restore": f"Whether a session returns to its primary by itself: {', '.join(RestoreMode)}.",
    "on_refusal": f"What a refusal for its content does: {', '.join(OnRefusal)}.",
    "max_retries": "How often one route is tried when it fails without a limit.",
    "backoff_base_seconds": "The first wait between two tries; each further one is twice as long.",
    "backoff_cap_seconds": "The longest wait between two tries.",
    "probe_interval_seconds": "How long a verdict of the usage endpoint counts, and the least time between two checks.",
    "min_switch_reset_seconds": "A limit that ends sooner than this is waited for on the primary; 0 never waits.",
    "first_token_timeout_seconds": "The longest wait for the first word of a reply.",
    "idle_timeout_seconds": "The longest wait between two words of a reply.",
    "turn_timeout_seconds": "The longest time for a whole turn, its retries and fallbacks included.",
}
"""A line of explanation for every field of `Settings`."""


class _Meaning(NamedTuple):
    """What a key means; `default` where the schema's is not what holds, `allowed` where its type says too little."""

    what: str
    default: str = ""
    allowed: str = ""


_KEY_FORMS: Final = (
    '"${NAME}", "env:NAME", "file:PATH", "command:ARGV" (run when the key is needed), "codex:" (the login of Codex) or '
    '"hermes:LABEL" (one of Hermes); the key itself works, and is better kept out of the file'
)
_A_VARIABLE: Final = "the name of an environment variable, never the key itself"
_POOL: Final = Pool("", "", ())

_KEYED: Final = {
    "api_key": _Meaning("Where the key is.", "the provider's pool, or its usual environment variable", _KEY_FORMS),
    "key_env": _Meaning("The environment variable that holds the key.", "none", _A_VARIABLE),
    "api_key_env": _Meaning("The environment variable that holds the key, by its other name.", "none", _A_VARIABLE),
}
_URL: Final = "an http or https address; a key is only sent to the provider's own server or with an entry's own key"

MEANINGS: Final[dict[type[schema.Table], dict[str, _Meaning]]] = {
    schema.File: {
        "primary": _Meaning("The model that every session starts on, and returns to.", "none: it must be there"),
        "fallback_providers": _Meaning(
            "Where a session goes when its primary runs out or fails: the first entry that can serve, in this order.",
            "nothing to fall back to",
            "a [[fallback_providers]] table for each entry, or a list of inline tables",
        ),
        "fallback_model": _Meaning("One more entry, as Hermes once wrote it; it comes last.", "none"),
        "providers": _Meaning("A table for each provider: its address and its credentials.", "what is known of it"),
        "credential_pool_strategies": _Meaning(
            "The order of a provider's credentials, as Hermes writes it; `strategy` goes first.", _POOL.strategy.value
        ),
        "runtime": _Meaning("How limits and failures are handled.", "each setting's own"),
        "sessions": _Meaning("Your sessions.", "none", "a [[sessions]] table for each"),
        "keys": _Meaning("Other keys for the dashboard's actions.", "those that ? lists", "several with commas"),
        "screen": _Meaning("How the dashboard looks.", "each setting's own"),
        "tell": _Meaning(
            "How you are told of what matters while you look elsewhere.", "the bell, when a session asks you something"
        ),
    },
    schema.Entry: {
        "provider": _Meaning(
            "Who serves the model.", "none: it must be there", "a known provider, or one of [providers]"
        ),
        "model": _Meaning("The model's name at that provider.", "none: it must be there"),
        "base_url": _Meaning("The address of the server.", "the provider's own", _URL),
        "api_mode": _Meaning("The dialect that the server speaks.", "the provider's own"),
        "context_length": _Meaning(
            "What the model can read, in tokens: a longer conversation skips the entry.",
            "unknown: never skipped for it",
        ),
        **_KEYED,
    },
    schema.Provider: {
        "base_url": _Meaning("The address of the provider's server.", "what is known of it", _URL),
        "api_mode": _Meaning("The dialect that the server speaks.", "the provider's own"),
        "request_timeout_seconds": _Meaning("How long one request may take.", f"{_POOL.request_timeout_seconds:g}"),
        "strategy": _Meaning("The order in which the pool's credentials are used.", _POOL.strategy.value),
        "credentials": _Meaning(
            "The keys of the pool: when one runs out, the next is used.",
            "the usual environment variable",
            "a [[providers.NAME.credentials]] table for each",
        ),
        **_KEYED,
    },
    schema.Credential: {
        "label": _Meaning("What the credential is called on the screen.", "the provider and its number in the pool"),
        "api_key": _Meaning("Where the key is.", "none: it must be there", _KEY_FORMS),
    },
    schema.Runtime: {name: _Meaning(what) for name, what in RUNTIME.items()},
    schema.Session: {
        "name": _Meaning("What the session is called.", "none: it must be there"),
        "prompt": _Meaning("What a session that runs by itself asks.", "none: it waits for what you type"),
        "system_prompt": _Meaning("What the model is told before every conversation.", "nothing"),
        "every": _Meaning("How often the session runs by itself.", "never", '"30s", "15m", "1h30m", "1d"'),
        "primary": _Meaning("The session's own primary.", "the file's"),
        "fallback_providers": _Meaning(
            "The session's own chain, in the place of the file's; an empty one leaves nothing to fall back to.",
            "the file's chain",
            "a [[sessions.fallback_providers]] table for each entry, or a list of inline tables",
        ),
    },
    schema.ScreenTable: {
        "theme": _Meaning("The dashboard's theme.", "what fits the terminal"),
        "glyphs": _Meaning("Which signs are drawn."),
        "motion": _Meaning("Whether anything moves."),
        "updates_per_second": _Meaning("How often changes are shown at most: few for a slow line."),
        "hermes_homes": _Meaning(
            "The homes of Hermes whose sessions are shown beside this file's, read when the dashboard opens.",
            "the one that Hermes uses here, with its profiles",
            'a list of folders: ["~/.hermes"]; an empty one shows none',
        ),
    },
    schema.TellTable: {
        "bell": _Meaning(
            "Whether the terminal's bell is rung.",
            "only when a session asks you something, or false beside another means",
        ),
        "desktop": _Meaning("Whether the terminal shows a notification, where it knows how."),
        "command": _Meaning(
            "A command whose last argument is the sentence.", "none", 'a list: ["notify-send", "hermes"]'
        ),
        "on": _Meaning("What is worth telling.", "all of them"),
        "remind": _Meaning("After how long you are told again while a session stays off its primary.", "never"),
    },
}
"""A sentence for every key that the schema knows."""

_TABLES: Final[dict[tuple[str, ...], type[schema.Table]]] = {
    (): schema.File,
    ("primary",): schema.Entry,
    ("fallback_model",): schema.Entry,
    ("fallback_providers", "*"): schema.Entry,
    ("providers", "*"): schema.Provider,
    ("providers", "*", "credentials", "*"): schema.Credential,
    ("runtime",): schema.Runtime,
    ("sessions", "*"): schema.Session,
    ("sessions", "*", "primary"): schema.Entry,
    ("sessions", "*", "fallback_providers", "*"): schema.Entry,
    ("screen",): schema.ScreenTable,
    ("tell",): schema.TellTable,
}
"""Which table stands at which way; `*` is any name or position."""


def explained(lines: LineIndex, line: int, column: int) -> Explained | None:
    """Return what the key at a place means (line from 1, column from 0), None where none stands there."""
    where = lines.at(line, column)
    while where:
        found = _meaning(where)
        if found is not None:
            return found
        where = where[:-1]
    return None


def _meaning(where: Where) -> Explained | None:
    *outer, last = where
    key = safe(spelled(where))
    table = next((kind for way, kind in _TABLES.items() if _fits(way, outer)), None)
    if table is not None and isinstance(last, str) and last in MEANINGS[table]:
        return _of_field(key, MEANINGS[table][last], table.model_fields[last])
    match where:
        case ("keys", str(action)) if action in DEFAULT:
            return _explained(key, "The keys of this action.", ", ".join(DEFAULT[action]), "keys, with commas between")
        case ("credential_pool_strategies", str()):
            what = MEANINGS[schema.File]["credential_pool_strategies"].what
            return _explained(key, what, _POOL.strategy.value, ", ".join(Strategy))
        case _:
            return None


def _fits(way: tuple[str, ...], where: list[str | int]) -> bool:
    return len(way) == len(where) and all(part in ("*", there) for part, there in zip(way, where, strict=True))


def _of_field(key: str, meaning: _Meaning, field: FieldInfo) -> Explained:
    default = meaning.default or _written(field.get_default(call_default_factory=False))
    return _explained(key, meaning.what, default, meaning.allowed or _allowed(field.annotation, tuple(field.metadata)))


def _explained(key: str, what: str, default: str, allowed: str) -> Explained:
    return Explained(PlainText(key), PlainText(what), PlainText(default), PlainText(allowed))


def _written(value: object) -> str:
    """Return a default as it would be written."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value.value if isinstance(value, Enum) else value)


def _allowed(kind: Any, bounds: tuple[object, ...]) -> str:
    """Return the values that a type takes, in words."""
    inside = get_args(kind)
    match get_origin(kind):
        case origin if origin is Annotated:
            return _allowed(inside[0], (*bounds, *inside[1:]))
        case origin if origin in (Union, UnionType):
            return _allowed(next(one for one in inside if one is not NoneType), bounds)
        case origin if origin is Literal:
            return ", ".join(inside)
        case origin if origin is list:
            item = _allowed(inside[0], ())
            return f"a list of: {item}" if item else "a list"
        case origin if origin is dict:
            return "a table"
        case _:
            return _of_type(kind, bounds)


def _of_type(kind: type, bounds: tuple[object, ...]) -> str:
    if issubclass(kind, Enum):
        return ", ".join(str(one.value) for one in kind)
    if issubclass(kind, bool):
        return "true or false"
    if issubclass(kind, int | float):
        whole = "a whole number" if issubclass(kind, int) else "a number"
        return " ".join((whole, *filter(None, map(_bound, _flat(bounds)))))
    return "a table" if issubclass(kind, schema.Table) else "text in quotes"


def _flat(bounds: tuple[object, ...]) -> list[object]:
    """Return the bounds themselves, out of the fields that hold some."""
    return [one for bound in bounds for one in (bound.metadata if isinstance(bound, FieldInfo) else (bound,))]


def _bound(bound: object) -> str:
    match bound:
        case Gt(gt=least):
            return f"above {least:g}"
        case Ge(ge=least):
            return f"from {least:g}"
        case Le(le=most):
            return f"to {most:g}"
        case _:
            return ""
