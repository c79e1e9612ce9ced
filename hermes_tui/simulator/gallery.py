"""The gallery: every shape that comes with the program, by name."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from hermes_tui.core.nearest import did_you_mean
from hermes_tui.simulator.shape import Shape

SHAPES: Final = Path(__file__).parent / "shapes"


@cache
def shapes() -> dict[str, Shape]:
    """Return all shapes by name, provider after provider in the order of their files."""
    found = [shape for file in sorted(SHAPES.glob("*.toml")) for shape in _shapes_in(file)]
    by_name = {shape.name: shape for shape in found}
    if len(by_name) < len(found):
        raise ValueError(f"two shapes in {SHAPES} have one name")
    return by_name


def where_instead(name: str) -> str:
    """Return the end of a sentence about a shape that is not there: the nearest name, or where all of them are."""
    return did_you_mean(name, shapes()) or "; hermes-tui shapes lists them"


def _shapes_in(file: Path) -> list[Shape]:
    """Return the shapes of a file: what stands at its head holds for each that says nothing else."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    own = tables.pop("shapes")
    return [Shape.model_validate(tables | table) for table in own]
