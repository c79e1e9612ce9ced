"""The hand of hermes-tui inside Hermes: it tells where each live session stands, and does what its user asks.

It opens `<home>/run/hermes-tui-<pid>.sock`, which its owner alone can reach, and waits. Nothing runs while nobody asks,
and nothing of Hermes is touched before somebody does. What was asked for and done stands in Hermes' agent.log. No key
or token ever leaves (twelve digits of their hash do), nothing is sent anywhere, and every error stays in here.

  door.py     the socket: who may come in, how much, how long
  agents.py   which agents live in this process
  telling.py  what is said of them: attributes that are read
  acting.py   what a user can have done: six acts
  turns.py    how an act waits for the start of a turn: never under a running one
  insides.py  what of Hermes itself the acts need

To be rid of it: `hermes-tui bridge remove`, or delete this folder and its name under `plugins.enabled`.
"""

import atexit
import logging
import os
import sys
import time

from .acting import Hand
from .agents import Agents
from .door import Closed, Door
from .insides import Refused
from .telling import state
from .turns import ACTS

VERSION = "1.0.0"
PROTOCOLS = (1,)
KNOWN = ("0.19.0", "0.21.5.post2", "0.22.2.post1")
"""The releases whose insides were read and tried; any other is observed, and not touched."""

logger = logging.getLogger("hermes_tui_bridge")


class Bridge:
    """What answers at the door."""

    def __init__(self, home: str, version: str) -> None:
        self.home = home
        self.version = version
        self.since = time.time()
        self.agents = Agents()
        self.hand = Hand(self.agents, home, _why_not_touched(version))

    def hello(self, versions: object) -> dict[str, object]:
        """Agree on a protocol, and say who is here and what can be done."""
        common = [one for one in PROTOCOLS if isinstance(versions, list) and one in versions]
        if not common:
            raise Refused(f"this bridge speaks protocol {', '.join(map(str, PROTOCOLS))}: update the older of the two")
        folder, name = os.path.split(self.home)
        return {
            "protocol": max(common),
            "plugin": VERSION,
            "hermes": self.version,
            "pid": os.getpid(),
            "home": self.home,
            "profile": name if os.path.basename(folder) == "profiles" else None,
            "since": self.since,
            "abilities": {act: self.hand.why_not(act) for act in ACTS},
        }

    def answer(self, request: dict[str, object]) -> dict[str, object]:
        """Return what is asked for. Raises Refused with the reason where it cannot be done."""
        asked = request.get("do")
        if asked == "state":
            return state(self.agents.living())
        if isinstance(asked, str) and asked in ACTS:
            said = self.hand.do(asked, request)
            logger.info("Asked for %s of %s: %s", asked, _object_of(request), said)
            return {"said": said}
        raise Refused("this bridge does not know that")


def _object_of(request: dict[str, object]) -> str:
    """Return what an act was done to, as the log names it; a login may be called as its key is, and is not named."""
    if "session" in request:
        return f"session {request['session']}"
    if "fingerprint" in request:
        return str(request["fingerprint"])
    return str(request.get("provider"))


def register(ctx: object) -> None:
    """Open the door; called by Hermes when it loads its plugins."""
    try:
        from hermes_cli import __version__
        from hermes_constants import get_hermes_home

        if _is_outside():
            raise Closed("plugins run outside of Hermes here (plugins.isolation: host), where no session can be seen")
        bridge = Bridge(os.path.realpath(get_hermes_home()), str(__version__))
        door = Door(bridge.home, bridge.hello, bridge.answer)
        door.open()
    except (Closed, OSError) as why:
        logger.warning("The bridge of hermes-tui stays closed: %s", why)
    except Exception:  # whatever it is, Hermes goes on without us
        logger.warning("The bridge of hermes-tui stays closed", exc_info=True)
    else:
        atexit.register(door.remove)
        if callable(unloading := getattr(ctx, "on_unload", None)):
            unloading(door.close)
            unloading(bridge.agents.leave)


def _is_outside() -> bool:
    """Tell whether this is the process that Hermes gives plugins which it does not let in."""
    return str(getattr(getattr(sys.modules["__main__"], "__spec__", None), "name", "")).endswith("plugin_host_child")


def _why_not_touched(version: str) -> str | None:
    if version not in KNOWN:
        return f"Hermes {version} is not known to this bridge, which knows {', '.join(KNOWN)}: it only looks"
    return None
