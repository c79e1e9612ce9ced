"""The six acts of a user. What changes a session waits for the start of its next turn, in the turn's own thread.

Hermes tries to return to the primary once, there, by calling `_restore_primary_runtime`. An act that is wanted stands
in the way of that one call, does its part, lets the call happen, and is gone: a reply that streams is never disturbed,
and a turn of which nothing was asked runs nothing of this.
"""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

CODEX = "openai-codex"

FORCE_RESTORE, RESET_CHAIN, TAKE_CHAIN = "force_restore", "reset_chain", "take_chain"
USE_FALLBACK, CLEAR_COOLDOWN, DROP_VERDICT = "use_fallback", "clear_cooldown", "drop_verdict"
ACTS = (CLEAR_COOLDOWN, DROP_VERDICT, TAKE_CHAIN, RESET_CHAIN, FORCE_RESTORE, USE_FALLBACK)
"""In the order in which those that wait for the same turn are done."""

_NEEDS = {
    FORCE_RESTORE: ("_fallback_activated", "_primary_runtime"),
    RESET_CHAIN: ("_fallback_chain", "_fallback_index"),
    TAKE_CHAIN: ("_fallback_chain", "_fallback_index", "_fallback_activated"),
    USE_FALLBACK: ("_fallback_chain", "_fallback_index", "_fallback_activated", "_try_activate_fallback"),
}
"""What an agent must have for an act, besides the call that each stands in the way of."""

_RESTORE = "_restore_primary_runtime"
_WAITING, _LAST = "_hermes_tui_waiting", "_hermes_tui_last"
_PIN_SECONDS = 10 * 365 * 86400.0
"""For how long a fallback that the user chose is kept: until somebody restores."""

_NO_STATUS = (
    "last_status",
    "last_status_at",
    "last_error_code",
    "last_error_reason",
    "last_error_message",
    "last_error_reset_at",
)
_LOCK = threading.Lock()

Part = Callable[[Any], object]


class Refused(Exception):
    """An act cannot be done; the text is the reason."""


