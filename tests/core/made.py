"""Rows as the core's tests need them: short to say, real values, one moment in time."""

from dataclasses import replace
from typing import Any

from hermes_tui.core.configuration import Configuration, Member, Pool, Settings
from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, Death
from hermes_tui.core.decision import Decision, Row
from hermes_tui.core.event import Event
from hermes_tui.core.facts import Facts, fold
from hermes_tui.core.failure import Failure, FailureKind, Reset, Scope
from hermes_tui.core.outcome import Answer, Sent
from hermes_tui.core.pool import Candidate
from hermes_tui.core.route import ApiMode, Link, Route
from hermes_tui.core.session import Departure, Session, SessionCooldown, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Hold, Trial, TrialOutcome, Usage, Verdict, Window

NOW = 1_900_000_000.0
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

PRIMARY = Route("openai-codex", "gpt", "http://127.0.0.1/codex", ApiMode.CODEX_RESPONSES, "openai-codex")
BACKUP = Route("backup", "small", "http://127.0.0.1/backup", ApiMode.CHAT_COMPLETIONS, "backup")
SPARE = Route("spare", "tiny", "http://127.0.0.1/spare", ApiMode.CHAT_COMPLETIONS, "spare")
CHAIN = (Link(BACKUP), Link(SPARE))

ROOMY = Usage(allowed=True, windows=(Window("5 h", 5.0),))
FULL = Usage(allowed=False, limit_reached=True, windows=(Window("5 h", 100.0),))


def member(label: str, **fields: Any) -> Member:
    return Member(**({"label": label, "fingerprint": f"f-{label}", "account": f"acct-{label}"} | fields))


def pool(name: str, *labels: str, **fields: Any) -> Pool:
    """Return the pool of provider `name`; the Codex one may reopen early."""
    members = tuple(member(label) for label in labels or ("one",))
    early = name == PRIMARY.pool
    known: dict[str, Any] = {"name": name, "provider": name, "members": members, "reopens_early": early}
    return Pool(**(known | fields))


CODEX = pool("openai-codex")
TWO = pool("openai-codex", "one", "two")


def configuration(codex: Pool = CODEX, chain: tuple[Link, ...] = CHAIN, **settings: Any) -> Configuration:
    """Return a configuration with the Codex primary, two fallbacks, and runtime `settings`."""
    pools = (codex, pool("backup"), pool("spare"))
    return Configuration(Link(PRIMARY), chain, pools, Settings(**settings), origin=PlainText("hermes-tui.toml"))


def facts(*rows: Row, codex: Pool = CODEX, **settings: Any) -> Facts:
    """Return facts with the configuration of `codex` and `settings`, and `rows`."""
    return fold((configuration(codex, **settings), *rows))


def after(before: Facts, decision: Decision[Any]) -> Facts:
    """Return the facts that a decision makes true; those before it stay."""
    return fold((row for record in decision.records for row in record.rows), before.copy())


def events(decision: Decision[Any]) -> list[Event]:
    return [record.event for record in decision.records]


def event_types(decision: Decision[Any]) -> list[str]:
    return [event.type for event in events(decision)]


def session(name: str = "docs", **fields: Any) -> Session:
    """Return a session on its primary."""
    known: dict[str, Any] = {"name": name, "requested": PRIMARY, "chain": CHAIN}
    return Session(**(known | fields))


def away(name: str = "docs", **fields: Any) -> Session:
    """Return a session on its first fallback, which a limit until two days from now brought there."""
    left = Departure(NOW - MINUTE, FailureKind.USAGE_LIMIT, 429, "one", PlainText("used up"))
    return session(name, **({"position": 1, "index": 1, "departure": left, "cooldown": waits()} | fields))


def waits(seconds: float = 2 * DAY, kind: WaitKind = WaitKind.LIMIT, source: Said = Said.PROVIDER) -> SessionCooldown:
    return SessionCooldown(kind, NOW - MINUTE, NOW + seconds, source)


def failing(seconds: float = 15.0) -> SessionCooldown:
    return waits(seconds, WaitKind.FAILING, Said.ASSUMED)


def failure(
    kind: FailureKind, *, reset_in: float | None = None, scope: Scope = Scope.CREDENTIAL, **fields: Any
) -> Failure:
    reset = None if reset_in is None else Reset(NOW + reset_in)
    return Failure(**({"kind": kind, "scope": scope, "message": PlainText("as it said"), "reset": reset} | fields))


def bench(seconds: float = 2 * DAY, reason: FailureKind = FailureKind.USAGE_LIMIT, **fields: Any) -> Cooldown:
    """Return a cooldown that began a minute ago and ends `seconds` from now."""
    known: dict[str, Any] = {
        "since": NOW - MINUTE,
        "until": NOW + seconds,
        "source": Said.PROVIDER,
        "reason": reason,
        "code": 429,
        "message": PlainText("used up"),
        "session": "docs",
        "last_at": NOW - MINUTE,
    }
    return Cooldown(**(known | fields))


def credential(pool_name: str = PRIMARY.pool, label: str = "one", **fields: Any) -> Credential:
    return Credential(**({"key": CredentialKey(pool_name, label), "fingerprint": f"f-{label}"} | fields))


def benched(label: str = "one", seconds: float = 2 * DAY, pool_name: str = PRIMARY.pool, **fields: Any) -> Credential:
    return credential(pool_name, label, cooldown=bench(seconds, **fields))


def dead(label: str = "one", pool_name: str = PRIMARY.pool) -> Credential:
    death = Death(NOW - MINUTE, FailureKind.AUTH_REVOKED, 401, PlainText("revoked"), "docs")
    return credential(pool_name, label, death=death)


def candidate(label: str = "one", codex: Pool = CODEX, model: str = "gpt") -> Candidate:
    found = codex.member(label)
    assert found is not None
    return Candidate(codex, found, model)


def verdict(
    said: Verdict = Verdict.QUOTA,
    *,
    ago: float = 30.0,
    life: float = 300.0,
    usage: Usage | None = ROOMY,
    label: str = "one",
) -> CachedVerdict:
    """Return a cached verdict about a Codex credential, asked `ago` seconds ago."""
    asked_at = NOW - ago
    key = candidate(label, pool("openai-codex", label)).verdict_key
    return CachedVerdict(key, said, PlainText("as it said"), asked_at, asked_at + life, usage)


def hold(seconds: float = 1200.0, count: int = 1, evidence: Usage = ROOMY) -> Hold:
    return Hold(candidate().subject, evidence, NOW - 10.0, NOW + seconds, count)


def trial(by: str = "docs", outcome: TrialOutcome = TrialOutcome.RUNNING, **fields: Any) -> Trial:
    """Return a trial of the first Codex credential that began ten seconds ago."""
    known = Trial(candidate().subject, "one", by, NOW - 10.0, NOW + 1790.0, NOW + 290.0, ROOMY, outcome)
    return replace(known, **fields)


def sent(
    by: str = "docs", route: Route = PRIMARY, label: str = "one", codex: Pool = CODEX, at: float = NOW - 1.0
) -> Sent:
    """Return a request that went out a second ago."""
    here = codex if route.pool == codex.name else pool(route.pool, label)
    found = here.member(label)
    assert found is not None
    return Sent(by, route, Candidate(here, found, route.model), at)


def answer(text: str = "Done.") -> Answer:
    return Answer(PlainText(text))
