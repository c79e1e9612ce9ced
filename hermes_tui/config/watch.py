"""Noticing that the configuration file changed, whoever wrote it and however."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path
from typing import Final

from watchfiles import Change, awatch

from hermes_tui.config.load import Loaded
from hermes_tui.core.errors import ConfigurationError

_DEBOUNCE_MILLISECONDS: Final = 500
_STEP_MILLISECONDS: Final = 250
_WRITING_SECONDS: Final = 0.5
"""A file that is gone, half or unreadable for less is being written."""


async def changes(
    path: Path, load_it: Callable[[], Loaded], *, since: str | None = None
) -> AsyncGenerator[Loaded | ConfigurationError, None]:
    """Yield the file each time its content or a key that it refers to has become another, or why it cannot be used.

    `since` is the digest of what is in force: a change made before the watch began is noticed too. Without it the
    content at the start counts as known. After an error the last good configuration goes on: the same content
    again yields it again, so that the error can be taken away.
    """
    if not any(file.parent.is_dir() for file in _places({path})):
        yield ConfigurationError("its folder does not exist, so it cannot be watched: make the folder", path=path)
        return
    watch = _Watch(frozenset((path,)))
    try:
        await asyncio.sleep(0)  # the watch begins before the first look
        known = since
        outcome = _look(load_it)
        if known is None:
            known = _identity(outcome)
        while True:
            if isinstance(outcome, ConfigurationError) and not await _goes_on(watch.pending):
                outcome = _look(load_it)
            if _identity(outcome) != known and not watch.pending.done():
                known = _identity(outcome)
                yield outcome
            if isinstance(outcome, Loaded) and watch.files != {path, *outcome.key_files}:
                await watch.close()
                watch = _Watch(frozenset((path, *outcome.key_files)))
                await asyncio.sleep(0)
            elif await watch.pending is None:
                return
            else:
                watch.go_on()
            outcome = _look(load_it)
    finally:
        await watch.close()


class _Watch:
    """A watch on files, which may come and go; `pending` is done when one has changed, with None at the end."""

    def __init__(self, files: frozenset[Path]) -> None:
        self.files = files
        self._stop = asyncio.Event()
        places = _places(files)
        names = {place.name for place in places}
        self._batches = awatch(
            *{place.parent for place in places if place.parent.is_dir()},
            watch_filter=lambda _, changed: Path(changed).name in names,
            debounce=_DEBOUNCE_MILLISECONDS,
            step=_STEP_MILLISECONDS,
            stop_event=self._stop,
            recursive=False,
        )
        self.go_on()

    def go_on(self) -> None:
        """Wait for the next change."""
        self.pending = asyncio.ensure_future(anext(self._batches, None))

    async def close(self) -> None:
        """End the watch."""
        self._stop.set()
        self.pending.cancel()
        await asyncio.gather(self.pending, return_exceptions=True)  # who is cancelled meanwhile stays so
        await self._batches.aclose()


def _places(files: Iterable[Path]) -> set[Path]:
    """Return where files are to be watched: at their own paths, and where links lead."""
    return {place for file in files for place in (file.absolute(), file.resolve())}


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
