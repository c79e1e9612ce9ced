"""What is said of the agents: attributes that are read when somebody asks. Times are epoch seconds."""

import hashlib
import sys
import time
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from .acting import is_pinned
from .insides import CODEX, names, verdicts
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
        with suppress(Exception):  # one that is being made, or of a release that keeps it elsewhere
            if not getattr(agent, "_persist_disabled", False):  # a helper that goes by its session's name
                told[str(agent.session_id)] = _agent(agent)  # the newest of a session
    left_out = max(len(agents) - MOST_AGENTS, 0)
    return {"at": time.time(), "agents": list(told.values()), "left_out": left_out, "verdicts": _verdicts()}


def _agent(agent: Any) -> dict[str, object]:
    primary = getattr(agent, "_primary_runtime", None) or {}
    chain = list(getattr(agent, "_fallback_chain", None) or ())
    on_fallback = bool(getattr(agent, "_fallback_activated", False))
    turn = getattr(agent, "_inflight_turn_id", None)
    return {
        "session": str(agent.session_id),
        "home": _home(agent),
        "platform": getattr(agent, "platform", None),
        "parent": getattr(agent, "_parent_session_id", None),
        "route": _route(agent),
        "primary": _route(primary),
        "chain": [_route(entry) for entry in chain],
        "next": getattr(agent, "_fallback_index", None),
        "on_fallback": on_fallback,
        "position": (_place(agent, chain) if on_fallback else 0),
        "skipped": [list(map(str, key[:2])) for key in list(getattr(agent, "_unavailable_fallback_keys", None) or ())],
        "cooldown_until": _ahead(getattr(agent, "_rate_limited_until", 0)),
        "cooldown_reason": _reason(agent),
        "backoffs": getattr(agent, "_rate_limit_backoff_count", None),
        "checks_from": _next_check(agent, primary),
        "turn_since": getattr(agent, "_inflight_turn_started", None) if turn else None,
        "in_turn": in_turn(agent),
        "credential": _credential(agent),
        "waiting": waiting_acts(agent),
        "last": last_act(agent),
    }


def _home(agent: Any) -> str | None:
    folder = getattr(agent, "logs_dir", None)  # `<home>/sessions` since ever
    return str(folder.parent.resolve()) if folder is not None else None


def _route(place: Any) -> dict[str, str]:
    """Return a route of an agent, a snapshot or an entry, its address without what may be a secret."""
    get: Any = place.get if isinstance(place, dict) else partial(getattr, place)
    return {name: str(get(name, None) or "") for name in ("provider", "model")} | {
        "base_url": _bare(str(get("base_url", None) or ""))
    }


def _bare(address: str) -> str:
    try:
        parts = urlsplit(address)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return ""


def _place(agent: Any, chain: list[Any]) -> int | None:
    """Return where in the chain the agent is, from 1; None where its route is no entry of it."""
    return next((place for place, entry in enumerate(chain, 1) if names(entry, agent)), None)


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


def _next_check(agent: Any, primary: dict[str, Any]) -> float | None:
    """Return from when on Hermes asks again whether a benched Codex primary has reopened."""
    checked = getattr(agent, "_codex_reopen_checked_at", None)
    if checked is None or primary.get("provider") != CODEX or is_pinned(agent):
        return None
    return time.time() + float(checked) + _interval() - time.monotonic()


def _interval() -> float:
    module = sys.modules.get("hermes_cli.auth_codex")
    return float(getattr(module, "CODEX_QUOTA_PROBE_MIN_INTERVAL_SECONDS", CHECK_SECONDS))


def _verdicts() -> list[dict[str, object]]:
    cache = verdicts() or {}
    words = {True: "quota", False: "no_quota", None: "unknown"}
    return [
        {
            "fingerprint": key[:FINGERPRINT_DIGITS],
            "verdict": words[verdict],
            "asked_at": asked,
            "until": asked + _interval(),
        }
        for key, (at, verdict) in list(cache.items())
        if (asked := time.time() + float(at) - time.monotonic())
    ]


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
        "label": str(row.label) if row is not None else "",
        "status": str(row.last_status or "") if row is not None else "",
        "fingerprint": digits,
    }
