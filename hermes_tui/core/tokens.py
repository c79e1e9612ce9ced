"""What a token says about itself: read without verifying, only to know when not to send it and whose it is."""

import base64
import json
import math
import re
from typing import Final

from hermes_tui.core.values import dataclass

LONGEST: Final = 16 * 1024
"""Characters beyond which a token is not read."""

_AUTH_CLAIM: Final = "https://api.openai.com/auth"
_ACCOUNT: Final = re.compile(r"[A-Za-z0-9._:\-]{1,128}")


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """Claims of a token: its end in epoch seconds and its account's id; None where it does not say."""

    expires_at: float | None = None
    account: str | None = None


NO_CLAIMS: Final = TokenClaims()


def claims(token: str) -> TokenClaims:
    """Return what `token` says about itself (M36); anything that is not a readable JWT says nothing.

    Never raises, and never verifies: the account is an id for a header and for telling pools apart, not a proof.
    """
    payload = _payload(token)
    nested = payload.get(_AUTH_CLAIM)
    account = nested.get("chatgpt_account_id") if isinstance(nested, dict) else None
    account = account or payload.get("chatgpt_account_id")
    return TokenClaims(
        expires_at=_seconds(payload.get("exp")),
        account=account if isinstance(account, str) and _ACCOUNT.fullmatch(account) else None,
    )


def _payload(token: str) -> dict[str, object]:
    parts = token.split(".")
    if len(parts) != 3 or len(token) > LONGEST:
        return {}
    padded = parts[1] + "=" * (-len(parts[1]) % 4)
    try:
        payload = json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e12:
        return None
    return float(value) if math.isfinite(value) else None
