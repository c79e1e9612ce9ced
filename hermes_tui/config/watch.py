"""Noticing that the configuration file changed, whoever wrote it and however."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from watchfiles import Change, awatch

from hermes_tui.config.load import Loaded
from hermes_tui.core.errors import ConfigurationError

_DEBOUNCE_MILLISECONDS: Final = 400
_STEP_MILLISECONDS: Final = 100
_WRITING_SECONDS: Final = 0.5
"""A file that is gone, half or unreadable for less is being written."""

_Batches = AsyncGenerator[set[tuple[Change, str]], None]


async def changes(
    path: Path, load_it: Callable[[], Loaded], *, since: str | None = None
) -> AsyncGenerator[Loaded | ConfigurationError, None]:
    """Yield the file each time its content has become another one, or why it cannot be used any more.

    `since` is the digest of what is in force: a change made before the watch began is noticed too. Without it the
    content at the start counts as known. After an error the last good configuration goes on: the same content
    again yields it again, so that the error can be taken away.
    """
    folders, names = _watched(path)
    if not folders:
        yield ConfigurationError("its folder does not exist, so it cannot be watched: make the folder", path=path)
        return
    stop = asyncio.Event()
    batches: _Batches = awatch(
        *folders,
        watch_filter=lambda _, changed: Path(changed).name in names,
        debounce=_DEBOUNCE_MILLISECONDS,
        step=_STEP_MILLISECONDS,
        stop_event=stop,
        recursive=False,
    )
    pending = asyncio.ensure_future(anext(batches, None))
    try:
        await asyncio.sleep(0)  # the watch begins before the first look
        known = since
        outcome = _look(load_it)
        if known is None:
            known = _identity(outcome)
        while True:
            if isinstance(outcome, ConfigurationError) and not await _goes_on(pending):
                outcome = _look(load_it)
            if _identity(outcome) != known and not pending.done():
                known = _identity(outcome)
                yield outcome
            if await pending is None:
                return
            pending = asyncio.ensure_future(anext(batches, None))
            outcome = _look(load_it)
    finally:
        stop.set()
        pending.cancel()
        with suppress(asyncio.CancelledError):
            await pending
        await batches.aclose()


def _watched(path: Path) -> tuple[set[Path], set[str]]:
    """Return the folders and file names that count: those of the path, and of the file that it links to."""
    paths = (path.absolute(), path.resolve())
    return {each.parent for each in paths if each.parent.is_dir()}, {each.name for each in paths}


async def _goes_on(pending: asyncio.Future[set[tuple[Change, str]] | None]) -> bool:
    """Tell whether the file changes again within the time that writing it may take."""
    done, _ = await asyncio.wait((pending,), timeout=_WRITING_SECONDS)
    return bool(done)


def _look(load_it: Callable[[], Loaded]) -> Loaded | ConfigurationError:
    try:
        return load_it()
    except ConfigurationError as error:
        return error.with_traceback(None)


def _identity(outcome: Loaded | ConfigurationError) -> str:
    return outcome.digest if isinstance(outcome, Loaded) else str(outcome)
