"""The usage endpoint's document: what an account says about its windows."""

from collections.abc import Sequence
from typing import Any

from hermes_tui.simulator.account import QuotaWindow
from hermes_tui.simulator.world import UsageRuling


def usage_document(ruling: UsageRuling, now: float) -> dict[str, Any]:
    """Return the windows of `ruling` as the Codex usage endpoint writes them."""
    models = sorted({window.model for window in ruling.windows if window.model is not None})
    additional = [
        {
            "limit_name": model,
            "metered_feature": model,
            "rate_limit": _rate_limit([window for window in ruling.windows if window.model == model], now),
        }
        for model in models
    ]
    return {
        "plan_type": ruling.account.plan if ruling.account else None,
        "rate_limit": _rate_limit([window for window in ruling.windows if window.model is None], now),
        "code_review_rate_limit": None,
        "additional_rate_limits": additional or None,
        "credits": {"has_credits": False, "unlimited": False, "balance": "0"},
        "rate_limit_reset_credits": {"available_count": 0},
    }


def _rate_limit(windows: Sequence[QuotaWindow], now: float) -> dict[str, Any]:
    reached = any(window.full for window in windows)
    slots = [_window(window, now) for window in windows[:2]]
    primary, secondary = [*slots, None, None][:2]
    return {
        "allowed": not reached,
        "limit_reached": reached,
        "primary_window": primary,
        "secondary_window": secondary,
    }


def _window(window: QuotaWindow, now: float) -> dict[str, int]:
    return {
        "used_percent": round(window.used_percent),
        "limit_window_seconds": round(window.length),
        "reset_after_seconds": max(round(window.resets_at - now), 0),
        "reset_at": round(window.resets_at),
    }
