"""`init`: a first configuration at the place where the program looks for it."""

import stat
from pathlib import Path

import pytest

from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from tests.cli.conftest import Run

KEY = "sk-a-key-that-nobody-may-see"


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    """The environment with one provider's key and no other."""
    variables = {name for known in KNOWN_PROVIDERS.values() for name in (*known.key_variables, "CODEX_TOKEN")}
    return {name: value for name, value in environment.items() if name not in variables} | {"GROQ_API_KEY": KEY}


def test_it_writes_a_file_that_works_and_says_what_comes_next(program: Run, tmp_path: Path) -> None:
    done = program("init")
    path = tmp_path / "hermes-tui.toml"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == [f"Wrote {path}.", "Found in the environment: GROQ_API_KEY (groq)."]
    assert all(step in done.stdout for step in ("hermes-tui check", "hermes-tui fallback test", "opens the dashboard"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in path.read_text() + done.stdout
    checked = program("check")
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "All of it can work.")


def test_without_any_key_the_example_is_explained_by_check(
    program: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    del environment["GROQ_API_KEY"]
    assert "No provider's key is in the environment: set those that the file names" in program("init").stdout
    checked = program("check")
    assert checked.returncode == 1
    assert "CODEX_TOKEN is not set" in checked.stdout


def test_a_file_that_is_there_stays_and_is_named_with_what_to_do(program: Run, tmp_path: Path) -> None:
    path = tmp_path / "hermes-tui.toml"
    path.write_text("# mine\n")
    done = program("init")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"hermes-tui: {path}: is there already, and is never overwritten: `hermes-tui check`")
    assert path.read_text() == "# mine\n"


def test_print_writes_nothing_but_the_text(program: Run, tmp_path: Path) -> None:
    done = program("init", "--print", "--model", "m", "--fallback", "openrouter/z-ai/glm-5")
    assert (done.returncode, done.stderr) == (0, "")
    assert '[primary]\nprovider = "groq"\nmodel = "m"\n' in done.stdout
    assert '[[fallback_providers]]\nprovider = "openrouter"\nmodel = "z-ai/glm-5"\n' in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_provider_is_answered_with_the_nearest(program: Run, tmp_path: Path) -> None:
    done = program("init", "--provider", "openruter")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'did you mean "openrouter"?' in done.stderr
    assert list(tmp_path.iterdir()) == []
