"""The six acts, and how one waits for its turn.

Hermes tries to return to the primary once, at the start of a turn and in its thread, by calling
`_restore_primary_runtime`. An act that is wanted stands in the way of that one call, does its part, lets the call
happen, and is gone: a reply that streams is never disturbed, and a turn of which nothing was asked runs none of this.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

FORCE_RESTORE, RESET_CHAIN, TAKE_CHAIN = "force_restore", "reset_chain", "take_chain"
USE_FALLBACK, CLEAR_COOLDOWN, DROP_VERDICT = "use_fallback", "clear_cooldown", "drop_verdict"
ACTS = (CLEAR_COOLDOWN, DROP_VERDICT, TAKE_CHAIN, RESET_CHAIN, FORCE_RESTORE, USE_FALLBACK)
"""In the order in which those that wait for the same turn are done."""

RESTORE = "_restore_primary_runtime"
_WAITING, _LAST = "_hermes_tui_waiting", "_hermes_tui_last"
_LOCK = threading.Lock()

logger = logging.getLogger("hermes_tui_bridge")

Part = Callable[[Any], object]


def waiting_acts(agent: Any) -> list[str]:
    """Return the acts that wait for the agent's next turn."""
    return list(agent.__dict__.get(_WAITING, ()))


def last_act(agent: Any) -> dict[str, object] | None:
    """Return what the last acts did when they were applied."""
    told: dict[str, object] | None = agent.__dict__.get(_LAST)
    return told


def in_turn(agent: Any) -> bool:
    """Tell whether a turn runs: by what 0.22 notes of it, else by where the thread is that ran the agent last."""
    if getattr(agent, "_active_session_turn_lease_holder", None) or getattr(agent, "_inflight_turn_id", None):
        return True
    frame = sys._current_frames().get(getattr(agent, "_execution_thread_id", None) or 0)
    while frame is not None:
        owners = ("self", "agent") if frame.f_code.co_name == "run_conversation" else ()
        if any(frame.f_locals.get(name) is agent for name in owners):
            return True
        frame = frame.f_back
    return False


def later(agent: Any, act: str, before: Part, after: Part | None = None, *, instead_of: str = "") -> None:
    """Let `before` and `after` be done around the restore of the agent's next turn; `before` may take its place."""
    with _LOCK:
        waiting = agent.__dict__.setdefault(_WAITING, {})
        waiting.pop(instead_of, None)
        waiting[act] = (before, after)
        setattr(agent, RESTORE, partial(_turn_starts, agent))


def _turn_starts(agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Do what waits, around Hermes' own restore; a part that fails is told, and the turn goes on."""
    with _LOCK:
        waiting = agent.__dict__.pop(_WAITING, {})
        agent.__dict__.pop(RESTORE, None)
    faults: list[str] = []
    acts = sorted(waiting, key=ACTS.index)
    switched = [_tried(waiting[act][0], agent, faults) for act in acts]
    done = True if True in switched else getattr(type(agent), RESTORE)(agent, *args, **kwargs)
    for after in [waiting[act][1] for act in acts if waiting[act][1] is not None]:
        _tried(after, agent, faults)
    with suppress(Exception):
        route = f"{agent.provider}/{agent.model}"
        where = f"on the fallback {route}" if agent._fallback_activated else f"on the primary {route}"
        said = "; ".join([f"the turn began {where}", *faults])
        agent.__dict__[_LAST] = {"acts": acts, "at": time.time(), "said": said}
        for act in acts:
            logger.info("Done: %s of session %s: %s", act, agent.session_id, said)
    return done


def _tried(part: Part, agent: Any, faults: list[str]) -> object:
    try:
        return part(agent)
    except Exception as error:
        faults.append(f"a part failed ({type(error).__name__})")
        return None
