"""Folders of other programs with logins in them, in the shape in which those write them; every token is made up."""

import base64
import json
from pathlib import Path
from typing import Any

SIGNATURE = "made-up-signature"


def token_of(account: str, *, expires_at: float, number: int = 0) -> str:
    """Return a token as Codex has them; `number` tells those of one account apart."""
    claims = {"exp": expires_at, "jti": number, "https://api.openai.com/auth": {"chatgpt_account_id": account}}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"eyJhbGciOiJub25lIn0.{payload}.{SIGNATURE}"


def codex_login(folder: Path, token: str, **other: Any) -> Path:
    """Write what `codex login` leaves in its folder, whole and for its owner alone; return the file."""
    tokens = {"id_token": "made-up", "access_token": token, "refresh_token": "made-up", "account_id": "acc-1"}
    last = {"last_refresh": "2026-01-01T00:00:00Z"}
    return _written(folder, {"OPENAI_API_KEY": None, "auth_mode": "chatgpt", "tokens": tokens, **last, **other})


def hermes_login(folder: Path, *rows: dict[str, Any], **other: Any) -> Path:
    """Write a home's auth.json with `rows` in the pool of Codex; return it."""
    pool = {"openai-codex": [{"auth_type": "oauth", "refresh_token": "made-up", **row} for row in rows]}
    return _written(folder, {"version": 1, "providers": {}, "credential_pool": pool, **other})


def _written(folder: Path, document: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "auth.json"
    swap = folder / "auth.json.new"
    swap.write_text(json.dumps(document), encoding="utf-8")
    swap.chmod(0o600)
    swap.replace(file)
    return file
