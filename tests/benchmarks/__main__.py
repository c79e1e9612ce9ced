"""Runs the families named, or all of them, and prints one table."""

import os
import sys
from collections.abc import Callable, Iterator
from typing import Final

from hermes_tui.view.table import table
from tests.benchmarks import choosing, idling, starting, turns
from tests.benchmarks.measuring import HEADS, Figure

FAMILIES: Final[dict[str, Callable[[], Iterator[Figure]]]] = {
    "turns": turns.measure,
    "choosing": choosing.measure,
    "starting": starting.measure,
    "idling": idling.measure,
}


def main(names: list[str]) -> int:
    """Measure, and print the table under the load of the machine."""
    unknown = [name for name in names if name not in FAMILIES]
    if unknown:
        sys.stderr.write(f"unknown: {', '.join(unknown)}; there are {', '.join(FAMILIES)}\n")
        return 2
    before = os.getloadavg()[0]
    figures = [figure for name in names or FAMILIES for figure in FAMILIES[name]()]
    sys.stdout.write(table([figure.cells() for figure in figures], HEADS))
    sys.stdout.write(
        f"\nMedians, interleaved. {os.cpu_count()} cores; load of a minute {before:.2f} before, "
        f"{os.getloadavg()[0]:.2f} after: read the ratios.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
