"""Keys that commands print, asked for by whoever needs them without a fleet."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

from hermes_tui.core.ports import Configured

C = TypeVar("C", bound=Configured)


async def with_keys(configured: C, pools: Iterable[str], read: Callable[[], C], now: float) -> C:
    """Return what is configured with the keys of `pools`, which `read` finds once their commands were asked."""
    found = filter(None, map(configured.configuration.pool, dict.fromkeys(pools)))
    lacking = [pool.name for pool in found if pool.lacks_keys(now)]
    if not lacking:
        return configured
    await asyncio.gather(*map(configured.keyring.ask, lacking))
    return read()
