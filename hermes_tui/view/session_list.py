"""`sessions list`: every session with where it comes from, what it does by itself, and who runs it."""

from collections.abc import Callable
from typing import Any, Final

from hermes_tui.core.durations import spelled
from hermes_tui.core.facts import Facts
from hermes_tui.core.plans import archived, in_file, listed
from hermes_tui.core.session import Session
from hermes_tui.view.table import table
from hermes_tui.view.words import wall

SCHEMA_VERSION: Final = 1

Document = dict[str, Any]


def session_list_document(
    facts: Facts, owner: Callable[[str], int | None], now: float, *, with_archived: bool
) -> Document:
    """Return everything that `sessions list --json` says. Times are epoch seconds or None, durations seconds."""
    rows = (*listed(facts), *(archived(facts) if with_archived else ()))
    return {
        "schema_version": SCHEMA_VERSION,
        "time": now,
        "sessions": [_session(facts, row, owner(row.name)) for row in rows],
    }


def _session(facts: Facts, row: Session, owner: int | None) -> Document:
    plan = facts.configuration.plan(row.name) if facts.configuration else None
    every, prompt = (plan or row.arranged).every_seconds, (plan or row.arranged).prompt
    return {
        "name": row.name,
        "from_file": in_file(facts, row.name),
        "like": row.arranged.like,
        "primary": {"provider": row.requested.provider, "model": row.requested.model},
        "chain": [{"provider": link.route.provider, "model": link.route.model} for link in row.chain],
        "every_seconds": every,
        "prompt": prompt,
        "next_run_at": row.next_run_at,
        "turns": row.turns,
        "messages": row.messages,
        "owner": owner,
        "made_at": row.made_at,
        "archived_at": row.archived_at,
    }


_HEADS: Final = ("session", "from", "primary", "turns", "by itself", "next", "run by")


def session_list_lines(document: Document) -> str:
    """Return the list as a table."""
    if not document["sessions"]:
        return "No sessions yet.\n"
    return table([_row(session, document["time"]) for session in document["sessions"]], _HEADS)


def _row(session: Document, now: float) -> tuple[str, ...]:
    every, owner = session["every_seconds"], session["owner"]
    origin = f"you, like {session['like']}" if session["like"] else "you"
    return (
        session["name"],
        "the file" if session["from_file"] else origin,
        f"{session['primary']['provider']}/{session['primary']['model']}",
        str(session["turns"]),
        f"every {spelled(every)}" if every else "-",
        wall(session["next_run_at"], now) if every else "-",
        "archived" if session["archived_at"] is not None else f"process {owner}" if owner else "nobody",
    )
