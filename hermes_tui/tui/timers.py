"""Calls that come late on a slow machine, and never not at all."""

from textual.message_pump import MessagePump
from textual.timer import Timer, TimerCallback


class SureTimers(MessagePump):
    """Goes before the class of a screen or an application that something must not be lost of."""

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        """Call a function once, after `delay` seconds or later: one that is late is never left out.

        Textual's own leaves it out where the machine takes longer than the delay just to begin; its application waits
        for one such call before it tells of a new window size, and would tell of none any more.
        """
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False  # noqa: SLF001 - it is no parameter of the call above
        return timer
