import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hermes_tui.config.locate import config_path, state_directory

Locate = Callable[[Path | None, Mapping[str, str]], Path]


@pytest.mark.parametrize(
    ("locate", "variable"), [(config_path, "HERMES_TUI_CONFIG"), (state_directory, "HERMES_TUI_STATE")]
)
def test_the_option_goes_before_the_variable(locate: Locate, variable: str, tmp_path: Path) -> None:
    environ = {variable: str(tmp_path / "b")}
    assert locate(tmp_path / "a", environ) == tmp_path / "a"
    assert locate(None, environ) == tmp_path / "b"


@pytest.mark.parametrize("locate", [config_path, state_directory])
def test_without_both_the_platform_decides(locate: Locate) -> None:
    assert "hermes-tui" in locate(None, {"HERMES_TUI_CONFIG": "", "HERMES_TUI_STATE": " "}).parts


def test_a_path_is_made_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert config_path(Path("x.toml"), {}) == tmp_path / "x.toml"
    assert config_path(Path("~/x.toml"), {}) == tmp_path / "home" / "x.toml"


def test_locating_loads_neither_pydantic_nor_platformdirs_nor_asyncio() -> None:
    code = (
        "import sys, hermes_tui.config.locate as l; l.config_path(None, {'HERMES_TUI_CONFIG': 'x'});"
        "print([m for m in ('pydantic', 'platformdirs', 'watchfiles', 'asyncio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
