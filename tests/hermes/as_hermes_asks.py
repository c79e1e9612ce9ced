"""Run by the real package: where it asks about the quota of a login, and whether it renews an expired token for that.

Reads a list of {env, config, row}; writes the endpoint of each, or null where this release asks nobody. It reaches
nobody.
"""

import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

VARIABLE = "HERMES_CODEX_BASE_URL"


def refuse(event: str, _: object) -> None:
    """Raise OSError before anything is sent."""
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise OSError("no address needs a network")


def asks_at(case: dict[str, Any]) -> Any:
    """Return where a login is asked about in a home of its own."""
    home = Path(tempfile.mkdtemp())
    (home / ".env").write_text(case["env"])
    (home / "config.yaml").write_text(case["config"])
    os.environ.pop(VARIABLE, None)
    os.environ |= {"HERMES_HOME": str(home), **case.get("environ", {})}
    import_module("hermes_cli.env_loader").load_hermes_dotenv(hermes_home=home)
    codex = import_module("hermes_cli.auth_codex")
    return codex._codex_usage_probe_url(codex._codex_pool_route_base_url(case["row"]))


def renews(refresh_token: str) -> bool:
    """Tell whether an expired token is renewed before it is asked with."""
    codex = import_module("hermes_cli.auth_codex")
    tried: list[str] = []
    vars(codex)["refresh_codex_oauth_pure"] = lambda _token, refresh: tried.append(refresh)
    expired = "eyJhbGciOiJub25lIn0.eyJleHAiOjF9.made-up"
    codex._refresh_expired_codex_probe_token(expired, refresh_token)
    return tried == [refresh_token]


sys.addaudithook(refuse)
cases = json.load(sys.stdin)
answer = {"asks_at": [asks_at(case) for case in cases], "renews": [renews("made-up-refresh"), renews("")]}
sys.stdout.write(json.dumps(answer))
