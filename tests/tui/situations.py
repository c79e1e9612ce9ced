"""What a dashboard may meet: the afternoon of the story, changed in one respect each."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.cooldown import Cooldown, Said
from hermes_tui.core.credential import Credential, CredentialKey, Death
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.question import Answer, Question
from hermes_tui.core.snapshot import Live, SessionState, Snapshot
from hermes_tui.core.text import PlainText, plain
from hermes_tui.core.verdict import CachedVerdict, Subject, Trial, Verdict, VerdictKey
from tests.tui.fakes import CONFIGURATION, NOW, USAGE, WEDNESDAY, at, limit, story_events, story_facts, story_sessions

FIRST: Final = VerdictKey("openai-codex", "acct-1", "gpt-5", "a91f")
CODEX_ROWS: Final = (("oauth-1", "a91f"), ("oauth-2", "77c2"), ("key-ci", "0b3d"))


def codex(label: str, fingerprint: str, bench: Cooldown | None = None) -> Credential:
    """Return the row of a Codex credential."""
    return Credential(CredentialKey("openai-codex", label), fingerprint, cooldown=bench)


def told(facts: Facts, sessions: tuple[SessionState, ...] | None = None) -> Snapshot:
    """Return the afternoon with these facts."""
    states = story_sessions(facts) if sessions is None else sessions
    return Snapshot(1, NOW, "own", facts, states, tuple(enumerate(story_events(), 1)))


def story() -> Snapshot:
    """Return the afternoon as it was."""
    return told(story_facts())


def with_rows(*rows: Credential | CachedVerdict | Trial) -> Snapshot:
    """Return the afternoon in which these rows are others."""
    facts = story_facts()
    for row in rows:
        facts.put(row)
    return told(facts)


def under(configuration: Configuration) -> Snapshot:
    """Return the afternoon under another configuration."""
    return told(story_facts().under(configuration))


def probing() -> Snapshot:
    """Return a moment at which the first account is being asked."""
    return replace(story(), asking=frozenset((FIRST,)))


def stale() -> Snapshot:
    """Return a verdict that no longer counts."""
    return with_rows(CachedVerdict(FIRST, Verdict.QUOTA, plain(""), at(13, 55), at(14, 0), USAGE))


def due() -> Snapshot:
    """Return a cooldown whose end has passed and that nothing has confirmed."""
    return with_rows(codex("oauth-2", "77c2", limit(at(11, 52), at(14, 7), "triage")))


def on_trial() -> Snapshot:
    """Return a credential that was lifted early and serves one session."""
    subject = Subject("openai-codex", "acct-1", "gpt-5")
    return with_rows(Trial(subject, "oauth-1", "nightly-docs", at(14, 7), at(14, 35), at(14, 12), USAGE))


def cleared() -> Snapshot:
    """Return a credential whose cooldown the user ended."""
    return with_rows(replace(codex("oauth-2", "77c2"), cleared_at=at(14, 6)))


def last_seconds() -> Snapshot:
    """Return a cooldown in its last seconds."""
    return with_rows(codex("oauth-2", "77c2", limit(at(11, 52), NOW + 4, "triage")))


def nothing() -> Snapshot:
    """Return a program without a file, without sessions, without credentials."""
    return Snapshot(0, NOW, "own")


def no_sessions() -> Snapshot:
    """Return a file that is read, and no session."""
    return told(story_facts(), ())


def no_credentials() -> Snapshot:
    """Return a file that names no credential."""
    return under(replace(CONFIGURATION, pools=()))


def one_link() -> Snapshot:
    """Return a chain of the primary alone."""
    facts = story_facts().under(replace(CONFIGURATION, chain=()))
    (row,) = (state.row for state in story_sessions(facts) if state.name == "heartbeat")
    return told(facts, (SessionState(replace(row, chain=()), "own"),))


def all_well() -> Snapshot:
    """Return sessions on their primary and credentials that all can be used."""
    facts = story_facts().under(replace(CONFIGURATION, pools=CONFIGURATION.pools[2:]))
    return told(facts, story_sessions(facts)[2:])


def all_cooling() -> Snapshot:
    """Return the pool of an account in which every credential waits."""
    facts = story_facts().under(replace(CONFIGURATION, pools=CONFIGURATION.pools[:1]))
    facts.put(codex("key-ci", "0b3d", limit(at(14, 0), WEDNESDAY)))
    return told(facts)


def all_dead() -> Snapshot:
    """Return the pool of an account in which no credential can be used again."""
    facts = story_facts().under(replace(CONFIGURATION, pools=CONFIGURATION.pools[:1]))
    death = Death(at(14, 4, 55), FailureKind.AUTH_REVOKED, 401, plain("token_revoked"), "triage")
    for label, fingerprint in CODEX_ROWS:
        facts.put(replace(codex(label, fingerprint), death=death))
    return told(facts)


def broken_file() -> Snapshot:
    """Return a file that cannot be used since it was changed."""
    text = "hermes-tui.toml, line 14: probe_intervall_seconds is unknown; did you mean probe_interval_seconds?"
    return replace(story(), problem=plain(text))


def engine_stopped() -> Snapshot:
    """Return an engine that ended with an error."""
    return replace(story(), engine_stopped=True, problem=plain("nightly-docs: disk full"))


def read_only() -> Snapshot:
    """Return a state that a newer program wrote."""
    return replace(story(), read_only=PlainText("a newer hermes-tui wrote the state. Update this one."))


def locked() -> Snapshot:
    """Return a state that another process holds."""
    return replace(story(), locked=PlainText("The state is locked by another process; what is decided waits."))


def assumed() -> Snapshot:
    """Return a cooldown whose end was assumed here."""
    bench = replace(limit(at(14, 0), at(15, 0), "triage"), source=Said.ASSUMED, approximate=True)
    return with_rows(codex("oauth-2", "77c2", bench))


def asking() -> Snapshot:
    """Return a session that another program runs here, which waits for its user's word before a command."""
    answers = (Answer("once", PlainText("Allow this once")), Answer("deny", PlainText("Deny")))
    command = PlainText("rm -r build\nmake clean && find . -name '*.orig' -newer Makefile -delete")
    question = Question("1/choice", PlainText("May it run this (recursive delete)?"), command, answers, takes_text=True)
    first, *others = story().sessions
    live = Live(PlainText("I will clear the build folder first."), at(14, 7), doing=PlainText("terminal: rm -r build"))
    return replace(story(), sessions=(replace(first, live=live, question=question), *others))


def lost() -> Snapshot:
    """Return a session whose process ended by itself."""
    first, *others = story().sessions
    why = PlainText("Its Hermes ended with code 1: MemoryError. A prompt opens it here again.")
    return replace(story(), sessions=(replace(first, live=None, mine=False, trouble=why), *others))


def hosting() -> Snapshot:
    """Return a source whose new sessions another program runs."""
    return replace(story(), runs_new=PlainText("Hermes of /home/ada/.hermes"))


Situation = Callable[[], Snapshot]


OTHER = "hermes"


def of_another(*, mine: bool = False) -> Snapshot:
    """Return the story as another source tells it, which has sessions of the same names."""
    page = story()
    states = (replace(state, source=OTHER, mine=mine) for state in page.sessions)
    return replace(page, source=OTHER, sessions=tuple(states))
