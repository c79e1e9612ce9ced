"""Run by the real package: where it sends what is asked of its own providers. It reaches nobody."""

import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

RESOLVED = ("base_url", "api_mode")


def registered() -> dict[str, Any]:
    """Return each provider that takes a key: its address, its API, and the variables of its key and its address."""
    runtime = import_module("hermes_cli.runtime_provider")
    return {
        name: [
            one.inference_base_url,
            runtime._fallback_api_mode(name, one.inference_base_url, "some-model"),
            " ".join(one.api_key_env_vars),
            one.base_url_env_var,
        ]
        for name, one in import_module("hermes_cli.auth").PROVIDER_REGISTRY.items()
        if one.auth_type == "api_key" and one.inference_base_url
    }


def resolved(asked: dict[str, Any]) -> list[str]:
    """Return where the primary of a configuration goes."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "config.yaml").write_text(asked["text"], encoding="utf-8")
        os.environ["HERMES_HOME"] = home
        os.environ.update(asked["variables"])
        found = import_module("hermes_cli.runtime_provider").resolve_runtime_provider()
    return [str(found.get(name) or "") for name in RESOLVED]


def main() -> None:
    """Answer once."""
    answers = {name: resolved(asked) for name, asked in json.load(sys.stdin).items()}
    print(json.dumps({"registered": registered(), "resolved": answers}))  # noqa: T201 - this is its answer


if __name__ == "__main__":
    main()
