"""Changing a chain in a text: exactly that, whatever the form, and nothing else."""

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.config import document
from hermes_tui.config.document import changed, entries_of
from hermes_tui.config.lines import index_lines
from hermes_tui.core.editing import AddEntry, ChainChange, ClearChain, EditEntry, Entry, MoveEntry, RemoveEntry
from hermes_tui.core.errors import ConfigurationError

from .documents import Document, Written, documents

PATH = Path("/somewhere/hermes-tui.toml")


def after(text: str, *changes: ChainChange, owner: str | None = None) -> str:
    for change in changes:
        text = changed(text, owner, change, path=PATH)
    return text


def entry(name: str) -> Entry:
    return Entry(provider=name, model=f"{name}/m")


# Whatever the form, a chain is a list


@dataclass(frozen=True, slots=True)
class Step:
    """A change whose positions are drawn for a chain of any length."""

    kind: str
    first: int
    second: int


steps = st.lists(
    st.builds(
        Step,
        kind=st.sampled_from(("add", "add", "append", "remove", "move", "move", "edit", "clear")),
        first=st.integers(0, 99),
        second=st.integers(0, 99),
    ),
    max_size=6,
)


def made(step: Step, chain: list[Written], name: str) -> ChainChange | None:
    """Return the change for the chain as it is, and make it in `chain`; None where it has nothing to work on."""
    new, count = entry(name), len(chain)
    match step.kind:
        case "append":
            chain.append(Written(name))
            return AddEntry(new)
        case "add":
            at = step.first % (count + 1)
            chain.insert(at, Written(name))
            return AddEntry(new, at + 1)
        case "clear" if step.first % 3 == 0:
            chain.clear()
            return ClearChain()
    if not count:
        return None
    at, to = step.first % count, step.second % count
    match step.kind:
        case "remove":
            del chain[at]
            return RemoveEntry(at + 1)
        case "move":
            chain.insert(to, chain.pop(at))
            return MoveEntry(at + 1, to + 1)
        case "edit":
            old = chain[at]
            chain[at] = replace(old, edited=name)
            return EditEntry(at + 1, new)
    return None


def written_chain(text: str, owner: str | None) -> list[Any]:
    tables = tomllib.loads(text)
    if owner is None:
        legacy = [tables["fallback_model"]] if "fallback_model" in tables else []
        return [*tables.get("fallback_providers", []), *legacy]
    (session,) = (session for session in tables["sessions"] if session["name"] == owner)
    chain: list[Any] = session.get("fallback_providers", [])
    return chain


def comments(text: str) -> list[str]:
    return [text[span.start : span.end] for span in index_lines(text).comments]


def of_nobody(comment: str) -> bool:
    return re.fullmatch(r"# \w+ \d+", comment) is not None


def free(text: str) -> list[str]:
    """Return the comments that belong to no entry."""
    return [comment for comment in comments(text) if of_nobody(comment)]


def entry_at(text: str, offset: int) -> str:
    """Return the provider of the entry that a comment is written at."""
    if text.startswith("# below", offset):
        return str(re.findall(r'provider = "(\w+)"', text[:offset])[-1])
    lines = text.splitlines()[text[:offset].count("\n") :]
    code = "\n".join(line for line in lines if not line.strip().startswith("#"))
    return str(re.findall(r'provider = "(\w+)"', code)[0])


def placed(text: str) -> list[tuple[str, str]]:
    """Return the comments of entries, each with the provider of the entry that it is written at."""
    spans = [span for span in index_lines(text).comments if not of_nobody(text[span.start : span.end])]
    return sorted((text[span.start : span.end], entry_at(text, span.start)) for span in spans)


