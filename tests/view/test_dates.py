"""Where a date comes from, and that it is not exact, reaches the people on every way (M14)."""

from dataclasses import replace

import pytest

from hermes_tui.core.cooldown import Cooldown
from hermes_tui.core.event import CredentialBenched
from hermes_tui.core.failure import ResetSource
from hermes_tui.core.leaving import skip_for, skipped
from hermes_tui.core.pool import NoneUsable, ReturnsAt
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.view.auth import auth_document, auth_lines
from hermes_tui.view.credentials import banner, credential_detail, credentials
from hermes_tui.view.event_words import tell
from hermes_tui.view.line import Body, text_of
from hermes_tui.view.moment import Moment
from hermes_tui.view.sessions import sessions
from hermes_tui.view.status import status_document, status_lines
from hermes_tui.view.wayback import way_back_body
from tests.tui.fakes import NOW, TRIAGE, WEDNESDAY, at, credential, limit, story_facts, story_sessions
from tests.view.conftest import selecting

SAID = replace(limit(at(14, 6), WEDNESDAY), approximate=True, said_in=ResetSource.SENTENCE)
WORDS = "Until ~Wed 09:12 (a sentence of the provider, not exact)."
ORIGIN = "hermes-tui.toml"


def benched_by(bench: Cooldown) -> Moment:
    """Return the afternoon with one Codex account benched by `bench`, and the session that waits for it."""
    facts = story_facts()
    assert TRIAGE.cooldown is not None
    own = replace(TRIAGE.cooldown, until=bench.until, approximate=bench.approximate)
    for row in (
        credential("openai-codex", "oauth-1", "a91f", bench),
        credential("openai-codex", "oauth-2", "77c2", bench),
        replace(TRIAGE, cooldown=own),
    ):
        facts.put(row)
    return selecting(Snapshot(1, NOW, "own", facts, story_sessions(facts), ()), "triage")


def nobody(session: str) -> int | None:
    """Return the process that runs a session: none does."""
    return None


def text(body: Body) -> str:
    """Return all of a body as one text."""
    return " ".join(text_of(part) for part in (*body.head, *(row.line for row in body.rows), *body.foot))


def test_m14_the_credentials_panel_shows_the_doubt_and_its_detail_says_where_the_date_is_from() -> None:
    afternoon = benched_by(SAID)
    assert "~Wed 09:12" in text(credentials(afternoon, 90))
    assert WORDS in text(credential_detail(afternoon, 100))


def test_m14_a_models_own_date_says_where_it_is_from() -> None:
    afternoon = benched_by(SAID)
    row = replace(credential("openai-codex", "oauth-1", "a91f"), model_cooldowns=(("gpt-5", SAID),))
    afternoon.facts.put(row)
    told = text(credential_detail(selecting(afternoon.snapshot, "triage"), 200))
    assert "Only for gpt-5: usage limit until ~Wed 09:12 (a sentence of the provider, not exact)." in told


def test_m14_the_session_that_waits_for_it_shows_the_doubt() -> None:
    assert "~Wed 09:12" in text(sessions(benched_by(SAID), 118))
    exact = text(sessions(benched_by(replace(SAID, approximate=False)), 118))
    assert "Wed 09:12" in exact
    assert "~" not in exact


def test_m14_auth_list_says_it_in_words_and_for_scripts() -> None:
    known = benched_by(SAID).known
    lines = auth_lines(known, ORIGIN, NOW)
    assert "~Wed 09:12" in lines
    assert WORDS in lines
    told = auth_document(known, ORIGIN, NOW)["credentials"][0]
    assert (told["until_source"], told["reset_source"], told["approximate"]) == ("provider", "sentence", True)


@pytest.mark.parametrize(("approximate", "shown"), [(True, " ~Wed 09:12 "), (False, " Wed 09:12 ")])
def test_m14_status_shows_the_doubt_of_a_providers_date(approximate: bool, shown: str) -> None:
    facts = benched_by(replace(SAID, approximate=approximate)).facts
    document = status_document(facts, nobody, NOW)
    told = document["credentials"][0]
    assert (told["until_source"], told["reset_source"], told["approximate"]) == ("provider", "sentence", approximate)
    (line,) = (line for line in status_lines(document, NOW).splitlines() if line.startswith("openai-codex/oauth-1"))
    assert shown in line
    assert " cooling " in line
    assert " provider " in line


def test_m14_a_date_of_unknown_source_is_the_providers() -> None:
    afternoon = benched_by(replace(SAID, said_in=None, approximate=False))
    assert "Until Wed 09:12 (the provider)." in text(credential_detail(afternoon, 100))
    told = status_document(afternoon.facts, nobody, NOW)["credentials"][0]
    assert (told["until_source"], told["reset_source"]) == ("provider", None)


def test_m14_the_timeline_shows_the_doubt() -> None:
    benched = CredentialBenched(
        time=NOW,
        session="triage",
        provider="openai-codex",
        credential="oauth-1",
        model=None,
        until=SAID.until,
        source=SAID.source,
        reason=SAID.reason,
        code=429,
        message=PlainText("used up"),
        approximate=True,
    )
    assert "cools down until ~Wed 09:12 (the provider said)" in tell(benched).text


def test_m14_the_banner_over_a_benched_pool_shows_the_doubt() -> None:
    afternoon = benched_by(SAID)
    for name in ("zai/key-1", "openai/env", "openrouter/key-1"):
        row = next(known.row for known in afternoon.known if known.name == name)
        afternoon.facts.put(replace(row, cooldown=SAID))
    told = banner(selecting(afternoon.snapshot, "triage"))
    assert told is not None
    assert "~Wed 09:12" in told[0]


def test_m47_a_gate_shows_that_its_date_is_not_exact() -> None:
    moment = benched_by(SAID)
    gates = [text_of(row.line) for row in way_back_body(moment, 100, {}).rows]
    assert sum("~Wed 09:12" in gate and gate.startswith("✗ ") for gate in gates) == 2
    standing = moment.standing
    assert standing is not None
    assert [gate.name for gate in standing.way.gates if gate.approximate] == ["session_cooldown", "pool"]


@pytest.mark.parametrize(("approximate", "shown"), [(True, "until ~Wed 09:12"), (False, "until Wed 09:12")])
def test_m7_a_skip_shows_the_doubt_of_its_date(approximate: bool, shown: str) -> None:
    skip = skip_for(NoneUsable(ReturnsAt(SAID.until, replace(SAID, approximate=approximate))))
    event = skipped(TRIAGE, 1, skip, NOW).event
    assert event is not None
    assert tell(event).text.endswith(shown)
