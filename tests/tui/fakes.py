"""A source for tests: the real rows of one afternoon, real decisions about them, a clock that the test moves."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from hermes_tui.core.acts import Command, ReloadConfiguration, SendPrompt
from hermes_tui.core.configuration import Configuration, Member, Pool, SessionPlan
from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, Death
from hermes_tui.core.editing import Desk
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import (
    CONCERN_ALL,
    COURSE,
    ActPerformed,
    AttemptFailed,
    ConfigurationLoaded,
    CredentialBenched,
    Event,
    FallbackActivated,
    FallbackSkipped,
    PrimaryRestored,
    TurnCompleted,
    VerdictContradicted,
    VerdictReceived,
)
from hermes_tui.core.examining import Examiner
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.preview import Preview, Refused, preview
from hermes_tui.core.route import ApiMode, Link, Route
from hermes_tui.core.session import (
    Departure,
    Message,
    Phase,
    Role,
    Session,
    SessionCooldown,
    SkipReason,
    WaitKind,
)
from hermes_tui.core.snapshot import Live, SessionState, Snapshot
from hermes_tui.core.text import PlainText, plain
from hermes_tui.core.verdict import (
    CachedVerdict,
    Hold,
    Subject,
    Trial,
    TrialOutcome,
    Usage,
    Verdict,
    VerdictKey,
    Window,
)

NOW = datetime(2026, 3, 9, 14, 7, 22).astimezone().timestamp()
"""A Monday, at 14:07:22 wherever the test runs."""

DAY = 86400.0


def at(hour: int, minute: int, second: int = 0) -> float:
    """Return a time of that Monday in epoch seconds."""
    return datetime(2026, 3, 9, hour, minute, second).astimezone().timestamp()


def route(provider: str, model: str, pool: str | None = None) -> Route:
    """Return a route with an address that nobody asks."""
    mode = ApiMode.CODEX_RESPONSES if provider == "openai-codex" else ApiMode.CHAT_COMPLETIONS
    return Route(provider, model, f"https://{provider}.example/v1", mode, pool or provider)


CODEX = route("openai-codex", "gpt-5")
GROQ = route("groq", "llama")
ZAI = route("zai", "glm-5")
ROUTER = route("openrouter", "auto")
OPENAI = route("openai", "gpt-4o")

CHAIN = (Link(GROQ), Link(ZAI), Link(ROUTER))
WEDNESDAY = at(9, 12) + 2 * DAY
USAGE = Usage(windows=(Window("5 h", 12.0, at(17, 0)), Window("week", 40.0, WEDNESDAY)))

POOLS = (
    Pool(
        "openai-codex",
        "openai-codex",
        (Member("oauth-1", "a91f", "acct-1"), Member("oauth-2", "77c2", "acct-2"), Member("key-ci", "0b3d", "acct-3")),
        reopens_early=True,
    ),
    Pool("groq", "groq", (Member("env", "0000", "env", fault="GROQ_API_KEY is not set"),)),
    Pool("zai", "zai", (Member("key-1", "e410", "key-1"),)),
    Pool("openai", "openai", (Member("env", "5f02", "env"),)),
    Pool("openrouter", "openrouter", (Member("key-1", "c9aa", "key-1"),)),
)

CONFIGURATION = Configuration(
    Link(CODEX),
    CHAIN,
    POOLS,
    sessions=(SessionPlan("heartbeat", prompt="Say hello.", every_seconds=900.0),),
    origin=PlainText("hermes-tui.toml"),
    loaded_at=at(14, 1),
)


def limit(since: float, until: float, session: str = "nightly-docs", message: str = "usage limit reached") -> Cooldown:
    """Return a bench by a usage limit that the provider dated."""
    kind, words = FailureKind.USAGE_LIMIT, plain(message)
    return Cooldown(since, until, Said.PROVIDER, kind, 429, words, session, at(14, 5, 40))


def credential(pool: str, label: str, fingerprint: str, bench: Cooldown | None = None) -> Credential:
    """Return a credential's row."""
    return Credential(CredentialKey(pool, label), fingerprint, cooldown=bench, request_count=7)


