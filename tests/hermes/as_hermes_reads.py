"""Run by the real package: what it makes of configurations.

Reads {name: text}; writes what it took of each, and the names by which it knows providers. It reaches nobody.
"""

import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

ROUTE = ("provider", "model", "base_url")


def refuse(event: str, _: object) -> None:
    """Raise OSError before anything is sent: no configuration needs a network."""
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise OSError("no configuration needs a network")


def reads(text: str) -> bool:
    """Tell whether the package can read a text at all."""
    try:
        return isinstance(import_module("utils").fast_safe_load(text) or {}, dict)
    except Exception:  # noqa: BLE001 - whatever it is, the file is not taken
        return False


def taken(text: str) -> dict[str, Any]:
    """Return the chain, the primary and the custom providers, as the package takes them from a home of its own."""
    hermes = import_module("hermes_cli.config")
    config = hermes.load_config()
    model = config.get("model")
    model = model if isinstance(model, dict) else {"default": model}
    chain = import_module("hermes_cli.fallback_config").get_fallback_chain(config)
    return {
        "reads": reads(text),
        "chain": [[str(entry.get(key) or "") for key in ROUTE] for entry in chain],
        "custom": [[entry["name"], entry["base_url"]] for entry in hermes.get_compatible_custom_providers(config)],
        "primary": [str(model.get(key) or "") for key in ("default", "provider", "base_url")],
    }


def names() -> dict[str, Any]:
    """Return every name of a provider, and which stand for another."""
    providers = import_module("hermes_cli.providers")
    profiles = [name for one in import_module("providers").list_providers() for name in (one.name, *one.aliases)]
    registered = import_module("hermes_cli.auth").PROVIDER_REGISTRY
    known = [*registered, *providers.HERMES_OVERLAYS, *providers.ALIASES, *profiles]
    return {"known": known, "aliases": providers.ALIASES}


def main() -> None:
    """Answer once."""
    sys.addaudithook(refuse)
    answers = {}
    for name, text in json.load(sys.stdin).items():
        with tempfile.TemporaryDirectory() as home:
            Path(home, "config.yaml").write_text(text, encoding="utf-8")
            os.environ["HERMES_HOME"] = home
            answers[name] = taken(text)
    print(json.dumps({"taken": answers, **names()}))  # noqa: T201 - this is its answer


if __name__ == "__main__":
    main()