@settings(max_examples=120)
@given(drawn=documents(), steps=steps)
def test_m44_any_changes_of_any_document_are_those_of_a_list(drawn: Document, steps: list[Step]) -> None:
    text, chain = drawn.text, list(drawn.entries)
    for number, step in enumerate(steps):
        change = made(step, chain, f"new{number}")
        if change is None:
            continue
        text = after(text, change, owner=drawn.owner)
        assert written_chain(text, drawn.owner) == [one.values for one in chain]
        assert placed(text) == sorted((comment, one.provider) for one in chain for comment in one.comments)
        assert free(text) == free(drawn.text)
        assert (("\r\n" in text), text.count("\n") - text.count("\r\n")) in ((True, 0), (False, text.count("\n")))


# What stays, byte for byte

TABLES = """\
# hermes-tui

[primary]
provider = "first"
model = "m"

# Tried from top to bottom.

# cheap
# and cheerful
[[fallback_providers]]
model = "a/m"   # order of keys kept
provider = "a"
rank = 0x1F
[fallback_providers.notes]
text = '''
# no comment'''
# tags = []

[[fallback_providers]]
provider = "b"
model = "b/m"
# How it runs.
[runtime]
policy = "adaptive" # as usual
"""
A = TABLES[TABLES.index("# cheap") : TABLES.index("\n[[fallback_providers]]\nprovider")]
B = '[[fallback_providers]]\nprovider = "b"\nmodel = "b/m"\n'
NEW = '[[fallback_providers]]\nprovider = "new"\nmodel = "new/m"\n'


def test_c110_a_move_carries_an_entrys_comments_and_touches_nothing_else() -> None:
    expected = TABLES.replace(A, "@").replace(B, A + "\n").replace("@", B)
    assert after(TABLES, MoveEntry(1, 2)) == expected
    assert after(TABLES, MoveEntry(2, 1)) == expected


def test_moving_there_and_back_is_nothing() -> None:
    text = TABLES.replace("\n# How it runs", "\n\n# How it runs")
    assert after(text, MoveEntry(1, 2), MoveEntry(2, 1)) == text
    assert after(text, MoveEntry(2, 2)) == text


def test_a_removed_entry_takes_its_own_comments_along_and_no_others() -> None:
    assert after(TABLES, RemoveEntry(1)) == TABLES.replace(A + "\n", "")
    assert after(TABLES, RemoveEntry(2)) == TABLES.replace(B, "")


def test_a_comment_of_nobodys_does_not_become_an_entrys_when_its_neighbour_goes() -> None:
    text = '[primary]\n[[fallback_providers]]\nprovider = "a"\n[[fallback_providers]]\nprovider = "b"\n\n# of nobody\n'
    kept = after(text, RemoveEntry(2))
    assert kept == text.replace('[[fallback_providers]]\nprovider = "b"\n', "")
    assert after(kept, RemoveEntry(1)) == "[primary]\n\n# of nobody\n"


def test_a_new_entry_stands_between_blank_lines_with_its_provider_first() -> None:
    assert after(TABLES, AddEntry(entry("new"), 1)) == TABLES.replace(A, f"{NEW}\n{A}")
    assert after(TABLES, AddEntry(entry("new"), 2)) == TABLES.replace(B, f"{NEW}\n{B}")
    assert after(TABLES, AddEntry(entry("new"))) == TABLES.replace(B, f"{B}\n{NEW}\n")


def test_an_edit_keeps_what_is_no_field_and_every_comment_beside_a_field() -> None:
    edited = Entry(provider="a", model="z", base_url="http://127.0.0.1:9/v1", context_length=8000)
    text = after(TABLES, EditEntry(1, edited))
    (first, _) = written_chain(text, None)
    assert first == {
        "model": "z",
        "provider": "a",
        "rank": 31,
        "base_url": "http://127.0.0.1:9/v1",
        "context_length": 8000,
        "notes": {"text": "# no comment"},
    }
    assert 'model = "z"   # order of keys kept\nprovider = "a"\nrank = 0x1F\n' in text
    assert text.replace(text[text.index("# cheap") : text.index("# tags")], "") == TABLES.replace(
        TABLES[TABLES.index("# cheap") : TABLES.index("# tags")], ""
    )