class Hand:
    """Does what the user asks of the agents; `why_not_touched` is the reason why nothing can be done at all."""

    def __init__(self, agents: Any, home: str, why_not_touched: str | None) -> None:
        self._agents = agents
        self._home = home
        self._why_not_touched = why_not_touched

    def why_not(self, act: str) -> str | None:
        """Return why `act` cannot be done in this Hermes, None where it can."""
        if self._why_not_touched is not None:
            return self._why_not_touched
        if act == DROP_VERDICT and _cache() is None:
            return "this Hermes asks no usage endpoint, or has not loaded what does"
        return None

    def do(self, act: str, request: dict[str, object]) -> str:
        """Do `act`; return what was done and what will happen. Raises Refused with the reason where it cannot be."""
        if (why := self.why_not(act)) is not None:
            raise Refused(why)
        if act == CLEAR_COOLDOWN:
            return self._clear_cooldown(str(request.get("provider") or ""), str(request.get("credential") or ""))
        if act == DROP_VERDICT:
            return self._drop_verdict(str(request.get("fingerprint") or ""))
        agent = self._agent(str(request.get("session") or ""))
        for name in (*_NEEDS[act], _RESTORE):
            if not hasattr(agent, name):
                raise Refused(f"this Hermes has no {name}, which it takes")
        wish: Callable[[Any], str] = getattr(self, f"_{act}")
        return wish(agent)

    def _agent(self, session: str) -> Any:
        found = [agent for agent in self._agents.living() if _is_session(agent, session)]
        if not found:
            raise Refused(f"session {session} is not open in this process")
        self._refuse_other_home(found[-1])
        return found[-1]

    def _refuse_other_home(self, agent: Any) -> None:
        if not self._is_of_home(agent):
            raise Refused("the session belongs to another profile's home, which this process serves too: not touched")

    def _is_of_home(self, agent: Any) -> bool:
        folder = getattr(agent, "logs_dir", None)
        return folder is not None and str(folder.parent.resolve()) == self._home

    def _force_restore(self, agent: Any) -> str:
        if not agent._fallback_activated:
            raise Refused("the session is on its primary")
        primary = agent._primary_runtime or {}
        route = (str(primary.get("provider") or "").strip().lower(), str(primary.get("model") or "").strip())
        if route in (getattr(agent, "_entitlement_rejected_models", None) or ()):
            raise Refused(f"the account may not use {route[1]}: Hermes does not go back to it before a restart")
        pool = _pool_of(primary)
        cleared = [row for row in _rows(pool) if _is_benched(row)]
        for row in cleared:
            _clear(pool, row)
        digits = [_digits(row) for row in _rows(pool)]

        def free(agent: Any) -> None:
            _free(agent)
            for key in digits:
                _drop(key)

        _later(agent, FORCE_RESTORE, free, instead_of=USE_FALLBACK)
        ended = f"Ended in auth.json: the cooldown of {_named(cleared)}. " if cleared else ""
        asked = "the primary is asked, whatever the probe says; where it refuses, that costs one call"
        return f"{ended}{_when(agent)} {asked}."

    def _reset_chain(self, agent: Any) -> str:
        chain = _chain_of_file()

        def reset(agent: Any) -> None:
            _take(agent, chain)
            agent._fallback_index = 0
            if getattr(agent, "_unavailable_fallback_keys", None):
                agent._unavailable_fallback_keys = set()

        _later(agent, RESET_CHAIN, reset, instead_of=TAKE_CHAIN)
        return (
            f"{_when(agent)} the chain is that of config.yaml ({_counted(chain)}), from its first entry, none skipped."
        )

    def _take_chain(self, agent: Any) -> str:
        if RESET_CHAIN in waiting_acts(agent):  # which takes it too
            return self._reset_chain(agent)
        chain = _chain_of_file()

        def take(agent: Any) -> None:
            if chain != agent._fallback_chain and getattr(agent, "_unavailable_fallback_keys", None):
                agent._unavailable_fallback_keys = set()
            _take(agent, chain)
            place = next((place for place, entry in enumerate(chain, 1) if names(entry, agent)), 0)
            agent._fallback_index = place if agent._fallback_activated else 0

        def leave(agent: Any) -> None:
            if agent._fallback_activated and chain and not any(names(entry, agent) for entry in chain):
                agent._try_activate_fallback()

        _later(agent, TAKE_CHAIN, take, leave, instead_of=RESET_CHAIN)
        return f"{_when(agent)} the chain is that of config.yaml: {_counted(chain)}; a route that is still in it stays."

    def _use_fallback(self, agent: Any) -> str:
        passed = agent._fallback_index if agent._fallback_activated else 0
        if len(agent._fallback_chain or ()) <= passed:
            raise Refused("there is no route after it in the session's chain" if passed else "the session has no chain")

        def switch(agent: Any) -> bool:
            if not agent._fallback_activated:
                agent._fallback_index = 0
            if not agent._try_activate_fallback():
                return False
            agent._rate_limited_until = agent._codex_reopen_checked_at = time.monotonic() + _PIN_SECONDS
            return True

        _later(agent, USE_FALLBACK, switch, instead_of=FORCE_RESTORE)
        return f"{_when(agent)} it goes to the next route that can serve, and stays there until you restore."

    def _clear_cooldown(self, provider: str, credential: str) -> str:
        pool = _pool(provider)
        row = next((row for row in _rows(pool) if row.id == credential), None)
        if row is None:
            raise Refused(f"{provider or 'no provider'} has no login {credential}")
        if row.last_status == "dead":
            raise Refused(f"{row.label} is dead: a cleared cooldown does not bring it back; sign in again")
        waiting = [agent for agent in self._agents.living() if self._waits_for(agent, provider)]
        if not _is_benched(row) and not waiting:
            raise Refused(f"{row.label} has no cooldown to clear")
        if _is_benched(row):
            _clear(pool, row)
        for agent in waiting:
            _later(agent, CLEAR_COOLDOWN, _free)
        asking = {0: "", 1: " One session here asks"}.get(len(waiting), f" {len(waiting)} sessions here ask")
        then = f"{asking} the primary at the next turn." if waiting else ""
        return f"{row.label} has no cooldown in auth.json any more.{then}"

    def _waits_for(self, agent: Any, provider: str) -> bool:
        primary = getattr(agent, "_primary_runtime", None) or {}
        on_fallback = getattr(agent, "_fallback_activated", False) and not is_pinned(agent)
        return bool(
            on_fallback and self._is_of_home(agent) and _pool_key(primary) == provider and hasattr(agent, _RESTORE)
        )

    def _drop_verdict(self, digits: str) -> str:
        if len(digits) < 8 or not _drop(digits):
            raise Refused("there is no cached verdict of that token")
        for agent in self._agents.living():
            if self._waits_for(agent, CODEX):
                _later(agent, DROP_VERDICT, _forget_check)
        return (
            "The verdict is forgotten: the usage endpoint is asked anew when Hermes next looks whether quota is back."
        )


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


