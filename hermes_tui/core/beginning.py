"""The first configuration, question by question: a provider, its key, a model, then a fallback or none.

Answers make new states, so that going back is taking the state before. What is read from the machine and what is
asked of servers comes through `FirstFile`; nothing is sent and nothing is written before the user says so.
"""

from collections.abc import Sequence
from dataclasses import field, replace
from enum import Enum, auto
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from hermes_tui.core.catalogue import Answer, Catalogue
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, known_server
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


class Question(Enum):
    """What the screen asks."""

    WELCOME = auto()
    PROVIDER = auto()
    ADDRESS = auto()
    KEY = auto()
    VARIABLE = auto()
    KEY_FILE = auto()
    PASTE = auto()
    MODEL = auto()
    FALLBACK = auto()
    REVIEW = auto()
    DONE = auto()


@dataclass(frozen=True, slots=True)
class FirstRoute:
    """A route as it will be written. `base_url` is empty where the provider's own holds.

    `key` refers to the key (`env:NAME`, `file:PATH`, `codex:`), empty where none is sent; `pasted` is the key itself
    where it is still to be put into that file.
    """

    provider: str = ""
    model: str = ""
    base_url: str = ""
    key: str = ""
    pasted: Secret | None = field(default=None, repr=False)

    @property
    def known(self) -> KnownProvider:
        """What is known of the provider; of a stranger its name and address alone."""
        stranger = KnownProvider(self.provider, self.base_url, "", needs_key=False)
        return KNOWN_PROVIDERS.get(self.provider, stranger)

    @property
    def url(self) -> str:
        """Where its requests go."""
        return self.base_url or self.known.base_url

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


class FoundKey(NamedTuple):
    """A key that is on this machine already: whose, and how the file refers to it; its value is not looked at."""

    provider: str
    reference: str


class LocalServer(NamedTuple):
    """A server of this machine that answered, and the models that it lists."""

    provider: str
    catalogue: Catalogue


class FirstFile(Protocol):
    """Where the first configuration is made: what is there, what servers say, and the file that comes of it."""

    @property
    def path(self) -> PlainText:
        """Where the file will be."""

    def keys(self) -> tuple[FoundKey, ...]:
        """Return the keys of known providers that are set here."""

    def sightings(self) -> tuple[PlainText, ...]:
        """Return a sentence for each login of another program that is here and cannot be used as it is."""

    def hermes_home(self) -> PlainText | None:
        """Return where a Hermes home is whose configuration can be taken over, None where there is none."""

    def taken_over(self) -> str:
        """Return the file that comes of the Hermes home. Raises HermesTuiError where none does."""

    def proposed(self) -> tuple[FirstRoute, ...]:
        """Return a route for each key that is set here, with a model that its provider is known to have."""

    def key_file(self, provider: str) -> str:
        """Return the reference to the file that a pasted key of the provider would go to."""

    def fault(self, question: Question, typed: str) -> str | None:
        """Say why what was typed cannot be the answer, None where it can."""

    def text(self, routes: Sequence[FirstRoute]) -> str:
        """Return the file as it would be written."""

    async def look_here(self) -> tuple[LocalServer, ...]:
        """Ask the usual addresses of local servers, on this machine alone, for their models."""

    async def models(self, route: FirstRoute) -> Answer:
        """Ask the route's server for its models; no token is spent."""

    def write(self, routes: Sequence[FirstRoute]) -> None:
        """Write the file, and pasted keys beside it. Raises ConfigurationError; then nothing was written."""

    def write_text(self, text: str) -> None:
        """Write a file that was taken over. Raises ConfigurationError; then nothing was written."""

    async def check(self, *, ask: bool) -> tuple[str, ...]:
        """Return what is to say about the file that was written; with `ask` the servers are asked too."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What was answered so far, and what is asked now. `routes` are complete, the primary first.

    `taken` is the whole file where it was taken over from elsewhere: then there are no routes.
    """

    question: Question = Question.WELCOME
    routes: tuple[FirstRoute, ...] = ()
    choosing: FirstRoute = FirstRoute()
    taken: str = ""

    def asking(self, question: Question) -> "Beginning":
        """Return the state that asks `question`."""
        return replace(self, question=question)

    def with_routes(self, routes: Sequence[FirstRoute]) -> "Beginning":
        """Return the state with a whole chain, for review."""
        return Beginning(Question.REVIEW, tuple(routes))

    def with_provider(self, name: str, found: Sequence[FoundKey]) -> "Beginning":
        """Return the state after a known provider was chosen; `found` are the keys on this machine."""
        chosen = replace(self, choosing=FirstRoute(name))
        if not chosen.choosing.url:
            return chosen.asking(Question.ADDRESS)
        return _with_place(chosen, found)

    def with_address(self, url: str, found: Sequence[FoundKey]) -> "Beginning":
        """Return the state after an address was typed: of the provider that was chosen, else of another server."""
        name = self.choosing.provider or provider_at(url, [route.provider for route in self.routes])
        known = KNOWN_PROVIDERS.get(name)
        own = known is not None and known.base_url.rstrip("/") == url.rstrip("/")
        return _with_place(replace(self, choosing=FirstRoute(name, base_url="" if own else url)), found)

    def with_key(self, reference: str, pasted: Secret | None = None) -> "Beginning":
        """Return the state after it was said where the key comes from."""
        chosen = replace(self.choosing, key=reference, pasted=pasted)
        return replace(self, choosing=chosen, question=Question.MODEL)

    def with_model(self, model: str) -> "Beginning":
        """Return the state after the route's model was named, which completes it."""
        routes = (*self.routes, replace(self.choosing, model=model))
        return Beginning(Question.FALLBACK if len(routes) == 1 else Question.REVIEW, routes)


def _with_place(state: Beginning, found: Sequence[FoundKey]) -> Beginning:
    """Go on to the key, unless the provider has one by now or needs none."""
    route = state.choosing
    before = next((other for other in state.routes if other.provider == route.provider), None)
    if before is not None:
        return replace(state, choosing=replace(before, model=""), question=Question.MODEL)
    keyless = route.provider in KNOWN_PROVIDERS and not route.known.needs_key
    has_key = any(key.provider == route.provider for key in found)
    return state.asking(Question.MODEL if keyless and not has_key else Question.KEY)


def provider_at(url: str, taken: Sequence[str] = ()) -> str:
    """Return a name for the provider at an address: the known one's, else a word of its host, else `server`."""
    known = known_server(url) or next(
        (one for one in KNOWN_PROVIDERS.values() if one.base_url == url.rstrip("/")), None
    )
    if known is not None:
        return known.name
    host = (urlsplit(url).hostname or "").rstrip(".")
    words = [word for word in host.split(".")[:-1] if not word.isdecimal()]
    name = words[-1] if words else "server"
    while name in KNOWN_PROVIDERS or name in taken:
        name = f"{name}-server"
    return name