def test_an_edit_without_a_difference_is_nothing() -> None:
    assert after(TABLES, EditEntry(1, entry("a"))) == TABLES


def test_a_field_that_is_emptied_goes() -> None:
    text = after(TABLES, EditEntry(2, Entry(provider="b", api_key="${B}")), EditEntry(2, Entry(model="b/m")))
    assert written_chain(text, None)[1] == {"model": "b/m"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[primary]\nmodel = 'm'\n", f"[primary]\nmodel = 'm'\n\n{NEW}"),
        ("[primary]\nmodel = 'm'\n[runtime]\n", f"[primary]\nmodel = 'm'\n\n{NEW}\n[runtime]\n"),
        ("[primary]\nmodel = 'm'\n\n# how\n[runtime]\n", f"[primary]\nmodel = 'm'\n\n{NEW}\n# how\n[runtime]\n"),
        ("primary.model = 'm'\nlast = 1", f"primary.model = 'm'\nlast = 1\n\n{NEW}".removesuffix("\n")),
        ("fallback_providers = []\n", 'fallback_providers = [{ provider = "new", model = "new/m" }]\n'),
        (
            "fallback_providers = [\n  # none yet\n]\n",
            'fallback_providers = [\n  # none yet\n  { provider = "new", model = "new/m" },\n]\n',
        ),
    ],
)
def test_the_first_entry_goes_where_a_person_would_write_it(text: str, expected: str) -> None:
    assert after(text, AddEntry(entry("new"))) == expected


LIST = """\
fallback_providers = [
  # cheap
  {provider="a", model="a/m", rank=1}, # quick
  {provider="b", model="b/m"}   # slow
] # end
"""


def test_c110_the_items_of_a_list_keep_their_form() -> None:
    assert after(LIST, MoveEntry(2, 1)) == (
        "fallback_providers = [\n"
        '  {provider="b", model="b/m"},   # slow\n'
        "  # cheap\n"
        '  {provider="a", model="a/m", rank=1} # quick\n'
        "] # end\n"
    )
    assert after(LIST, RemoveEntry(1)) == ('fallback_providers = [\n  {provider="b", model="b/m"}   # slow\n] # end\n')
    assert after(LIST, AddEntry(entry("new"))).splitlines()[3:5] == [
        '  {provider="b", model="b/m"},   # slow',
        '  { provider = "new", model = "new/m" }',
    ]
    assert after(LIST, EditEntry(1, entry("z"))).splitlines()[2] == '  {provider="z", model="z/m", rank=1}, # quick'


def test_a_list_on_one_line_stays_on_one_line() -> None:
    text = 'fallback_providers = [ {provider="a"}, {provider="b"} ]\n'
    assert after(text, MoveEntry(1, 2)) == 'fallback_providers = [ {provider="b"}, {provider="a"} ]\n'
    assert after(text, RemoveEntry(1)) == 'fallback_providers = [ {provider="b"} ]\n'
    assert after(text, RemoveEntry(2)) == 'fallback_providers = [ {provider="a"} ]\n'
    assert after(text, ClearChain()) == "fallback_providers = []\n"


def test_a_deeply_indented_list_takes_no_time() -> None:
    text = f"fallback_providers = [\n{' ' * 300}{{provider='a'}}\n{' ' * 300}]\n"
    assert after(text, AddEntry(Entry(provider="b"))) == (
        f"fallback_providers = [\n{' ' * 300}{{provider='a'}},\n{' ' * 300}{{ provider = \"b\" }}\n{' ' * 300}]\n"
    )


LEGACY = """\
# the old one
[fallback_model] # kept
provider = "old"
[fallback_model."deep er"]
x = 1

[primary]
model = "m"
"""


def test_the_legacy_entry_is_edited_and_removed_where_it_stands() -> None:
    assert after(LEGACY, EditEntry(1, Entry(provider="o2"))) == LEGACY.replace('"old"', '"o2"')
    assert after(LEGACY, RemoveEntry(1)) == '[primary]\nmodel = "m"\n'
    assert "[fallback_model]" in after(LEGACY, AddEntry(entry("new"), 1))


