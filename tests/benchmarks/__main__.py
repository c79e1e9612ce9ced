"""Runs the families named, or all of them, and prints one table."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from hermes_tui.view.table import table
from tests.benchmarks import (
    bridge,
    busy,
    choosing,
    crowding,
    days,
    herding,
    home,
    idling,
    reading,
    starting,
    talking,
    turns,
)
from tests.benchmarks.measuring import HEADS, Figure, Yardstick
from tests.benchmarks.plan import Plan, Size
from tests.benchmarks.router import router

FAMILIES: Final[dict[str, Callable[[Plan], Iterator[Figure]]]] = {
    "turns": turns.measure,
    "choosing": choosing.measure,
    "reading": reading.measure,
    "herding": herding.measure,
    "crowding": crowding.measure,
    "starting": starting.measure,
    "idling": idling.measure,
    "busy": busy.measure,
    "home": home.measure,
    "bridge": bridge.measure,
    "talking": talking.measure,
    "days": days.measure,
}


def main(words: Sequence[str]) -> int:
    """Measure, and print the table with the load and the noise of the machine."""
    options = _options(words)
    yardstick = Yardstick()
    before = os.getloadavg()[0]
    figures: list[Figure] = []
    with ExitStack() as stack:
        plan = Plan(
            Size[options.size.upper()],
            stack.enter_context(router(options.litellm)) if options.litellm else None,
            options.hermesd,
        )
        for name in options.families or FAMILIES:
            yardstick.lay()
            figures += FAMILIES[name](plan)
        yardstick.lay()
    sys.stdout.write(table([figure.cells() for figure in figures], HEADS))
    sys.stdout.write(
        f"\nMedians, interleaved: read the ratios. {os.cpu_count()} cores; load of a minute {before:.2f} before, "
        f"{os.getloadavg()[0]:.2f} after; between families {yardstick.words()}.\n"
    )
    return 0


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of: {', '.join(FAMILIES)}")
    parser.add_argument("--size", choices=[size.name.lower() for size in Size], default=Size.FULL.name.lower())
    parser.add_argument("--litellm", type=Path, metavar="PYTHON", help="an interpreter that has LiteLLM")
    parser.add_argument("--hermesd", type=Path, metavar="PROGRAM", help="the program hermesd")
    options = parser.parse_args(words)
    unknown = [name for name in options.families if name not in FAMILIES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
