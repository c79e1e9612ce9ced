"""A text read setting by setting is what it is as a whole."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.hermes import blocks
from hermes_tui.hermes.blocks import read_blocks
from hermes_tui.hermes.document import read_nodes
from tests.hermes.test_chain import FILE

PATH = Path("config.yaml")
LINES = (
    "model: x\n",
    "model: y\r\n",
    "fallback_providers:\n",
    "  - provider: a\n",
    "    model: b   # good\n",
    "- {provider: a, model: b}\n",
    "text: |+\n",
    "  model: z\n",
    "\n",
    "\n",
    "# a remark\n",
    "quoted: 'one\n",
    "other: two'\n",
    'double: "a\n',
    '"key": 1\n',
    "{a: 1}\n",
    "list: [1,\n",
    "more: 2]\n",
    "---\n",
    "...\n",
    "a: &x {b: 1}\n",
    "c: *x\n",
    "d: !!str 1\n",
    "word\n",
    "empty:\n",
    "  \t\n",
    "\u2028e: 1\n",
    "? f\n",
    ": g\n",
    "  h: 1\n",
)


def told(node: Any) -> Any:
    """Return what a node says and where: its marks, and those of what is in it."""
    if isinstance(node, tuple):
        return tuple(map(told, node))
    inner = list(map(told, node.value)) if isinstance(node.value, list) else node.value
    marks = [(mark.index, mark.line, mark.column) for mark in (node.start_mark, node.end_mark)]
    return (node.tag, bool(node.flow_style) if isinstance(node.value, list) else None, marks, inner)


def outcome(read: Any, text: str) -> Any:
    """Return what reading a text gives: its tables and the places of everything, or why there are none."""
    try:
        root, document = read(text)
    except ConfigurationError as error:
        return str(error)
    return repr(document), [told(pair) for pair in root.value] if root is not None else None


def whole(text: str) -> Any:
    return read_nodes(text.encode(), PATH)


def test_every_setting_stands_where_it_stands_in_the_whole() -> None:
    assert outcome(lambda text: read_blocks(text, PATH), FILE) == outcome(whole, FILE)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(LINES), max_size=9).map("".join))
def test_any_text_means_the_same_setting_by_setting(text: str) -> None:
    assert outcome(lambda text: read_blocks(text, PATH), text) == outcome(whole, text)


def test_only_the_setting_that_changed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read_blocks(FILE, PATH)
    read = []

    def noted(data: bytes, path: Path) -> Any:
        read.append(data)
        return read_nodes(data, path)

    monkeypatch.setattr(blocks, "read_nodes", noted)
    read_blocks(FILE.replace("max_turns: 20", "max_turns: 21"), PATH)
    assert read == [b"agent: {max_turns: 21}\n"]
