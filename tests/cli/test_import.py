"""`import`: a home of Hermes as a configuration at the place where the program looks for it."""

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.config.logins import hermes_login

CODEX = "openai-codex"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user who has nothing of Hermes but what a test writes."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HERMES_HOME", raising=False)


def test_a_file_that_is_there_is_written_over_by_force_alone_and_kept(here: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("model: {default: m, provider: ollama, base_url: 'http://127.0.0.1:1/v1'}\n")
    (tmp_path / "hermes-tui.toml").write_text("# mine\n")
    done = here("import", str(home))
    assert done.returncode == 2
    assert "is there already: --force writes over it" in done.stderr
    assert (tmp_path / "hermes-tui.toml").read_text() == "# mine\n"
    printed = here("import", str(home), "--print")
    assert tomllib.loads(printed.stdout)["primary"]["model"] == "m"
    assert "Otherwise:" not in printed.stdout
    assert here("import", str(home), "--force").returncode == 0
    assert (tmp_path / "hermes-tui.toml").read_text() == printed.stdout
    assert (tmp_path / "hermes-tui.toml.bak").read_text() == "# mine\n"


def test_a_profile_is_a_home_and_borrows_the_logins_of_its_root(here: Run, tmp_path: Path) -> None:
    root = tmp_path / ".hermes"
    profile = root / "profiles" / "docs"
    profile.mkdir(parents=True)
    hermes_login(root, {"id": "aaaaaa", "label": "work", "access_token": "made-up-token"})
    (profile / "config.yaml").write_text("model: {default: m, provider: openai-codex}\n")
    done = here("import", "--profile", "docs", "--print")
    assert done.returncode == 0, done.stderr
    (credential,) = tomllib.loads(done.stdout)["providers"][CODEX]["credentials"]
    assert credential == {"label": "work", "api_key": "hermes:~/.hermes#work"}
    assert here("import", str(profile), "--print").stdout == done.stdout
    missing = here("import", "--profile", "none")
    assert missing.returncode == 2
    assert "profiles/none" in missing.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "config.yaml: it is not there: run `hermes setup` to make one"),
        ("model: [\n", "config.yaml, line 2: "),
        ("toolsets: [all]\n", "can be taken over: config.yaml asks for no model. `hermes-tui init` begins anew"),
        ("model: {default: x, provider: bedrock}\n", "only Hermes can sign in there, or speak its API"),
    ],
)
def test_a_home_of_which_nothing_can_be_taken_over_says_why(
    here: Run, tmp_path: Path, text: str | None, said: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "auth.json").write_text("{}")
    if text is not None:
        (home / "config.yaml").write_text(text)
    done = here("import", str(home))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "hermes-tui.toml").exists()
