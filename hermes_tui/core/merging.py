"""Two edits of one text, put together where they do not touch each other."""

from difflib import SequenceMatcher
from typing import NamedTuple


class _Change(NamedTuple):
    """The lines `first` to `last` (exclusive) of the base, and what stands there instead."""

    first: int
    last: int
    lines: list[str]


def merged(base: str, mine: str, theirs: str) -> str | None:
    """Return `base` with both edits made, None where they change the same lines, or lines side by side."""
    old = base.splitlines(keepends=True)
    ours, others = _changes(old, mine), _changes(old, theirs)
    others = [change for change in others if change not in ours]
    if any(one.first <= other.last and other.first <= one.last for one in ours for other in others):
        return None
    for change in sorted((*ours, *others), reverse=True):
        old[change.first : change.last] = change.lines
    return "".join(old)


def _changes(old: list[str], after: str) -> list[_Change]:
    new = after.splitlines(keepends=True)
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [_Change(i, j, new[k:m]) for kind, i, j, k, m in opcodes if kind != "equal"]
