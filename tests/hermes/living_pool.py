"""A real credential pool that lives: run with the interpreter of a Hermes, told what to do in lines on its input.

`load`, `bench SECONDS`, `bench-model MODEL SECONDS`, `available`, `persist`; each is answered with a line of JSON, how
the pool sees its first row. `HERMES_HOME` names the home.
"""

import json
import sys
import time

from agent.credential_pool import load_pool  # type: ignore[import-not-found, unused-ignore]

PROVIDER = "openai-codex"


def main() -> None:
    pool = load_pool(PROVIDER)
    for line in sys.stdin:
        match line.split():
            case ["load"]:
                pool = load_pool(PROVIDER)
            case ["bench", seconds]:
                entry = pool.entries()[0]
                context = {"reset_at": time.time() + float(seconds), "message": "The usage limit has been reached"}
                pool.mark_exhausted_and_rotate(status_code=429, error_context=context, **_whose(pool, entry))
            case ["bench-model", model, seconds]:
                pool._cool_down_model(pool.entries()[0], model, {"reset_at": time.time() + float(seconds)})
            case ["persist"]:
                pool._persist()
        available = pool.has_available()
        row = pool.entries()[0]
        cooldowns = getattr(row, "model_cooldowns", None) or {}
        told = {"available": available, "status": row.last_status, "models": sorted(cooldowns)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _whose(pool: object, entry: object) -> dict[str, object]:
    """Return whose failure it is: a release that is not told takes the row that it gave out last."""
    if hasattr(pool, "reset_status"):
        return {"credential_id": entry.id}  # type: ignore[attr-defined]
    pool.select()  # type: ignore[attr-defined]
    return {}


main()
