"""Documents in every form in which a chain can be written, with comments that say where they belong."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from hypothesis import strategies as st


class Form(Enum):
    """How a chain is written."""

    NONE = "nothing yet"
    TABLES = "a table for each"
    ONE_LINE = "a list on one line"
    LINES = "a list with a line for each"


class Legacy(Enum):
    """How the single entry of older files is written."""

    NONE = "not at all"
    FIRST = "a table before the others"
    LAST = "a table behind the others"
    INLINE = "an inline table"


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it is written: its comments end with its name, and so does its provider until it is edited."""

    name: str
    edited: str = ""
    above: int = 0
    behind: bool = False
    below: bool = False
    unknown: bool = False
    inside: bool = False

    @property
    def provider(self) -> str:
        """Its provider."""
        return self.edited or self.name

    @property
    def values(self) -> dict[str, object]:
        """What tomllib says that it is."""
        unknown: dict[str, object] = {"unknown": [1, {"deep": "# no comment"}]} if self.unknown else {}
        inside: dict[str, object] = (
            {"inside": {"note": "[[fallback_providers]]\n# no comment\n"}} if self.inside else {}
        )
        return {"provider": self.provider, "model": f"{self.provider}/m"} | unknown | inside

    @property
    def comments(self) -> list[str]:
        """Its own comments."""
        kinds = ["above"] * self.above + ["behind"] * self.behind + ["below"] * self.below
        return [f"# {kind} {self.name}" for kind in kinds]

    def table(self, header: str) -> str:
        """Return it as a table, with all its comments."""
        lines = [f"# above {self.name}"] * self.above
        lines += [header, f'provider = "{self.name}"' + f" # behind {self.name}" * self.behind]
        lines += [f"model = '{self.name}/m'"] + ['"unknown" = [ 1,\n  {deep="# no comment"} ]'] * self.unknown
        if self.inside:
            lines += [f"[{header.strip('[]')}.inside]", 'note = """', "[[fallback_providers]]", "# no comment", '"""']
        return "\n".join(lines + [f"# below {self.name}"] * self.below) + "\n"

    def item(self) -> str:
        """Return it as an inline table, which holds no comments."""
        unknown = ', unknown = [1, {deep="# no comment"}]' * self.unknown
        inside = r', inside.note = "[[fallback_providers]]\n# no comment\n"' * self.inside
        return f'{{ provider = "{self.name}", model = "{self.name}/m"{unknown}{inside} }}'

    def line(self, *, comma: bool = True) -> str:
        """Return it as lines of a list."""
        above, behind = f"    # above {self.name}\n" * self.above, f"  # behind {self.name}" * self.behind
        return f"{above}    {self.item()}{',' * comma}{behind}\n"

    def pair(self) -> str:
        """Return it as the value of the key of older files."""
        above, behind = f"# above {self.name}\n" * self.above, f" # behind {self.name}" * self.behind
        return f"{above}fallback_model = {self.item()}{behind}\n"


@dataclass(frozen=True, slots=True)
class Document:
    """A text, and the entries of its chain in order. Comments of nobody's end with a number."""

    text: str
    owner: str | None
    entries: tuple[Written, ...]


