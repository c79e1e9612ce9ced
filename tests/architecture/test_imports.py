"""What each part may load: the core stays pure, and the quick commands stay quick."""

import subprocess
import sys

import pytest

HEAVY = ("textual", "rich", "httpx", "pydantic", "watchfiles")


def _loaded_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has after `code`."""
    report = "\nimport sys; print('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}


def _walk(package: str) -> str:
    return (
        f"import pkgutil, importlib, {package} as package\n"
        f"for found in pkgutil.walk_packages(package.__path__, '{package}.'): importlib.import_module(found.name)"
    )


@pytest.mark.parametrize("package", ["hermes_tui.core", "hermes_tui.view"])
def test_core_and_view_load_no_screen_no_network_and_no_loop(package: str) -> None:
    loaded = _loaded_by(_walk(package))
    assert "hermes_tui" in loaded
    assert loaded.isdisjoint({*HEAVY, "asyncio", "click", "sqlite3"})


def test_help_loads_none_of_the_heavy_libraries() -> None:
    code = "from hermes_tui.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert _loaded_by(code).isdisjoint({*HEAVY, "asyncio"})


def test_status_loads_none_of_the_heavy_libraries(tmp_path: object) -> None:
    code = (
        f"from hermes_tui.cli import main\ntry: main(['status', '--state', {str(tmp_path)!r}])\nexcept SystemExit: pass"
    )
    assert _loaded_by(code).isdisjoint({*HEAVY, "asyncio"})
