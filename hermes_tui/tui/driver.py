"""Textual's terminal driver, made to outlive its terminal.

Its writing thread dies with the first error, after which the program waits for it for ever: a lost connection would
leave a process behind that holds its sessions. Here what is drawn for nobody is dropped, and the program leaves.
"""

from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App


class _Lasting:
    """A stream whose errors end nothing; `lost` is called at each."""

    def __init__(self, stream: IO[str], lost: Callable[[], None]) -> None:
        self._stream = stream
        self._lost = lost

    def write(self, text: str) -> None:
        """Write, as long as there is somebody to write to."""
        try:
            self._stream.write(text)
        except OSError:
            self._lost()

    def flush(self) -> None:
        """Flush, as long as there is somebody to write to."""
        try:
            self._stream.flush()
        except OSError:
            self._lost()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class LastingDriver(LinuxDriver):
    """Leaves the app when its terminal is gone, with or without a signal."""

    def __init__(self, app: "App[object]", **options: Any) -> None:
        super().__init__(app, **options)
        self._is_gone = False
        self._file: Any = _Lasting(self._file, self._gone)

    def _gone(self) -> None:
        """Leave, once; called in the writing thread."""
        if not self._is_gone:
            self._is_gone = True
            self._loop.call_soon_threadsafe(self._app.exit)