NIGHTLY = Session(
    "nightly-docs",
    CODEX,
    CHAIN,
    position=2,
    index=2,
    departure=Departure(at(14, 5, 40), FailureKind.USAGE_LIMIT, 429, "oauth-1", plain("usage limit reached")),
    cooldown=SessionCooldown(WaitKind.LIMIT, at(14, 5, 40), at(14, 20, 3), Said.PROVIDER),
    limit_hits=1,
    checked_at=at(14, 5, 38),
    phase=Phase.RUNNING,
    turn_started_at=at(14, 7, 10),
    turns=12,
    messages=2,
)
TRIAGE = Session(
    "triage",
    route("openai-codex", "gpt-5-mini"),
    CHAIN,
    position=2,
    index=2,
    departure=Departure(at(11, 52, 10), FailureKind.USAGE_LIMIT, 429, "oauth-2", plain("usage limit reached")),
    cooldown=SessionCooldown(WaitKind.LIMIT, at(11, 52, 10), at(14, 20, 3), Said.PROVIDER),
    phase=Phase.WAITING,
    turns=3,
)
HEARTBEAT = Session("heartbeat", OPENAI, (Link(ZAI),), next_run_at=at(14, 15), turns=40)
REFACTOR = Session("refactor-auth", ROUTER, CHAIN[:2], phase=Phase.RUNNING, turn_started_at=at(14, 7), turns=1)


def story_facts() -> Facts:
    """Return the rows of the afternoon: one account lies, one waits, one is dead."""
    facts = Facts(CONFIGURATION)
    dead = Death(at(14, 4, 55), FailureKind.AUTH_REVOKED, 401, plain("token_revoked"), "triage")
    subject = Subject("openai-codex", "acct-1", "gpt-5")
    key = VerdictKey(*subject, "a91f")
    other = VerdictKey("openai-codex", "acct-2", "gpt-5", "77c2")
    for row in (
        credential("openai-codex", "oauth-1", "a91f", limit(at(11, 52), WEDNESDAY)),
        credential("openai-codex", "oauth-2", "77c2", limit(at(11, 52), at(14, 20, 3), "triage")),
        replace(credential("openai-codex", "key-ci", "0b3d"), death=dead),
        credential("zai", "key-1", "e410"),
        credential("openai", "env", "5f02"),
        credential("openrouter", "key-1", "c9aa"),
        CachedVerdict(key, Verdict.QUOTA, plain("every window has room"), at(14, 5, 38), at(14, 10, 38), USAGE),
        CachedVerdict(
            other,
            Verdict.NO_QUOTA,
            plain("the window 5 h is full"),
            at(14, 2, 31),
            at(14, 7, 31),
            Usage(windows=(Window("5 h", 100.0, at(14, 20, 3)),)),
        ),
        Hold(subject, USAGE, at(14, 5, 40), at(14, 25, 40), 1),
        Trial(
            subject, "oauth-1", "nightly-docs", at(14, 5, 39), at(14, 35), at(14, 10, 39), USAGE, TrialOutcome.FAILED
        ),
        NIGHTLY,
        TRIAGE,
        HEARTBEAT,
        REFACTOR,
    ):
        facts.put(row)
    return facts


def story_events() -> tuple[Event, ...]:
    """Return what happened that afternoon, oldest first."""
    name, left = "nightly-docs", plain("openai-codex/gpt-5")
    why = plain("429 usage limit")
    return (
        ConfigurationLoaded(time=at(14, 1), origin=PlainText("hermes-tui.toml"), warnings=()),
        CredentialBenched(
            time=at(14, 4, 55),
            session="triage",
            provider="openai-codex",
            credential="key-ci",
            model=None,
            until=None,
            source=Said.PROVIDER,
            reason=FailureKind.AUTH_REVOKED,
            code=401,
            message=plain("token_revoked"),
        ),
        VerdictReceived(
            time=at(14, 5, 38),
            provider="openai-codex",
            account="acct-1",
            model="gpt-5",
            credential="oauth-1",
            verdict=Verdict.QUOTA,
            why=plain("every window has room"),
            expires_at=at(14, 10, 38),
        ),
        PrimaryRestored(
            time=at(14, 5, 39),
            session=name,
            provider="openai-codex",
            model="gpt-5",
            forced=False,
            notice=plain("openai-codex/gpt-5 is back; its first reply will tell."),
        ),
        AttemptFailed(
            time=at(14, 5, 40),
            session=name,
            provider="openai-codex",
            model="gpt-5",
            credential="oauth-1",
            status=429,
            kind=FailureKind.USAGE_LIMIT,
            message=plain("usage limit reached"),
            latency=0.4,
        ),
        VerdictContradicted(
            time=at(14, 5, 40),
            session=name,
            provider="openai-codex",
            account="acct-1",
            model="gpt-5",
            until=at(14, 25, 40),
            count=1,
        ),
        FallbackSkipped(
            time=at(14, 5, 40),
            session=name,
            position=1,
            provider="groq",
            model="llama",
            kind=SkipReason.NO_CREDENTIAL,
            reason=plain("GROQ_API_KEY is not set"),
            until=None,
        ),
        FallbackActivated(
            time=at(14, 5, 40),
            session=name,
            position=2,
            provider="zai",
            model="glm-5",
            left=left,
            reason=why,
            notice=plain("openai-codex/gpt-5 is left (429 usage limit); zai/glm-5 answers now."),
        ),
        TurnCompleted(
            time=at(14, 6, 2),
            session=name,
            provider="zai",
            model="glm-5",
            credential="key-1",
            text=plain("Done."),
            latency=21.5,
            first_token=0.8,
            input_tokens=1200,
            output_tokens=340,
        ),
        ActPerformed(
            time=at(14, 6, 30), session="triage", act="reset_chain", target="triage", effect=plain("index back to 0")
        ),
    )


