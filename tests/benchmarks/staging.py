"""Configurations and states for benchmarks, made by the program itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import tomli_w

from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.wiring import load_configuration, open_fleet, open_ledger

PRIMARY = "first"
FALLBACK = "second"


def names(sessions: int) -> tuple[str, ...]:
    """Return the names of so many sessions."""
    return tuple(f"session-{number:03}" for number in range(sessions))


def configure(folder: Path, primary: str, fallback: str, *, sessions: int, keys: int = 1) -> Path:
    """Write a configuration of a primary with `keys` credentials and one fallback; return its path."""
    credentials = [{"label": f"key-{n:02}", "api_key": f"benchmark-key-{n:02}"} for n in range(keys)]
    tables: dict[str, Any] = {
        "primary": {"provider": PRIMARY, "model": "large"},
        "fallback_providers": [{"provider": FALLBACK, "model": "small"}],
        "providers": {
            PRIMARY: {"base_url": primary, "api_mode": "chat_completions", "credentials": credentials},
            FALLBACK: {"base_url": fallback, "api_mode": "chat_completions", "api_key": "benchmark-key"},
        },
        "sessions": [{"name": name} for name in names(sessions)],
    }
    path = folder / "hermes-tui.toml"
    path.write_text(tomli_w.dumps(tables), encoding="utf-8")
    return path


@asynccontextmanager
async def started(config: Path, state: Path) -> AsyncIterator[Fleet]:
    """Run the fleet of a configuration, as `hermes-tui run` does."""
    clock = EngineClock()
    loaded = load_configuration(config, {}, clock.now())
    with open_ledger(state) as ledger:
        async with open_fleet(loaded, ledger, state, clock=clock) as fleet:
            await fleet.start(TaskSpawner())
            yield fleet


def benched_state(folder: Path, hosts: tuple[str, str], *, sessions: int, keys: int, seconds: int) -> dict[str, str]:
    """Leave a state in `folder` in which `keys` credentials are benched for `seconds`, and all sessions are away.

    Returns the environment in which the program finds it.
    """
    first, second = hosts
    config = configure(folder, f"{first}/limited/{seconds}", second, sessions=sessions, keys=keys)
    asyncio.run(_play_once(config, folder / "state", sessions))
    return {"HERMES_TUI_CONFIG": str(config), "HERMES_TUI_STATE": str(folder / "state")}


async def _play_once(config: Path, state: Path, sessions: int) -> None:
    async with started(config, state) as fleet:
        for name in names(sessions):
            assert await fleet.prompt(name, "Go on.")
