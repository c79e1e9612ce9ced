"""A chain is exchanged in the text of the file: nothing else changes, and what is taken over keeps its bytes (C110)."""

from collections.abc import Sequence
from itertools import chain as joined
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.hermes.chain import EditedEntry, NewEntry, Rewritten, with_chain
from hermes_tui.hermes.configuration import understood
from hermes_tui.hermes.document import read_document

PATH = Path("config.yaml")
NEW = NewEntry("nous", "hermes-4", key_env="NOUS_KEY", context_length=128_000)
NEW_LINES = "  - provider: nous\n    model: hermes-4\n    key_env: NOUS_KEY\n    context_length: 128000\n"
FILE = """\
# what I use at work
model:   # the primary
  default: 'gpt-5.5'
  provider: openai-codex

fallback_providers:   # in this order
  # cheap
  - provider: custom:mine   # mine
    model: "small"
    api_key: ${MINE_KEY}
    surprise: [1, 2]
    # its own end

  - {provider: anthropic, model: claude}   # dear
  -
    model: k3
    provider: kimi

# everything else
agent: {max_turns: 20}
"""
FIRST, SECOND, THIRD = (
    """\
  # cheap
  - provider: custom:mine   # mine
    model: "small"
    api_key: ${MINE_KEY}
    surprise: [1, 2]
    # its own end
""",
    """\

  - {provider: anthropic, model: claude}   # dear
""",
    """\
  -
    model: k3
    provider: kimi
""",
)
HEAD = FILE[: FILE.index("  # cheap")]
TAIL = FILE[FILE.index("\n# everything else") :]


def rewritten(text: str, *chain: int | NewEntry) -> Rewritten:
    return with_chain(text, chain, PATH)


def test_c110_an_entry_moves_with_its_bytes_and_no_other_line_changes() -> None:
    assert rewritten(FILE, 1, 0, 2).text == HEAD + SECOND + FIRST + THIRD + TAIL


def test_c110_an_entry_is_removed_with_its_remarks() -> None:
    assert rewritten(FILE, 1, 2).text == HEAD + SECOND + THIRD + TAIL


def test_c110_an_entry_is_added_where_it_is_asked_for() -> None:
    assert rewritten(FILE, 0, NEW, 1, 2).text == HEAD + FIRST + NEW_LINES + SECOND + THIRD + TAIL


def test_the_same_chain_is_the_same_text() -> None:
    assert rewritten(FILE, 0, 1, 2) == Rewritten(FILE, folded=False)


def test_a_chain_without_entries_stays_a_list() -> None:
    head = HEAD.replace("fallback_providers:   #", "fallback_providers: []  #")
    assert rewritten(FILE).text == head + TAIL


def test_an_empty_list_gets_entries_and_keeps_its_remark() -> None:
    text = "model: x\nfallback_providers: []  # none yet\nagent: {}\n"
    assert rewritten(text, NEW).text == f"model: x\nfallback_providers:  # none yet\n{NEW_LINES}agent: {{}}\n"


@pytest.mark.parametrize("value", ["", " null", " ~", " 'as text'", " {}"])
def test_what_is_no_chain_is_replaced(value: str) -> None:
    text = f"model: x\nfallback_providers:{value}\nagent: {{}}\n"
    assert rewritten(text, NEW).text == f"model: x\nfallback_providers:\n{NEW_LINES}agent: {{}}\n"


@pytest.mark.parametrize("text", ["", "model: x\n", "model: x", "\ufeffmodel: x\n", "# nothing yet\n"])
def test_a_file_without_a_chain_gets_one_at_its_end(text: str) -> None:
    begin = text if text.endswith("\n") or not text else f"{text}\n"
    assert rewritten(text, NEW).text == f"{begin}fallback_providers:\n{NEW_LINES}"


def test_the_lines_of_a_windows_file_end_as_they_did() -> None:
    after = rewritten(FILE.replace("\n", "\r\n"), 1, 0, NEW).text
    assert after == (HEAD + SECOND + FIRST + NEW_LINES + TAIL).replace("\n", "\r\n")


def test_a_list_in_brackets_becomes_one_in_lines() -> None:
    text = (
        "model: x\nfallback_providers: [{provider: nous, model: '${M}'}, {provider: zai, model: b}]  # two\nagent: {}\n"
    )
    expected = "fallback_providers:  # two\n  - {provider: zai, model: b}\n  - {provider: nous, model: '${M}'}\n"
    assert rewritten(text, 1, 0).text == f"model: x\n{expected}agent: {{}}\n"


def test_items_at_the_margin_stay_there() -> None:
    text = "fallback_providers:\n- provider: nous\n  model: a\n# about the agent\nagent: {}\n"
    after = (
        "fallback_providers:\n- provider: zai\n  model: b\n- provider: nous\n  model: a\n# about the agent\nagent: {}\n"
    )
    assert rewritten(text, NewEntry("zai", "b"), 0).text == after


