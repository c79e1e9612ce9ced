"""Classification: from what a provider answered to one `Failure`, by the table in `rules` (M4, M5, M9, M17)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hermes_tui.core.failure import Failure, FailureKind, Meaning, Reset, ResetSource, Scope
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.text import PlainText
from hermes_tui.providers.body import ErrorBody, Redact, as_code, read_body
from hermes_tui.providers.plan_limits import full_plan
from hermes_tui.providers.reset_sources import find_reset, retry_after
from hermes_tui.providers.rule import HOUR, Rule
from hermes_tui.providers.rules import RULES
from hermes_tui.providers.sentences import read_text
from hermes_tui.providers.status_rules import BLOCKED, CHALLENGE, EDGE, FAMILIES, STATUSES, UNKNOWN

_CODE_HEADERS: Final = ("x-amzn-errortype", "x-ms-error-code", "x-codex-rate-limit-reached-type")
_QUOTING: Final = frozenset([400, 422])
"""Statuses of a request that is malformed: its server quotes it, and what a user wrote about limits is not one."""
_UPSTREAM: Final = re.compile(r"\bupstream\b|provider returned error|\w+exception - |litellm\.\w+: \w+exception")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What rules look at: codes and text in lower case; `status` None for a refusal inside a stream.

    `phrases` is as much of the text as is the provider's own, in which phrases are looked for. `plan` tells whose plan
    is full by the headers; `upstream` that a relay passes on what another provider said.
    """

    provider: KnownProvider
    model: str
    status: int | None
    codes: tuple[str, ...]
    text: str
    phrases: str
    has_reset: bool
    plan: Scope | None
    upstream: bool

    @property
    def names_model(self) -> bool:
        """Whether the text names the requested model; names too short to be told from words never count."""
        name = re.escape(self.model)
        return len(self.model) >= 3 and re.search(rf"(?<![\w-]){name}(?![\w-])", self.text) is not None

    @property
    def is_own_account(self) -> bool:
        """Whether a limit or a billing stop is of the account with this provider, and not with one behind it (C58)."""
        if not self.provider.relays:
            return True
        return not self.upstream and any(words in self.text for words in self.provider.own_account)


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
    reset = _given(find_reset(folded, read, now=now, model=model), provider, now)
    told = status if status not in (None, 200) else read.status
    evidence = Evidence(
        provider=provider,
        model=model.lower(),
        status=told,
        codes=(*read.codes, *(as_code(folded[name]) for name in _CODE_HEADERS if name in folded)),
        text=read.text,
        phrases=read.unquoted if told in _QUOTING else read.text,
        has_reset=reset is not None,
        plan=full_plan(folded, model),
        upstream=provider.relays and _is_upstream(read),
    )
    rule = _rule(evidence, read.page)
    kind, scope = _meaning(rule, evidence)
    if reset is not None and reset.at - now < rule.believes_from_seconds:
        reset = None
    if reset is None and rule.of_a_day and provider.day_ends:
        reset = _documented(provider.day_ends, now)
    return Failure(
        kind=kind,
        scope=scope,
        message=read.message(redact) or _wordless(told),
        status=told,
        reset=reset if kind.is_limit_or_billing else None,
        retry_after=_wait(kind, reset, _given(retry_after(folded, now=now), provider, now), now),
    )


def _given(reset: Reset | None, provider: KnownProvider, now: float) -> Reset | None:
    """Return a reset that was meant as one: some providers send a placeholder where they know none."""
    if reset is not None and any(abs(reset.at - now - wait) < 1 for wait in provider.empty_waits):
        return None
    return reset


def _documented(day_ends: str, now: float) -> Reset | None:
    """Return the end of a day's quota that a provider's documentation names, and the refusal does not."""
    found = read_text(f"resets {day_ends}", now=now)
    return replace(found, approximate=True, source=ResetSource.DOCUMENTED) if found else None


def _is_upstream(body: ErrorBody) -> bool:
    """Tell whether a relay's error passes on another provider's: it names that, or quotes it."""
    named = any(node.get("provider_name") or node.get("raw") for node in body.nodes)
    return named or _UPSTREAM.search(body.text) is not None


def _rule(evidence: Evidence, page: str | None) -> Rule:
    for code in evidence.codes:
        if (meant := evidence.provider.codes.get(code)) is not None:
            return Rule(*meant, believes_from_seconds=HOUR if meant.kind is FailureKind.BILLING else 0)
    for rule in RULES:
        if _holds(rule, evidence):
            return rule
    return _status_rule(evidence.status) if page is None else _page_rule(evidence.status or 200, page)


def _page_rule(status: int, page: str) -> Rule:
    """Read an HTML page in the place of an answer: a gate's challenge says nothing about the credential (C07)."""
    if CHALLENGE.search(page) or (status // 100 == 4 and EDGE.search(page)):
        return BLOCKED
    return _status_rule(status)


def _status_rule(status: int | None) -> Rule:
    if status is None:
        return UNKNOWN
    return STATUSES.get(status) or FAMILIES.get(status // 100, UNKNOWN)


def _holds(rule: Rule, evidence: Evidence) -> bool:
    if rule.statuses is not None and evidence.status not in rule.statuses:
        return False
    if rule.with_reset is not None and rule.with_reset != evidence.has_reset:
        return False
    if rule.code is not None and not any(map(rule.code.fullmatch, evidence.codes)):
        return False
    if rule.phrase is not None and not rule.phrase.search(evidence.phrases):
        return False
    return (evidence.names_model or not rule.names_model) and (evidence.plan is not None or not rule.plan_full)


def _meaning(rule: Rule, evidence: Evidence) -> Meaning:
    """Return what the rule means here.

    A limit that names the model is the model's, whatever the account's limits say otherwise (M17). Behind a relay an
    upstream's limit or empty account is no more than that (C58), and a key that an upstream refuses is not the user's.
    """
    if rule.kind.is_about_the_key and evidence.upstream:
        return Meaning(FailureKind.MODEL_UNAVAILABLE, Scope.MODEL)
    if rule.kind.is_limit_or_billing and not evidence.is_own_account:
        return Meaning(rule.kind, Scope.MODEL)
    if rule.kind.is_limit and evidence.names_model:
        return Meaning(rule.kind, Scope.MODEL)
    if rule.kind is FailureKind.USAGE_LIMIT and evidence.plan is not None:
        return Meaning(rule.kind, evidence.plan)
    return Meaning(rule.kind, rule.scope)


def _wait(kind: FailureKind, reset: Reset | None, hint: Reset | None, now: float) -> float | None:
    """Return the seconds to back off, within the parser's horizon; a billing stop is no matter of seconds (C08)."""
    if kind is FailureKind.BILLING:
        return None
    told = hint or reset
    return told.at - now if told else None


def _wordless(status: int | None) -> PlainText:
    return PlainText("an error without a message" if status is None else f"HTTP {status} without a message")
