"""The pages of the guided start, in words: what this is, what is on this machine, and one question at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hermes_tui.core.beginning import Beginning, FirstRoute, FoundKey, LocalServer, Question
from hermes_tui.core.catalogue import Answer, Catalogue
from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.text import one_line
from hermes_tui.view.choosing import Choice, Page
from hermes_tui.view.words import count

DEMO: Final = "demo"
SET_UP: Final = "set-up"
TAKE: Final = "take"
HOME: Final = "home"
WATCH: Final = "watch"
LEAVE: Final = "leave"
LOOK: Final = "look"
OTHER: Final = "other"
NONE: Final = "none"
LIST: Final = "list"
WRITE: Final = "write"
WRITE_AND_ASK: Final = "write-and-ask"
OPEN: Final = "open"
TYPED: Final = "typed:"
PROVIDER: Final = "provider:"
KEY: Final = "key:"
MODEL: Final = "model:"
"""What choices are called; those with a colon hold a value behind it."""

MODELS_SHOWN: Final = 200

WHAT: Final = (
    "hermes-tui runs agent sessions that outlive their provider's quota: it shows where each stands and why, and puts "
    "the primary model back at a key."
)
PROMISE: Final = "Nothing is sent anywhere before you say so."


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a page is made of: the answers so far, what is on this machine, and what came of questions asked.

    `home` is a Hermes home that can be taken over. `servers` are those that answered when this machine was looked at,
    `answer` is None before the provider was asked for its models. `said` answers what the user just did; `done` is what
    there is to say about the file once it is written.
    """

    state: Beginning
    path: str
    keys: tuple[FoundKey, ...] = ()
    sightings: tuple[str, ...] = ()
    home: str | None = None
    servers: tuple[LocalServer, ...] = ()
    answer: Answer | None = None
    typed: str = ""
    said: str = ""
    text: str = ""
    key_file: str = ""
    done: tuple[str, ...] = ()


def page(scene: Scene) -> Page:
    """Return the page that a scene shows."""
    match scene.state.question:
        case Question.WELCOME:
            return _welcome(scene)
        case Question.PROVIDER | Question.FALLBACK:
            return _provider(scene)
        case Question.ADDRESS:
            return _address(scene)
        case Question.KEY:
            return _key(scene)
        case Question.VARIABLE | Question.KEY_FILE | Question.PASTE:
            return _key_typed(scene)
        case Question.MODEL:
            return _model(scene)
        case Question.REVIEW:
            return _review(scene)
        case Question.DONE:
            return _done(scene)


def _welcome(scene: Scene) -> Page:
    names = ", ".join(dict.fromkeys(key.provider for key in scene.keys))
    here = ", ".join(f"{reference_words(key.reference)} ({key.provider})" for key in scene.keys)
    take = [Choice(TAKE, "A file from what is set here", f"{names}; shown before it is written", "i")] if names else []
    watch = Choice(WATCH, "Watch Hermes", "its sessions, read and left as they are", "w")
    home = Choice(HOME, "Take over the Hermes home", "its chain as a file; shown before", "t")
    return Page(
        "hermes-tui",
        WHAT,
        (
            *([watch] if scene.home else []),
            Choice(DEMO, "Watch the demo", "Friday to Monday, without a key", "d"),
            Choice(SET_UP, "Set up a provider", "a few questions, then the file to look at", "s"),
            *take,
            *([home] if scene.home else []),
            Choice(LEAVE, "Leave", "`hermes-tui init` writes a file too", "q"),
        ),
        (
            PROMISE,
            f"Set on this machine: {here}." if here else "No provider's key is set on this machine.",
            *scene.sightings,
            f"There is no configuration yet; it would be {scene.path}",
        ),
        said=scene.said,
    )


def reference_words(reference: str) -> str:
    """Return a reference to a key as a person reads it: the variable's name, or the file's."""
    return reference.partition(":")[2] or "the login of Codex"


def _provider(scene: Scene) -> Page:
    first = scene.state.question is Question.PROVIDER
    ask = (
        "Which provider do your sessions start on?"
        if first
        else f"Where do sessions go when {scene.state.routes[0]} runs out or fails?"
    )
    none = [] if first else [Choice(NONE, "Nowhere yet", "`e` on the dashboard adds a fallback later", "n")]
    return Page("The primary" if first else "A fallback", ask, (*none, *_providers(scene)), (PROMISE,), said=scene.said)


def _providers(scene: Scene) -> Iterator[Choice]:
    """Yield what is set or answers here, then how to find more, then the rest."""
    notes: dict[str, str] = {}
    for key in scene.keys:
        notes.setdefault(key.provider, f"{reference_words(key.reference)} is set")
    notes |= {server.provider: _serves(server.catalogue) for server in scene.servers}
    yield from (Choice(PROVIDER + name, name, note) for name, note in notes.items())
    yield Choice(LOOK, "Look for servers on this machine", f"asks 127.0.0.1: {', '.join(local_names())}", "l")
    yield Choice(OTHER, "Another server", "by its address", "o")
    rest = [known for known in KNOWN_PROVIDERS.values() if known.name not in notes]
    yield from (Choice(PROVIDER + known.name, known.name, _needs(known)) for known in rest)


def local_names() -> tuple[str, ...]:
    """Return the known servers that run on a machine of one's own."""
    return tuple(known.name for known in KNOWN_PROVIDERS.values() if not known.needs_key)


def _serves(catalogue: Catalogue) -> str:
    return f"answers here, {count(len(catalogue.windows), 'model')}"


def _needs(known: KnownProvider) -> str:
    if not known.needs_key:
        return "on this machine, no key"
    return f"needs {known.key_variables[0]}" if known.key_variables else f"needs a token: {known.sign_in}"


