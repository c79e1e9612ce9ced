"""C114: a chain that is stored as something else is found, and mended by one change that touches nothing else."""

import tomllib
from pathlib import Path

import pytest

from hermes_tui.config.desk import FileDesk

from .conftest import NOW

REST = """
# kept
[primary]
provider = "ollama"
model = "m"  # mine
"""
ENTRIES = [{"provider": "groq", "model": "g"}, {"provider": "zai", "model": "z-ai/glm", "context_length": 8000}]


@pytest.fixture
def desk(path: Path) -> FileDesk:
    return FileDesk(path, environ={}, now=lambda: NOW)


@pytest.mark.parametrize(
    "written",
    [
        """'[{"provider":"groq","model":"g"},{"provider":"zai","model":"z-ai/glm","context_length":8000}]'""",
        """'[{provider="groq",model="g"},{provider="zai",model="z-ai/glm",context_length=8000}]'""",
        """'''[{"provider":"groq","model":"g","base_url":null},
        {"provider":"zai","model":"z-ai/glm","context_length":8000}]'''""",
    ],
)
def test_c114_text_that_holds_a_list_is_mended_into_the_list(desk: FileDesk, written: str) -> None:
    (finding,) = desk.check(f"fallback_providers = {written}  # by a script\n{REST}", None).findings
    assert finding.grave
    assert "is text, so the chain would be empty" in finding.what
    assert finding.mended is not None
    assert tomllib.loads(finding.mended)["fallback_providers"] == ENTRIES
    assert finding.mended.endswith(f"]  # by a script\n{REST}")
    after = desk.check(finding.mended, None)
    assert [entry.model for entry in after.entries] == ["g", "z-ai/glm"]
    assert not any(finding.grave for finding in after.findings)


@pytest.mark.parametrize(
    ("written", "models"),
    [('"groq/g, zai/z-ai/glm"', ["g", "z-ai/glm"]), ('"groq/g"', ["g"]), ('""', []), ("'[\"groq/g\"]'", ["g"])],
)
def test_c114_text_that_names_routes_is_mended_into_entries(desk: FileDesk, written: str, models: list[str]) -> None:
    (finding,) = desk.check(f"fallback_providers = {written}\n{REST}", None).findings
    assert finding.mended is not None
    assert [entry["model"] for entry in tomllib.loads(finding.mended)["fallback_providers"]] == models


def test_c114_one_table_is_mended_by_its_second_brackets(desk: FileDesk) -> None:
    text = f'{REST}[fallback_providers]  # one\nprovider = "groq"\nmodel = "g"\n'
    (finding,) = desk.check(text, None).findings
    assert finding.mended == text.replace("[fallback_providers]", "[[fallback_providers]]")


def test_c114_a_sessions_own_chain_is_mended_in_its_place(desk: FileDesk) -> None:
    text = f'{REST}[[sessions]]\nname = "a"\n[[sessions]]\nname = "b"\nfallback_providers = "groq/g"\n'
    (finding,) = desk.check(text, "b").findings
    assert finding.mended is not None
    assert tomllib.loads(finding.mended)["sessions"][1]["fallback_providers"] == [{"provider": "groq", "model": "g"}]


@pytest.mark.parametrize("written", ['"nobody knows"', '"[1, 2]"', "'{\"provider\": '", "7"])
def test_c114_what_holds_no_chain_is_an_error_without_a_guess(desk: FileDesk, written: str) -> None:
    (finding,) = desk.check(f"fallback_providers = {written}\n{REST}", None).findings
    assert (finding.grave, finding.mended) == (True, None)


def test_c114_a_key_inside_the_text_never_leaves_the_desk(desk: FileDesk, path: Path) -> None:
    key = "sk-ant-REDACTED-0-REDACTED"
    entry = f'[{{"provider":"groq","model":"g","api_key":"{key}"}}]'
    path.write_text(f"fallback_providers = '{entry}'\n{REST}")
    draft = desk.read()
    (finding,) = desk.check(draft.text, None).findings
    assert finding.mended is not None
    assert key not in draft.text + finding.mended
    desk.save(finding.mended, draft.digest)
    assert tomllib.loads(path.read_text())["fallback_providers"][0]["api_key"] == key
