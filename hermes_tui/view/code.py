"""Code in lines: coloured by its language, each long line folded behind a mark."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.view.flowing import broken, flowed
from hermes_tui.view.line import Line, Part, Style

if TYPE_CHECKING:
    from pygments.lexer import Lexer

EDGE: Final = Part("│ ", Style.MUTED)
FOLDED: Final = "» "
"""Stands where a line of code goes on that was too long."""

COLOURED_LINE: Final = 1000
"""A line with more characters is data rather than code: it is not read by a lexer."""


def code_lines(source: str, about: str, cells: int, *, named: bool = True) -> list[Line]:
    """Return code in lines of at most `cells` cells behind an edge, `about` it above where it is `named`.

    The first word about it is its language.
    """
    room = max(cells - len(EDGE.text), 1)
    lines: list[Line] = []
    if named and about:
        lines += ((EDGE, *line) for line in flowed([Part(about, Style.COMMENT)], room))
    for parts in _coloured(source.expandtabs(4), about.partition(" ")[0]):
        lines += ((EDGE, *folded) for folded in broken(parts, room, FOLDED))
    return lines


def _coloured(source: str, language: str) -> Iterator[Line]:
    lines = source.split("\n")
    lexer = _lexer(language) if max(map(len, lines)) <= COLOURED_LINE else None
    if lexer is None:
        yield from ((Part(text, Style.CODE if not language else Style.PLAIN),) for text in lines)
        return
    line: list[Part] = []
    for token, text in lexer.get_tokens(source):
        first, *more = text.split("\n")
        line.append(Part(first, _style(token)))
        for piece in more:
            yield tuple(part for part in line if part.text)
            line = [Part(piece, _style(token))]
    if any(part.text for part in line):
        yield tuple(line)


@cache
def _lexer(language: str) -> "Lexer | None":
    """Return what reads the language, None for an unknown one."""
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415 - not before there is code to colour
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


@cache
def _style(token: Any) -> Style:
    """Return the style of a token of pygments, by its kind or the nearest above."""
    from pygments.token import Token  # noqa: PLC0415

    styles = {
        Token.Keyword: Style.KEYWORD,
        Token.Operator.Word: Style.KEYWORD,
        Token.Name.Tag: Style.KEYWORD,
        Token.Name.Builtin: Style.CODE,
        Token.Name.Function: Style.CODE,
        Token.Name.Class: Style.CODE,
        Token.Name.Attribute: Style.CODE,
        Token.Literal: Style.STRING,
        Token.Comment: Style.COMMENT,
        Token.Generic.Inserted: Style.OK,
        Token.Generic.Deleted: Style.DEAD,
        Token.Generic.Heading: Style.STRONG,
        Token.Generic.Subheading: Style.STRONG,
    }
    while token is not None:
        if token in styles:
            return styles[token]
        token = token.parent
    return Style.PLAIN
