"""Advice: what a failure means to a person, in its provider's terms: what happened, and what helps (C04).

Kinds that are routed alike are told apart here: what is said of money is never said of a limit, nor of a key.
"""

from typing import Final, NamedTuple

from hermes_tui.core.failure import Failure, Scope
from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.text import PlainText, one_line


class Advice(NamedTuple):
    """Two halves of a sentence: what happened, and what helps."""

    happened: str
    helps: str


_ADVICE: Final = {
    Kind.RATE_LIMIT: Advice(
        "{Provider} says that requests come too fast for its rate limit",
        "it ends by itself, and another model or account answers meanwhile",
    ),
    Kind.USAGE_LIMIT: Advice(
        "{Provider} says that the usage limit is reached",
        "wait for its reset, take a larger plan or use another account",
    ),
    Kind.BILLING: Advice(
        "{Provider} says that this account is out of credit or at its spend cap",
        "add credit or raise the cap {credit}; waiting does not help",
    ),
    Kind.AUTH: Advice("{Provider} does not accept this {key}", "{renew}"),
    Kind.AUTH_REVOKED: Advice("{Provider} has revoked this {key}", "{renew}"),
    Kind.NO_CREDENTIAL: Advice("There is no usable {key} for {provider}", "{renew}"),
    Kind.MISCONFIGURED: Advice(
        "The route to {provider} cannot be used as configured", "mend it in the configuration file"
    ),
    Kind.OVERLOADED: Advice("{Provider} is overloaded, whoever asks", "only time helps"),
    Kind.SERVER_ERROR: Advice("{Provider} failed on its own side", "its status page may tell more"),
    Kind.TIMEOUT: Advice(
        "{Provider} did not answer in time",
        "where that is usual for the model, raise request_timeout_seconds",
    ),
    Kind.CONNECTION: Advice("{Provider} cannot be reached", "{reach}"),
    Kind.INVALID_RESPONSE: Advice("{Provider} sent something that is no answer", "the next try may bring one"),
    Kind.MODEL_UNAVAILABLE: Advice(
        "{Provider} does not offer this model here", "correct the model's name in the configuration or choose another"
    ),
    Kind.WRONG_ENDPOINT: Advice(
        "{Provider} has nothing at this address", "correct base_url and api_mode in the configuration"
    ),
    Kind.BLOCKED: Advice(
        "Something on the way to {provider} blocked the request",
        "look at the proxy, the VPN and the firewall of this network, or ask from another one",
    ),
    Kind.BAD_REQUEST: Advice(
        "{Provider} refused the request as malformed", "the same request would be refused again, so change it"
    ),
    Kind.REFUSED: Advice(
        "{Provider} refused the content", 'rephrase it, or set on_refusal = "fallback" to ask the next route'
    ),
    Kind.CONTEXT_OVERFLOW: Advice(
        "The conversation is too long for this model of {provider}",
        "begin a new session, or add a route with a larger window",
    ),
    Kind.FOREIGN_HISTORY: Advice(
        "{Provider} does not accept the sealed history of this conversation",
        "it is asked again without it; if that fails too, begin a new session",
    ),
    Kind.UNKNOWN: Advice("{Provider} failed in a way that is not known here", "its own words tell what to do"),
}

_BILLING_OF_A_MODEL: Final = Advice(
    "{Provider} says that the account behind this model is out of credit or at its spend cap",
    "add credit or raise the cap {credit} if it is yours; another model may answer",
)
"""A stop that is about one model alone: an upstream's account that is empty, or a tier that does not include it."""

ONLY_A_PERSON_HELPS: Final = frozenset([
    Kind.BILLING, Kind.AUTH, Kind.AUTH_REVOKED, Kind.NO_CREDENTIAL, Kind.MODEL_UNAVAILABLE, Kind.WRONG_ENDPOINT,
])  # fmt: skip
"""What neither time nor another try mends."""


def advice(kind: Kind, provider: KnownProvider, scope: Scope | None = None) -> PlainText:
    """Return one sentence: what a failure of this kind means at `provider`, and what helps.

    `scope` is what the failure is about, None where only its kind is known.
    """
    return _sentence("{0.happened}: {0.helps}", _for(kind, scope), provider)


def remedy(kind: Kind, provider: KnownProvider, scope: Scope | None = None) -> PlainText:
    """Return one sentence: what helps against a failure of this kind at `provider`."""
    return _sentence("{0.helps}", _for(kind, scope), provider)


def explained(failure: Failure, provider: KnownProvider) -> PlainText:
    """Return what ends a turn: the advice, and what the provider said."""
    return one_line(f"{advice(failure.kind, provider, failure.scope)} It said: {failure.message}")


def reason_to_leave(failure: Failure, provider: KnownProvider) -> PlainText:
    """Return why a route did not answer, for a list of routes (M8): what it said, and what only a person can do."""
    said = f"{failure}: {failure.message}" if failure.message else str(failure)
    if failure.kind not in ONLY_A_PERSON_HELPS:
        return one_line(said)
    helps = remedy(failure.kind, provider, failure.scope)
    return one_line(f"{said} ({helps[:1].lower()}{helps[1:].rstrip('.')})")


def _for(kind: Kind, scope: Scope | None) -> Advice:
    return _BILLING_OF_A_MODEL if (kind, scope) == (Kind.BILLING, Scope.MODEL) else _ADVICE[kind]


def _sentence(form: str, found: Advice, provider: KnownProvider) -> PlainText:
    title = str(provider) or "the provider"
    begun = title.replace("the ", "The ", 1) if title.startswith("the ") else title
    words = form.format(found).format(
        provider=title,
        Provider=begun,
        key="sign-in" if provider.sign_in else "key",
        credit=f"at {provider.credit_page}" if provider.credit_page else "there",
        renew=_renewal(provider),
        reach=_way_to_reach(provider),
    )
    return one_line(f"{words[:1].upper() if form == '{0.helps}' else words[:1]}{words[1:]}.")


def _renewal(provider: KnownProvider) -> str:
    if provider.sign_in:
        return f"sign in again with {provider.sign_in}"
    made = f"make a key at {provider.keys_page}" if provider.keys_page else "get a valid key"
    return f"{made} and put it where the configuration looks for it"


def _way_to_reach(provider: KnownProvider) -> str:
    runs_here = "" if provider.needs_key else "start it, or "
    return f"{runs_here}look at base_url, the network and its proxy"
