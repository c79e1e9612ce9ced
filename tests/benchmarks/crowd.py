"""A crowd of sessions in one process, each reading one streamed reply; what it cost is printed as JSON.

`python -m tests.benchmarks.crowd ours|bare COUNT TOKENS URL` runs our fleet, or a bare httpx client for each. They
begin one after another, on time even where the loop is late, so that for a while all of them stream at once.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import httpx

from hermes_tui.providers.transport import make_client
from tests.benchmarks.measuring import Watch, percentile
from tests.benchmarks.process import allow_many_descriptors, answer, answer_of, resident_bytes

RATE: Final = 20
"""Tokens a second, of each stream."""

PAUSE_SECONDS: Final = 0.01
"""Between one beginning and the next."""

LOOK_SECONDS: Final = 0.01
LAG_SHARE: Final = 0.99

Reading = Callable[[], Awaitable[int]]
"""Reads one stream to its end, and returns how many tokens came."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a crowd cost: `late` is by how many seconds the last reply ended after its time.

    `lag` is the loop's, at the 99th percentile and in seconds; `cpu` in seconds for a token, everything included;
    `memory` in bytes.
    """

    complete: int
    late: float
    lag: float
    cpu: float
    memory: int


def crowd(kind: str, count: int, tokens: int, base_url: str) -> Cost:
    """Run a crowd in a process of its own."""
    return Cost(**answer_of("crowd", kind, count, tokens, base_url))


@asynccontextmanager
async def _ours(count: int, tokens: int, base_url: str) -> AsyncIterator[list[Reading]]:
    from tests.benchmarks.staging import configure, names, started  # noqa: PLC0415 - the bare ones hold none of it

    def reading(session: str) -> Reading:
        async def read() -> int:
            return tokens if await fleet.prompt(session, "Go on.") else 0

        return read

    with tempfile.TemporaryDirectory() as folder:
        config = configure(Path(folder), base_url, base_url, sessions=count)
        async with started(config, Path(folder) / "state") as fleet:
            yield [reading(session) for session in names(count)]


@asynccontextmanager
async def _bare(count: int, tokens: int, base_url: str) -> AsyncIterator[list[Reading]]:
    def reading(client: httpx.AsyncClient) -> Reading:
        async def read() -> int:
            url = f"{base_url}/chat/completions"
            async with client.stream("POST", url, content=b"{}", timeout=None) as response:
                return sum([data.count(b"token") async for data in response.aiter_raw()])

        return read

    async with AsyncExitStack() as stack:
        yield [reading(await stack.enter_async_context(make_client())) for _ in range(count)]


async def _measured(kind: str, count: int, tokens: int, base_url: str) -> Cost:
    loop = asyncio.get_running_loop()
    async with {"ours": _ours, "bare": _bare}[kind](count, tokens, base_url) as readings:
        watch, lags = Watch(), [0.0]
        looking = asyncio.ensure_future(_look(lags))
        tasks, begin = [], loop.time()
        for reading in readings:
            if (left := begin - loop.time()) > 0:
                await asyncio.sleep(left)
            tasks.append(asyncio.ensure_future(reading()))
            begin += PAUSE_SECONDS
        read = await asyncio.gather(*tasks)
        late, spent = loop.time() - begin - tokens / RATE, watch.spent()
        looking.cancel()
        complete = sum(came >= tokens for came in read)
        return Cost(
            complete, late, percentile(lags, LAG_SHARE), spent.cpu / count / tokens, resident_bytes(os.getpid())
        )


async def _look(lags: list[float]) -> None:
    """Note, again and again, by how much the loop comes too late."""
    loop = asyncio.get_running_loop()
    while True:
        before = loop.time()
        await asyncio.sleep(LOOK_SECONDS)
        lags.append(loop.time() - before - LOOK_SECONDS)


def main(kind: str, count: str, tokens: str, base_url: str) -> None:
    """Run a crowd."""
    allow_many_descriptors()
    answer(asdict(asyncio.run(_measured(kind, int(count), int(tokens), base_url))))


if __name__ == "__main__":
    main(*sys.argv[1:])