def said(session: str, number: int, role: Role, text: str, by: Route | None = None) -> Message:
    """Return one message of a conversation."""
    name = PlainText(str(by)) if by else None
    return Message(session, number, role, plain(text), at(14, 7), name)


def story_sessions(facts: Facts) -> tuple[SessionState, ...]:
    """Return the sessions of the afternoon, the first one streaming."""
    talk = (
        said("nightly-docs", 0, Role.USER, "Summarise what changed in the API since Friday."),
        said("nightly-docs", 1, Role.ASSISTANT, "Let me look at the commits of the weekend first.", ZAI),
    )
    live = Live(plain("Three endpoints moved. The old /v1/jobs is gone, and "), at(14, 7, 11))
    states = {
        "nightly-docs": SessionState(facts.sessions["nightly-docs"], "own", talk, live),
        "refactor-auth": SessionState(facts.sessions["refactor-auth"], "own", (), Live(sent_at=at(14, 7, 1))),
    }
    return tuple(states.get(name, SessionState(row, "own")) for name, row in facts.sessions.items())


def story_snapshot() -> Snapshot:
    """Return the afternoon at 14:07:22."""
    facts = story_facts()
    events = tuple(enumerate(story_events(), 1))
    return Snapshot(1, NOW, "own", facts, story_sessions(facts), events)


class StoryBook:
    """A source over a snapshot that the test replaces, with a clock that the test moves."""

    def __init__(
        self, snapshot: Snapshot | None = None, desk: Desk | None = None, examiner: Examiner | None = None
    ) -> None:
        self.offset = 0.0
        self.desk = desk
        self.examiner = examiner
        self.done: list[Command] = []
        self.told: dict[str, tuple[Message, ...]] = {}
        self._snapshot = snapshot or story_snapshot()
        self._turned = asyncio.Condition()

    def now(self) -> float:
        """Return the story's time."""
        return NOW + self.offset

    def snapshot(self) -> Snapshot:
        """Return the page that is open."""
        return self._snapshot

    async def changed(self, revision: int) -> Snapshot:
        """Wait for another page."""
        async with self._turned:
            await self._turned.wait_for(lambda: self._snapshot.revision != revision)
            return self._snapshot

    async def turn(self, snapshot: Snapshot) -> None:
        """Open another page; its revision is the next."""
        async with self._turned:
            self._snapshot = replace(snapshot, revision=self._snapshot.revision + 1)
            self._turned.notify_all()

    async def history(self, session: str | None, since: float) -> tuple[tuple[int, Event], ...]:
        """Return what the page tells of the session and of credentials since `since`."""
        types = COURSE if session is None else CONCERN_ALL
        return tuple(
            (number, event)
            for number, event in self._snapshot.events
            if event.time >= since and (event.session == session or event.type in types)
        )

    async def messages(self, session: str) -> tuple[Message, ...]:
        """Return what was said in a session."""
        state = self._snapshot.session(session)
        return (state.messages if state else ()) or self.told.get(session, ())

    def preview(self, command: Command) -> Preview:
        """Return what the real preview says."""
        return preview(command, self._snapshot, self.now())

    async def execute(self, command: Command) -> PlainText:
        """Note the command, and say what the preview said."""
        answer = self.preview(command)
        if isinstance(answer, Refused):
            raise RefusedError(answer.reason)
        self.done.append(command)
        return answer.effect

    def last(self, kinds: Iterable[type] = (SendPrompt, ReloadConfiguration)) -> Command | None:
        """Return the newest command of one of `kinds`."""
        return next((command for command in reversed(self.done) if isinstance(command, tuple(kinds))), None)
