"""The user's own command, run for each notice: no shell, no terminal, a time limit."""

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Final

from hermes_tui.config.key_commands import kill
from hermes_tui.core.ports import Clock
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.view.telling import Notice

HOOK_SECONDS: Final = 10.0
"""The longest time for one run of the command."""


class Hook:
    """Runs the command in force with a notice's sentence as its last argument, one at a time.

    HERMES_TUI_EVENT and HERMES_TUI_SESSION say what it is about and where; the latter is empty where no session caused
    it. What goes wrong is handed to `complain`, for each command the first time only.
    """

    def __init__(
        self, command: Callable[[], Sequence[str]], clock: Clock, complain: Callable[[PlainText], None]
    ) -> None:
        self._command = command
        self._clock = clock
        self._complain = complain
        self._failed: Sequence[str] | None = None

    async def __call__(self, notices: Sequence[Notice]) -> None:
        """Run the command for each of `notices`."""
        for notice in notices:
            command = self._command()
            if not command:  # the file is another meanwhile
                return
            fault = await self._run(command, notice)
            if fault is not None and self._failed != command:
                self._failed = command
                self._complain(one_line(f"{command[0]} {fault}: correct command under [tell]"))

    async def _run(self, command: Sequence[str], notice: Notice) -> str | None:
        """Return what went wrong, None where nothing did."""
        named = {"HERMES_TUI_EVENT": notice.about, "HERMES_TUI_SESSION": one_line(notice.session or "")}
        nowhere = asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                notice.text,
                stdin=nowhere,
                stdout=nowhere,
                stderr=nowhere,
                env=os.environ | named,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            return f"could not be started ({reason or error})"
        try:
            async with self._clock.timeout(HOOK_SECONDS):
                code = await process.wait()
        except TimeoutError:
            return f"took longer than {HOOK_SECONDS:g} s and was ended"
        finally:
            if process.returncode is None:
                kill(process)
                await process.wait()
        return f"ended with code {code}" if code else None
