"""The status document: `status --json`, and the same as lines for people and screen readers."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from hermes_tui.core.configuration import Configuration, Member, Pool
from hermes_tui.core.credential import Credential, Status
from hermes_tui.core.diagnosis import Code, Diagnosis
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.judging import judged
from hermes_tui.core.plans import archived, listed
from hermes_tui.core.pool import row_of
from hermes_tui.core.restoring import Gate
from hermes_tui.core.route import Route
from hermes_tui.core.secret import shown
from hermes_tui.core.session import Session
from hermes_tui.core.snapshot import SessionState
from hermes_tui.core.verdict import CachedVerdict
from hermes_tui.view.table import table
from hermes_tui.view.words import wall

SCHEMA_VERSION: Final = 1
SOURCE: Final = "own"

Document = dict[str, Any]


def status_document(
    facts: Facts,
    owner: Callable[[str], int | None],
    now: float,
    *,
    with_archived: bool = False,
    source: str = SOURCE,
) -> Document:
    """Return everything that `status --json` says. Times are epoch seconds or None; `owner` gives a session's pid.

    Archived sessions are left out, unless they are asked for: then they come last. `source` names whose sessions
    they are.
    """
    configuration = facts.configuration
    rows = (*listed(facts), *(archived(facts) if with_archived else ()))
    return {
        "schema_version": SCHEMA_VERSION,
        "time": now,
        "source": source,
        "configuration": configuration.origin if configuration else None,
        "sessions": [_session(facts, session, owner(session.name), now, source) for session in rows],
        "credentials": list(_credentials(facts, configuration, now, source)) if configuration else [],
        "verdicts": [verdict_document(verdict, source) for verdict in facts.verdicts.values()],
    }


def _session(facts: Facts, session: Session, owner: int | None, now: float, source: str) -> Document:
    way, diagnosis = judged(facts, session, now)
    return {
        "name": session.name,
        "source": source,
        "owner": owner,
        "route": _route(session.active),
        "primary": _route(session.requested),
        "position": session.position,
        "chain_length": len(session.chain),
        "fallback_active": session.on_fallback,
        "since": session.departure.at if session.on_fallback and session.departure else None,
        "phase": session.phase.value,
        "turns": session.turns,
        "next_run_at": session.next_run_at,
        "archived_at": session.archived_at,
        "diagnosis": _diagnosis(diagnosis),
        "gates": [_gate(gate) for gate in way.gates],
        "pending": list(SessionState(session, SOURCE).pending),
    }


def _route(route: Route) -> Document:
    return {
        "provider": route.provider,
        "model": route.model,
        "base_url": route.base_url,
        "api_mode": route.api_mode.value,
    }


def _diagnosis(diagnosis: Diagnosis) -> Document:
    after = diagnosis.next
    return {
        "code": diagnosis.code.value,
        "text": diagnosis.text,
        "helps": diagnosis.helps,
        "facts": [{"text": fact.text, "at": fact.at, "source": fact.source} for fact in diagnosis.facts],
        "next": {"text": after.text, "at": after.at} if after else None,
    }


def _gate(gate: Gate) -> Document:
    return {
        "name": gate.name.value,
        "passed": gate.passed,
        "changes_at": gate.changes_at,
        "approximate": gate.approximate,
        "text": gate.text,
    }


def _credentials(facts: Facts, configuration: Configuration, now: float, source: str) -> Iterator[Document]:
    for pool in configuration.pools:
        for member in pool.members:
            yield credential_document(pool, member, row_of(facts, pool, member), now, source)


def credential_document(pool: Pool, member: Member, row: Credential, now: float, source: str = SOURCE) -> Document:
    """Return what is believed about one configured credential. Times are epoch seconds or None."""
    status = row.status(now)
    bench = row.longest(now) if status is Status.EXHAUSTED else None
    stop = row.death or bench
    return {
        "provider": pool.provider,
        "pool": pool.name,
        "label": member.label,
        "fingerprint": "" if member.on_demand else shown(member.fingerprint),
        "account": member.account,
        "source": source,
        "lender": member.lender,
        "status": "not_set" if member.fault else status.value,
        "until": bench.until if bench else None,
        "until_source": bench.source.value if bench else None,
        "reset_source": bench.said_in.value if bench and bench.said_in else None,
        "approximate": bench.approximate if bench else False,
        "reason": member.fault or (stop.reason.value if stop else None),
        "code": stop.code if stop else None,
        "models": {model: cooldown.until for model, cooldown in row.model_cooldowns if cooldown.ahead(now)},
        "requests": row.request_count,
        "cleared_at": row.cleared_at,
    }


def verdict_document(verdict: CachedVerdict, source: str = SOURCE) -> Document:
    """Return what a usage endpoint last said, and until when it counts. Times are epoch seconds or None."""
    windows = verdict.usage.windows if verdict.usage else ()
    return {
        "provider": verdict.key.provider,
        "account": verdict.key.account,
        "model": verdict.key.model,
        "source": source,
        "verdict": verdict.verdict.value,
        "why": verdict.why,
        "asked_at": verdict.asked_at,
        "expires_at": verdict.expires_at,
        "windows": [
            {"name": window.name, "used_percent": window.used_percent, "resets_at": window.resets_at}
            for window in windows
        ],
    }


def is_off(session: Document) -> bool:
    """Tell whether a session is anywhere but on a primary that works; an archived one goes nowhere."""
    off = bool(session["fallback_active"]) or session["diagnosis"]["code"] != Code.ON_PRIMARY.value
    return off and session["archived_at"] is None


def needs_attention(document: Document) -> bool:
    """Tell whether a session is off its primary or out of routes, or a credential dead."""
    off = any(map(is_off, document["sessions"]))
    return off or any(credential["status"] == Status.DEAD.value for credential in document["credentials"])


def status_lines(document: Document, now: float) -> str:
    """Return the status as text: a table of sessions, one of credentials, and a sentence for each that is off."""
    if not document["sessions"]:
        return "No sessions yet.\n"
    parts = [table([session_row(session, now) for session in document["sessions"]], SESSION_HEADS)]
    if document["credentials"]:
        parts.append(table([credential_row(one, now) for one in document["credentials"]], CREDENTIAL_HEADS))
    return "\n".join((*parts, *(why_lines(session, now) for session in off(document))))


def off(document: Document) -> Iterator[Document]:
    """Yield the sessions that are on a fallback: those of which the status says why."""
    return (session for session in document["sessions"] if session["fallback_active"] and is_off(session))


def standing(session: Document | None) -> object:
    """Return what of a session's document is its standing: equal while it stands where it stood."""
    if session is None:
        return None
    return session["diagnosis"]["code"], session["position"], session["route"], session["primary"]


