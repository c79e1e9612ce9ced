"""Rows that are taken over from the list before: most of a list reads the same when one of its rows has changed."""

from collections.abc import Iterable

from hermes_tui.view.line import Row
from hermes_tui.view.words import reads_until


def kept(rows: Iterable[Row], before: Iterable[Row], built_at: float, now: float) -> tuple[Row, ...]:
    """Return `rows`, each replaced by that of the list `before` which is made of the same and still reads the same.

    `before` was built at `built_at` for as many cells. Times in epoch seconds.
    """
    made = {row.key: row for row in before if row.made_of and row.is_made}
    return tuple(_still(made.get(row.key), row, built_at, now) for row in rows)


def row_reads_until(row: Row, now: float) -> float:
    """Return until when a row reads as it does at `now`; that is worked out once."""
    if now >= row.until:
        row.until = reads_until(row.dates(), now, rough=row.rough)
    return row.until


def _still(before: Row | None, row: Row, built_at: float, now: float) -> Row:
    if before is None or len(before.made_of) != len(row.made_of):
        return row
    is_same = all(was is part for was, part in zip(before.made_of, row.made_of, strict=True))
    return before if is_same and built_at <= now < row_reads_until(before, built_at) else row
