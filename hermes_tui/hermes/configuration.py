"""`config.yaml` of a home: which models it asks for, and in which order.

It is read as it is written: no variable is put in, no default added, and no key kept.
"""

import hashlib
import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.bounded import read_at_most, reason_of
from hermes_tui.hermes.custom import CustomProviders
from hermes_tui.hermes.document import LARGEST, read_document
from hermes_tui.hermes.entries import Table, address_of, count_of, entry_of, shown, table_of, text_of
from hermes_tui.hermes.fallbacks import LEGACY, Route, Surroundings, chain_of, warnings_of
from hermes_tui.hermes.known import CONTEXT_FLOOR, STRATEGIES
from hermes_tui.hermes.values import Entry, Home, HomeConfiguration

FILE_NAME: Final = "config.yaml"

_MODEL_NAMES: Final = ("default", "model", "name")
_DIGEST_DIGITS: Final = 16
_USER_PROVIDERS: Final = Path("plugins", "model-providers")


def read_configuration(home: Home) -> HomeConfiguration:
    """Return what the file of a home says, as Hermes would take it.

    Raises ConfigurationError where it is not there, cannot be read, or is not YAML that Hermes could read, with the
    line and what to do.
    """
    path = home.path / FILE_NAME
    data, facts = _read(path)
    read = understood(read_document(data, path), has_provider_plugins=has_provider_plugins(home))
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST_DIGITS]
    return replace(read, digest=digest, modified_at=facts.st_mtime)


def read_tables(home: Home) -> Table:
    """Return the tables of a home's file as they stand there, keys and all. Raises ConfigurationError as above."""
    path = home.path / FILE_NAME
    return read_document(_read(path)[0], path)


def _read(path: Path) -> tuple[bytes, os.stat_result]:
    try:
        return read_at_most(path, LARGEST + 1)
    except FileNotFoundError:
        raise ConfigurationError("it is not there: run `hermes setup` to make one", path=path) from None
    except OSError as error:
        raise ConfigurationError(f"it cannot be read ({reason_of(error)})", path=path) from None


def has_provider_plugins(home: Home) -> bool:
    """Tell whether a home may have providers of its user's own making."""
    return os.path.isdir(home.path / _USER_PROVIDERS)  # noqa: PTH112 - Path.is_dir raises where it may not look


def understood(document: Table, *, has_provider_plugins: bool = False) -> HomeConfiguration:
    """Return what a document says; where plugins may define providers, none is called unknown."""
    custom = CustomProviders(document)
    model = _model(document)
    floor = count_of(table_of(document.get("agent")).get("minimum_tool_context_length")) or CONTEXT_FLOOR
    primary = None if model is None else Route(text_of(model.get("provider")), _name(model)[0], address_of(model))
    around = Surroundings(primary, custom, floor, has_provider_plugins)
    entries = chain_of(document, around)
    return HomeConfiguration(
        None if model is None or primary is None else _primary(model, primary),
        entries,
        any(entry.where.startswith(LEGACY) for entry in entries),
        tuple(custom.entries),
        tuple(_strategies(document)),
        tuple(_timeouts(document)),
        _seconds(table_of(document.get("fallback")).get("min_switch_reset_seconds")) or 0.0,
        _isolates(document),
        warnings=tuple(_warnings(document)),
    )


def _model(document: Table) -> dict[Any, Any] | None:
    """Return the table `model` with what older layouts kept beside it, None where no model is asked for."""
    written = document.get("model")
    model = dict(written) if isinstance(written, dict) else {"default": written} if written else {}
    for key in ("provider", "base_url", "context_length"):
        model[key] = model.get(key) or document.get(key)
    model["base_url"] = model["base_url"] or document.get("api_base") or model.get("api_base")
    model["api_key"] = model.get("api_key") or model.get("api")
    if not text_of(model["provider"]) or text_of(model["provider"]) == "auto":
        model["provider"] = _name(model)[1] or model["provider"] or "auto"
    return model if any(model.get(key) for key in _MODEL_NAMES) or written else None


def _name(model: Table) -> tuple[str, str]:
    """Return the model that a table asks for, and the provider where it is named with it."""
    for key in _MODEL_NAMES:
        if isinstance(value := model.get(key), dict):
            name, provider = text_of(value.get("model") or value.get("default")), text_of(value.get("provider"))
        else:
            name, provider = text_of(value), ""
        if name:
            return name, provider
    return "", ""


def _primary(model: Table, route: Route) -> Entry:
    entry = entry_of(model, "model", provider=route.provider, model=route.model)
    no_model = one_line("no model: choose one with `hermes model`")
    return entry if route.model else replace(entry, faults=(no_model,))


def _strategies(document: Table) -> Iterator[tuple[str, str]]:
    for provider, strategy in table_of(document.get("credential_pool_strategies")).items():
        if (name := text_of(strategy).lower()) in STRATEGIES and text_of(provider):
            yield shown(text_of(provider)), name


def _timeouts(document: Table) -> Iterator[tuple[str, float]]:
    for provider, table in table_of(document.get("providers")).items():
        seconds = _seconds(table_of(table).get("request_timeout_seconds"))
        if seconds is not None and text_of(provider):
            yield shown(text_of(provider)), seconds


def _seconds(value: Any) -> float | None:
    """Return seconds above 0, None for anything else."""
    if not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 and math.isfinite(seconds) else None


def _isolates(document: Table) -> bool:
    return text_of(table_of(document.get("plugins")).get("isolation")).lower() == "host"


def _warnings(document: Table) -> Iterator[PlainText]:
    yield from warnings_of(document)
    if (listed := document.get("custom_providers")) and not isinstance(listed, list):
        yield one_line("custom_providers is not a list, so Hermes leaves it out")
    for provider, strategy in table_of(document.get("credential_pool_strategies")).items():
        if text_of(strategy).lower() not in STRATEGIES:
            names = ", ".join(sorted(STRATEGIES))
            yield one_line(
                f"credential_pool_strategies.{shown(text_of(provider))} is none of {names}: Hermes takes fill_first"
            )
