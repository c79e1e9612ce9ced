"""C116: what a test of a chain found, on its rows and in words; a result is old once its entry is another."""

from dataclasses import replace

import pytest

from hermes_tui.core.configuration import Member, Pool
from hermes_tui.core.fitness import Fitness
from hermes_tui.core.remark import Gravity, Remark, Witness
from hermes_tui.core.route import Link
from hermes_tui.core.text import PlainText
from hermes_tui.view.examined import TESTED_CELLS, Examined, Result, result_rows, state_parts
from hermes_tui.view.line import Style, text_of
from tests.tui.fakes import CODEX, GROQ, NOW, OPENAI, ROUTER, ZAI

LINKS = (Link(CODEX), Link(GROQ), Link(ZAI), Link(ROUTER))


def a_result(position: int, gravity: Gravity, what: str, until: float | None = None) -> Result:
    """Return a result of an entry, from a minute ago."""
    link = LINKS[position]
    pool = Pool(link.route.pool, link.route.provider, (Member("one", "f", "acct"),))
    label = "one" if until is not None else None
    remark = Remark(gravity, Witness.SERVER, PlainText(what), label, until)
    return Result(Fitness(position, link.route, pool, (remark,)), link, NOW - 60)


ALL = Examined(
    (
        a_result(2, Gravity.NOTE, "the server lists the model"),
        a_result(0, Gravity.DOUBT, "429 usage limit", NOW + 761),
        a_result(1, Gravity.FAULT, "GROQ_API_KEY is not set"),
        a_result(3, Gravity.DOUBT, "not among the 2 that the server lists"),
    )
)


def row(examined: Examined, position: int, links: tuple[Link, ...] = LINKS) -> tuple[str, Style]:
    parts = state_parts(examined, position, links, NOW)
    assert parts is not None
    assert len("".join(part.text for part in parts)) == TESTED_CELLS
    return text_of(parts), parts[0].style


def test_each_row_says_what_its_entry_can_do() -> None:
    assert [row(ALL, position) for position in range(4)] == [
        ("◐ COOLING 12:41", Style.COOLING),
        ("✗ CANNOT SERVE", Style.DEAD),
        ("✓ CAN SERVE", Style.OK),
        ("! IN DOUBT", Style.COOLING),
    ]
    assert state_parts(Examined(), 1, LINKS, NOW) is None


def test_rows_without_an_answer_yet_are_being_asked() -> None:
    asking = Examined(ALL.results[:1], runs=True)
    assert row(asking, 1) == ("◌ ASKING", Style.PROBING)
    assert row(asking, 2) == ("✓ CAN SERVE", Style.OK)
    assert state_parts(replace(asking, runs=False), 1, LINKS, NOW) is None


def test_a_result_goes_with_its_entry() -> None:
    turned = (LINKS[0], LINKS[2], LINKS[1], LINKS[3])
    assert row(ALL, 1, turned)[0] == "✓ CAN SERVE"
    assert row(ALL, 2, turned)[0] == "✗ CANNOT SERVE"


def test_a_fault_that_only_stands_on_another_line_is_the_same_fault() -> None:
    faulty = replace(LINKS[1], fault="no key (hermes-tui.toml, line 6)")
    known = Examined((replace(ALL.results[2], link=faulty),))
    moved = (LINKS[0], LINKS[2], replace(faulty, fault="no key (hermes-tui.toml, line 10)"))
    assert row(known, 2, moved) == ("✗ CANNOT SERVE", Style.DEAD)


def test_a_result_is_dim_and_has_its_age_once_its_entry_is_another() -> None:
    edited = (*LINKS[:2], Link(OPENAI), LINKS[3])
    assert row(ALL, 2, edited) == ("✓ CAN SERVE 1:00", Style.MUTED)
    assert row(ALL, 1, edited)[1] is Style.DEAD
    told = [text_of(line.line) for line in result_rows(ALL, edited, NOW, 80)]
    assert "✓ 2 zai/glm-5  CAN SERVE, 1:00 ago, before it was changed" in told


def test_an_entry_that_is_new_has_no_result() -> None:
    more = (*LINKS, Link(OPENAI))
    assert state_parts(ALL, 4, more, NOW) is None


@pytest.mark.parametrize("cells", [24, 34, 56])
def test_the_reasons_stand_below_in_the_order_of_the_chain(cells: int) -> None:
    rows = [text_of(line.line) for line in result_rows(ALL, LINKS, NOW, cells)]
    assert all(len(line) <= cells for line in rows)
    told = " ".join(" ".join(rows).split())
    assert told.startswith("Test: no prompt was")
    assert told.index("0 openai-codex/gpt-5") < told.index("1 groq/llama") < told.index("3 openrouter/auto")
    for reason in (
        "one: cooling until",
        "✗ GROQ_API_KEY is not set",
        "- the server lists the model",
        "! not among the 2",
    ):
        assert reason in told
    assert list(result_rows(Examined(), LINKS, NOW, cells)) == []
