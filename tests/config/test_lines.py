import tomllib
from collections.abc import Iterator

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config.lines import index_lines
from hermes_tui.config.problems import Where

DOCUMENT = '''\
# a comment with [brackets] and a = 1
top.dotted."quo.ted" = """
fake = 1
[fake]
\\""" still inside""""
after = 'single # no comment'

[primary]  # comment
model = "m" # x

[[fallback_providers]]
provider = "a"
[[fallback_providers]]
provider = "b"

[providers.backup]
[[providers.backup.credentials]]
label = "one"
[[providers.backup.credentials]]
label = "two"
tags = [
  "x", # ]
  [1, 2],

  { deep = 1979-05-27 07:32:00, other = { n = [3] } },
]
\'literal key\' = \'\'\'
]]\'\'\'\'\'
last = true
'''


def line_of(mark: str) -> int:
    return next(number for number, line in enumerate(DOCUMENT.splitlines(), 1) if mark in line)


def test_every_form_of_key_is_found_on_its_line() -> None:
    tomllib.loads(DOCUMENT)
    index = index_lines(DOCUMENT)
    second: Where = ("providers", "backup", "credentials", 1)
    assert index["top", "dotted", "quo.ted"] == 2
    assert index[("after",)] == line_of("after")
    assert index["primary", "model"] == line_of("model")
    assert index["fallback_providers", 1, "provider"] == line_of('"b"')
    assert index[(*second, "label")] == line_of('"two"')
    assert index[(*second, "tags", 0)] == line_of('"x"')
    assert index[(*second, "tags", 1, 1)] == line_of("[1, 2]")
    assert index[(*second, "tags", 2, "deep")] == line_of("deep")
    assert index[(*second, "tags", 2, "other", "n", 0)] == line_of("deep")
    assert index[(*second, "literal key")] == line_of("literal key")
    assert index[(*second, "last")] == line_of("last")


def test_headers_values_and_comments_are_found_in_the_text() -> None:
    index = index_lines(DOCUMENT.replace("\n", "\r\n"))
    comments = [index.text[span.start : span.end] for span in index.comments]
    assert comments == ["# a comment with [brackets] and a = 1", "# comment", "# x", "# ]"]
    headers = [index.text[header.span.start : header.span.end] for header in index.headers]
    assert headers[:3] == ["[primary]", "[[fallback_providers]]", "[[fallback_providers]]"]
    span = index.values["primary", "model"]
    assert index.text[span.start : span.end] == '"m"'
    span = index.values["providers", "backup", "credentials", 1, "tags", 2]
    assert index.text[span.start : span.end] == "{ deep = 1979-05-27 07:32:00, other = { n = [3] } }"


def test_a_missing_key_is_looked_for_in_its_table() -> None:
    index = index_lines(DOCUMENT)
    assert index.line(("fallback_providers", 1, "model")) == line_of('"b"') - 1
    assert index.line(("nowhere",)) is None


def test_windows_line_ends_count_once() -> None:
    assert index_lines("a = 1\r\nb = '''\r\n'''\r\nc = 2\r\n")[("c",)] == 4


names = st.text("ab.-_ \"'#[]=é\\", min_size=1, max_size=6)
texts = st.text("ab \n\"'#[]{}=,\\\r\té", max_size=12)
values = st.recursive(
    texts | st.booleans() | st.floats(allow_nan=False) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


def ways(value: object, where: Where = ()) -> Iterator[Where]:
    inside: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    for name, item in inside:
        yield (*where, name)
        yield from ways(item, (*where, name))


@given(document=st.dictionaries(names, values, max_size=4), multiline=st.booleans())
def test_the_index_knows_exactly_the_ways_that_tomllib_knows(document: dict[str, object], multiline: bool) -> None:
    text = tomli_w.dumps(document, multiline_strings=multiline)
    index = index_lines(text)
    assert set(index) == set(ways(tomllib.loads(text)))


@given(keys=st.lists(names, min_size=1, max_size=6, unique=True), filler=texts)
def test_a_key_after_any_text_stands_on_the_line_where_it_is_written(keys: list[str], filler: str) -> None:
    text, expected = "", {}
    for number, key in enumerate(keys):
        quoted = tomli_w.dumps({key: filler}, multiline_strings=bool(number % 2))
        expected[key] = text.count("\n") + 1
        text += quoted
    index = index_lines(text)
    assert {key: index[(key,)] for key in keys} == expected
