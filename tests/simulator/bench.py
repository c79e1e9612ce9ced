"""What these tests share: a simulator and a client on one jumping loop, and requests in both dialects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from hermes_tui.core.secret import Secret
from hermes_tui.simulator import (
    Account,
    Dialect,
    Mode,
    Provider,
    QuotaWindow,
    Scenario,
    SetMode,
    Simulator,
    World,
)

EPOCH = 1_900_000_000.0
DAY = 86400.0
CODEX_KEY = "simulated-codex-work"
CHAT_KEY = "simulated-backup-spare"
CODEX = "/openai-codex/backend-api/codex/responses"
CHAT = "/backup/v1/chat/completions"
USAGE = "/openai-codex/backend-api/wham/usage"


def now() -> float:
    """Return the time of the running loop, as epoch seconds."""
    return EPOCH + asyncio.get_running_loop().time()


def small_world() -> World:
    """Return a Codex provider with two windows and a chat provider, one account each."""
    windows = [
        QuotaWindow("5 h", 18000.0, EPOCH + 18000.0, used_percent=40.0, cost_per_request=10.0),
        QuotaWindow("week", 7 * DAY, EPOCH + 2 * DAY, used_percent=10.0, cost_per_request=1.0),
    ]
    work = Account("work", Secret(CODEX_KEY), windows=windows)
    spare = Account("spare", Secret(CHAT_KEY))
    return World(
        [
            Provider("openai-codex", Dialect.CODEX_RESPONSES, {"work": work}),
            Provider("backup", accounts={"spare": spare}, replies=("The answer is 42.",)),
        ],
        now=now,
    )


@asynccontextmanager
async def serving(source: World | Scenario | None = None) -> AsyncIterator[tuple[Simulator, httpx.AsyncClient]]:
    """Yield a running simulator and a client of it, on the time of the loop."""
    async with (
        Simulator(source or small_world(), now=now) as simulator,
        httpx.AsyncClient(base_url=simulator.base_url, trust_env=False, timeout=60.0) as client,
    ):
        yield simulator, client


async def ask(
    client: httpx.AsyncClient, path: str = CHAT, *, key: str | None = None, model: str = "small", stream: bool = True
) -> httpx.Response:
    """Send one prompt and return the whole answer."""
    known = CODEX_KEY if path == CODEX else CHAT_KEY
    return await client.post(path, headers=bearer(key or known), json=prompt(model, stream))


async def ask_usage(client: httpx.AsyncClient, key: str = CODEX_KEY) -> httpx.Response:
    """Ask the usage endpoint."""
    return await client.get(USAGE, headers=bearer(key))


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def prompt(model: str = "small", stream: bool = True) -> dict[str, Any]:
    """Return a request that chat completions and the Codex backend both take."""
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}]
    codex = {"instructions": "Be brief.", "input": said, "store": False}
    return {"model": model, "stream": stream, "messages": [{"role": "user", "content": "Hello"}], **codex}


def switch(mode: Mode, path: str = CHAT, resets_in: float | None = None) -> SetMode:
    """Return the action that sets `mode` on the provider behind `path`."""
    return SetMode(provider="openai-codex" if path == CODEX else "backup", mode=mode, resets_in=resets_in)
