"""What the tests of the conversation share: a long talk with its events, and how it is read."""

from collections.abc import Mapping
from dataclasses import replace

from hermes_tui.core.event import AttemptFailed, Event, FallbackActivated, RequestSent, TurnCompleted, TurnStarted
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.preview import Preview, preview
from hermes_tui.core.session import Message, Role
from hermes_tui.core.snapshot import SessionState, Snapshot
from hermes_tui.core.text import PlainText, plain
from hermes_tui.view.actions import BY_ID
from hermes_tui.view.conversation import Reading, conversation
from hermes_tui.view.line import Body, text_of
from hermes_tui.view.moment import Moment
from hermes_tui.view.talk import Talk
from hermes_tui.view.waiting import ACTS
from tests.tui.fakes import NOW, story_snapshot
from tests.view.conftest import selecting

NAME = "nightly-docs"
BEGUN = NOW - 3600


def prompt(number: int, text: str, at: float) -> Message:
    """Return a prompt that began its turn at `at`."""
    return Message(NAME, number, Role.USER, plain(text), at)


def reply(number: int, text: str, at: float, route: str = "zai/glm-5") -> Message:
    """Return a reply."""
    return Message(NAME, number, Role.ASSISTANT, plain(text), at, PlainText(route))


def turns(count: int, text: str = "Answer **{n}** of many.\n\nWith two paragraphs.") -> tuple[Message, ...]:
    """Return a conversation of so many prompts and replies, a minute apart; `{n}` is the number of the turn."""
    said: list[Message] = []
    for turn in range(count):
        at = BEGUN + 60.0 * turn
        said += (
            prompt(2 * turn, f"Question {turn}?", at),
            reply(2 * turn + 1, text.replace("{n}", str(turn)), at + 20),
        )
    return tuple(said)


def started(turn: int, at: float) -> TurnStarted:
    """Return the start of a turn."""
    return TurnStarted(time=at, session=NAME, turn=turn, prompt=plain("?"))


def asked(at: float, route: str, credential: str, attempt: int = 1) -> RequestSent:
    """Return a request."""
    provider, _, model = route.partition("/")
    return RequestSent(time=at, session=NAME, provider=provider, model=model, credential=credential, attempt=attempt)


def failed(at: float, route: str, credential: str, kind: FailureKind = FailureKind.USAGE_LIMIT) -> AttemptFailed:
    """Return a request's failure."""
    provider, _, model = route.partition("/")
    return AttemptFailed(
        time=at,
        session=NAME,
        provider=provider,
        model=model,
        credential=credential,
        status=429,
        kind=kind,
        message=plain("no more today"),
        latency=0.4,
    )


def switched(at: float, left: str, route: str) -> FallbackActivated:
    """Return a switch to another route."""
    provider, _, model = route.partition("/")
    return FallbackActivated(
        time=at,
        session=NAME,
        position=1,
        provider=provider,
        model=model,
        left=plain(left),
        reason=plain("429 usage limit"),
        notice=plain("switched"),
    )


def completed(at: float, route: str, credential: str) -> TurnCompleted:
    """Return a reply's arrival."""
    provider, _, model = route.partition("/")
    return TurnCompleted(
        time=at,
        session=NAME,
        provider=provider,
        model=model,
        credential=credential,
        text=plain("done"),
        latency=21.5,
        first_token=0.8,
        input_tokens=1200,
        output_tokens=340,
    )


def walked(turn: int, at: float) -> tuple[Event, ...]:
    """Return a turn that left the primary for the fallback."""
    left, route = "openai-codex/gpt-5", "zai/glm-5"
    return (
        started(turn, at),
        asked(at + 1, left, "oauth-1"),
        failed(at + 2, left, "oauth-1"),
        switched(at + 3, left, route),
        asked(at + 3, route, "key-1"),
        completed(at + 20, route, "key-1"),
    )


def speaking(messages: tuple[Message, ...], snapshot: Snapshot | None = None, **changes: object) -> Moment:
    """Return the story with another conversation of nightly-docs; `changes` are of its state."""
    snapshot = snapshot or story_snapshot()
    state: SessionState = replace(snapshot.sessions[0], messages=messages, **{"live": None, **changes})  # type: ignore[arg-type]
    return selecting(replace(snapshot, sessions=(state, *snapshot.sessions[1:])), NAME)


def read(events: tuple[Event, ...] = ()) -> Reading:
    """Return a reading that knows `events`."""
    reading = Reading(Talk(NAME))
    reading.talk.past.add(tuple(enumerate(events, 1)))
    return reading


def previews(moment: Moment) -> Mapping[str, Preview]:
    """Return what the buttons of a wait would do."""
    commands = {name: make(moment.selection) for name, _ in ACTS if (make := BY_ID[name].command)}
    return {name: preview(what, moment.snapshot, moment.now) for name, what in commands.items() if what}


def seen(reading: Reading, moment: Moment, cells: int = 76, room: int = 20) -> list[str]:
    """Return the lines in sight and below them as text."""
    body = shown(reading, moment, cells, room)
    return [text_of(line) for line in (*(row.line for row in body.rows), *body.foot)]


def shown(reading: Reading, moment: Moment, cells: int = 76, room: int = 20) -> Body:
    """Return the panel's body."""
    return conversation(reading, moment, cells, room, previews(moment))