def standing_words(name: str, session: Document | None, now: float) -> str:
    """Return where a session stands now, in words: `s1: waiting for reset, on zai/glm-5 (1/2), next try 14:25:40`."""
    if session is None:
        return f"{name} is not configured any more"
    _, in_use, position, diagnosis, _, after = session_row(session, now)
    return f"{name}: {diagnosis}, on {in_use} ({position})" + (f", {after}" if after != "-" else "")


SESSION_HEADS: Final = ("session", "in use", "pos", "diagnosis", "since", "next change")
CREDENTIAL_HEADS: Final = ("credential", "state", "until", "by", "reason")
INHERITED: Final = " (inherited)"
_STATUS_WORDS: Final = {"ok": "ok", "exhausted": "cooling", "dead": "dead", "not_set": "not set"}
_SAID_WORDS: Final = {"provider": "provider", "assumed": "~ assumed", None: "-"}


def session_row(session: Document, now: float) -> tuple[str, ...]:
    """Return a session's cells under `SESSION_HEADS`."""
    route = session["route"]
    return (
        session["name"],
        f"{route['provider']}/{route['model']}",
        f"{session['position']}/{session['chain_length']}",
        session["diagnosis"]["code"].replace("_", " ") if session["archived_at"] is None else "archived",
        wall(session["since"], now),
        _next_change(session["diagnosis"], now),
    )


def _next_change(diagnosis: Document, now: float) -> str:
    """Return what comes next, and when: what waits for nothing but the next turn has no time."""
    after = diagnosis["next"]
    if after is None or after["at"] is None:
        return "-"
    if after["at"] > now:
        return f"{after['text']} {wall(after['at'], now)}"
    return f"{after['text']} due" if diagnosis["code"] == Code.CHAIN_EXHAUSTED.value else str(after["text"])


def credential_row(credential: Document, now: float) -> tuple[str, ...]:
    """Return a credential's cells under `CREDENTIAL_HEADS`."""
    lent = INHERITED if credential["lender"] is not None else ""
    return (
        f"{credential['pool']}/{credential['label']} {credential['fingerprint']}".rstrip() + lent,
        _STATUS_WORDS[credential["status"]],
        wall(credential["until"], now, assumed=credential["approximate"]),
        _SAID_WORDS[credential["until_source"]],
        _reason(credential),
    )


def _reason(credential: Document) -> str:
    """Return a stop's reason in words; the fault of one that is not set is a sentence already."""
    reason: str | None = credential["reason"]
    if reason is None or credential["status"] == "not_set":
        return reason or "-"
    model = next((model for model, until in credential["models"].items() if until == credential["until"]), None)
    return FailureKind(reason).words + (f" for {model} alone" if model is not None else "")


def why_lines(session: Document, now: float) -> str:
    """Return one session's diagnosis as lines: what helps, the facts with their sources, the gates on its way back."""
    diagnosis = session["diagnosis"]
    lines = [f"{session['name']}: {diagnosis['text']} {diagnosis['helps']}"]
    lines += [f"  - {fact['text']} ({_when(fact, now)}{fact['source']})" for fact in diagnosis["facts"]]
    lines += [
        f"  {'passed ' if gate['passed'] else 'blocked'} {gate['name'].replace('_', ' ')}: {gate['text']}"
        + _changes(gate, now)
        for gate in session["gates"]
    ]
    return "\n".join(lines) + "\n"


def _when(fact: Document, now: float) -> str:
    """Return when a fact was met, or until when it holds."""
    at = fact["at"]
    if at is None:
        return ""
    return f"{'until ' if at > now else ''}{wall(at, now)}, "


def _changes(gate: Document, now: float) -> str:
    at = gate["changes_at"]
    return f" (changes {wall(at, now, assumed=gate['approximate'])})" if at is not None else ""