def test_a_single_table_becomes_a_list() -> None:
    text = "fallback_providers:\n  provider: nous  # good\n  model: a\n\nagent: {}\n"
    after = f"fallback_providers:\n  - provider: nous  # good\n    model: a\n{NEW_LINES}\nagent: {{}}\n"
    assert rewritten(text, 0, NEW).text == after


def test_a_legacy_chain_is_folded_in_and_said() -> None:
    text = (
        "fallback_model:\n    # old\n    provider: zai   # still fine\n    model: '${MODEL}'\n\n"
        "fallback_providers:\n  - {provider: nous, model: a}\nagent: {}\n"
    )
    after = (
        "\nfallback_providers:\n  - {provider: nous, model: a}\n"
        "  # old\n  - provider: zai   # still fine\n    model: '${MODEL}'\nagent: {}\n"
    )
    assert rewritten(text, 0, 1) == Rewritten(after, folded=True)


def test_a_legacy_chain_alone_moves_to_where_it_stood() -> None:
    text = "model: x\nfallback_model:\n- provider: nous\n  model: a\nagent: {}\n"
    new = "- provider: zai\n  model: b\n"
    after = f"model: x\nfallback_providers:\n- provider: nous\n  model: a\n{new}agent: {{}}\n"
    assert rewritten(text, 0, NewEntry("zai", "b")) == Rewritten(after, folded=True)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [{provider: nous, model: m}]\nfallback_providers: *a\n",
        "fallback_providers: &a [{provider: nous, model: m}]\nb: *a\n",
        "{model: x, fallback_providers: []}\n",
        "fallback_providers: [\n  {provider: nous, model: m},  # one\n  {provider: zai, model: m}]\n",
        "fallback_providers:\n  - &a {provider: nous, model: m}\nb: *a\n",
        "model: x\n...\n",
        "? fallback_providers\n: [{provider: nous, model: m}]\n",
    ],
)
def test_an_unusual_form_is_refused_and_not_guessed_at(text: str) -> None:
    with pytest.raises(ConfigurationError, match="change the text itself"):
        rewritten(text, NEW)


@pytest.mark.parametrize(
    ("text", "why", "line"),
    [
        ("{model: x, fallback_providers: []}\n", "the whole file stands in braces", None),
        ("model: x\nfallback_providers: &c\n  - {provider: a, model: b}\nother: *c\n", "an anchor (&)", 2),
        ("other: &c []\nfallback_providers: *c\n", "an alias (*)", 2),
        ("fallback_providers: [{provider: a, model: b},\n  # why\n  {provider: c, model: d}]\n", "in brackets", 3),
    ],
)
def test_why_a_chain_cannot_be_changed_is_said_with_the_line(text: str, why: str, line: int | None) -> None:
    with pytest.raises(ConfigurationError) as caught:
        rewritten(text, NEW)
    assert why in caught.value.what
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("lines", "values", "after"),
    [
        ("  - provider: a   # it\n    model: b\n", {"provider": "c"}, "  - provider: c   # it\n    model: b\n"),
        ("  - provider: a\n    model: 'b'  # x\n", {"model": "on"}, '  - provider: a\n    model: "on"  # x\n'),
        (
            "  - model: b\n    provider: a\n    # end\n",
            {"base_url": "http://127.0.0.1:9/v1"},
            "  - model: b\n    provider: a\n    base_url: http://127.0.0.1:9/v1\n    # end\n",
        ),
        ("  - base_url: x\n    provider: a\n    model: b\n", {"base_url": None}, "  - provider: a\n    model: b\n"),
        (
            "  - provider: a\n    base_url: x  # gone\n    # about b\n    model: b\n",
            {"base_url": None},
            "  - provider: a\n    # about b\n    model: b\n",
        ),
        (
            "  - {provider: a, base_url: x, model: b}  # y\n",
            {"base_url": None, "model": "c"},
            "  - {provider: a, model: c}  # y\n",
        ),
        ("  - {provider: a, model: b}\n", {"context_length": 9}, "  - {provider: a, model: b, context_length: 9}\n"),
        (
            "  - provider: a\n    api_key:\n    model: b\n",
            {"api_key": "${X}"},
            '  - provider: a\n    api_key: "${X}"\n    model: b\n',
        ),
        (
            "  - provider: a\n    model: b\n    extra:\n      x: 1\n",
            {"context_length": 9},
            "  - provider: a\n    model: b\n    context_length: 9\n    extra:\n      x: 1\n",
        ),
    ],
)
def test_an_entry_is_edited_in_its_own_lines(lines: str, values: dict[str, str | int | None], after: str) -> None:
    text = "# mine\nfallback_providers:\n{}  # next\n  - {{provider: z, model: y}}\nagent: {{}}\n"
    assert with_chain(text.format(lines), [EditedEntry(0, values), 1], PATH).text == text.format(after)


