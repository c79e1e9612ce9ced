"""How many tests run at once where `-n auto` leaves that to us, and what holds for all tests of a process."""

import gc
import os
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

LEAST_WORKERS: Final = 5
"""Most of the slow tests wait for a program of their own: two on two processors would leave these idle."""

YOUNG_OBJECTS: Final = 20_000
"""So many objects begin the search for cycles: a started screen makes as many, and few of them are garbage."""


settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")  # how long an example takes says more of the machine than of the program


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of workers."""
    return max(LEAST_WORKERS, os.cpu_count() or 1)


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of every search for garbage to come."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


@pytest.fixture(scope="session", autouse=True)
def _style_sheets_parsed_once() -> Iterator[None]:
    """Let all screens of a process share what Textual keeps for one: the rules of a text under the same variables."""
    parse: Callable[..., list[RuleSet]] = Stylesheet._parse_rules
    parsed: dict[tuple[Any, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, *source: Any, **options: Any) -> list[RuleSet]:
        key = (tuple(sheet._variables.items()), source, tuple(options.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, *source, **options)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield
