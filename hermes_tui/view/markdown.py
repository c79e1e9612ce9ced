"""Markdown as lines. All of it is hostile text: nothing is followed, loaded or drawn, and links say where they go."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from hermes_tui.core.text import plain
from hermes_tui.view.code import code_lines
from hermes_tui.view.flowing import flowed
from hermes_tui.view.line import EMPTY, Line, Part, Style
from hermes_tui.view.segments import Kind, Piece, Segment
from hermes_tui.view.tables import table_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LEAST_CELLS: Final = 8
"""However deep something stands, it has so many cells."""

CACHED_SEGMENTS: Final = 1024


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - not before there is something to read

    return MarkdownIt("commonmark", {"html": False}).disable("reference")


def load() -> None:
    """Load the libraries that read Markdown and code; without it the first text does."""
    _parser()
    code_lines("1", "python", LEAST_CELLS)


def segment_lines(segment: Segment, cells: int) -> tuple[Line, ...]:
    """Return a segment in lines of at most `cells` cells, a blank one first where there is a gap before it."""
    return ((EMPTY,) if segment.gap else ()) + _settled(segment._replace(gap=False), cells)


def fresh_lines(segment: Segment, cells: int) -> tuple[Line, ...]:
    """Return the same for a segment that grows: nothing of it is kept."""
    return ((EMPTY,) if segment.gap else ()) + tuple(_lines(segment, cells))


@lru_cache(maxsize=CACHED_SEGMENTS)
def _settled(segment: Segment, cells: int) -> tuple[Line, ...]:
    return tuple(_lines(segment, cells))


def _lines(segment: Segment, cells: int) -> list[Line]:
    match segment.kind:
        case Kind.TYPED:
            return flowed([Part(segment.source)], cells)
        case Kind.CODE:
            return code_lines(segment.source, segment.about, cells, named=segment.first)
        case Kind.TABLE:
            return table_lines(segment, cells, _cell)
        case Kind.PROSE:
            margin = min(segment.margin, max(cells - LEAST_CELLS, 0))
            page = _Page(cells - margin)
            page.read(_parser().parse(segment.source))
            edge = (Part(" " * margin),) if margin else ()
            return [(*edge, *line) for line in page.lines]


def _cell(source: str) -> Line:
    """Return the Markdown of a table's cell on one line."""
    inline = _parser().parseInline(source)[0]
    return tuple(
        part._replace(text=part.text.replace("\n", " ")) for part in _spans(inline.children or [], Style.PLAIN)
    )


@dataclass(slots=True, eq=False)
class _Inside:
    """Something that its lines stand in: an item of a list, or a quotation. `first` begins its first line."""

    first: Part
    rest: Part
    used: bool = False

    def edge(self) -> Part:
        if self.used:
            return self.rest
        self.used = True
        return self.first


