"""Which agents live in this process, without keeping any of them alive."""

import functools
import gc
import sys
import threading
import weakref
from contextlib import suppress
from typing import Any


class Agents:
    """Every `AIAgent` of this process: those that are there already, and each that is made from now on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[weakref.ref[Any]] = []
        self._class: Any = None
        self._wrapped: Any = None
        self._looked = False

    def watch(self) -> None:
        """Notice each agent that is made; does nothing before Hermes has loaded them."""
        found = getattr(sys.modules.get("run_agent"), "AIAgent", None)
        if found is None or self._class is not None:
            return
        original = found.__init__

        @functools.wraps(original)
        def __init__(agent: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes that one's place
            original(agent, *args, **kwargs)
            with suppress(Exception):
                self._add(agent)

        self._class, self._original, self._wrapped = found, original, __init__
        found.__init__ = __init__

    def living(self) -> list[Any]:
        """Return the agents, the newest last. The first look goes over all objects once, some tens of milliseconds."""
        self.watch()
        if self._class is not None and not self._looked:
            self._looked = True
            for thing in gc.get_objects():
                if issubclass(type(thing), self._class):
                    self._add(thing)
        with self._lock:
            self._known = [known for known in self._known if known() is not None]
            return [agent for known in self._known if (agent := known()) is not None]

    def leave(self) -> None:
        """Notice no more, as when the plugin is unloaded."""
        if self._class is not None and self._class.__init__ is self._wrapped:
            self._class.__init__ = self._original

    def _add(self, agent: Any) -> None:
        with self._lock:
            if all(known() is not agent for known in self._known):
                self._known.append(weakref.ref(agent))
