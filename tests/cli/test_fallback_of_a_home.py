"""`fallback --hermes`: the chain of a Hermes home listed and changed, by the real program."""

import json
from pathlib import Path

import pytest

from hermes_tui.commands.edge import ATTENTION, FINE, USAGE
from tests.cli.conftest import Run
from tests.terminal.conftest import Terminal

FILE = """\
# mine
model: {default: gpt-5.5, provider: openai-codex}
fallback_providers:
  - provider: openrouter   # cheap
    model: z-ai/glm-5
  - {provider: nous, model: hermes-4}
"""

YES = ("--yes",)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "home" / "config.yaml"
    file.parent.mkdir()
    file.write_text(FILE)
    return file


@pytest.fixture
def fallback(file: Path, here: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs `fallback` on the home."""
    monkeypatch.setenv("HERMES_HOME", str(file.parent))
    return lambda command, *words: here("fallback", command, "--hermes", *words, *([] if command == "list" else YES))


def test_the_chain_of_a_home_is_listed_for_people_and_for_scripts(fallback: Run, file: Path) -> None:
    done = fallback("list")
    assert (done.returncode, done.stderr) == (FINE, "")
    assert done.stdout.splitlines()[0] == str(file)
    assert [line.split()[1] for line in done.stdout.splitlines()[3:]] == [
        "openai-codex/gpt-5.5",
        "openrouter/z-ai/glm-5",
        "nous/hermes-4",
    ]
    document = json.loads(fallback("list", "--json").stdout)
    assert [entry["model"] for entry in document["entries"]] == ["z-ai/glm-5", "hermes-4"]


def test_entries_are_added_moved_and_removed_and_everything_else_stays(
    fallback: Run, file: Path, tmp_path: Path
) -> None:
    assert fallback("add", "zai/glm-5", "--at", "1", "--api-key", "env:ZAI_KEY").returncode == FINE
    new = '  - provider: zai\n    model: glm-5\n    api_key: "${ZAI_KEY}"\n'
    assert file.read_text() == FILE.replace("providers:\n", f"providers:\n{new}")
    assert fallback("move", "1", "3").returncode == FINE
    assert file.read_text() == FILE + new
    assert fallback("remove", "zai/glm-5").returncode == FINE
    assert file.read_text() == FILE
    assert not (tmp_path / "state").exists()


def test_clearing_asks_or_wants_to_be_told(fallback: Run, here: Run, file: Path) -> None:
    assert here("fallback", "clear", "--hermes").returncode == USAGE
    assert file.read_text() == FILE
    assert fallback("clear").returncode == FINE
    assert file.read_text() == FILE[: FILE.index("fallback")] + "fallback_providers: []\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("add", "openruter/x"), USAGE, 'did you mean "openrouter"? (--anyway writes it'),
        (("add", "nous/hermes-4"), USAGE, "the same route as fallback_providers[1]"),
        (("add", "nous/x", "--api-key", "sk-made-up-0123456789"), USAGE, "never the key itself"),
        (("remove", "9"), USAGE, "there is no place 9 in a chain of 2"),
        (("list", "--session", "x"), USAGE, "leave out --session"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_changes_nothing(
    fallback: Run, file: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    done = fallback(*words)
    assert done.returncode == code
    assert said in done.stderr
    assert "sk-made-up" not in done.stderr
    assert file.read_text() == FILE


def test_an_entry_that_cannot_serve_wants_attention(fallback: Run, file: Path) -> None:
    file.write_text(FILE.replace("nous", "nuos"))
    assert fallback("list").returncode == ATTENTION


def test_another_home_or_one_of_its_profiles_is_named(here: Run, file: Path, tmp_path: Path) -> None:
    profile = file.parent / "profiles" / "work" / "config.yaml"
    profile.parent.mkdir(parents=True)
    profile.write_text(FILE)
    assert here("fallback", "remove", "1", "--home", str(file.parent), "--profile", "work", *YES).returncode == FINE
    assert file.read_text() == FILE
    assert "openrouter" not in profile.read_text()
    assert here("fallback", "remove", "2", "--home", str(file.parent), *YES).returncode == FINE
    assert "nous" not in file.read_text()
    unknown = here("fallback", "list", "--home", str(file.parent), "--profile", "wrok")
    assert unknown.returncode == USAGE
    assert "default, work" in unknown.stderr
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("words", [("remove", "1"), ("move", "1", "2"), ("add", "zai/glm-5"), ("clear",)])
def test_nothing_is_written_where_nobody_can_be_asked(fallback: Run, here: Run, file: Path, words: tuple[str]) -> None:
    done = here("fallback", words[0], "--home", str(file.parent), *words[1:])
    assert done.returncode == USAGE
    assert f"Save {file}? Nobody can be asked here: add --yes." in done.stderr
    assert "@@" in done.stderr
    assert file.read_text() == FILE


@pytest.mark.parametrize(("answer", "entries"), [("n", 2), ("y", 1)])
def test_the_lines_that_change_are_shown_and_asked_about(file: Path, answer: str, entries: int) -> None:
    screen = Terminal(100, 30, "fallback", "remove", "nous/hermes-4", "--home", str(file.parent))
    try:
        screen.shows("-  - {provider: nous, model: hermes-4}", "Sessions take another chain", "Save")
        assert file.read_text() == FILE
        screen.press(f"{answer}\r")
        screen.ends()
    finally:
        screen.close()
    assert file.read_text().count("provider: ") == 1 + entries
