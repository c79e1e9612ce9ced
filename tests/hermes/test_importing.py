"""`hermes-tui import`: real homes become configurations that work, and stay as they are."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.commands.import_home import text_of
from hermes_tui.config.values import base_url
from hermes_tui.core.acts import ReloadConfiguration
from hermes_tui.core.secret import Secret
from hermes_tui.hermes.homes import find_home
from hermes_tui.hermes.importing import translation_of
from tests.config.logins import hermes_login, token_of
from tests.engine.theatre import HOUR, START, play, scenario, theatre
from tests.hermes.lab.environments import Build
from tests.hermes.test_reader import contents

HomeOf = Callable[[Build, str], Path]
CODEX = "openai-codex"


def run(tmp_path: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the program, without anything of this machine, and return what came of it."""
    own = {"HOME": str(tmp_path), "HERMES_TUI_CONFIG": str(tmp_path / "ours.toml"), "PATH": os.defpath}
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "hermes_tui", *arguments]
    return subprocess.run(command, env={**own, **paths, **environ}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("build", [Build.HERMES_22, Build.HERMES_19], ids=lambda build: build.value)
def test_a_home_that_a_real_hermes_filled_is_taken_over_without_a_key_and_left_as_it_is(
    home_of: HomeOf, build: Build, tmp_path: Path
) -> None:
    home = home_of(build, "two")
    before = contents(home)
    done = run(tmp_path, "import", str(home), CUSTOM_API_KEY="made-up")
    assert done.returncode == 0, done.stderr
    assert "0 openai-codex/gpt-5.5  2 credentials" in done.stdout
    assert "1 custom/small  1 credential\n" in done.stdout
    assert "All of it can work." in done.stdout
    assert "auxiliary: a session here asks no second model" in done.stdout
    assert contents(home) == before
    rows = json.loads((home / "auth.json").read_text())["credential_pool"][CODEX]
    written = (tmp_path / "ours.toml").read_text()
    secrets = [row[name] for row in rows for name in ("access_token", "refresh_token")]
    assert not any(secret in written + done.stdout + done.stderr for secret in (*secrets, "made-up"))
    assert 'api_key = "hermes:' in written
    assert run(tmp_path, "check", CUSTOM_API_KEY="made-up").returncode == 0


@play
async def test_a_session_of_what_was_taken_over_talks_with_hermes_login(tmp_path: Path) -> None:
    async with theatre(scenario()) as on:
        home, token = tmp_path / "home", token_of("acc-1", expires_at=START + HOUR)
        hermes_login(home, {"id": "aaaaaa", "label": "work", "access_token": token})
        (home / "config.yaml").write_text("model: {default: gpt, provider: openai-codex}\n")
        url = tomllib.loads(on.on.config.read_text())["providers"][CODEX]["base_url"]
        (home / ".env").write_text(f"HERMES_CODEX_BASE_URL={url}\n")
        on.on.simulator.world.providers[CODEX].accounts[f"{CODEX}-1"].key = Secret(token)
        before = contents(home)
        place = find_home(home, {}, tmp_path)
        on.on.config.write_text(text_of(place, translation_of(place, {}, Path("/nobody"), base_url)))
        await on.fleet.execute(ReloadConfiguration())
        assert await on.turn("main")
        assert on.calls(CODEX) == 1
        assert contents(home) == before
