"""The first configuration: a file that works as it stands, explains itself, and shows every setting's default.

Lines that begin with `# ` explain. Lines that begin with `#` alone are settings: they load when the `#` is taken away.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import fill, indent
from typing import Any, Final

import tomli_w

from hermes_tui.config.load import Screen
from hermes_tui.config.meaning import RUNTIME
from hermes_tui.config.new_file import create
from hermes_tui.core.beginning import FirstRoute
from hermes_tui.core.configuration import Pool, Settings, Strategy
from hermes_tui.core.errors import ConfigurationError, UsageError
from hermes_tui.core.keymap import BACK, DEFAULT
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.nearest import did_you_mean
from hermes_tui.core.telling import Occasion

EXAMPLE: Final = ("openai-codex", "openrouter")
"""The primary and the fallback where the environment has no key."""

_DEFAULTS: Final = asdict(Settings())
_POOL: Final = Pool("", "", ())


def found_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the known providers whose key is in the environment, each with the variable's name, never its value."""
    names = {known.name: _set_variable(known, environ) for known in KNOWN_PROVIDERS.values()}
    return {provider: name for provider, name in names.items() if name is not None}


def _variables(known: KnownProvider) -> tuple[str, ...]:
    return known.key_variables or ((known.example_variable,) if known.example_variable else ())


def _set_variable(known: KnownProvider, environ: Mapping[str, str]) -> str | None:
    return next((name for name in _variables(known) if environ.get(name, "").strip()), None)


def initial_text(
    environ: Mapping[str, str],
    *,
    provider: str | None = None,
    model: str | None = None,
    fallbacks: Sequence[str] = (),
) -> str:
    """Return the text of a first configuration; it loads without an error, and says where an address is missing.

    Providers whose key variables are set come first; where none is, `EXAMPLE` stands in. `provider` and `model` name
    the primary, `fallbacks` the whole chain as `provider/model`. Raises UsageError for a provider that is not known.
    """
    found = found_variables(environ)
    names = list(found) or ([] if provider else list(EXAMPLE))
    primary = _known(provider or names[0])
    chain = [_route(fallback, found) for fallback in fallbacks] or [
        _route_of(KNOWN_PROVIDERS[name], found) for name in names if name != primary.name
    ]
    return file_text([_route_of(primary, found, model), *chain])


def file_text(routes: Sequence[FirstRoute]) -> str:
    """Return the text of a first configuration with `routes`, the primary first."""
    sections = (
        _INTRODUCTION,
        _primary(routes[0]),
        *_chain(routes),
        *_providers(routes),
        _runtime(),
        *_sessions(routes[0]),
        *_dashboard(routes[0]),
    )
    return "\n".join(sections)


def found_routes(environ: Mapping[str, str]) -> list[FirstRoute]:
    """Return a route for each provider whose key is in the environment, with the model that is proposed for it."""
    found = found_variables(environ)
    return [_route_of(KNOWN_PROVIDERS[name], found) for name in found]


def _known(name: str) -> KnownProvider:
    if name not in KNOWN_PROVIDERS:
        hint = did_you_mean(name, KNOWN_PROVIDERS) or "."
        raise UsageError(
            f'provider "{name}" is not known here{hint} Known are {", ".join(KNOWN_PROVIDERS)}; '
            "another server is added in the file, as [providers.NAME] with its base_url"
        )
    return KNOWN_PROVIDERS[name]


def _route(text: str, found: Mapping[str, str]) -> FirstRoute:
    provider, _, model = text.partition("/")
    if not provider or not model:
        raise UsageError(f'--fallback "{text}" is not a route: write provider/model')
    return _route_of(_known(provider), found, model)


def _route_of(known: KnownProvider, found: Mapping[str, str], model: str | None = None) -> FirstRoute:
    """Return a route to a known provider; its key is in the variable that was found, else in its usual one."""
    variable = found.get(known.name) or (next(iter(_variables(known)), "") if known.needs_key else "")
    return FirstRoute(known.name, model or known.example_model, key=f"env:{variable}" if variable else "")


_INTRODUCTION: Final = """\
# hermes-tui: which model your sessions use, and where they go when it runs out.
#
# Lines that begin with "# " explain. Lines that begin with "#" alone are settings with their defaults, or examples:
# take the "#" away and change them. `hermes-tui check` reads this file without sending anything.
"""


def _on(header: str, values: Mapping[str, Any]) -> str:
    """Return a table, or an entry of a list of tables, that is in force."""
    return f"{header}\n{tomli_w.dumps(values)}"


def _off(values: Mapping[str, Any], header: str | None = None) -> str:
    """Return settings that a `#` keeps out of force; without a header they belong to the table above."""
    lines = [*([header] if header else []), *tomli_w.dumps(values).splitlines()]
    return "".join(f"#{line}\n" for line in lines)


def _named(route: FirstRoute) -> dict[str, str]:
    return {"provider": route.provider, "model": route.model}


def _primary(route: FirstRoute) -> str:
    address = route.base_url or route.known.address
    return (
        "# The model that every session starts on, and returns to.\n"
        + _on("[primary]", _named(route))
        + _off({"base_url": address, "api_mode": route.known.api_mode.value})
    )


