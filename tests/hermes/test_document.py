"""The text of a configuration is read within bounds, and what is wrong with it is told without quoting it."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.hermes.configuration import understood
from hermes_tui.hermes.document import LARGEST, read_document
from tests.hermes.configurations import BROKEN, CONFIGURATIONS

PATH = Path("config.yaml")


def read(text: str | bytes) -> Mapping[Any, Any]:
    return read_document(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"), PATH)


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_told_with_its_line_and_without_its_text(name: str) -> None:
    text, line, words = BROKEN[name]
    with pytest.raises(ConfigurationError, match=words) as caught:
        read(text)
    assert caught.value.line == line
    assert "sk-made-up" not in str(caught.value)
    assert caught.value.__suppress_context__ == (caught.value.__context__ is not None)


def test_a_file_that_is_not_utf_8_says_from_which_line_on() -> None:
    with pytest.raises(ConfigurationError, match="line 2: it is not UTF-8"):
        read(b"model: x\nname: J\xfcrg\n")


def test_a_huge_file_is_not_read() -> None:
    with pytest.raises(ConfigurationError, match="larger than 256 KiB"):
        read(b"#" * (LARGEST + 1))


LAUGHS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
MERGES = "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12))


@pytest.mark.parametrize(
    "text",
    [f"a0: &a0 [x]\n{LAUGHS}", f"a0: &a0 {{k: x}}\n{MERGES}", "a: &a [*a]\n"],
    ids=["laughs", "merges", "itself"],
)
def test_aliases_that_unfold_without_end_are_refused_at_once(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ConfigurationError, match="aliases unfold"):
        read(text)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("opening", ["[", "[ ", "[x,", "{a: ", "{'a': [", "- "])
def test_a_file_that_is_nested_too_deep_is_refused_at_once(opening: str) -> None:
    began = time.process_time()
    with pytest.raises(ConfigurationError, match="nested too deep"):
        read(opening * 5000)
    assert time.process_time() - began < 5


def test_words_are_truth_as_in_yaml_1_1() -> None:
    assert read("a: on\nb: no\nc: 'on'\nd: 1_000\ne: 1e3\n") == {
        "a": True,
        "b": False,
        "c": "on",
        "d": 1000,
        "e": 1000.0,
    }


def test_an_anchor_that_is_used_twice_is_no_fault() -> None:
    assert read("a: &x 1\nb: &x 2\nc: *x\n") == {"a": 1, "b": 2, "c": 2}


@settings(max_examples=150)
@given(st.text(alphabet=st.sampled_from("amodel:-[]{}&*!|>'\"#%@`<?,0x2._ \n\t\u0001\ufeff~é"), max_size=60))
def test_no_text_raises_anything_but_our_own_error(text: str) -> None:
    with suppress(ConfigurationError):
        understood(read(text))


@settings(max_examples=60)
@given(st.sampled_from(sorted(CONFIGURATIONS.values())), st.data())
def test_no_half_written_file_raises_anything_but_our_own_error(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    other = data.draw(st.sampled_from(["", "!!bool ", "!!int ", "!!timestamp ", "!!binary ", "!!set ", "- ", "<<: "]))
    at = data.draw(st.integers(0, cut))
    with suppress(ConfigurationError):
        understood(read(text[:at] + other + text[at:cut]))
