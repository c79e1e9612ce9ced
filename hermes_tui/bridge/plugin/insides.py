"""What of Hermes' insides the acts need: its chain in config.yaml, its logins on disk, its cached verdicts."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

CODEX = "openai-codex"

LOCK_SECONDS = 1.0
"""How long an act waits for auth.json: meanwhile nobody else is answered."""

SHORTEST_KEY = 8
_TOKENS = ("access_token", "refresh_token", "agent_key")
_NO_STATUS = (
    "last_status",
    "last_status_at",
    "last_error_code",
    "last_error_reason",
    "last_error_message",
    "last_error_reset_at",
)


class Refused(Exception):
    """An act cannot be done; the text is the reason."""


def home_of(agent: Any) -> str:
    """Return the home that an agent works in. Raises AttributeError where it does not say."""
    return _real(str(agent.logs_dir.parent))  # `<home>/sessions` since ever


@lru_cache(64)
def _real(folder: str) -> str:
    return os.path.realpath(folder)


def label_of(row: Any) -> str:
    """Return what a login is called, its id where a key is in the name."""
    label = str(row.label or "")
    return str(row.id) if any(holds(label, getattr(row, name, None)) for name in _TOKENS) else label


def holds(text: str, key: object) -> bool:
    """Tell whether a key stands in a text; what is as short as a word is none."""
    return isinstance(key, str) and len(key) >= SHORTEST_KEY and key in text


def names(entry: Any, agent: Any) -> bool:
    """Tell whether an entry of a chain is the route that the agent is on."""
    wanted = [str(entry.get(name) or "").strip().lower() for name in ("provider", "model")]
    found = [str(getattr(agent, name, "") or "").strip().lower() for name in ("provider", "model")]
    address = str(entry.get("base_url") or "").strip().rstrip("/")
    return wanted == found and address in ("", str(getattr(agent, "base_url", "") or "").rstrip("/"))


def chain_of_file() -> list[dict[str, Any]]:
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


def pool_key(primary: dict[str, Any]) -> str:
    """Return the name under which a primary's logins are kept."""
    provider = str(primary.get("provider") or "").strip().lower()
    base_url = str(primary.get("base_url") or "")
    module = sys.modules.get("agent.credential_pool")
    if (resolve := getattr(module, "resolve_runtime_pool_key", None)) is not None:
        return str(resolve(provider, base_url) or "")
    if provider == "custom" and (find := getattr(module, "get_custom_provider_pool_key", None)) is not None:
        return str(find(base_url) or "")
    return provider


@contextmanager
def logins_locked() -> Iterator[None]:
    """Hold Hermes' own lock of auth.json, for which Hermes itself waits much longer. Raises Refused."""
    from hermes_cli.auth import _auth_store_lock

    try:
        with _auth_store_lock(timeout_seconds=LOCK_SECONDS):
            yield
    except TimeoutError:
        raise Refused("another process holds the lock of auth.json: nothing was changed, try again") from None
    except OSError as error:  # Hermes notes in the lock who holds it
        raise _unwritten(error) from None


def pool_on_disk(provider: str) -> Any:
    """Return the provider's logins as they are in auth.json, None where it is no provider's. Raises Refused."""
    from agent.credential_pool import load_pool

    try:
        return load_pool(provider) if provider else None
    except Exception as error:
        raise Refused(f"auth.json cannot be read now ({type(error).__name__}): nothing was changed") from None


def rows_of(pool: Any) -> list[Any]:
    """Return the rows of a pool."""
    return list(pool.entries()) if pool is not None else []


def is_benched(row: Any) -> bool:
    """Tell whether a row has a cooldown, of its own or of one model; a dead one has none."""
    return row.last_status == "exhausted" or (row.last_status != "dead" and bool(getattr(row, "model_cooldowns", None)))


def end_cooldown(pool: Any, row: Any) -> None:
    """End the cooldown of one row on disk, as `hermes auth reset` does. Raises Refused."""
    try:
        if (reset := getattr(pool, "reset_status", None)) is not None:
            reset(row.id)
        else:  # 0.19 can only reset all of them
            pool._replace_entry(row, replace(row, **dict.fromkeys(_NO_STATUS)))
            pool._persist()
    except Exception as error:
        raise _unwritten(error) from None


def _unwritten(error: Exception) -> Refused:
    return Refused(f"auth.json cannot be written now ({type(error).__name__}): try again")


def verdicts() -> dict[str, Any] | None:
    """Return Hermes' own cache of what the usage endpoint said, None where it has none."""
    found: dict[str, Any] | None = getattr(sys.modules.get("hermes_cli.auth_codex"), "_codex_quota_probe_cache", None)
    return found


def forget_verdict(digits: str) -> bool:
    """Drop what is cached of the token whose hash begins so; tell whether anything was."""
    cache = verdicts() or {}
    found = [key for key in list(cache) if key.startswith(digits)]
    for key in found:
        cache.pop(key, None)
    return bool(found)


def digits_of(row: Any) -> str:
    """Return the digits by which Hermes keeps a verdict of the row's token."""
    return sha256(str(row.access_token or "").encode()).hexdigest()[:16]
