"""One real agent in a process of its own, in the home that `HERMES_HOME` names; run with a Hermes' interpreter.

It is told what to do in JSON lines on its input, and answers each with one on its output:

{"do": "turn", "prompt": "..."}    runs a turn; answers with its reply, and what the agent told its user meanwhile
{"do": "forget"}                   forgets what was said: the next turn is as long as a first one
{"do": "pass", "seconds": 301}     sets the agent's own clocks back, as if so much time had passed between two turns
{"do": "take chain"}               reads the chain again as a terminal's session does before a turn (from 0.22 on)
{"do": "state"}                    answers with the live fields
{"do": "end"}                      closes the agent, its session with it
{"do": "leave"}                    closes the database and the log alone: the session stays as it is while one runs

The first line of output says that the agent is ready. What it prints besides goes to standard error.
"""

import inspect
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO


class Driver:
    """A conversation of one agent; `notices` is what it told its user since the last turn began."""

    def __init__(self, home: Path) -> None:
        import hermes_bootstrap  # noqa: F401, PLC0415 - it must come before the others
        import hermes_logging  # noqa: PLC0415
        from hermes_cli.env_loader import load_hermes_dotenv  # noqa: PLC0415

        hermes_logging.setup_logging(mode="cli")
        load_hermes_dotenv(hermes_home=home)
        self.notices: list[str] = []
        self._database = _database()
        self._agent = _agent(self._database, self._hear)
        self._history: list[dict[str, Any]] = []
        self._flush: Callable[[], None] = hermes_logging.flush_log_queue

    def turn(self, prompt: str) -> dict[str, Any]:
        self.notices = []
        told = self._agent.run_conversation(prompt, conversation_history=self._history or None)
        self._history = told.get("messages") or self._history
        self._flush()
        return {"reply": told.get("final_response"), "failed": bool(told.get("failed")), "notices": self.notices}

    def forget(self) -> dict[str, Any]:
        self._history = []
        return {}

    def passed(self, seconds: float) -> dict[str, Any]:
        agent = self._agent
        for clock in ("_codex_reopen_checked_at", "_rate_limited_until"):
            if getattr(agent, clock, 0):
                setattr(agent, clock, getattr(agent, clock) - seconds)
        cache = _probe_cache()
        for key, (asked_at, verdict) in list(cache.items()):
            cache[key] = (asked_at - seconds, verdict)
        return self.state()

    def take_chain(self) -> dict[str, Any]:
        from hermes_cli.cli_chat_turn_mixin import CLIChatTurnMixin  # noqa: PLC0415 - it takes seconds

        CLIChatTurnMixin()._sync_fallback_chain_with_config(self._agent)
        return self.state()

    def state(self) -> dict[str, Any]:
        """Return the live fields; times are seconds from now."""
        agent, now = self._agent, time.monotonic()
        pool = getattr(agent, "_credential_pool", None)
        checked_at = getattr(agent, "_codex_reopen_checked_at", None)
        return {
            "session": agent.session_id,
            "provider": agent.provider,
            "model": agent.model,
            "on_fallback": agent._fallback_activated,
            "position": agent._fallback_index,
            "chain": [entry["model"] for entry in agent._fallback_chain],
            "rate_limited_for": max(getattr(agent, "_rate_limited_until", now) - now, 0.0),
            "backoffs": getattr(agent, "_rate_limit_backoff_count", 0),
            "reopening_checked_ago": None if checked_at is None else now - checked_at,
            "verdicts": {key: verdict for key, (_, verdict) in _probe_cache().items()},
            "pool": None if pool is None else {entry.id: entry.last_status for entry in pool.entries()},
        }

    def end(self) -> dict[str, Any]:
        self._agent.close()
        return self.leave()

    def leave(self) -> dict[str, Any]:
        self._database.close()
        self._flush()
        return {}

    def _hear(self, *words: object) -> None:
        self.notices.append(" ".join(str(word) for word in words))


def _database() -> Any:
    try:
        from hermes_state_registry import acquire  # noqa: PLC0415
    except ModuleNotFoundError:  # 0.19 has one connection for whoever opens it
        from hermes_state import SessionDB as acquire  # noqa: N813, PLC0415
    return acquire()


def _agent(database: Any, hear: Callable[..., None]) -> Any:
    from hermes_cli.config import load_config  # noqa: PLC0415
    from hermes_cli.fallback_config import get_fallback_chain  # noqa: PLC0415
    from hermes_cli.runtime_provider import resolve_runtime_provider  # noqa: PLC0415
    from run_agent import AIAgent  # noqa: PLC0415

    configuration = load_config()
    model = configuration["model"]
    runtime = resolve_runtime_provider(requested=model["provider"], target_model=model["default"])
    wanted = {
        **{name: runtime.get(name) for name in ("api_key", "base_url", "provider", "api_mode", "credential_pool")},
        "requested_provider": runtime.get("requested_provider"),
        "model": model["default"],
        "fallback_model": get_fallback_chain(configuration) or None,
        "session_db": database,
        "platform": "cli",
        "quiet_mode": True,
        "enabled_toolsets": [],
        "skip_context_files": True,
        "skip_memory": True,
        "skip_background_review": True,
        "status_callback": hear,
    }
    known = inspect.signature(AIAgent.__init__).parameters
    return AIAgent(**{name: value for name, value in wanted.items() if name in known})


def _probe_cache() -> dict[str, tuple[float, bool | None]]:
    module = sys.modules.get("hermes_cli.auth_codex")
    return getattr(module, "_codex_quota_probe_cache", {})


def _answers(driver: Driver, orders: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in orders:
        match json.loads(line):
            case {"do": "turn", "prompt": prompt}:
                yield driver.turn(prompt)
            case {"do": "forget"}:
                yield driver.forget()
            case {"do": "pass", "seconds": seconds}:
                yield driver.passed(seconds)
            case {"do": "take chain"}:
                yield driver.take_chain()
            case {"do": "state"}:
                yield driver.state()
            case {"do": "end"}:
                yield driver.end()
                return
            case {"do": "leave"}:
                yield driver.leave()
                return


def main() -> None:
    """Serve orders until `end`, or until nobody can give any."""
    with _own_output() as output:
        driver = Driver(Path(os.environ["HERMES_HOME"]))
        _say(output, driver.state())
        for answer in _answers(driver, sys.stdin):
            _say(output, answer)


def _own_output() -> TextIO:
    """Return standard output, and give what prints to it standard error instead."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return output


def _say(output: TextIO, answer: dict[str, Any]) -> None:
    output.write(json.dumps(answer) + "\n")
    output.flush()


if __name__ == "__main__":
    main()
