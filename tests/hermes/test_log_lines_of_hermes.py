"""The messages of the real packages, written by their own logging, are read for what they say."""

import json
import os
import subprocess
import time
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.hermes.log_files import Log
from hermes_tui.hermes.values import Happening, Kind
from tests.hermes.real import real

SESSION = "20260101_120000_abc123"
BOTH = ("22", "19")
NEW = ("22",)
CLIENT = "thread=MainThread:140 provider=openai-codex base_url=http://127.0.0.1:9/v1 model=gpt-5.5"


@dataclass(frozen=True)
class Message:
    """A message by its beginning, what it is given, and what is read of it; `until` in seconds from its time."""

    begins: str
    arguments: tuple[object, ...]
    kind: Kind
    fields: dict[str, Any]
    versions: tuple[str, ...] = BOTH


PRIMARY = {"provider": "openai-codex", "model": "gpt-5.5"}
TO_BACKUP = {"to_provider": "custom:backup", "to_model": "org/small"}
DATE = "2026-12-02T17:43:47"
DATE_SECONDS = 1796233427.0

MESSAGES = (
    Message(
        "conversation turn: ",
        ("other", "gpt-5.5", "openai-codex", "cli", 4, "it's late"),
        Kind.TURN,
        {"session": "other", **PRIMARY, "text": "it's late"},
    ),
    Message(
        "API call #%d: model=%s provider=%s in=%d",
        (3, "gpt-5.5", "openai-codex", 1200, 5, 1205, 2.6, "", ""),
        Kind.CALLED,
        {**PRIMARY, "text": "in=1200 out=5 total=1205 latency=2.6s"},
        NEW,
    ),
    Message(
        "API call #%d: model=%s provider=%s in=%d",
        (3, "gpt-5.5", "openai-codex", 1200, 5, 1205, 2.6, " cache=1/2 (50%)"),
        Kind.CALLED,
        {**PRIMARY, "text": "in=1200 out=5 total=1205 latency=2.6s"},
        ("19",),
    ),
    Message(
        "API call #%d: model=%s provider=%s in=?",
        (3, "gpt-5.5", "openai-codex", 2.6),
        Kind.CALLED,
        {**PRIMARY, "text": "in=? out=? total=? latency=2.6s"},
        NEW,
    ),
    Message(
        "Turn ended: reason=%s",
        ("text_response(finish_reason=stop)", "gpt-5.5", 1, 9, 1, 9, 0, "assistant", 13, "other"),
        Kind.ANSWERED,
        {"session": "other", "model": "gpt-5.5", "reason": "text_response(finish_reason=stop)"},
    ),
    Message(
        "Turn ended: reason=%s",
        ("interrupted_by_system(a b)", "gpt-5.5", 1, 9, 1, 9, 0, "user", 0, "other"),
        Kind.ENDED,
        {"session": "other", "model": "gpt-5.5", "reason": "interrupted_by_system(a b)"},
    ),
    Message(
        "API call failed (%s)",
        ("attempt 1/3, not retryable", "AuthenticationError", CLIENT, "HTTP 401: no such key"),
        Kind.FAILED,
        {**PRIMARY, "code": 401, "reason": "AuthenticationError", "text": "HTTP 401: no such key"},
        NEW,
    ),
    Message(
        "API call failed (attempt %s/%s)",
        (1, 3, "RateLimitError", CLIENT, "HTTP 429: The usage limit has been reached"),
        Kind.FAILED,
        {**PRIMARY, "code": 429, "reason": "RateLimitError", "text": "HTTP 429: The usage limit has been reached"},
        ("19",),
    ),
    Message(
        "Invalid API response (retry ",
        (1, 3, "response is None", "openrouter"),
        Kind.FAILED,
        {"reason": "invalid response", "text": "response is None | Provider: openrouter"},
    ),
    Message(
        "Empty response (no content or reasoning) — retry ",
        (1, 3, 2.0, "gpt-5.5"),
        Kind.FAILED,
        {"model": "gpt-5.5", "reason": "empty response"},
        NEW,
    ),
    Message(
        "Empty response (no content or reasoning) — retry ",
        (1, "gpt-5.5"),
        Kind.FAILED,
        {"model": "gpt-5.5", "reason": "empty response"},
        ("19",),
    ),
    Message(
        "Retrying API call in %ss",
        (2.505452030241048, 1, 3, CLIENT, "default", "Error code: 429 - {'a': 1}"),
        Kind.RETRY,
        {
            **PRIMARY,
            "code": 429,
            "reason": "default",
            "until": 2.505452030241048,
            "text": "Error code: 429 - {'a': 1}",
        },
    ),
    Message(
        "Provider unavailable (%s)",
        ("[subagent-1] ", "server_error", 2, 5, 33, CLIENT),
        Kind.RETRY,
        {**PRIMARY, "reason": "server_error", "until": 33.0},
        NEW,
    ),
    Message(
        "API call failed after %s retries.",
        ("[subagent-1] ", 3, "HTTP 503: down | for now", "openai-codex", "gpt-5.5", 7, "1,200"),
        Kind.ENDED,
        {**PRIMARY, "code": 503, "reason": "retries are used up", "text": "HTTP 503: down | for now"},
    ),
    Message(
        "Non-retryable client error: ",
        ("", "Error code: 400 - bad"),
        Kind.ENDED,
        {"code": 400, "reason": "no retry can help", "text": "Error code: 400 - bad"},
    ),
    Message(
        "credential pool: marking %s exhausted",
        ("me (work) @home", 429),
        Kind.BENCHED,
        {"credential": "me (work) @home", "code": 429},
    ),
    Message("credential pool: marking %s exhausted", ("one", None), Kind.BENCHED, {"credential": "one", "code": None}),
    Message(
        "credential pool: marking %s DEAD",
        ("one", 401, "token_revoked"),
        Kind.DEAD,
        {"credential": "one", "code": 401, "reason": "token_revoked"},
    ),
    Message("credential pool: rotated to %s", ("two",), Kind.ROTATED, {"credential": "two"}),
    Message("credential pool: no available entries", (), Kind.POOL_EMPTY, {}),
    Message("credential pool: rotation returned", ("one",), Kind.SAME_AGAIN, {"credential": "one"}, NEW),
    Message(
        "credential pool: %s unavailable for model",
        ("one", "gpt-5.5"),
        Kind.BENCHED,
        {"credential": "one", "model": "gpt-5.5"},
        NEW,
    ),
    Message(
        "credential pool: pruning DEAD manual entry",
        ("one", "token_revoked", 25.0, "openai-codex"),
        Kind.DEAD,
        {"credential": "one", "reason": "token_revoked", "provider": "openai-codex"},
    ),
    Message(
        "Anthropic OAuth refresh token for %s",
        ("one", "invalid_grant"),
        Kind.DEAD,
        {"provider": "anthropic", "credential": "one", "reason": "invalid_grant"},
        NEW,
    ),
    Message(
        "%s refresh token for %s is terminally invalid",
        ("a-plugin", "one", "invalid_grant", "a-plugin"),
        Kind.DEAD,
        {"provider": "a-plugin", "credential": "one", "reason": "invalid_grant"},
        NEW,
    ),
    Message(
        "%s OAuth refresh token is terminally invalid",
        ("OpenAI Codex", "invalid_grant", "openai-codex"),
        Kind.DEAD,
        {"provider": "openai-codex", "reason": "invalid_grant"},
        NEW,
    ),
    Message(
        "Nous refresh token is terminally invalid",
        ("invalid_grant",),
        Kind.DEAD,
        {"provider": "nous", "reason": "invalid_grant"},
        NEW,
    ),
    Message(
        "Nous OAuth state quarantined",
        ("{}",),
        Kind.DEAD,
        {"provider": "nous", "reason": "terminal auth death"},
    ),
    Message(
        "Nous rate limit recorded",
        (60.0, 1796233427.0),
        Kind.BENCHED,
        {"provider": "nous", "until": DATE_SECONDS},
    ),
    Message(
        "Rate-limit backoff level %d",
        (0, 172799, 2880.0, 1, "provider reset"),
        Kind.BACKOFF,
        {"reason": "provider reset", "until": 172799.0},
        NEW,
    ),
    Message("Rate limit resets in", (42.0, 60.0), Kind.RETRY, {"reason": "the reset is near", "until": 42.0}, NEW),
    Message(
        "Fallback activated: %s → %s (%s)",
        ("gpt-5.5", "org/small", "custom:backup"),
        Kind.FALLBACK,
        {"model": "gpt-5.5", **TO_BACKUP},
    ),
    Message(
        "Fallback to %s/%s: attached",
        ("custom:backup", "org/small"),
        Kind.FALLBACK_POOLED,
        TO_BACKUP,
    ),
    Message(
        "Fallback to %s/%s: clearing",
        ("custom:backup", "org/small", "openai-codex"),
        Kind.FALLBACK_POOLLESS,
        {"provider": "openai-codex", **TO_BACKUP},
    ),
    Message(
        "Profile %s: %s via %s refused",
        ("default", "gpt-5.5", "openai-codex", "org/small", "custom:backup", "hermes model"),
        Kind.FALLBACK,
        {**PRIMARY, **TO_BACKUP, "reason": "billing"},
        NEW,
    ),
    Message(
        "Fallback skip: %s/%s is not locally usable",
        ("custom:backup", "org/small", "no key"),
        Kind.SKIPPED,
        {
            "provider": "custom:backup",
            "model": "org/small",
            "reason": "is not locally usable (no key); suppressing for this session",
        },
    ),
    Message(
        "Fallback skip: chain entry %s/%s",
        ("custom:backup", "org/small", "http://127.0.0.1:9/v1"),
        Kind.SKIPPED,
        {
            "provider": "custom:backup",
            "model": "org/small",
            "reason": "resolves to the same backend as the current one (http://127.0.0.1:9/v1)",
        },
        NEW,
    ),
    Message(
        "Fallback skip: chain entry %s/%s",
        ("custom:backup", "org/small"),
        Kind.SKIPPED,
        {"provider": "custom:backup", "model": "org/small", "reason": "matches current provider/model"},
        ("19",),
    ),
    Message(
        "Fallback skip: %s/%s credential pool is exhausted",
        ("custom:backup", "org/small"),
        Kind.SKIPPED,
        {
            "provider": "custom:backup",
            "model": "org/small",
            "reason": "credential pool is exhausted (every entry in cooldown)",
        },
        NEW,
    ),
    Message(
        "Fallback skip: %s",
        ("Model org/small has a context window of 8,192 tokens",),
        Kind.SKIPPED,
        {"reason": "Model org/small has a context window of 8,192 tokens"},
        NEW,
    ),
    Message(
        "Fallback to %s failed: provider not configured",
        ("custom:backup",),
        Kind.SKIPPED,
        {"provider": "custom:backup", "reason": "provider not configured"},
    ),
    Message(
        "Failed to activate fallback %s: %s",
        ("small:7b", "no route: to host"),
        Kind.SKIPPED,
        {"model": "small:7b", "reason": "no route: to host"},
    ),
    Message(
        "Model entitlement rejection",
        ("gpt-5.5", "openai-codex"),
        Kind.SKIPPED,
        {**PRIMARY, "reason": "this account is not entitled to gpt-5.5 via openai-codex"},
        NEW,
    ),
    Message(
        "Fallback entry %s/%s is misconfigured",
        ("custom:backup", "org/small", "no such provider"),
        Kind.SKIPPED,
        {"provider": "custom:backup", "model": "org/small", "reason": "no such provider"},
        NEW,
    ),
    Message(
        "Primary provider %s (%s). Falling back",
        ("rate-limited (429)", "quota (weekly)", "custom:backup", "org/small"),
        Kind.FALLBACK,
        {**TO_BACKUP, "code": 429, "reason": "rate-limited (429)"},
        NEW,
    ),
    Message(
        "Primary provider auth failed: %s",
        ("no login",),
        Kind.FAILED,
        {"reason": "auth failed", "text": "no login"},
        ("19",),
    ),
    Message(
        "Fallback provider resolved: %s model=%s",
        ("custom:backup", "org/small"),
        Kind.FALLBACK,
        TO_BACKUP,
        ("19",),
    ),
    Message("Primary runtime restored", ("gpt-5.5", "openai-codex"), Kind.RESTORED, PRIMARY),
    Message(
        "Primary %s rate-limited until",
        ("openai-codex", DATE, "custom:backup", "org/small"),
        Kind.RESTORE_WAITS,
        {"provider": "openai-codex", **TO_BACKUP, "until": DATE_SECONDS},
        NEW,
    ),
    Message("Failed to restore primary runtime", ("no: key",), Kind.RESTORE_FAILED, {"reason": "no: key"}),
    Message(
        "Restore could not reload primary credential pool",
        ("custom:a", "locked: busy"),
        Kind.RESTORE_FAILED,
        {"provider": "custom:a", "reason": "locked: busy"},
    ),
    Message(
        "Restore re-selected pool entry",
        ("abc123", "me (work)"),
        Kind.ROTATED,
        {"credential": "me (work)", "reason": "restore"},
    ),
    Message(
        "Credential %s (%s) available again",
        ("abc123", "me (work)"),
        Kind.ROTATED,
        {"credential": "me (work)", "reason": "available again"},
        NEW,
    ),
    Message(
        "Model switched in-place",
        ("gpt-5.5", "openai-codex", "org/small", "custom:backup"),
        Kind.SWITCHED,
        {**PRIMARY, **TO_BACKUP},
    ),
    Message("Codex quota restored upstream", (), Kind.LIFTED, {"provider": "openai-codex"}, NEW),
)


