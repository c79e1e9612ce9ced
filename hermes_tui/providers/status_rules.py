"""What is left to say of a refusal that no rule knows: by its status, or by the page that came in its place."""

import re
from typing import Final

from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.failure import Scope
from hermes_tui.providers.rules import HOUR, Rule

STATUSES: Final = {
    400: Rule(Kind.BAD_REQUEST, Scope.REQUEST),
    401: Rule(Kind.AUTH, Scope.CREDENTIAL),
    402: Rule(Kind.BILLING, Scope.CREDENTIAL, believes_from_seconds=HOUR),
    403: Rule(Kind.AUTH, Scope.CREDENTIAL),
    404: Rule(Kind.WRONG_ENDPOINT, Scope.PROVIDER),
    405: Rule(Kind.WRONG_ENDPOINT, Scope.PROVIDER),
    407: Rule(Kind.BLOCKED, Scope.PROVIDER),
    408: Rule(Kind.TIMEOUT, Scope.PROVIDER),
    413: Rule(Kind.CONTEXT_OVERFLOW, Scope.REQUEST),
    424: Rule(Kind.SERVER_ERROR, Scope.PROVIDER),
    429: Rule(Kind.RATE_LIMIT, Scope.MODEL),
    451: Rule(Kind.BLOCKED, Scope.PROVIDER),
    498: Rule(Kind.OVERLOADED, Scope.PROVIDER),
    529: Rule(Kind.OVERLOADED, Scope.PROVIDER),
}
"""What a status means where nothing else is known."""

FAMILIES: Final = {
    2: Rule(Kind.INVALID_RESPONSE, Scope.REQUEST),
    3: Rule(Kind.WRONG_ENDPOINT, Scope.PROVIDER),
    4: Rule(Kind.BAD_REQUEST, Scope.REQUEST),
    5: Rule(Kind.SERVER_ERROR, Scope.PROVIDER),
}
"""What its first digit means."""

UNKNOWN: Final = Rule(Kind.UNKNOWN, Scope.REQUEST)

CHALLENGE: Final = re.compile("|".join((
    "just a moment", "attention required", "cf-chl", "challenge-platform", "checking your browser", "captcha",
    "enable javascript and cookies", "cloudflare ray id", "cf-ray", "ddos-guard",
)))  # fmt: skip
"""Marks of a page that a gate on the way put up for a browser (C07)."""

BLOCKED: Final = Rule(Kind.BLOCKED, Scope.PROVIDER)