def is_pinned(agent: Any) -> bool:
    """Tell whether the user chose the fallback that the agent is on."""
    left: float = (getattr(agent, "_rate_limited_until", 0) or 0) - time.monotonic()
    return left > _PIN_SECONDS / 2


def names(entry: Any, agent: Any) -> bool:
    """Tell whether an entry of a chain is the route that the agent is on."""
    wanted = [str(entry.get(name) or "").strip().lower() for name in ("provider", "model")]
    found = [str(getattr(agent, name, "") or "").strip().lower() for name in ("provider", "model")]
    address = str(entry.get("base_url") or "").strip().rstrip("/")
    return wanted == found and address in ("", str(getattr(agent, "base_url", "") or "").rstrip("/"))


def _later(agent: Any, act: str, before: Part, after: Part | None = None, *, instead_of: str = "") -> None:
    """Let `before` and `after` be done around the restore of the agent's next turn; `before` may take its place."""
    with _LOCK:
        waiting = agent.__dict__.setdefault(_WAITING, {})
        waiting.pop(instead_of, None)
        waiting[act] = (before, after)
        setattr(agent, _RESTORE, partial(_turn_starts, agent))


def _turn_starts(agent: Any, *args: Any, **kwargs: Any) -> Any:
    """Do what waits, around Hermes' own restore; a part that fails is told, and the turn goes on."""
    with _LOCK:
        waiting = agent.__dict__.pop(_WAITING, {})
        agent.__dict__.pop(_RESTORE, None)
    faults: list[str] = []
    acts = sorted(waiting, key=ACTS.index)
    switched = [_tried(waiting[act][0], agent, faults) for act in acts]
    done = True if True in switched else getattr(type(agent), _RESTORE)(agent, *args, **kwargs)
    for after in [waiting[act][1] for act in acts if waiting[act][1] is not None]:
        _tried(after, agent, faults)
    with suppress(Exception):
        route = f"{agent.provider}/{agent.model}"
        where = f"on the fallback {route}" if agent._fallback_activated else f"on the primary {route}"
        said = "; ".join([f"the turn began {where}", *faults])
        agent.__dict__[_LAST] = {"acts": acts, "at": time.time(), "said": said}
    return done


def _tried(part: Part, agent: Any, faults: list[str]) -> object:
    try:
        return part(agent)
    except Exception as error:
        faults.append(f"a part failed ({type(error).__name__})")
        return None


def _free(agent: Any) -> None:
    """End the session's own cooldown, and let it look at once."""
    agent._rate_limited_until = 0
    _forget_check(agent)


