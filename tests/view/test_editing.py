"""What stands beside the text while a chain is edited."""

from dataclasses import replace

import pytest

from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.editing import Checked, Explained, Finding
from hermes_tui.core.keymap import word_of
from hermes_tui.core.taking import Taking, When
from hermes_tui.core.text import PlainText
from hermes_tui.view.editing import (
    Drag,
    Editing,
    Spot,
    check_body,
    difference,
    entries_body,
    explained_body,
    keys_lines,
    title,
    whose_body,
)
from hermes_tui.view.edits import EDIT_BY_ID, EDITS, edits_help
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


def _keys(editing: Editing) -> str:
    return " ".join(text_of(line) for line in keys_lines(editing, 200, in_text=True, only=None))


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


@pytest.mark.parametrize("cells", [24, 48, 80, 120])
def test_every_action_is_a_button_with_its_key_and_every_line_fits(cells: int) -> None:
    lines = keys_lines(_editing(), cells, in_text=False, only=None)
    shown = "  ".join(text_of(line) for line in lines)
    for button in ("a Add", "enter Edit", "d Remove", "K Up", "J Down", "u Undo", "t Test", "ctrl+s Save", "esc Close"):
        assert button in shown
    assert all(len(text_of(line)) <= cells for line in lines)
    assert {part.act for line in lines for part in line if part.text.strip()} <= set(EDIT_BY_ID)


def test_letters_are_no_keys_while_they_are_text() -> None:
    shown = " ".join(text_of(line) for line in keys_lines(_editing(), 200, in_text=True, only=None))
    for button in (" Add  Edit  Remove  alt+up Up", "ctrl+z Undo", "ctrl+t Test", "f1 Help"):
        assert button in shown


def test_where_there_is_room_for_one_part_the_others_are_tabs() -> None:
    tabs, *_ = keys_lines(_editing(), 48, in_text=False, only="entries")
    assert text_of(tabs) == "  Text [Rows] Check   tab"
    assert [part.act for part in tabs if part.text.strip()] == ["part:text", "part:entries", "part:check", "next_part"]


def test_the_help_names_every_key_that_works() -> None:
    told = _all(edits_help(80))
    for edit in EDITS:
        assert edit.help in told
        assert all(word_of(key) in told for key in (*edit.letters, *edit.keys))
    assert all(len(text_of(row.line)) <= 40 for row in edits_help(40).rows)


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
    assert entries_body(_editing(owner="triage"), _moment(), 50).title == "Chain of triage, its own"


def test_every_finding_has_its_line_and_can_be_gone_to() -> None:
    body = check_body(_editing(checked=Checked((NOTE, MISTAKE))), NOW, 40)
    lines = [row.key.line for row in body.rows if isinstance(row.key, Spot)]
    assert list(dict.fromkeys(line for line in lines if line is not None)) == [14, 3]
    assert "! line 3: " in _all(body)
    assert "✗ line 14: " in _all(body)
    assert body.subtitle == "1 error"


def test_what_saving_does_is_said_and_only_where_it_can_be_saved() -> None:
    chain = ("a/one", "b/two", "c/three")
    taking = Taking("triage", PlainText("stays on c/three"), When.TURN_ENDED, chain, ("a/one", "c/three", "d/new"))
    saved = "If saved: triage after the turn that runs stays on c/three a/one › -b/two › c/three › +d/new"
    assert saved in _all(check_body(_editing(changed=True, takings=(taking,)), NOW, 60))
    assert "If saved" not in _all(check_body(_editing(changed=True, checked=Checked((MISTAKE,))), NOW, 40))


