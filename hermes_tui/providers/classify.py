"""Classification: from what a provider answered to one `Failure`, by the table in `rules` (M4, M5, M9, M17)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hermes_tui.core.failure import Failure, FailureKind, Reset, Scope
from hermes_tui.core.known_providers import KnownProvider
from hermes_tui.core.text import PlainText
from hermes_tui.providers.body import Redact, read_body
from hermes_tui.providers.reset_sources import find_reset, retry_after
from hermes_tui.providers.rules import HOUR, RULES, Rule
from hermes_tui.providers.status_rules import BLOCKED, CHALLENGE, FAMILIES, STATUSES, UNKNOWN


@dataclass(frozen=True, slots=True)
class Evidence:
    """What rules look at: codes and text in lower case; `status` None for a refusal inside a stream."""

    provider: KnownProvider
    model: str
    status: int | None
    codes: tuple[str, ...]
    text: str
    has_reset: bool

    @property
    def names_model(self) -> bool:
        """Whether the text names the requested model; names too short to be told from words never count."""
        name = re.escape(self.model)
        return len(self.model) >= 3 and re.search(rf"(?<![\w-]){name}(?![\w-])", self.text) is not None


def classify(
    provider: KnownProvider,
    status: int | None,
    headers: Mapping[str, str],
    body: str,
    *,
    now: float,
    redact: Redact,
    model: str = "",
) -> Failure:
    """Return what a provider's refusal means: kind, scope, a safe message, and when it ends.

    `status` None is an error without one (a frame in a stream, an exception's text); a status named in `body` then
    stands for it. `now` in epoch seconds. Pure, and never raises, whatever the provider sent.
    """
    folded = {name.lower(): value for name, value in headers.items()}
    read = read_body(body)
    reset = find_reset(folded, read, now=now)
    told = status if status not in (None, 200) else read.status
    evidence = Evidence(
        provider=provider,
        model=model.lower(),
        status=told,
        codes=read.codes,
        text=read.text,
        has_reset=reset is not None,
    )
    rule = _page_rule(status, body) if read.title is not None else _rule(evidence)
    if reset is not None and reset.at - now < rule.believes_from_seconds:
        reset = None
    return Failure(
        kind=rule.kind,
        scope=_scope(rule, evidence),
        message=read.message(redact) or _wordless(told),
        status=told,
        reset=reset if rule.kind.is_limit_or_billing else None,
        retry_after=_wait(rule, reset, folded, now),
    )


def _rule(evidence: Evidence) -> Rule:
    for code in evidence.codes:
        if (meant := evidence.provider.codes.get(code)) is not None:
            return Rule(meant.kind, meant.scope, believes_from_seconds=HOUR if meant.kind is FailureKind.BILLING else 0)
    for rule in RULES:
        if _holds(rule, evidence):
            return rule
    return _status_rule(evidence.status)


def _status_rule(status: int | None) -> Rule:
    if status is None:
        return UNKNOWN
    return STATUSES.get(status) or FAMILIES.get(status // 100, UNKNOWN)


def _page_rule(status: int | None, page: str) -> Rule:
    """Read an HTML page: a browser challenge says nothing about the credential (C07)."""
    if CHALLENGE.search(page.lower()):
        return BLOCKED
    return _status_rule(status or 200)


def _holds(rule: Rule, evidence: Evidence) -> bool:
    if rule.statuses is not None and evidence.status not in rule.statuses:
        return False
    if rule.with_reset is not None and rule.with_reset != evidence.has_reset:
        return False
    if rule.code is not None and not any(map(rule.code.fullmatch, evidence.codes)):
        return False
    if rule.phrase is not None and not rule.phrase.search(evidence.text):
        return False
    return evidence.names_model or not rule.names_model


def _scope(rule: Rule, evidence: Evidence) -> Scope:
    """A limit that names the model is the model's, whatever the account's limits say otherwise (M17)."""
    return Scope.MODEL if rule.kind.is_limit and evidence.names_model else rule.scope


def _wait(rule: Rule, reset: Reset | None, headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to back off, within the parser's horizon; a billing stop is no matter of seconds (C08)."""
    if rule.kind is FailureKind.BILLING:
        return None
    hint = retry_after(headers, now=now) or reset
    return hint.at - now if hint else None


def _wordless(status: int | None) -> PlainText:
    return PlainText("an error without a message" if status is None else f"HTTP {status} without a message")
