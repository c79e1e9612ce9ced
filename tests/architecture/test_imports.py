"""What each part may load: the core stays pure, and the quick commands stay quick."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.core.configuration import SessionPlan
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import ConfigurationLoaded
from hermes_tui.core.text import PlainText
from hermes_tui.storage.ledger import SqliteLedger
from tests.core.made import NOW, away, benched, configuration

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


QUICK = (
    "--help",
    "status",
    "status --json",
    "auth list",
    "auth list --json",
    "auth reset openai-codex/one --yes",
    "why docs",
)


@pytest.mark.parametrize("command", QUICK)
def test_the_quick_commands_load_none_of_the_heavy_libraries(command: str, tmp_path: Path) -> None:
    ledger = SqliteLedger.open(tmp_path)
    event = ConfigurationLoaded(time=NOW, origin=PlainText("hermes-tui.toml"), warnings=())
    rows = (replace(configuration(), sessions=(SessionPlan("docs"),)), away("docs"), benched())
    ledger.commit(lambda _facts: Decision(None, (Record(event, rows),)))
    ledger.close()
    words = [*command.split(), *(() if command == "--help" else ("--state", str(tmp_path)))]
    loaded = _loaded_by(f"from hermes_tui.cli import main\ntry: main({words!r})\nexcept SystemExit: pass")
    assert loaded.isdisjoint({*HEAVY, "asyncio"})
    assert ("sqlite3" in loaded) is (command != "--help")


def test_the_screen_loads_nothing_that_reads_markdown_or_code_before_its_first_frame() -> None:
    assert _loaded_by("import hermes_tui.tui.app").isdisjoint({"markdown_it", "pygments"})


def test_what_concerns_no_hermes_loads_nothing_that_reads_one() -> None:
    loaded = _loaded_by("import hermes_tui.cli, hermes_tui.commands.status, hermes_tui.commands.auth")
    assert loaded.isdisjoint({"ruamel", "asyncio"})


@pytest.mark.parametrize("command", ["home_sessions", "home_logins", "watch_homes"])
def test_the_commands_for_a_home_load_none_of_the_heavy_libraries(command: str) -> None:
    assert _loaded_by(f"import hermes_tui.commands.{command}").isdisjoint(HEAVY)


def test_watching_the_status_loads_none_of_them_either() -> None:
    assert _loaded_by("import hermes_tui.commands.watch_status").isdisjoint({*HEAVY, "asyncio"})