class _Drawing:
    """One document in the making."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self._free = 0
        self._text = ""

    def put(self, piece: str) -> None:
        """Write a piece of whole lines, with blank lines or a comment of nobody's before it; or right away."""
        gaps = ["\n", "\n\n", "aside"]
        gap = self.draw(st.sampled_from(gaps if "# below" in self._last_line() else ["", *gaps]))
        self._text += f"\n{self.comment('free')}\n\n" if gap == "aside" else gap
        self._text += piece

    def _last_line(self) -> str:
        return self._text.rstrip("\n").rpartition("\n")[2]

    def comment(self, kind: str) -> str:
        """Return a new comment that belongs to no entry."""
        self._free += 1
        return f"# {kind} {self._free}"

    def entry(self, name: str, *, below: bool) -> Written:
        """Draw an entry; with `below` it may have a comment below its last line."""
        flag = st.booleans()
        return self.draw(
            st.builds(
                Written,
                name=st.just(name),
                above=st.integers(0, 2),
                behind=flag,
                below=flag if below else st.just(value=False),
                unknown=flag,
                inside=flag,
            )
        )

    def section(self, header: str, line: str) -> None:
        """Write another table, perhaps with a comment directly above it."""
        above = f"{self.comment('over')}\n" if self.draw(st.booleans()) else ""
        self.put(f"{above}{header}\n{line} {self.comment('of')}\n")

    def bare(self, entry: Written) -> Written:
        """Return an entry as it can stand on one line."""
        return Written(entry.name, unknown=entry.unknown, inside=entry.inside)

    def chain_list(self, entries: Iterable[Written], form: Form) -> str:
        """Return the pair with the inline list."""
        if form is Form.ONE_LINE:
            inside = ", ".join(entry.item() for entry in entries) + "," * self.draw(st.booleans())
            return f"fallback_providers = [{inside if inside != ',' else ''}] {self.comment('behind')}\n"
        lines = ""
        for entry in entries:
            lines += f"\n    {self.comment('within')}\n\n" * self.draw(st.booleans()) + entry.line()
        if lines.endswith("},\n") and self.draw(st.booleans()):
            lines = lines.removesuffix(",\n") + "\n"
        start = f" {self.comment('start')}" * self.draw(st.booleans())
        return f"fallback_providers = [{start}\n{lines}  ] {self.comment('behind')}\n"

    def finished(self) -> str:
        """Return the text, with line ends of one of both kinds, and perhaps without the last."""
        text = self._text.removesuffix("\n") if self.draw(st.booleans()) else self._text
        return text.replace("\n", "\r\n") if self.draw(st.booleans()) else text


def _entries(drawing: _Drawing, form: Form) -> list[Written]:
    count = 0 if form is Form.NONE else drawing.draw(st.integers(1 if form is Form.TABLES else 0, 4))
    drawn = [drawing.entry(f"e{number}", below=form is Form.TABLES) for number in range(count)]
    return [drawing.bare(entry) for entry in drawn] if form is Form.ONE_LINE else drawn


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Draw a document with the chain of the file, or of a session."""
    return draw(st.one_of(_of_file(), _of_session()))


@st.composite
def _of_file(draw: st.DrawFn) -> Document:
    drawing, form = _Drawing(draw), draw(st.sampled_from(Form))
    entries = _entries(drawing, form)
    legacy = Legacy.NONE if form is Form.ONE_LINE else draw(st.sampled_from(Legacy))
    single = drawing.entry("single", below=legacy is not Legacy.INLINE and form is not Form.LINES)
    if legacy is Legacy.INLINE:
        drawing.put(single.pair())
    if form in (Form.ONE_LINE, Form.LINES):
        drawing.put(drawing.chain_list(entries, form))
    drawing.section("[primary]", 'provider = "first"\nmodel = "m"')
    if legacy is Legacy.FIRST:
        drawing.put(single.table("[fallback_model]"))
    for number, entry in enumerate(entries if form is Form.TABLES else ()):
        if draw(st.booleans()):
            drawing.section(f"[between{number}]", "x = 1")
        drawing.put(entry.table("[[fallback_providers]]"))
    if legacy is Legacy.LAST:
        drawing.put(single.table("[fallback_model]"))
    if draw(st.booleans()):
        drawing.section("[last]", "x = nan")
    chain = entries if legacy is Legacy.NONE else [*entries, single]
    return Document(drawing.finished(), None, tuple(chain))


@st.composite
def _of_session(draw: st.DrawFn) -> Document:
    drawing, form = _Drawing(draw), draw(st.sampled_from(Form))
    entries = _entries(drawing, form)
    drawing.section("[primary]", 'provider = "first"\nmodel = "m"')
    drawing.section("[[fallback_providers]]", "provider = 'of the file'")
    drawing.section("[[sessions]]", 'name = "before"\nfallback_providers = [{provider = "other"}]')
    drawing.section("[[sessions]]", 'name = "nightly"')
    if form in (Form.ONE_LINE, Form.LINES):
        drawing.put(drawing.chain_list(entries, form))
    for entry in entries if form is Form.TABLES else ():
        if draw(st.booleans()) and "[sessions.primary]" not in drawing.finished():
            drawing.section("[sessions.primary]", 'provider = "own"')
        drawing.put(entry.table("[[sessions.fallback_providers]]"))
    if draw(st.booleans()):
        drawing.section("[[sessions]]", 'name = "behind"')
        drawing.section("[[sessions.fallback_providers]]", 'provider = "other"')
    return Document(drawing.finished(), "nightly", tuple(entries))
