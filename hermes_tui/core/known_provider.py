"""A known provider: all that may be special about one, so that whoever speaks to it asks no name."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from hermes_tui.core.failure import Meaning
from hermes_tui.core.route import ApiMode
from hermes_tui.core.values import dataclass


class KeyHeader(StrEnum):
    """The header in which a provider wants the key; its value is the bare key, save for `Authorization`."""

    BEARER = "Authorization"
    API_KEY = "api-key"
    X_API_KEY = "x-api-key"

    def fields(self, token: str) -> dict[str, str]:
        """Return the header that carries `token`."""
        return {self.value: f"Bearer {token}" if self is KeyHeader.BEARER else token}


@dataclass(frozen=True, slots=True)
class Subscription:
    """Tokens of a subscription, told by how they begin: they go as Bearer, with `headers` beside them."""

    token_prefix: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """A provider that a configuration may name without further words, and how to read what it sends.

    To reach it: `base_url` (empty where every customer has another), `api_mode`, `key_header` (None where it is the
    API's own), `subscription` (None where it knows keys only), `key_variables` (environment variables that hold its
    key), `key_prefix` (how its keys begin, and nobody else's); `needs_key` is False for local servers, which take one
    where it is set. `hosts` are the ends of host names by which it is recognised, whatever a configuration calls it.
    `counts_tokens` tells that a stream may be asked for its token counts (`stream_options`).

    To ask it without spending a token: it lists its models at `/models`, save where `lists_models` is False (then not
    all that it serves); `key_path` is asked about the key where that list is open to everybody.

    To read it: `codes` are error codes that mean something else, or anything at all, only here, in snake case.
    `relays` tells that its errors may be those of an upstream; `own_account` are words (in lower case) by which it
    then speaks of its customer's account. `empty_waits` (seconds) are waits that it gives when it has none to give.
    `day_ends` is when a day's quota begins anew, where its refusals do not say so and its documentation does.
    `reopens_early` tells that it has a usage endpoint that says whether a limit ended before its date.

    For people: `title`, the pages where credit and keys are managed, the command that signs in again. A first
    configuration proposes `example_model`, `example_variable` where no environment variable is known, and `example_url`
    where `base_url` is empty.
    """

    name: str
    base_url: str
    example_model: str
    title: str = ""
    api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS
    key_header: KeyHeader | None = None
    subscription: Subscription | None = None
    key_variables: tuple[str, ...] = ()
    key_prefix: str = ""
    needs_key: bool = True
    hosts: tuple[str, ...] = ()
    counts_tokens: bool = True
    lists_models: bool = True
    key_path: str = ""
    codes: Mapping[str, Meaning] = field(default_factory=dict)
    relays: bool = False
    own_account: tuple[str, ...] = ()
    empty_waits: frozenset[float] = frozenset()
    day_ends: str | None = None
    reopens_early: bool = False
    credit_page: str | None = None
    keys_page: str | None = None
    sign_in: str | None = None
    example_variable: str | None = None
    example_url: str = ""

    def __str__(self) -> str:
        return self.title or self.name

    @property
    def address(self) -> str:
        """Its base URL, or an example of one where every customer has another."""
        return self.base_url or self.example_url

    def authorization(self, token: str, usual: KeyHeader) -> Mapping[str, str]:
        """Return the headers that carry `token`; `usual` is the header of the API that is spoken."""
        if self.subscription is not None and token.startswith(self.subscription.token_prefix):
            return {**KeyHeader.BEARER.fields(token), **self.subscription.headers}
        return (self.key_header or usual).fields(token)
