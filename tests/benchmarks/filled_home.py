"""A Hermes home in which much has happened: many sessions, a long log, logins that are benched, one session away.

`python -m tests.benchmarks.filled_home HOME` goes on in such a home: one message a second, as a turn in flight adds.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.hermes.state.homes import SCHEMAS

PRIMARY: Final = "openai-codex"
MODEL: Final = "gpt-5.5"
AWAY: Final = "session-away"
"""The session that is on its fallback, and is written to."""

DAY_SECONDS: Final = 86_400.0
HISTORY_SECONDS: Final = 60 * DAY_SECONDS
LOG_SECONDS: Final = 3 * DAY_SECONDS
LOGGED: Final = 100
"""Of so many sessions the log tells."""

EVERY_SECONDS: Final = 1.0
WORDS: Final = "They ran the tests, read the file, and changed one line of it. "
LONGEST_ANSWER: Final = 12
"""Times these words are said in the longest message."""

CLIENT: Final = f"thread=Thread-3:140 provider={PRIMARY} base_url=http://127.0.0.1:9/backend-api/codex model={MODEL}"

CONFIGURATION: Final = f"""\
model:
  default: {MODEL}
  provider: {PRIMARY}
fallback_providers:
  - provider: custom:backup
    model: small
    context_length: 200000
custom_providers:
  - name: backup
    base_url: http://127.0.0.1:9/v1
    api_key: made-up-key-of-the-backup
    model: small
"""

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a home holds: sessions, messages, bytes of its log, logins."""

    sessions: int
    messages: int
    log_bytes: int
    logins: int


def fill(home: Path, extent: Extent) -> None:
    """Make a home in the folder `home`, which is made too; its session database is written in one transaction."""
    (home / "logs").mkdir(parents=True)
    (home / "config.yaml").write_text(CONFIGURATION, encoding="utf-8")
    write_logins(home, extent.logins, turn=0)
    now = time.time()
    _write_log(home / "logs" / "agent.log", extent, now)
    with closing(sqlite3.connect(home / "state.db")) as database:
        database.executescript((SCHEMAS / "22.sql").read_text(encoding="utf-8"))
        database.execute("PRAGMA journal_mode = WAL")
        with database:
            database.executemany(_insert("sessions", _SESSION), _sessions(extent, now))
            database.executemany(_insert("messages", _MESSAGE), _messages(extent, now))
            database.executemany(_insert("session_model_usage", _USAGE), _usage(extent, now))


def write_logins(home: Path, logins: int, turn: int) -> None:
    """Replace `auth.json` as Hermes does; `turn` is in the label of the first login, and so many pools are beside."""
    rows = [_login(f"{'turn' if number == 0 else 'login'}-{number or turn}") for number in range(logins)]
    pools = {PRIMARY: rows} | {f"pool-{number}": [_login("one")] for number in range(turn)}
    document = {"version": 1, "active_provider": PRIMARY, "providers": {}, "credential_pool": pools}
    fresh = home / "auth.json.new"
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(document, indent=2), encoding="utf-8")
    fresh.replace(home / "auth.json")


def grow(home: Path) -> None:
    """Add a message a second to the session that is away, until killed."""
    with closing(sqlite3.connect(home / "state.db", timeout=10)) as database:
        while True:
            with database:
                database.execute(_insert("messages", _MESSAGE), (AWAY, "assistant", WORDS, time.time()))
                database.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?", (AWAY,))
                database.execute(
                    "UPDATE session_model_usage SET last_seen = ? WHERE session_id = ? AND model = 'small'",
                    (time.time(), AWAY),
                )
            time.sleep(EVERY_SECONDS)


_SESSION: Final = (
    "id", "source", "title", "model", "billing_provider", "started_at", "ended_at", "end_reason", "message_count",
    "input_tokens", "output_tokens",
)  # fmt: skip
_MESSAGE: Final = ("session_id", "role", "content", "timestamp")
_USAGE: Final = ("session_id", "billing_provider", "model", "api_call_count", "first_seen", "last_seen")


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def _ids(extent: Extent) -> list[str]:
    """Return the ids, the oldest first; the one that is away started last."""
    return [*(f"session-{number:05}" for number in range(1, extent.sessions)), AWAY]


def _started(extent: Extent, now: float, place: int) -> float:
    return now - HISTORY_SECONDS * (extent.sessions - place) / extent.sessions


