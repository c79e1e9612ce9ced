"""What stands beside the text while a chain is edited."""

from dataclasses import replace

import pytest

from hermes_tui.core.editing import Checked, Finding
from hermes_tui.core.taking import Taking, When
from hermes_tui.core.text import PlainText
from hermes_tui.view.editing import Editing, check_body, difference, entries_body, keys_line, title
from hermes_tui.view.line import Body, text_of
from hermes_tui.view.moment import Moment, moment_of
from tests.tui.fakes import NOW, story_snapshot

MISTAKE = Finding(PlainText('"policy" must be never or adaptive'), 14)
NOTE = Finding(PlainText('"probe_intervall_seconds" is unknown'), 3, grave=False)


def _moment() -> Moment:
    return moment_of(story_snapshot(), NOW, None)


def _good() -> Checked:
    configuration = story_snapshot().facts.configuration
    assert configuration is not None
    return Checked((), configuration)


def _editing(**fields: object) -> Editing:
    good = _good()
    return replace(Editing("hermes-tui.toml", None, good, good), **fields)  # type: ignore[arg-type]


def _texts(body: Body) -> list[str]:
    return [text_of(row.line).rstrip() for row in body.rows]


def _all(body: Body) -> str:
    return " ".join(" ".join(_texts(body)).split())


def test_the_chain_stands_as_rows_by_position_with_what_each_can_do() -> None:
    body = entries_body(_editing(), _moment(), 50)
    assert [row.key for row in body.rows] == [None, 1, 2, 3]
    first, second, third, _ = _texts(body)
    assert first.startswith("0 openai-codex/gpt-5")
    assert "COOLING" in first
    assert "1 groq/llama" in second
    assert "NOT SET" in second
    assert "2 zai/glm-5" in third
    assert "OK" in third
    assert body.subtitle == "3 entries"


@pytest.mark.parametrize("cells", [20, 34, 56])
def test_every_line_fits_and_every_key_is_named(cells: int) -> None:
    body = entries_body(_editing(), _moment(), cells)
    keys = " ".join(text_of(line) for line in body.foot)
    assert [key in keys for key in ("a add", "enter edit", "d remove", "J K move", "u undo")] == [True] * 5
    assert all(len(text_of(line).rstrip()) <= cells for line in body.foot)


def test_while_the_text_is_wrong_the_last_good_rows_stay_and_say_why_they_cannot_change() -> None:
    body = entries_body(_editing(checked=Checked((MISTAKE,))), _moment(), 50)
    assert len(body.rows) == 4
    assert "Correct the text" in " ".join(text_of(line) for line in body.foot)


def test_a_chain_without_entries_says_how_to_add_one() -> None:
    good = _good()
    assert good.configuration is not None
    empty = Checked((), replace(good.configuration, chain=()))
    assert "a adds an entry" in _all(entries_body(_editing(checked=empty, good=empty), _moment(), 50))


def test_a_sessions_own_chain_is_named_after_it() -> None:
    assert entries_body(_editing(owner="triage"), _moment(), 50).title == "Chain of triage (its own)"


def test_every_finding_has_its_line_and_can_be_gone_to() -> None:
    body = check_body(_editing(checked=Checked((NOTE, MISTAKE))), 40)
    assert [row.key for row in body.rows if row.key is not None] == [3, 14]
    assert "! line 3: " in _all(body)
    assert "✗ line 14: " in _all(body)
    assert body.subtitle == "1 error"


def test_what_saving_does_is_said_and_only_where_it_can_be_saved() -> None:
    taking = Taking("triage", PlainText("stays on zai/glm-5, now entry 2 of 3"), When.NEXT_TURN)
    saved = "If saved: triage stays on zai/glm-5, now entry 2 of 3 (at its next turn)"
    assert saved in _all(check_body(_editing(changed=True, takings=(taking,)), 40))
    assert "If saved" not in _all(check_body(_editing(changed=True, checked=Checked((MISTAKE,))), 40))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "The file is in force as it is."),
        ({"changed": True}, "If saved: nothing changes for any session."),
        ({"changed": True, "elsewhere": True}, "The file was changed elsewhere meanwhile: ctrl+s shows both."),
    ],
)
def test_where_nothing_is_wrong_it_says_how_the_file_stands(fields: dict[str, object], said: str) -> None:
    assert said in _all(check_body(_editing(**fields), 40))


def test_the_title_and_the_keys_say_whether_it_can_be_saved() -> None:
    assert title(_editing()) == "hermes-tui.toml"
    assert title(_editing(changed=True)) == "hermes-tui.toml (changed)"
    assert "save (fix line 14 first)" in text_of(keys_line(_editing(checked=Checked((MISTAKE,))), 80))
    assert "fix" not in text_of(keys_line(_editing(), 80))


def test_a_conflict_shows_their_lines_and_mine() -> None:
    told = [text_of(line) for line in difference("a\nb\nc\n", "a\nB\nc\n")]
    assert told[1:] == [" a", "-b", "+B", " c"]
