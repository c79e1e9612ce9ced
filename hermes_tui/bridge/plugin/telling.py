"""What is said of the agents: attributes that are read when somebody asks. Times are epoch seconds."""

import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from .acting import is_pinned
from .insides import CODEX, holds, home_of, label_of, names, verdicts
from .turns import in_turn, last_act, waiting_acts

FINGERPRINT_DIGITS = 12
"""How many digits of a token's hash are told; the first of those by which Hermes keeps a verdict."""

MOST_AGENTS = 300
"""How many are told of at most, the newest: an answer has an end."""

CHECK_SECONDS = 300.0
"""How long Hermes waits between two looks at the quota, where it does not say itself."""


def state(agents: list[Any]) -> dict[str, object]:
    """Return where each session stands, and what the usage endpoint last said of each token."""
    told: dict[str, dict[str, object]] = {}
    for agent in agents[-MOST_AGENTS:]:
        session = getattr(agent, "session_id", None)
        if session and not getattr(agent, "_persist_disabled", False):  # a helper that goes by its session's name
            told[str(session)] = {"session": str(session), **_told_of(agent)}  # the newest of a session
    left_out = max(len(agents) - MOST_AGENTS, 0)
    return {"at": time.time(), "agents": list(told.values()), "left_out": left_out, "verdicts": list(_verdicts())}


def _told_of(agent: Any) -> dict[str, object]:
    """Return what can be read of an agent; what an unknown release keeps elsewhere is left out."""
    told: dict[str, object] = {}
    for name, read in _FACTS.items():
        with suppress(Exception):
            told[name] = read(agent)
    return told


def _route(place: Any) -> dict[str, str]:
    """Return a route of an agent, a snapshot or an entry, its address without what may be a secret."""
    get: Any = place.get if isinstance(place, dict) else partial(getattr, place)
    provider, model, address, key = (
        str(get(name, None) or "") for name in ("provider", "model", "base_url", "api_key")
    )
    bare = _bare(address)
    return {"provider": provider, "model": model, "base_url": "" if holds(bare, key) else bare}


@lru_cache(256)
def _bare(address: str) -> str:
    try:
        parts = urlsplit(address)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return ""


def _place(agent: Any) -> int | None:
    """Return where in the chain the agent is: 0 is its primary, None a route that is no entry."""
    if not agent._fallback_activated:
        return 0
    return next((place for place, entry in enumerate(agent._fallback_chain, 1) if names(entry, agent)), None)


def _ahead(moment: Any) -> float | None:
    """Return when a monotonic moment is, None where it has passed."""
    left = float(moment or 0) - time.monotonic()
    return time.time() + left if left > 0 else None


def _reason(agent: Any) -> str | None:
    """Return why the cooldown runs, None where there is none or this release does not tell."""
    if _ahead(getattr(agent, "_rate_limited_until", 0)) is None:
        return None
    if is_pinned(agent):
        return "pinned"
    counted = getattr(agent, "_rate_limit_backoff_count", None)  # each limit counts, each restore sets it back
    return None if counted is None else "limit" if counted else "chain exhausted"


def _next_check(agent: Any) -> float | None:
    """Return from when on Hermes asks again whether a benched Codex primary has reopened."""
    checked = getattr(agent, "_codex_reopen_checked_at", None)
    if checked is None or agent._primary_runtime.get("provider") != CODEX or is_pinned(agent):
        return None
    return time.time() + float(checked) + _interval() - time.monotonic()


def _interval() -> float:
    module = sys.modules.get("hermes_cli.auth_codex")
    return float(getattr(module, "CODEX_QUOTA_PROBE_MIN_INTERVAL_SECONDS", CHECK_SECONDS))


def _verdicts() -> Iterator[dict[str, object]]:
    for key, kept in list((verdicts() or {}).items()):
        with suppress(Exception):
            at, verdict = kept
            asked_at = time.time() + float(at) - time.monotonic()
            quota = {True: "quota", False: "no_quota"}.get(verdict, "unknown")
            digits = key[:FINGERPRINT_DIGITS]
            int(digits, 16)  # where a release keeps it by something else, that is not told
            yield {"fingerprint": digits, "verdict": quota, "asked_at": asked_at, "until": asked_at + _interval()}


def _credential(agent: Any) -> dict[str, object] | None:
    """Return the login in use, or what is known of a key that belongs to no pool."""
    pool = getattr(agent, "_credential_pool", None)
    wanted = getattr(agent, "_credential_pool_entry_id", None) or getattr(pool, "_current_id", None)
    rows = list(getattr(pool, "_entries", None) or ())  # not under the pool's lock: it may be held for a request
    key = getattr(agent, "api_key", None)
    row = next((row for row in rows if row.id == wanted or (wanted is None and row.access_token == key)), None)
    key = row.access_token if row is not None else key
    digits = hashlib.sha256(key.encode()).hexdigest()[:FINGERPRINT_DIGITS] if isinstance(key, str) and key else ""
    if row is None and not digits:
        return None
    return {
        "provider": str(getattr(pool, "provider", "") or ""),
        "id": str(row.id) if row is not None else "",
        "label": label_of(row) if row is not None else "",
        "status": str(row.last_status or "") if row is not None else "",
        "fingerprint": digits,
    }


def _turn_since(agent: Any) -> float | None:
    return float(agent._inflight_turn_started) if agent._inflight_turn_id else None


def _skipped(agent: Any) -> list[list[str]]:
    return [list(map(str, key[:2])) for key in list(agent._unavailable_fallback_keys or ())]


_FACTS: dict[str, Callable[[Any], object]] = {
    "home": home_of,
    "platform": lambda agent: str(agent.platform or ""),
    "parent": lambda agent: str(agent._parent_session_id or ""),
    "route": _route,
    "primary": lambda agent: _route(agent._primary_runtime),
    "chain": lambda agent: [_route(entry) for entry in agent._fallback_chain],
    "next": lambda agent: int(agent._fallback_index),
    "on_fallback": lambda agent: bool(agent._fallback_activated),
    "position": _place,
    "skipped": _skipped,
    "cooldown_until": lambda agent: _ahead(agent._rate_limited_until),
    "cooldown_reason": _reason,
    "backoffs": lambda agent: int(agent._rate_limit_backoff_count),
    "checks_from": _next_check,
    "turn_since": _turn_since,
    "in_turn": in_turn,
    "credential": _credential,
    "waiting": waiting_acts,
    "last": last_act,
}
"""What is told of an agent, by how it is read."""