@pytest.mark.parametrize("cells", [12, 20, 34, 56])
def test_who_takes_what_fits_and_marks_who_loses_its_route(cells: int) -> None:
    losing = Taking(
        "triage", PlainText("goes back: b/two has left"), When.NOW, ("a/one", "b/two"), ("a/one",), loses=True
    )
    keeping = Taking("docs", PlainText("keeps the chain of its own"), When.NEVER)
    setting = Taking(None, PlainText("max_retries 3 › 1"), When.NOW)
    body = check_body(_editing(changed=True, takings=(setting, losing, keeping)), NOW, cells)
    assert all(len(text_of(row.line)) <= cells for row in body.rows)
    told = _all(body)
    assert "! goes" in told
    assert "docs never" in told


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "The file is in force as it is."),
        ({"changed": True}, "If saved: nothing changes for any session."),
        ({"changed": True, "elsewhere": True}, "The file was changed elsewhere meanwhile: ctrl+s shows both."),
    ],
)
def test_where_nothing_is_wrong_it_says_how_the_file_stands(fields: dict[str, object], said: str) -> None:
    assert said in _all(check_body(_editing(**fields), NOW, 40))


def test_the_title_and_the_keys_say_whether_it_can_be_saved() -> None:
    assert title(_editing()) == "hermes-tui.toml"
    assert title(_editing(changed=True)) == "hermes-tui.toml (changed)"
    assert "Save (fix line 14 first)" in _keys(_editing(checked=Checked((MISTAKE,))))
    assert "fix" not in _keys(_editing())


def test_a_conflict_shows_their_lines_and_mine() -> None:
    told = [text_of(line) for line in difference("a\nb\nc\n", "a\nB\nc\n")]
    assert told[1:] == [" a", "-b", "+B", " c"]


@pytest.mark.parametrize(
    ("to", "routes", "said"),
    [
        (3, ["zai", "openrouter", "groq"], "to place 3"),
        (2, ["zai", "groq", "openrouter"], "to place 2"),
        (1, ["groq", "zai", "openrouter"], "nothing moves"),
        (None, ["groq", "zai", "openrouter"], "nothing moves"),
    ],
)
def test_a_row_that_is_dragged_stands_where_it_would_land(to: int | None, routes: list[str], said: str) -> None:
    body = entries_body(_editing(), _moment(), 50, Drag(1, to))
    texts = _texts(body)[1:]
    assert [text[2:].split("/")[0] for text in texts] == routes
    at = routes.index("groq")
    assert texts[at].startswith("› groq")
    assert body.rows[at + 1].key == 1
    assert said in body.subtitle


def test_the_chains_to_choose_from_are_named_with_who_has_one() -> None:
    good = _good()
    assert good.configuration is not None
    plans = (SessionPlan("triage", chain=good.configuration.chain[:1]), SessionPlan("docs"))
    own = replace(good, configuration=replace(good.configuration, sessions=plans))
    body = whose_body(_editing(good=own), 60)
    assert [row.key for row in body.rows] == [(None,), ("triage",), ("docs",)]
    assert _texts(body) == [
        "the file's chain  3 entries",
        "triage  1 entry, its own",
        "docs  takes the file's; enter gives it its own",
    ]
    (head,) = entries_body(_editing(good=own, owner="triage"), _moment(), 60).head
    assert text_of(head) == "o  the file [triage]"
    assert [part.act for part in head] == ["whose", "owner:", "owner:triage"]


def test_a_finding_that_can_be_corrected_says_by_which_key() -> None:
    finding = replace(MISTAKE, mended="fallback_providers = []\n")
    body = check_body(_editing(checked=Checked((finding,))), NOW, 40)
    assert "f3 mends it" in _all(body)
    assert any(part.act == "mend" for row in body.rows for part in row.line)
    assert "f3" not in _all(check_body(_editing(checked=Checked((MISTAKE,))), NOW, 40))


def test_a_key_is_explained_with_its_default_and_its_values() -> None:
    explained = Explained(*map(PlainText, ("runtime.policy", "When to believe it.", "adaptive", "never, adaptive")))
    told = _all(explained_body(explained, 40))
    assert told == "runtime.policy When to believe it. Default: adaptive Takes: never, adaptive"
    assert "No key that is known" in _all(explained_body(None, 40))


def test_c133_what_differs_between_two_texts_steers_no_terminal() -> None:
    shown = [text_of(parts) for parts in difference("a\n", "a\n\t\x1b[2J\u202e🇩🇪 ❤️\n")]
    assert shown[-1] == "+   ␛[2J�DE ❤"