def _logged(version: str, home: Path) -> tuple[Happening, ...]:
    """Let the real package log the messages of its version into a home; return what is read of them."""
    asked = [(message.begins, message.arguments) for message in MESSAGES if version in message.versions]
    home.mkdir()
    done = subprocess.run(
        [real(version), Path(__file__).with_name("as_hermes_logs.py")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HERMES_HOME": str(home), "HOME": str(home), "TZ": "UTC", "PYTHONPATH": ""},
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [], "messages that Hermes does not have any more"
    heard = Log(home, UTC).read(time.time())
    assert heard.faults == ()
    return heard.happenings


@pytest.mark.parametrize("version", BOTH)
def test_every_message_of_the_real_package_is_read_for_what_it_says(version: str, tmp_path: Path) -> None:
    began = time.time()
    happenings = _logged(version, tmp_path / "home")
    messages = [message for message in MESSAGES if version in message.versions]
    assert [happening.kind for happening in happenings] == [message.kind for message in messages]
    for message, happening in zip(messages, happenings, strict=True):
        fields = {"session": SESSION, "text": happening.text, **message.fields}
        until = fields.pop("until", None)
        if until is not None and until != DATE_SECONDS:
            until += happening.time
        assert happening == replace(Happening(happening.time, message.kind), until=until, **fields)
        assert began - 1 <= happening.time <= time.time()
