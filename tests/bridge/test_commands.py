"""How an act on the command line finds the session that is meant."""

from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.bridge.values import Live
from hermes_tui.commands.bridge import names_in
from hermes_tui.commands.bridge_do import _agent
from hermes_tui.core.errors import UsageError
from hermes_tui.core.text import PlainText
from tests.bridge.test_bridging import AGENT, PROCESS
from tests.hermes.made import NOW
from tests.hermes.state.homes import change, make, session

WEEKLY, OTHER = "20261201_030023_b9b333", "20261201_030024_c0ffee"
LIVE = Live(
    processes=(PROCESS,),
    agents=tuple(replace(AGENT, session=PlainText(id_)) for id_ in (WEEKLY, OTHER)),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = make("22", tmp_path / "home")
    change(home, session(WEEKLY, NOW, title="weekly"), session(OTHER, NOW + 1))
    return home


@pytest.mark.parametrize("word", ["weekly", WEEKLY, "b9b333"])
def test_a_session_is_named_by_its_name_its_id_or_how_that_ends(home: Path, word: str) -> None:
    assert _agent(LIVE, names_in(home), word).session == WEEKLY


@pytest.mark.parametrize("word", ["week", None])
def test_who_is_not_clear_is_told_the_names(home: Path, word: str | None) -> None:
    with pytest.raises(UsageError, match=f"name one session; open are: weekly, {OTHER}"):
        _agent(LIVE, names_in(home), word)


def test_a_home_that_cannot_be_read_has_no_names(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no database")
    assert names_in(tmp_path) == {}
