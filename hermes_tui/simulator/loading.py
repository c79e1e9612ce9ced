"""Scenario files: found by name or path, read, and checked, so that a fault is named before anything runs."""

import difflib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.simulator.action import ACTION_NAMES
from hermes_tui.simulator.building import build_world
from hermes_tui.simulator.scenario import Scenario, variable_in
from hermes_tui.simulator.world import UnknownTargetError

SCENARIOS: Final = Path(__file__).parent / "scenarios"


class Fault(NamedTuple):
    """What is wrong with a scenario, and the key where."""

    key: str
    what: str


FIRST_STORY: Final = "friday-to-monday"
"""The scenario that shows most of what there is to see."""


def scenario_names() -> tuple[str, ...]:
    """Return the names of the scenarios that come with the program."""
    return tuple(sorted(file.stem for file in SCENARIOS.glob("*.toml")))


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Return the scenario of that name, or of the file at that path.

    Raises ConfigurationError that names the file and the key at fault, and what to write instead.
    """
    path = _find(name_or_path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", path=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"is not TOML: {error}", path=path) from error
    try:
        scenario = Scenario.model_validate(tables)
    except ValidationError as error:
        fault = error.errors()[0]
        raise _blame(path, Fault(_key(fault["loc"]), fault["msg"].removeprefix("Value error, "))) from error
    for found in _faults(scenario):
        raise _blame(path, found)
    return scenario


def _find(name_or_path: str | Path) -> Path:
    text = str(name_or_path)
    if text in scenario_names():
        return SCENARIOS / f"{text}.toml"
    path = Path(name_or_path)
    if path.exists() or path.suffix == ".toml" or len(path.parts) > 1:
        return path
    near = difflib.get_close_matches(text, scenario_names(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(scenario_names())}"
    raise ConfigurationError(f"there is no scenario of this name; {hint}", path=path)


def _blame(path: Path, fault: Fault) -> ConfigurationError:
    return ConfigurationError(f"{fault.key}: {fault.what}", path=path, key=fault.key)


def _key(location: tuple[int | str, ...]) -> str:
    """Return a pydantic location as `timeline[0].actions[1].mode`; a union's tag is no key of the file."""
    key = ""
    for step in location:
        if isinstance(step, int):
            key += f"[{step}]"
        elif step not in ACTION_NAMES:
            key += f".{step}" if key else step
    return key


def _faults(scenario: Scenario) -> Iterator[Fault]:
    """Yield what single values cannot show: references to what is not there."""
    yield from _reference_faults(scenario)
    world = build_world(scenario, now=lambda: 0.0)
    for number, moment in enumerate(scenario.timeline):
        for place, action in enumerate(moment.actions):
            try:
                world.check(action)
            except UnknownTargetError as error:
                yield Fault(f"timeline[{number}].actions[{place}].{error.field}", str(error))


def _reference_faults(scenario: Scenario) -> Iterator[Fault]:
    configured = scenario.configuration.providers
    known = f"known: {', '.join(configured) or 'none'}"
    routes = {"configuration.primary": scenario.configuration.primary}
    for number, entry in enumerate(scenario.configuration.fallback_providers):
        routes[f"configuration.fallback_providers[{number}]"] = entry
    for place, route in routes.items():
        if route.provider not in configured:
            yield Fault(f"{place}.provider", f"{route.provider!r} has no [configuration.providers] table; {known}")
    for name, provider in configured.items():
        for number, credential in enumerate(provider.credentials):
            variable = variable_in(credential.api_key)
            if variable is not None and variable not in scenario.environment:
                place = f"configuration.providers.{name}.credentials[{number}].api_key"
                yield Fault(place, f"{variable} is not in [environment]")
    for name, table in scenario.simulator.providers.items():
        if name not in configured:
            yield Fault(f"simulator.providers.{name}", f"is not in [configuration.providers]; {known}")
            continue
        labels = [credential.label for credential in configured[name].credentials]
        for number, account in enumerate(table.accounts):
            if account.label not in labels:
                place = f"simulator.providers.{name}.accounts[{number}].label"
                yield Fault(place, f"no credential is called {account.label!r}; known: {', '.join(labels) or 'none'}")