def test_the_legacy_entry_becomes_one_of_the_list_when_another_comes_behind_it() -> None:
    renamed = LEGACY.replace("[fallback_model]", "[[fallback_providers]]").replace(
        "fallback_model.", "fallback_providers."
    )
    assert after(LEGACY, AddEntry(entry("new"))) == renamed.replace("x = 1\n", f"x = 1\n\n{NEW}")


def test_a_legacy_entry_that_stands_before_the_others_is_still_the_last() -> None:
    text = LEGACY + '\n[[fallback_providers]]\nprovider = "a"\n'
    moved = after(text, MoveEntry(2, 1))
    assert [one["provider"] for one in written_chain(moved, None)] == ["old", "a"]
    assert moved.index("# the old one") < moved.index("[primary]") < moved.index('"a"')
    added = after(text, AddEntry(entry("new")))
    assert [one["provider"] for one in written_chain(added, None)] == ["a", "old", "new"]
    assert comments(added) == ["# the old one", "# kept"]


def test_the_comments_of_an_inline_legacy_entry_stand_above_it_then() -> None:
    text = "# old\nfallback_model = { provider = 'old' } # one\n[primary]\nmodel = 'm'\n"
    assert after(text, AddEntry(entry("new"))) == (
        f"[primary]\nmodel = 'm'\n\n# old\n# one\n[[fallback_providers]]\nprovider = \"old\"\n\n{NEW}"
    )


SESSIONS = """\
[[sessions]]
name = "day"
prompt = "x" # daily
# every = "1h"

[sessions.primary]
provider = "p"

[[sessions]]
name = "night"
"""


def test_m44_a_sessions_first_entry_is_a_table_of_that_session() -> None:
    own = NEW.replace("[[", "[[sessions.")
    assert after(SESSIONS, AddEntry(entry("new")), owner="day") == SESSIONS.replace('"p"\n', f'"p"\n\n{own}')
    assert after(SESSIONS, AddEntry(entry("new")), owner="night") == f"{SESSIONS}\n{own}"


def test_m44_a_sessions_emptied_chain_is_written_out_so_that_it_does_not_take_the_files() -> None:
    expected = SESSIONS.replace("# daily\n", "# daily\nfallback_providers = []\n")
    for change in (RemoveEntry(1), ClearChain()):
        assert after(SESSIONS, AddEntry(entry("new")), change, owner="day") == expected
    assert after(SESSIONS, ClearChain(), owner="day") == expected
    assert entries_of(tomllib.loads(expected), "day") == ()


def test_windows_line_ends_and_a_missing_last_one_stay() -> None:
    text = TABLES.replace("\n", "\r\n").removesuffix("\r\n")
    for change in (AddEntry(entry("new"), 1), MoveEntry(1, 2), RemoveEntry(1), EditEntry(1, entry("z"))):
        same = after(TABLES, change).replace("\n", "\r\n").removesuffix("\r\n")
        assert after(text, change) == same


# What is refused


@pytest.mark.parametrize(
    ("text", "change", "owner", "words"),
    [
        ("a = ", AddEntry(entry("new")), None, "line 1: this is not TOML"),
        (TABLES, RemoveEntry(3), None, "line 11: there is no place 3 in a chain of 2"),
        (TABLES, MoveEntry(1, 3), None, "there is no place 3 in a chain of 2"),
        (TABLES, AddEntry(entry("new"), 4), None, "there is no place 4 in a chain of 2"),
        (TABLES, RemoveEntry(0), None, "there is no place 0"),
        ("a = 1\n", RemoveEntry(1), None, "the chain is empty"),
        (SESSIONS, RemoveEntry(1), "day", "has no chain of its own: it takes the file's"),
        (SESSIONS, ClearChain(), "nigt", 'there is no session "nigt"; did you mean "night"?'),
        ("fallback_providers = 'a'\n", AddEntry(entry("new")), None, "must be a list of tables"),
        ("fallback_providers = ['a']\n", RemoveEntry(1), None, "must be a list of tables"),
        ("fallback_providers = 1\n[fallback_model]\n", RemoveEntry(1), None, "must be a list of tables"),
    ],
)
def test_a_change_without_a_place_says_so(text: str, change: ChainChange, owner: str | None, words: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(words)):
        after(text, change, owner=owner)


