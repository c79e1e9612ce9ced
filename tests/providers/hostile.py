"""Hostile input by kinds, for tests and benchmarks: what a server could send to keep a reader busy."""

import json

from hermes_tui.providers.body import BODY_LIMIT


def filled(piece: str, size: int = BODY_LIMIT) -> str:
    """Return `size` characters of `piece`, over and over."""
    return (piece * (size // len(piece) + 1))[:size]


ENDLESS = [
    *("a", "1", " ", "\0", "\ud800", "\u202e", "ß", "{", "[", "(", "-", '{"a":', "<", "<title", "<h1 ", "'a' ", "1+"),
    *("try again ", "try again in 1", "wait 1 ", "resets at ", "retry 1s, 1", "reset 1h and and ", "in 1 day "),
    *("quota ", "models not ", "plan ", "input length ", "used all ", "supported ", "refresh token ", "exceeds "),
    *("2030-01-02 ", "resets jun 11 ", "resets 12:", "Jun 11th, 2031 ", "12:00 pm (", "1m2.5s", "error code: 4"),
    *("ey-", "eyaaaaaaaa.", "sk-a", "a@b.", "a.", "a@", "://a:", "?key=", "bearer a", "user_a", "0123abcd-0123-"),
    *("Error: ", "litellm.RateLimitError: ", "event: error\n", "data: {", ":HTTP_STATUS/", '"code": "', "\\u00"),
]
"""Pieces of text that, over and over, keep some pattern searching."""

DEEP = [
    "[" * 100_000,
    '{"error":' * 20_000,
    "[" * 30_000 + "]" * 30_000,
    "x {" + "(" * 5_000 + ")" * 5_000 + "}",
    "x {'a': " + "-" * 7_000 + "1}",
    "{" + '"a":1,' * 10_000 + '"a":2}',
    json.dumps({"error": [{"error": [{"message": "try again"}] * 20} for _ in range(20)]}),
    json.dumps({"error": {"raw": json.dumps({"error": {"raw": json.dumps({"error": "x" * 9_000})}})}}),
    json.dumps({f"k{n}": n for n in range(5_000)}),
    '{"error": {"code": ' + "9" * 4_300 + "}}",
    "<html>" + "<title>" * 9_000,
]
"""Texts that nest or branch further than any error."""

PAYLOADS = {
    "windows": {"rate_limit": {f"w{n}_window": {"used_percent": n} for n in range(20_000)}},
    "buckets": {"additional_rate_limits": [{"limit_name": "model-x", "rate_limit": {"a_window": {}}}] * 12_000},
    "name": {"additional_rate_limits": [{"limit_name": "model-x " * 60_000}]},
    "plan": {"plan_type": "a." * 400_000},
    "keys": {"_" * 500_000: 1, "rate_limit": {"_" * 400_000 + "window": 1}},
}
"""Answers of a usage endpoint that say the same over and over."""
