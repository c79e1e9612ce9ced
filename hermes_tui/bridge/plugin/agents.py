"""Which agents live in this process, without keeping any of them alive."""

import functools
import gc
import sys
import threading
import weakref
from contextlib import suppress
from typing import Any


class Agents:
    """Every `AIAgent` of this process, from the first time on that somebody looks: before that nothing is touched."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[weakref.ref[Any]] = []
        self._class: Any = None
        self._wrapped: Any = None

    def living(self) -> list[Any]:
        """Return the agents, the newest last. The first look goes over all objects once, some tens of milliseconds."""
        found = getattr(sys.modules.get("run_agent"), "AIAgent", None)
        if found is not None and self._class is None:
            self._watch(found)
            for agent in _made(found):
                self._add(agent)
        with self._lock:
            self._known = [known for known in self._known if known() is not None]
            return [agent for known in self._known if (agent := known()) is not None]

    def leave(self) -> None:
        """Notice no more, as when the plugin is unloaded."""
        if self._class is not None and self._class.__init__ is self._wrapped:
            self._class.__init__ = self._original

    def _watch(self, found: Any) -> None:
        """Notice each agent that is made from now on, once it is whole."""
        original = found.__init__

        @functools.wraps(original)
        def __init__(agent: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes that one's place
            original(agent, *args, **kwargs)
            with suppress(Exception):
                self._add(agent)

        self._class, self._original, self._wrapped = found, original, __init__
        found.__init__ = __init__

    def _add(self, agent: Any) -> None:
        with self._lock:
            if all(known() is not agent for known in self._known):
                self._known.append(weakref.ref(agent))


def _made(kind: Any) -> list[Any]:
    """Return all objects of a class, the oldest first.

    The collector keeps the young apart, each group by age; what becomes older while this runs is met twice, not missed.
    """
    found: list[Any] = []
    for generation in range(3):
        found[:0] = [thing for thing in gc.get_objects(generation) if issubclass(type(thing), kind)]
    return found
