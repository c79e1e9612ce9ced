"""The benchmarks at their smallest, so that their code cannot rot unseen; nothing is said about their figures."""

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.benchmarks.__main__ import FAMILIES, main
from tests.benchmarks.measuring import HEADS
from tests.benchmarks.plan import NOT_INSTALLED, Plan, Size
from tests.benchmarks.router import router

ROWS: Final = {
    "turns": 2,
    "choosing": 4,
    "reading": 6,
    "herding": 2,
    "crowding": 4,
    "starting": 3,
    "idling": 3,
    "busy": 6,
    "home": 6,
    "bridge": 3,
    "talking": 4,
    "days": 2,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_yields_its_rows(family: str) -> None:
    figures = list(FAMILIES[family](Plan(Size.LEAST)))
    assert len(figures) == ROWS[family]
    assert len({figure.name for figure in figures}) == len(figures)
    assert all(figure.ours and figure.reached and figure.goal for figure in figures)


def test_the_table_has_every_row_and_tells_the_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["choosing", "--size", "least"]) == 0
    heads, _, *rows, empty, told = capsys.readouterr().out.splitlines()
    assert [head for head in HEADS if head in heads] == list(HEADS)
    assert len(rows) == ROWS["choosing"]
    assert f"LiteLLM Router: {NOT_INSTALLED}" in rows[0]
    assert (empty, "load of a minute" in told) == ("", True)


def test_an_interpreter_without_litellm_is_told_at_once() -> None:
    with pytest.raises(RuntimeError, match="LiteLLM, import: the process ended"), router(Path(sys.executable)):
        pass
