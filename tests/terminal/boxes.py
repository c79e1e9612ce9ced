"""The boxes that stand on a screen, found by their corners, and whether their sides are straight."""

from collections.abc import Iterator

_CORNERS = {"╭": ("╮", "╰", "│"), "┏": ("┓", "┗", "┃")}
_TOAST = "▌"
"""The edge of a toast, which lies over what is below."""


def crooked(cells: list[list[str]], title: str = "") -> list[str]:
    """Return the rows in which a box's sides are not where its corners are; of all boxes, or of that with `title`."""
    wrong = []
    for row, left, right, bottom, side in _boxes(cells):
        top = "".join(cells[row][left : right + 1])
        if title not in top:
            continue
        for y in range(row + 1, bottom):
            is_covered = _TOAST in cells[y]
            if not is_covered and (cells[y][left] != side or cells[y][right] != side):
                wrong.append(f"{top.strip()} {y}: {''.join(cells[y])}")
    return wrong


def corners(cells: list[list[str]]) -> list[tuple[int, int, int, int]]:
    """Return where each whole box is: the row of its top, its left and right column, the row of its bottom."""
    return [(row, left, right, bottom) for row, left, right, bottom, _ in _boxes(cells)]


def count(cells: list[list[str]]) -> int:
    """Return how many whole boxes there are."""
    return len(corners(cells))


def _boxes(cells: list[list[str]]) -> Iterator[tuple[int, int, int, int, str]]:
    for row, line in enumerate(cells):
        for left, corner in enumerate(line):
            if corner not in _CORNERS:
                continue
            upper, lower, side = _CORNERS[corner]
            right = next((x for x in range(left + 1, len(line)) if line[x] == upper), None)
            bottom = next((y for y in range(row + 1, len(cells)) if cells[y][left] == lower), None)
            if right is not None and bottom is not None:
                yield row, left, right, bottom, side