SPLIT = """\
[[fallback_providers]]
provider = "a"
[runtime]
[fallback_providers.extra]
x = 1
[[fallback_providers]]
provider = "b"
"""
COMMAS_FIRST = "fallback_providers = [\n  {provider='a'} # a\n  , {provider='b'} # b\n]\n"
TWO_ON_A_LINE = "fallback_providers = [\n  # both\n  {provider='a'}, {provider='b'},\n  # last\n  {provider='c'}\n]\n"


@pytest.mark.parametrize(
    ("text", "change", "owner"),
    [
        (SPLIT, MoveEntry(1, 2), None),
        (SPLIT, RemoveEntry(1), None),
        (COMMAS_FIRST, RemoveEntry(1), None),
        (COMMAS_FIRST, MoveEntry(1, 2), None),
        (TWO_ON_A_LINE, MoveEntry(3, 1), None),
        ("fallback_model.provider = 'a'\n", AddEntry(entry("new")), None),
        ("sessions = [{name = 'day'}]\n", AddEntry(entry("new")), "day"),
        ("sessions = [{name = 'day'}]\n", ClearChain(), "day"),
        ("fallback_providers = []\n# old\n[fallback_model]\nprovider='a'\n", AddEntry(entry("new")), None),
    ],
)
def test_an_unusual_form_is_refused_before_it_could_be_damaged(
    text: str, change: ChainChange, owner: str | None
) -> None:
    with pytest.raises(ConfigurationError, match="cannot be changed here: change the text itself"):
        after(text, change, owner=owner)


@pytest.mark.parametrize(
    ("text", "damaged", "change", "owner"),
    [
        (TABLES, after(TABLES, RemoveEntry(1)).replace("# as usual", ""), RemoveEntry(1), None),
        (TABLES, after(TABLES, RemoveEntry(1)).replace("adaptive", "never"), RemoveEntry(1), None),
        (TABLES, after(TABLES, RemoveEntry(1)) + "[", RemoveEntry(1), None),
        (TABLES, after(TABLES, RemoveEntry(2)), RemoveEntry(1), None),
        (TABLES, after(TABLES, MoveEntry(1, 2)).replace("# cheap", ""), MoveEntry(1, 2), None),
        (SESSIONS, SESSIONS, ClearChain(), "day"),
    ],
)
def test_a_text_that_came_out_wrong_is_not_used(
    monkeypatch: pytest.MonkeyPatch, text: str, damaged: str, change: ChainChange, owner: str | None
) -> None:
    monkeypatch.setattr(document, "rewritten", lambda *_: damaged)
    with pytest.raises(ConfigurationError, match="cannot be changed here"):
        after(text, change, owner=owner)


def test_what_an_unusual_form_allows_is_done() -> None:
    assert after(SPLIT, EditEntry(2, Entry(provider="z"))) == SPLIT.replace('"b"', '"z"')
    inline = "sessions = [{name = 'day', fallback_providers = [{provider='a'}]}]\n"
    assert after(inline, EditEntry(1, Entry(provider="z")), owner="day") == inline.replace("'a'", '"z"')
    assert after(TWO_ON_A_LINE, RemoveEntry(1)) == TWO_ON_A_LINE.replace("{provider='a'}, ", "")
    assert after(TWO_ON_A_LINE, RemoveEntry(2)) == TWO_ON_A_LINE.replace(", {provider='b'}", "")
