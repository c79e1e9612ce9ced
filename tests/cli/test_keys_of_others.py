"""Whole commands with a login of Codex, and with a key that a command prints."""

import shlex
import sys
import time
import tomllib
from pathlib import Path

import pytest
import tomli_w

from hermes_tui.simulator.scenario import Scenario
from tests.cli.conftest import Run
from tests.config.logins import SIGNATURE, codex_login, token_of
from tests.engine.theatre import scenario

TOKEN = token_of("acc-1", expires_at=time.time() + 3600)


@pytest.fixture
def script() -> Scenario:
    """A provider that takes the one token."""
    return scenario(api_keys={"openai-codex-1": TOKEN})


@pytest.fixture(params=["codex:login", "command:{python} -c {print}"], ids=["borrowed", "printed"])
def kept(request: pytest.FixtureRequest, home: Path) -> Path:
    """The file with the token, to which the configuration refers in one way or the other."""
    file = codex_login(home / "login", TOKEN)
    code = f"import json; print(json.load(open({str(file)!r}))['tokens']['access_token'])"
    config = home / "hermes-tui.toml"
    tables = tomllib.loads(config.read_text())
    reference = request.param.format(python=shlex.quote(sys.executable), print=shlex.quote(code))
    tables["providers"]["openai-codex"]["credentials"][0]["api_key"] = reference
    config.write_text(tomli_w.dumps(tables))
    return file


def test_it_runs_probes_and_is_tested_with_it_and_shows_it_nowhere(program: Run, kept: Path) -> None:
    before = kept.read_bytes(), kept.stat().st_mtime_ns, list(kept.parent.iterdir())
    done = program("check"), program("fallback", "test"), program("probe"), program("run", "--prompt", "Go on.")
    assert [one.returncode for one in done] == [0, 0, 0, 0], [one.stdout + one.stderr for one in done]
    assert "quota" in done[2].stdout
    assert not any(SIGNATURE in one.stdout + one.stderr for one in done)
    assert (kept.read_bytes(), kept.stat().st_mtime_ns, list(kept.parent.iterdir())) == before


def test_what_brings_no_key_is_said_by_whoever_needs_it(program: Run, kept: Path) -> None:
    kept.unlink()
    failed = program("run", "--prompt", "Go on.")
    assert failed.returncode == 1
    assert "is not there: run `codex login`" in failed.stdout or "ended with code 1: run it in a" in failed.stdout
    assert program("fallback", "test").returncode == 1