def _chain(routes: Sequence[FirstRoute]) -> Iterator[str]:
    yield (
        "# Where a session goes when its primary runs out or fails: the first entry that can serve, in this order.\n"
        "# (A single [fallback_model] table, as Hermes once wrote it, is read as well and comes last.)\n"
    )
    yield from (_on("[[fallback_providers]]", _named(route)) for route in routes[1:])
    named = {route.provider for route in routes}
    keyless = (known for known in KNOWN_PROVIDERS.values() if not known.needs_key and not known.key_variables)
    local = next((known for known in keyless if known.name not in named), None)
    if local is not None:
        entry = {"provider": local.name, "model": local.example_model, "context_length": 32768}
        yield (
            "# One more: a server on this machine needs no key. context_length is what it can read, in tokens.\n"
            + _off(entry, "[[fallback_providers]]")
        )


def _providers(routes: Sequence[FirstRoute]) -> Iterator[str]:
    yield (
        '# Keys stand in the environment, never in this file: write "${NAME}", "env:NAME" or "file:PATH".\n'
        "# The credentials of a provider form its pool: when one runs out, the next is used.\n"
    )
    by_provider = {route.provider: route for route in reversed(routes)}
    for name in dict.fromkeys(route.provider for route in routes):
        yield from _provider(by_provider[name])


def _provider(route: FirstRoute) -> Iterator[str]:
    known = route.known
    address = {"base_url": route.base_url or known.address}
    settings = {
        "strategy": _POOL.strategy.value,
        "request_timeout_seconds": _POOL.request_timeout_seconds,
    }
    yield (
        ("" if route.url else "# Every customer has another address: write yours as base_url.\n")
        + f"# Its address, the order of its credentials ({', '.join(Strategy)}), and our patience.\n"
        + _on(f"[providers.{route.provider}]", address if route.base_url else {})
        + _off(settings if route.base_url else address | settings)
    )
    usual = next(iter(_variables(known)), None)
    key = route.key or (f"env:{usual}" if usual else "")
    if key:
        header = f"[[providers.{route.provider}.credentials]]"
        main = {"label": "main", "api_key": _written(key)}
        sign_in = f"# The token comes from: {known.sign_in}\n" if known.sign_in else ""
        optional = "# It may go without a key.\n" + _off(main, header)
        yield sign_in + _on(header, main) if route.key else optional
        another = f"{key}~/.codex-2" if key.endswith(":") else f"{key}_2"
        yield "# A second one:\n" + _off({"label": "second", "api_key": _written(another)}, header)


def _written(reference: str) -> str:
    """Return a reference as the file writes it: a variable as `${NAME}`."""
    kind, _, name = reference.partition(":")
    return f"${{{name}}}" if kind == "env" else reference


def _runtime() -> str:
    lines = "".join(f"# {explained}\n{_off({name: _DEFAULTS[name]})}" for name, explained in RUNTIME.items())
    return "# How limits and failures are handled.\n" + _on("[runtime]", {}) + lines


def _sessions(primary: FirstRoute) -> Iterator[str]:
    yield (
        "# Your sessions. This one waits for what you type.\n"
        + _on("[[sessions]]", {"name": "main"})
        + _off({"system_prompt": "Answer briefly."})
    )
    nightly = {"name": "nightly", "prompt": "Summarise what changed since yesterday.", "every": "24h"}
    yield (
        "# One that runs by itself, with a primary of its own; [[sessions.fallback_providers]] is its own chain.\n"
        + _off(nightly, "[[sessions]]")
        + _off(_named(primary), "[sessions.primary]")
    )


def _dashboard(primary: FirstRoute) -> Iterator[str]:
    look = Screen()
    off = {"theme": "hermes-dark", "glyphs": look.glyphs, "motion": look.motion}
    yield (
        "# How the dashboard looks. Glyphs: auto, unicode or ascii; motion: auto, full or none.\n"
        "# For a slow line: fewer updates_per_second. Sessions of a Hermes on this machine are shown beside\n"
        "# these; hermes_homes = [] shows none.\n"
        + _on("[screen]", {})
        + _off(off | {"updates_per_second": look.updates_per_second})
        + f"#hermes_homes = {json.dumps(['~/.hermes'])}\n"
    )
    yield (
        "# How you are told of what matters while you look elsewhere: the terminal's bell, a notification on the\n"
        "# desktop, a command whose last argument is the sentence (no shell). `remind` tells again while a session\n"
        "# stays off its primary, each time this long has passed; without it nothing is told twice. Unless you\n"
        "# choose a means here, the bell rings when a session asks you something, and nothing else is told.\n"
        + _on("[tell]", {})
        + _off({"bell": False, "desktop": False})
        + f"#command = {json.dumps(['notify-send', 'hermes-tui'])}\n"
        + f"#on = {json.dumps([*Occasion])}\n"
        + _off({"remind": "12h"})
    )
    yield (
        "# Other keys for its actions, several with commas. The actions, as `?` lists them:\n"
        + indent(fill(", ".join(action for action in DEFAULT if action != BACK), 116), "# ")
        + "\n"
        + _on("[keys]", {})
        + _off({"probe": "ctrl+y"})
    )
    yield (
        "# The order of a provider's credentials, as Hermes writes it; `strategy` above goes first.\n"
        + _on("[credential_pool_strategies]", {})
        + _off({primary.provider: _POOL.strategy.value})
    )


def write_new(path: Path, text: str) -> None:
    """Write `text` as a new file that its owner alone can read, and make its folder where it is missing.

    Raises ConfigurationError; whatever is at `path` already is never touched.
    """
    try:
        create(path, text)
    except FileExistsError:
        advice = "`hermes-tui check` explains it, `hermes-tui fallback add` adds a route"
        raise ConfigurationError(f"is there already, and is never overwritten: {advice}", path=path) from None
    except OSError as error:
        advice = "name another place with --config"
        raise ConfigurationError(f"cannot be written ({error.strerror}): {advice}", path=path) from error