def _forget_check(agent: Any) -> None:
    agent.__dict__.pop("_codex_reopen_checked_at", None)


def _take(agent: Any, chain: list[dict[str, Any]]) -> None:
    agent._fallback_chain = [dict(entry) for entry in chain]
    agent._fallback_model = agent._fallback_chain[0] if chain else None


def _chain_of_file() -> list[dict[str, Any]]:
    """Return the chain that config.yaml has now, read as Hermes reads it. Raises Refused where it is broken."""
    from hermes_cli.fallback_config import get_fallback_chain

    try:
        try:
            from hermes_cli.config_effective import load_user_config_effective
        except ModuleNotFoundError:  # 0.19 takes its defaults for a broken file: not ours to pass on
            import yaml
            from hermes_cli.config import get_config_path, load_config

            with open(get_config_path(), encoding="utf-8-sig") as file:
                yaml.safe_load(file)
            return list(get_fallback_chain(load_config()))
        return list(get_fallback_chain(load_user_config_effective(fail_closed=True)))
    except Exception as error:
        raise Refused(f"config.yaml cannot be read ({type(error).__name__}): the session keeps its chain") from None


def _pool_key(primary: dict[str, Any]) -> str:
    provider = str(primary.get("provider") or "").strip().lower()
    base_url = str(primary.get("base_url") or "")
    module = sys.modules.get("agent.credential_pool")
    if (resolve := getattr(module, "resolve_runtime_pool_key", None)) is not None:
        return str(resolve(provider, base_url) or "")
    if provider == "custom" and (find := getattr(module, "get_custom_provider_pool_key", None)) is not None:
        return str(find(base_url) or "")
    return provider


def _pool_of(primary: dict[str, Any]) -> Any:
    key = _pool_key(primary)
    return _pool(key) if key else None


def _pool(provider: str) -> Any:
    """Return the provider's pool as it is on disk. Raises Refused."""
    from agent.credential_pool import load_pool

    try:
        return load_pool(provider)
    except Exception as error:
        raise Refused(f"auth.json cannot be read now ({type(error).__name__}): nothing was changed") from None


def _rows(pool: Any) -> list[Any]:
    return list(pool.entries()) if pool is not None else []


def _is_benched(row: Any) -> bool:
    return row.last_status == "exhausted" or bool(getattr(row, "model_cooldowns", None))


def _clear(pool: Any, row: Any) -> None:
    """End the cooldown of one row on disk, as `hermes auth reset` does. Raises Refused."""
    try:
        if (reset := getattr(pool, "reset_status", None)) is not None:
            reset(row.id)
        else:  # 0.19 can only reset all of them
            pool._replace_entry(row, replace(row, **dict.fromkeys(_NO_STATUS)))
            pool._persist()
    except Exception as error:
        raise Refused(f"auth.json cannot be written now ({type(error).__name__}): try again") from None


def _cache() -> dict[str, Any] | None:
    found: dict[str, Any] | None = getattr(sys.modules.get("hermes_cli.auth_codex"), "_codex_quota_probe_cache", None)
    return found


def _drop(digits: str) -> bool:
    cache = _cache()
    found = [key for key in list(cache or ()) if key.startswith(digits)]
    return [cache.pop(key, None) for key in found if cache is not None] != []


def _digits(row: Any) -> str:
    from hashlib import sha256

    return sha256(str(row.access_token or "").encode()).hexdigest()[:16]


def _is_session(agent: Any, session: str) -> bool:
    return str(getattr(agent, "session_id", "")) == session and not getattr(agent, "_persist_disabled", False)


def _named(rows: list[Any]) -> str:
    return ", ".join(str(row.label) for row in rows)


def _counted(chain: list[Any]) -> str:
    return "1 entry" if len(chain) == 1 else f"{len(chain)} entries"


def _when(agent: Any) -> str:
    return "When the turn that runs has ended and the next begins," if in_turn(agent) else "When the next turn begins,"