def _address(scene: Scene) -> Page:
    known = KNOWN_PROVIDERS.get(scene.state.choosing.provider)
    whose = f"Every customer of {known} has another address. " if known else ""
    return Page(
        "Its address",
        f"{whose}Where is the server? Its base URL, as its documentation gives it.",
        _use(scene.typed),
        ("Nothing is sent there before you say so.",),
        said=scene.said,
        field=known.address if known else "https://api.example.com/v1",
    )


def _use(typed: str) -> tuple[Choice, ...]:
    return (Choice(TYPED, f"Use {one_line(typed)}"),) if typed.strip() else ()


def _key(scene: Scene) -> Page:
    route = scene.state.choosing
    found = [key.reference for key in scene.keys if key.provider == route.provider]
    variable = usual_variable(route)
    named = f"env:{variable}"
    later = [Choice(KEY + named, f"${variable}", "not set yet: set it before you start")] if named not in found else []
    keyless = [] if route.known.needs_key else [Choice(KEY, "None", "the server takes none")]
    return Page(
        "Its key",
        f"Where does the key of {route.provider} come from? The file names the place, never the key.",
        (
            *(Choice(KEY + reference, _place(reference), "is set here") for reference in found),
            *keyless,
            *later,
            Choice(Question.VARIABLE.name, "Another variable", "by its name", "v"),
            Choice(Question.KEY_FILE.name, "A file", "that holds the key and nothing else", "f"),
            Choice(Question.PASTE.name, "Paste it", f"it goes into {scene.key_file}, for you alone", "p"),
        ),
        tuple(_about_key(route, scene)),
        said=scene.said,
    )


def usual_variable(route: FirstRoute) -> str:
    """Return the variable that a provider's key is usually in; a stranger's is named after it."""
    known = route.known
    stranger = "".join(letter if letter.isalnum() else "_" for letter in route.provider.upper())
    return next(iter(known.key_variables), known.example_variable or f"{stranger}_API_KEY")


def _place(reference: str) -> str:
    kind, _, name = reference.partition(":")
    return f"${name}" if kind == "env" else reference_words(reference)


def _about_key(route: FirstRoute, scene: Scene) -> Iterator[str]:
    if route.known.sign_in:
        yield f"Its token comes from: {route.known.sign_in}."
        yield from scene.sightings
    if route.known.keys_page:
        yield f"Keys are made at {route.known.keys_page}"


def _key_typed(scene: Scene) -> Page:
    provider = scene.state.choosing.provider
    match scene.state.question:
        case Question.VARIABLE:
            ask, field, choices = (
                "What is the variable called?",
                usual_variable(scene.state.choosing),
                _use(scene.typed),
            )
        case Question.KEY_FILE:
            ask, field, choices = "Which file holds it?", "~/keys/provider", _use(scene.typed)
        case _:
            ask = f"Paste the key of {provider}. It is not shown."
            field = "the key"
            choices = (Choice(TYPED, f"Keep it in {scene.key_file}"),) if scene.typed.strip() else ()
    secret = scene.state.question is Question.PASTE
    notes = (f"It is written with the configuration, into {scene.key_file} beside it.",) if secret else ()
    return Page("Its key", ask, choices, notes, said=scene.said, field=field, secret=secret)


def _model(scene: Scene) -> Page:
    route = scene.state.choosing
    known = tuple(name for name in (route.known.example_model,) if name)
    listed = tuple(sorted(scene.answer.windows)) if isinstance(scene.answer, Catalogue) else ()
    ask = [] if listed else [Choice(LIST, f"Ask {route.provider} for its list", _asking(route))]
    return Page(
        "Its model",
        f"Which model of {route.provider}?",
        (*_models(scene.typed.strip(), known, listed), *ask),
        said=scene.said,
        field="type its name, or choose" if listed or known else "type its name",
    )


def _models(sought: str, known: tuple[str, ...], listed: tuple[str, ...]) -> Iterator[Choice]:
    """Yield the models that fit; what was typed goes first where it may be a name that is not known here."""
    fitting = [name for name in listed or known if sought.lower() in name.lower() and name != sought]
    offered = [Choice(MODEL + name, name) for name in fitting[:MODELS_SHOWN]]
    own = (
        [Choice(MODEL + sought, sought, "not in its list" if listed and sought not in listed else "")] if sought else []
    )
    yield from (*offered, *own) if listed and sought not in listed else (*own, *offered)


def _asking(route: FirstRoute) -> str:
    return f"one request to {route.url}{' with the key' if route.key else ''}, no token"


def _review(scene: Scene) -> Page:
    routes = scene.state.routes
    asked = " and ".join(dict.fromkeys(route.provider for route in routes)) or "each server"
    kept = [f"The pasted key goes into {reference_words(route.key)} beside it." for route in routes if route.pasted]
    return Page(
        "The file",
        "This will be written. Nothing is there before you say so.",
        (
            Choice(WRITE, "Write it", "and check it without asking anybody", "w"),
            Choice(WRITE_AND_ASK, "Write it and ask", f"{asked}: can it serve? no token is spent", "a"),
        ),
        (f"To {scene.path}, for you alone.", *kept),
        said=scene.said,
        text=scene.text,
    )


def _done(scene: Scene) -> Page:
    return Page(
        "Done",
        f"{scene.path} is written.",
        (Choice(OPEN, "Open the dashboard", "", "o"), Choice(LEAVE, "Leave", "`hermes-tui` opens it", "q")),
        ("There, i writes the first prompt to the session main, n makes another session, e edits the chain, ? helps.",),
        lines=scene.done,
        said=scene.said,
    )
