"""Homes as a user leaves them before the first turn: configuration, logins, and where the provider is."""

import base64
import json
import time
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

from tests.hermes.lab.environments import Build
from tests.hermes.lab.provider import BACKUP, BACKUP_KEY, FALLBACK_MODEL, PRIMARY, PRIMARY_MODEL

YEAR_SECONDS: Final = 365 * 86400
QUICK: Final = """\
agent:
  environment_probe: false
auxiliary:
  title_generation:
    model_upgrade_enabled: false
"""
"""No look at this machine's tools, and no second request for a nicer title: both cost seconds."""

CODEX: Final = "https://chatgpt.com/backend-api/codex"


class Fallback(Enum):
    """Whether the fallback is a named custom provider, which has a pool of its own, or an endpoint with a key."""

    POOLED = "pooled"
    POOLLESS = "poolless"


def make_home(home: Path, build: Build, address: str, *, fallback: Fallback, logins: Sequence[str]) -> None:
    """Write a home whose primary has a login for each name in `logins`; `address` is the provider's.

    One login of 0.22 is written where signing in writes it; 0.19 knows the endpoint of a row alone.
    """
    home.mkdir(parents=True)
    codex = f"{address}/{PRIMARY}/backend-api/codex"
    (home / "config.yaml").write_text(_configuration(f"{address}/{BACKUP}/v1", fallback))
    (home / ".env").write_text(f"HERMES_CODEX_BASE_URL={codex}\n")
    auth: dict[str, Any] = {"version": 1, "active_provider": PRIMARY, "providers": {}}
    if build is Build.HERMES_22 and len(logins) == 1:
        tokens = {"access_token": made_up_token(logins[0]), "refresh_token": f"made-up-refresh-{logins[0]}"}
        signed_in = {"tokens": tokens, "last_refresh": "2026-01-01T00:00:00Z", "auth_mode": "chatgpt"}
        auth["providers"][PRIMARY] = signed_in
    else:
        endpoint = CODEX if build is Build.HERMES_22 else codex
        rows = [_row(name, place, endpoint) for place, name in enumerate(logins)]
        auth["credential_pool"] = {PRIMARY: rows}
    logins_file = home / "auth.json"
    logins_file.touch(mode=0o600)
    logins_file.write_text(json.dumps(auth, indent=2))


def made_up_token(name: str) -> str:
    """Return an unsigned token that is good for a year by its own claims."""
    account = {"chatgpt_account_id": f"account-{name}", "chatgpt_plan_type": "plus"}
    claims = {"exp": int(time.time()) + YEAR_SECONDS, "sub": name, "https://api.openai.com/auth": account}
    return ".".join((_part({"alg": "none", "typ": "JWT"}), _part(claims), "made-up"))


def _part(table: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(table).encode()).rstrip(b"=").decode()


def _row(name: str, place: int, endpoint: str) -> dict[str, Any]:
    return {
        "id": f"{place:06x}",
        "label": name,
        "auth_type": "oauth",
        "priority": place,
        "source": "manual:device_code",
        "access_token": made_up_token(name),
        "refresh_token": f"made-up-refresh-{name}",
        "base_url": endpoint,
        "last_refresh": "2026-01-01T00:00:00Z",
        "request_count": 0,
    }


def _configuration(endpoint: str, fallback: Fallback) -> str:
    key = f"base_url: {endpoint}\n    api_key: {BACKUP_KEY}\n"
    named = f"custom_providers:\n  - name: {BACKUP}\n    {key}    model: {FALLBACK_MODEL}\n"
    pooled = fallback is Fallback.POOLED
    return (
        "# a remark of the user's\n"
        f"model:\n  default: {PRIMARY_MODEL}\n  provider: {PRIMARY}\n"
        f"fallback_providers:\n  - provider: {f'custom:{BACKUP}' if pooled else 'custom'}\n"
        f"    model: {FALLBACK_MODEL}\n    context_length: 200000\n{'' if pooled else f'    {key}'}"
        f"{named if pooled else ''}"
        f"{QUICK}"
    )
