"""What a key of the file means: at the place of the cursor, for every key that the schema knows."""

import pytest

from hermes_tui.config import meaning, schema
from hermes_tui.config.lines import index_lines
from hermes_tui.config.meaning import explained
from hermes_tui.core.editing import Explained

TEXT = """\
[primary]
provider = "groq"
model = "m"

[[fallback_providers]]  # the cheap one
provider = "zai"
context_length = 8000

[runtime]
policy = "adaptive"
backoff_cap_seconds = 120

[providers.zai]
strategy = "fill_first"

[[sessions]]
name = "docs"
fallback_providers = [
  { provider = "zai", model = "glm" },
]

[keys]
probe = "ctrl+y"

[tell]
on = [
  "dead",
]
"""


def at(line: int, column: int = 0) -> Explained:
    found = explained(index_lines(TEXT), line, column)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "column", "key"),
    [
        (1, 0, "primary"),
        (2, 5, "primary.provider"),
        (4, 0, "primary"),
        (5, 30, "fallback_providers"),
        (7, 0, "fallback_providers[1].context_length"),
        (10, 0, "runtime.policy"),
        (14, 3, "providers.zai.strategy"),
        (18, 0, "sessions[1].fallback_providers"),
        (19, 0, "sessions[1].fallback_providers[1].provider"),
        (19, 26, "sessions[1].fallback_providers[1].model"),
        (23, 0, "keys.probe"),
        (27, 0, "tell.on"),
    ],
)
def test_the_key_at_the_cursor_is_the_one_that_is_explained(line: int, column: int, key: str) -> None:
    assert at(line, column).key == key


def test_a_setting_is_explained_with_its_default_and_what_it_takes() -> None:
    policy = at(10)
    assert policy.what == "When to believe that a limit ended before its date: never, every_turn, throttled, adaptive."
    assert (policy.default, policy.allowed) == ("adaptive", "never, every_turn, throttled, adaptive")
    assert (at(11).default, at(11).allowed) == ("120", "a number from 0 to 86400")
    assert (at(7).default, at(7).allowed) == ("unknown: never skipped for it", "a whole number above 0")
    assert (at(23).default, at(27).allowed) == (
        "p",
        "a list of: fallback, restored, exhausted, dead, lying_probe, asks",
    )


@pytest.mark.parametrize("table", meaning.MEANINGS)
def test_every_key_that_the_schema_knows_has_a_meaning_a_default_and_its_values(table: type[schema.Table]) -> None:
    assert set(meaning.MEANINGS[table]) == set(table.model_fields)
    for name, field in table.model_fields.items():
        found = meaning._of_field(name, meaning.MEANINGS[table][name], field)
        assert found.what.endswith("."), name
        assert found.default not in ("", "None", "PydanticUndefined"), name
        assert found.allowed, name


def test_nothing_is_explained_where_no_key_stands() -> None:
    assert explained(index_lines("# a comment\n[primary]\nmodel = 'm'\n"), 1, 0) is None
    assert explained(index_lines("[unknown]\nthing = 1\n"), 2, 0) is None