class _Page:
    """Lays the blocks of a document out, one below the other."""

    def __init__(self, cells: int) -> None:
        self.lines: list[Line] = []
        self._cells = cells
        self._inside: list[_Inside] = []
        self._bottom = 0
        self._heading = Style.PLAIN

    def read(self, tokens: "list[Token]") -> None:
        """Lay out what the parser found."""
        for token in tokens:
            match token.type:
                case "list_item_open":
                    sign = f"{token.info}{token.markup} " if token.info else "- "
                    self._inside.append(_Inside(Part(sign, Style.MUTED), Part(" " * len(sign))))
                case "blockquote_open":
                    self._inside.append(_Inside(Part("> ", Style.MUTED), Part("> ", Style.MUTED)))
                case "list_item_close" | "blockquote_close":
                    self._close()
                case "heading_open":
                    self._heading = Style.HEADING if int(token.tag[1]) <= 2 else Style.STRONG
                case "heading_close":
                    self._heading = Style.PLAIN
                    self._bottom += token.markup in ("=", "-")
                case "inline":
                    self._paragraph(token)
                case "fence" | "code_block":
                    self._code(token)
                case "hr":
                    self._put(token, [(Part("─" * self._room(), Style.MUTED),)])

    def _paragraph(self, token: "Token") -> None:
        parts = list(_spans(token.children or [], self._heading))
        if self._inside and not self._inside[-1].used:
            parts = _task(parts)
        self._put(token, flowed(parts, self._room()))

    def _code(self, token: "Token") -> None:
        source, about = plain(token.content).removesuffix("\n"), plain(token.info).strip()
        self._put(token, code_lines(source, about, self._room()))

    def _close(self) -> None:
        if not self._inside[-1].used:
            self._put(None, [EMPTY])
        self._inside.pop()

    def _near(self) -> list[_Inside]:
        """Return what the next line stands in, without the outermost where that would leave no room for its text."""
        near, room = list(self._inside), self._cells - LEAST_CELLS
        while sum(len(inside.rest.text) for inside in near) > room:
            near.pop(0)
        return near

    def _room(self) -> int:
        return self._cells - sum(len(inside.rest.text) for inside in self._near())

    def _put(self, token: "Token | None", lines: list[Line]) -> None:
        """Put the lines of a block below, after a blank one where the source has one."""
        if token is not None and token.map is not None:
            if self.lines and token.map[0] > self._bottom:
                self.lines.append(tuple(inside.rest for inside in self._near() if inside.used))
            self._bottom = token.map[1]
        near = self._near()
        begun = [inside.edge() for inside in self._inside if inside not in near and not inside.used]
        self.lines += flowed(begun, self._cells) if begun else []
        for line in lines or [EMPTY]:
            self.lines.append((*(inside.edge() for inside in near), *line))


def _task(parts: list[Part]) -> list[Part]:
    """Return the text of a list's item with the box of a task as a mark."""
    if not parts or parts[0].text[:4] not in ("[ ] ", "[x] ", "[X] "):
        return parts
    box, rest = parts[0].text[:3], parts[0]._replace(text=parts[0].text[3:])
    return [Part(box, Style.MUTED if box == "[ ]" else Style.OK), rest, *parts[1:]]


def _spans(tokens: "list[Token]", base: Style) -> Iterator[Part]:
    """Yield the text of a paragraph in parts; entities have become characters, so that all is made plain again."""
    styles = [base]
    link = ""
    told = ""
    for token in tokens:
        match token.type:
            case "strong_open":
                styles.append(Style.STRONG if base is Style.PLAIN else base)
            case "em_open":
                styles.append(Style.EMPHASIS if base is Style.PLAIN else base)
            case "link_open":
                link, told = plain(str(token.attrs.get("href", ""))), ""
                styles.append(Style.LINK)
            case "strong_close" | "em_close":
                styles.pop()
            case "link_close":
                styles.pop()
                if link and link.removeprefix("mailto:") != told:
                    yield Part(f" ({link})", Style.MUTED)
                link = ""
            case "code_inline":
                told += token.content
                yield Part(plain(token.content), Style.CODE)
            case "image":
                yield Part(f"[image: {plain(token.content)}] ({plain(str(token.attrs.get('src', '')))})", Style.MUTED)
            case "softbreak" | "hardbreak":
                yield Part("\n")
            case _:
                text = plain(token.content)
                told += text
                if text:
                    yield Part(text, styles[-1])


def code_blocks(text: str, pieces: tuple[Piece, ...]) -> tuple[str, ...]:
    """Return every block of code in a text, raw, in its order."""
    found: list[str] = []
    block = -1
    for piece in pieces:
        if piece.segment.kind is Kind.PROSE:
            tokens = _parser().parse(piece.segment.source)
            found += (token.content for token in tokens if token.type in ("fence", "code_block"))
        elif piece.segment.kind is Kind.CODE:
            raw = text[piece.start : piece.end]
            if piece.block == block:
                found[-1] += raw
            else:
                found.append(raw)
            block = piece.block
    return tuple(found)