def _sessions(extent: Extent, now: float) -> Iterator[Row]:
    each = extent.messages // extent.sessions
    for place, id_ in enumerate(_ids(extent)):
        started, ended = _started(extent, now, place), place % 4 and id_ != AWAY
        end = (started + 600, "agent_close") if ended else (None, None)
        yield (id_, "cli", f"Work {id_}", MODEL, PRIMARY, started, *end, each, 1000 * each, 100 * each)


def _messages(extent: Extent, now: float) -> Iterator[Row]:
    for place, id_ in enumerate(_ids(extent)):
        started = _started(extent, now, place)
        for number in range(extent.messages // extent.sessions):
            text = f"{number}. {WORDS * (1 + number % LONGEST_ANSWER)}"
            yield id_, ("user", "assistant")[number % 2], text, started + number


def _usage(extent: Extent, now: float) -> Iterator[Row]:
    for place, id_ in enumerate(_ids(extent)):
        started = _started(extent, now, place)
        yield id_, PRIMARY, MODEL, extent.messages // extent.sessions, started, started + 300
        if id_ == AWAY:
            yield id_, "custom:backup", "small", 1, now - 60, now - 30


def _login(label: str) -> dict[str, Any]:
    now = time.time()
    return {
        "id": f"{sum(label.encode()):06x}",
        "label": label,
        "auth_type": "oauth",
        "source": "manual:device_code",
        "access_token": f"made-up-access-{label}",
        "refresh_token": f"made-up-refresh-{label}",
        "last_status": "exhausted",
        "last_status_at": now - 60,
        "last_error_code": 429,
        "last_error_reason": "usage_limit_reached",
        "last_error_message": "The usage limit has been reached",
        "last_error_reset_at": now + 2 * DAY_SECONDS,
    }


def _write_log(file: Path, extent: Extent, now: float) -> None:
    """Write turns of the newest sessions; the last of them leaves its primary."""
    ids = _ids(extent)[-LOGGED:]
    turns = extent.log_bytes // len(_turn(AWAY))
    with file.open("w", encoding="utf-8") as log:
        for number in range(turns):
            at = now - LOG_SECONDS * (turns - number) / turns
            log.write(_turn(ids[number % len(ids)]).replace("TIME", _stamp(at)))
        log.write(_leaves(AWAY).replace("TIME", _stamp(now - 60)))


def _stamp(at: float) -> str:
    return f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(at))},000"


def _turn(id_: str) -> str:
    """Return the lines of a turn that was answered."""
    return "".join(
        f"TIME INFO {line}\n"
        for line in (
            (
                f"[{id_}] agent.turn_context: conversation turn: session={id_} model={MODEL} provider={PRIMARY} "
                "platform=cli history=4 msg='What is left to do?'"
            ),
            f"run_agent: OpenAI client created (codex_stream_request, shared=False) {CLIENT}",
            f"agent.codex_runtime: Codex stream first parsed event at 1796060925.5 (attempt=1/2, model={MODEL})",
            (
                f"[{id_}] agent.conversation_loop: API call #1: model={MODEL} provider={PRIMARY} in=1065 out=6 "
                "total=1071 latency=6.4s id=resp_1"
            ),
            (
                f"[{id_}] agent.conversation_loop: Turn ended: reason=text_response(finish_reason=stop) model={MODEL} "
                f"api_calls=1/90 budget=1/90 tool_turns=0 last_msg_role=assistant response_len=35 session={id_}"
            ),
        )
    )


def _leaves(id_: str) -> str:
    """Return the lines of a turn that was answered, and of the next, which was refused."""
    return _turn(id_) + "".join(
        f"TIME INFO [{id_}] {line}\n"
        for line in (
            "agent.credential_pool: credential pool: marking login-1 exhausted (status=429), rotating",
            (
                f"agent.conversation_loop: API call failed (attempt 1/3) error_type=RateLimitError {CLIENT} "
                "summary=HTTP 429: The usage limit has been reached"
            ),
            "root: Rate-limit backoff level 0: cooldown 172800 s (2880.0 min, backoff#1, provider reset)",
            "agent.chat_completion_helpers: Fallback to custom:backup/small: attached fallback credential pool",
            f"agent.chat_completion_helpers: Fallback activated: {MODEL} → small (custom:backup)",
        )
    )


if __name__ == "__main__":
    grow(Path(sys.argv[1]))
