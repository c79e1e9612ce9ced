"""The text of a `config.yaml` read setting by setting, each once: who types in one does not wait for all the others.

What comes out is what reading it whole gives, and it is read whole wherever its settings may hang together.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.document import LARGEST, read_nodes

MOST_BLOCKS: Final = 1_000
"""Settings that are kept, of all texts together."""

_BEGIN: Final = re.compile(r"^(?=[A-Za-z_])", re.MULTILINE)
_HANGS_TOGETHER: Final = re.compile(
    r"^(?:---|\.\.\.|%)"  # documents and directives
    r"|(?<![^\s\[{,:-])[&*!][^\s,]"  # anchors, aliases, tags
    r"|[\t\x0b\x0c\x1c-\x1e\x85\u2028\u2029\ufeff]|\r(?!\n)",  # what some count as white space, or as an end of line
    re.MULTILINE,
)


class Mark:
    """A place in a text: its index, and the line and column of that, all from 0."""

    __slots__ = ("column", "index", "line")

    def __init__(self, index: int, line: int, column: int) -> None:
        self.index, self.line, self.column = index, line, column


class Node:
    """A node of the parser's as it stands from `index` and `line` of a text on."""

    __slots__ = ("anchor", "end_mark", "flow_style", "start_mark", "style", "tag", "value")

    def __init__(self, node: Any, index: int, line: int) -> None:
        has_children = isinstance(node.value, list)
        self.tag, self.anchor = node.tag, node.anchor
        self.flow_style = node.flow_style if has_children else None
        self.style = None if has_children else node.style
        self.value = list(_children(node.value, index, line)) if has_children else node.value
        self.start_mark, self.end_mark = _mark(node.start_mark, index, line), _mark(node.end_mark, index, line)


@dataclass(frozen=True, slots=True)
class Root:
    """The settings of a text as the parser's nodes, each key with its value: what its node of the whole would hold."""

    value: list[tuple[Any, Any]]
    flow_style: bool = False


def read_blocks(text: str, path: Path) -> tuple[Any, Mapping[Any, Any]]:
    """Return what `document.read_nodes` returns for the text of the file at `path`. Raises ConfigurationError."""
    whole = text.encode(errors="surrogatepass")
    if len(whole) > LARGEST or _HANGS_TOGETHER.search(text):
        return read_nodes(whole, path)
    begins = [found.start() for found in _BEGIN.finditer(text)]
    pairs: list[tuple[Any, Any]] = []
    document: dict[Any, Any] = {}
    for index, end in zip([0, *begins[1:]], [*begins[1:], len(text)], strict=True) if begins else ():
        block = _block(text[index:end], path)
        if block is None or not document.keys().isdisjoint(block[1]):
            return read_nodes(whole, path)
        line = text.count("\n", 0, index)
        pairs += _children(block[0].value, index, line)
        document.update(block[1])
    return (Root(pairs), document) if pairs else read_nodes(whole, path)


@lru_cache(maxsize=MOST_BLOCKS)
def _block(text: str, path: Path) -> tuple[Any, Mapping[Any, Any]] | None:
    """Return the node and the table of one setting, None where it is none by itself."""
    try:
        root, document = read_nodes(text.encode(errors="surrogatepass"), path)
    except ConfigurationError:
        return None
    is_one = root is not None and not root.flow_style and len(root.value) == 1
    return (root, document) if is_one and root.value[0][0].start_mark.column == 0 else None


def _children(value: list[Any], index: int, line: int) -> Iterator[Any]:
    for child in value:
        is_pair = isinstance(child, tuple)
        yield (Node(child[0], index, line), Node(child[1], index, line)) if is_pair else Node(child, index, line)


def _mark(mark: Any, index: int, line: int) -> Mark:
    return Mark(mark.index + index, mark.line + line, mark.column)