@pytest.mark.parametrize("lines", ["  - *a\n", "  - provider: {x: 1}\n    model: b\n", "  - word\n"])
def test_an_entry_that_is_no_table_of_its_own_is_not_edited(lines: str) -> None:
    text = f"other: &a {{provider: a, model: b}}\nfallback_providers:\n{lines}"
    with pytest.raises(ConfigurationError, match="change the text itself"):
        with_chain(text, [EditedEntry(0, {"provider": "c"})], PATH)


@pytest.mark.parametrize("position", [-1, 3])
def test_an_entry_that_is_not_there_is_refused(position: int) -> None:
    with pytest.raises(ConfigurationError, match="in a chain of 3: read it again"):
        rewritten(FILE, position)


def test_a_file_that_is_broken_says_where() -> None:
    with pytest.raises(ConfigurationError, match="line 2"):
        rewritten("model: x\n\ta: b\n", NEW)


@pytest.mark.parametrize(
    "word", ["on", "3", "a: b", "a #b", "'", '"', "${X}", "é", "-", "", "a\nb", "custom:x", "x" * 300]
)
def test_a_new_entry_reads_back_as_it_was_given(word: str) -> None:
    after = read_document(rewritten(FILE, NewEntry(word, word, key_env=word)).text.encode(), PATH)
    assert after["fallback_providers"] == [{"provider": word, "model": word} | ({"key_env": word} if word else {})]


REMARKS = st.sampled_from(["", "", "\n", "  # above\n", "\n  # above\n"])
ITEMS = st.sampled_from(
    [
        "  - provider: nous\n    model: m\n",
        "  - provider: nous   # why\n    model: 'm'\n    # below\n",
        "  - {provider: zai, model: '${M}', x: [1, {y: 2}]}  # flow\n",
        "  -\n    model: k\n    provider: kimi\n",
        "  - provider: a\n    note: |\n      # no remark\n      text\n    model: m\n",
        '  - provider: a\n    model: "m\n      n"\n',
        "  - <<: *shared\n    model: m\n",
        "  - just text\n",
        "  - [a, b]\n",
        "  - null\n",
    ]
)
LEGACY = st.sampled_from(
    [
        "",
        "fallback_model: {provider: old, model: m}\n",
        "fallback_model:\n  provider: old  # remark\n  model: m\n",
        "fallback_model:\n- provider: old\n  model: m\n- provider: older\n  model: m\n",
    ]
)


@settings(max_examples=60)
@given(st.lists(st.tuples(REMARKS, ITEMS), min_size=1, max_size=5), LEGACY, st.data())
def test_c110_any_chain_keeps_every_other_line(items: list[tuple[str, str]], legacy: str, data: st.DataObject) -> None:
    before = "# mine\nshared: &shared {provider: nous}\nmodel: x  # primary\n"
    after = "# the rest\nagent:\n  max_turns: 3  # few\n"
    body = "".join(joined.from_iterable(items))
    text = f"{before}fallback_providers:  # chain\n{body}{after}{legacy}"
    old = understood(read_document(text.encode(), PATH)).chain
    wanted: Sequence[int | NewEntry] = data.draw(
        st.lists(st.one_of(st.integers(0, len(old) - 1), st.just(NEW)), max_size=6, unique=True)
    )
    done = with_chain(text, wanted, PATH)
    assert done.text.startswith(before)
    assert done.text.endswith(after) or done.text == text
    assert done.folded == bool(legacy)
    values = [*(read_document(text.encode(), PATH)["fallback_providers"]), *legacy_of(text)]
    expected = [values[one] if isinstance(one, int) else one.table for one in wanted]
    document = read_document(done.text.encode(), PATH)
    assert document["fallback_providers"] == expected
    assert "fallback_model" not in document
    for one in wanted:
        if isinstance(one, int) and one < len(items):
            assert "".join(items[one]) in done.text


@settings(max_examples=100)
@given(
    st.integers(0, len(FILE)),
    st.sampled_from(
        ["", "\n", "  ", "-", "- ", ": ", "#", "[", "{", "&a ", "*a ", '"', "'", "|", "\x85", "\u2028", "\ufeff", "\r"]
    ),
    st.integers(0, 3),
    st.lists(st.one_of(st.integers(0, 2), st.just(NEW)), max_size=3),
)
def test_a_damaged_file_is_rewritten_or_refused(at: int, piece: str, gone: int, chain: list[int | NewEntry]) -> None:
    text = FILE[:at] + piece + FILE[at + gone :]
    try:
        done = with_chain(text, chain, PATH)
    except ConfigurationError:
        return
    before, after = (read_document(one.encode(), PATH) for one in (text, done.text))
    assert {**before, "fallback_providers": 0} == {**after, "fallback_providers": 0}


def legacy_of(text: str) -> list[object]:
    value = read_document(text.encode(), PATH).get("fallback_model", [])
    return value if isinstance(value, list) else [value]
