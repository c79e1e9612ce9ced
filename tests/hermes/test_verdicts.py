"""The usage endpoint, asked with a login of a home: on a wish alone, as our own word, without a trace in the home."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from hermes_tui.core.acts import ProbeNow, ReloadConfiguration
from hermes_tui.core.believing import PROBE_FLOOR_SECONDS
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import RefusedError, StateError
from hermes_tui.core.event import VerdictReceived
from hermes_tui.core.ports import Usages
from hermes_tui.core.preview import Ready, Refused
from hermes_tui.core.route import Route
from hermes_tui.core.secret import Secret, without_any
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Reading, Usage, Verdict, Window
from hermes_tui.hermes.asking import Asker
from hermes_tui.hermes.own_events import OwnEvents
from hermes_tui.hermes.reader import HomeReader
from hermes_tui.hermes.source import HermesHome
from hermes_tui.hermes.values import Home
from hermes_tui.hermes.verdicts import Verdicts
from hermes_tui.providers.usage import HttpUsages
from hermes_tui.tui.app import HermesApp
from hermes_tui.view.credentials import story
from hermes_tui.view.known import known_credentials
from tests.hermes.made import DAY, FIXED, NOW
from tests.hermes.real_home import PROVIDER, row, token
from tests.hermes.test_reader import contents
from tests.providers.conftest import server
from tests.providers.support import ScriptedServer, response
from tests.tui.driving import STILL, everything, settle, toasts

__all__ = ["server"]

KEY: Final = CredentialKey(PROVIDER, "login-a")
ASK: Final = ProbeNow(KEY, "gpt-5.5")
ANYWAY: Final = ProbeNow(KEY, "gpt-5.5", anyway=True)
CONFIGURATION: Final = f"model:\n  default: gpt-5.5\n  provider: {PROVIDER}\n"
QUOTA: Final = Reading(
    Verdict.QUOTA, PlainText("every window has room"), Usage(windows=(Window("week", 5.0), Window("5 h", 1.0)))
)
UNKNOWN: Final = Reading(Verdict.UNKNOWN, PlainText("the usage endpoint answered 500"))


PATIENCE_SECONDS: Final = 20.0


class Endpoint:
    """Answers as a test says, when `open` is set. Implements `core.ports.Usages`."""

    def __init__(self, answer: Reading = QUOTA) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []
        self.closed = 0
        self.is_asked = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def read(self, route: Route, secret: Secret) -> Reading:
        self.asked.append((route.base_url, secret.fingerprint))
        self.is_asked.set()
        await self.open.wait()
        return self.answer

    async def close(self) -> None:
        self.closed += 1


class Watched:
    """A home with a clock that the test moves."""

    def __init__(self, folder: Path, *rows: dict[str, Any], home: Home | None = None) -> None:
        self.home = home or Home(folder, folder)
        self.time = NOW
        self.endpoint = Endpoint()
        self.open_usages: Callable[[], Usages] = lambda: self.endpoint
        (self.home.path / "config.yaml").write_text(CONFIGURATION)
        self.write(*(rows or (benched(),)))
        verdicts = Verdicts(Asker(self._open, {}))
        self.source = HermesHome(HomeReader(self.home, FIXED), lambda: self.time, verdicts=verdicts)

    def _open(self) -> Usages:
        return self.open_usages()

    def write(self, *rows: dict[str, Any]) -> None:
        document = {"version": 1, "credential_pool": {PROVIDER: list(rows)}}
        (self.home.root / "auth.json").write_text(json.dumps(document))

    @property
    def verdicts(self) -> list[CachedVerdict]:
        return list(self.source.snapshot().facts.verdicts.values())

    def refusal(self, command: ProbeNow = ASK) -> Refused:
        answer = self.source.preview(command)
        assert isinstance(answer, Refused), answer
        return answer


def benched(**values: object) -> dict[str, Any]:
    """Return the row of a login that is out of quota for two days."""
    status = {"last_status": "exhausted", "last_status_at": NOW - 600, "last_error_code": 429}
    return row("a", **status, last_error_reset_at=NOW + 172_800, **values)


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


async def test_an_answer_is_remembered_and_told_as_this_programs_own(watched: Watched) -> None:
    before = contents(watched.home.path)
    answer = watched.source.preview(ASK)
    assert isinstance(answer, Ready)
    assert "neither renewed nor changed" in answer.effect
    assert await watched.source.execute(ASK) == (
        f"{PROVIDER}/login-a: quota, every window has room (asked by hermes-tui)"
    )
    (verdict,) = watched.verdicts
    assert (verdict.verdict, verdict.asked_at, verdict.expires_at) == (Verdict.QUOTA, NOW, NOW + 300)
    ((_, event),) = watched.source.snapshot().events
    assert isinstance(event, VerdictReceived)
    assert event.why == "asked by hermes-tui: every window has room"
    assert watched.endpoint.asked == [("http://127.0.0.1:9/backend-api/codex", Secret(token("a")).fingerprint)]
    assert watched.endpoint.closed == 1
    assert contents(watched.home.path) == before


async def test_m41_a_verdict_that_counts_is_asked_again_by_the_users_word_alone(watched: Watched) -> None:
    await watched.source.execute(ASK)
    watched.time += PROBE_FLOOR_SECONDS - 1
    assert "was asked just now" in watched.refusal(ANYWAY).reason
    watched.time += 1
    refused = watched.refusal()
    assert "its verdict still counts" in refused.reason
    assert refused.until == NOW + 300
    with pytest.raises(RefusedError, match="still counts"):
        await watched.source.execute(ASK)
    await watched.source.execute(ANYWAY)
    watched.time += 300
    await watched.source.execute(ASK)
    assert len(watched.endpoint.asked) == 3


async def test_c101_an_endpoint_that_is_throttled_itself_says_nothing_and_is_left_alone(watched: Watched) -> None:
    watched.endpoint.answer = replace(UNKNOWN, retry_after=900.0)
    await watched.source.execute(ASK)
    (verdict,) = watched.verdicts
    assert verdict.verdict is Verdict.UNKNOWN
    watched.time += 300
    assert watched.refusal().until == NOW + 900


def test_c47_a_date_weeks_ahead_does_not_keep_anybody_from_asking(tmp_path: Path) -> None:
    watched = Watched(tmp_path, benched() | {"last_error_reset_at": NOW + 15 * DAY})
    assert isinstance(watched.source.preview(ASK), Ready)


async def test_c96_what_brought_no_verdict_is_asked_again_sooner(watched: Watched) -> None:
    watched.endpoint.answer = UNKNOWN
    assert "says nothing about quota" in await watched.source.execute(ASK)
    watched.time += 31
    watched.endpoint.answer = QUOTA
    await watched.source.execute(ASK)
    assert [verdict.verdict for verdict in watched.verdicts] == [Verdict.QUOTA]


async def test_c64_c96_a_verdict_goes_with_the_token_that_asked(watched: Watched) -> None:
    await watched.source.execute(ASK)
    watched.write(benched(access_token=token("another")))
    await watched.source.execute(ReloadConfiguration())
    assert watched.verdicts == []
    watched.write(benched())
    await watched.source.execute(ReloadConfiguration())
    assert watched.verdicts == []


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (
            {"expires_at": NOW - 1},
            "only Hermes may renew it: Hermes renews it at its next turn on that login, or sign in",
        ),
        (
            {"expires_at": NOW - 1, "refresh_token": ""},
            "only Hermes may renew it: sign in again in Hermes (hermes auth",
        ),
        ({"last_status": "dead"}, "is dead: sign in again in Hermes (hermes auth add openai-codex)"),
        ({"access_token": ""}, "has no token: sign in again in Hermes"),
    ],
)
async def test_c55_c95_no_token_is_renewed_here_nor_sent_when_it_is_of_no_use(
    tmp_path: Path, values: dict[str, Any], why: str
) -> None:
    watched = Watched(tmp_path, benched() | values)
    assert why in watched.refusal().reason
    with pytest.raises(RefusedError):
        await watched.source.execute(ASK)
    assert watched.endpoint.asked == []


async def test_a_provider_without_a_usage_endpoint_is_not_asked(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    document = {"version": 1, "credential_pool": {"zai": [row("a")]}}
    (tmp_path / "auth.json").write_text(json.dumps(document))
    await watched.source.execute(ReloadConfiguration())
    assert (
        watched.refusal(ProbeNow(CredentialKey("zai", "login-a"), "glm-5")).reason == "zai has no usage endpoint to ask"
    )
    assert watched.refusal().reason == f"auth.json has no {KEY} any more"


async def test_c55_a_token_that_was_changed_a_moment_ago_is_not_asked_with(watched: Watched) -> None:
    watched.write(benched(access_token=token("another")))
    with pytest.raises(RefusedError, match="has another token since a moment ago"):
        await watched.source.execute(ASK)
    assert (watched.endpoint.asked, watched.source.snapshot().asking) == ([], frozenset())


async def test_a_file_that_cannot_be_read_any_more_is_an_error_with_its_name(watched: Watched) -> None:
    (watched.home.path / "auth.json").write_text("{")
    with pytest.raises(StateError, match=r"auth.json: ends in the middle"):
        await watched.source.execute(ASK)
    assert watched.verdicts == []


async def test_c119_a_login_that_the_root_lends_is_asked_about_and_left_alone(tmp_path: Path) -> None:
    profile = tmp_path / "profiles" / "work"
    profile.mkdir(parents=True)
    watched = Watched(tmp_path, home=Home(profile, tmp_path, "work"))
    before = contents(tmp_path)
    await watched.source.execute(ASK)
    assert [verdict.verdict for verdict in watched.verdicts] == [Verdict.QUOTA]
    assert contents(tmp_path) == before


async def test_c140_a_question_that_is_given_up_leaves_nothing_behind(watched: Watched) -> None:
    watched.endpoint.open.clear()
    asking = asyncio.ensure_future(watched.source.execute(ASK))
    await asyncio.wait_for(watched.endpoint.is_asked.wait(), PATIENCE_SECONDS)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert (watched.source.snapshot().asking, watched.verdicts, watched.endpoint.closed) == (frozenset(), [], 1)


async def test_answers_keep_their_places_among_what_the_logs_tell() -> None:
    own = OwnEvents()
    event = VerdictReceived(
        time=NOW,
        provider=PROVIDER,
        account="a",
        model="m",
        credential="a",
        verdict=Verdict.QUOTA,
        why=PlainText(""),
        expires_at=NOW,
    )
    heard = ((10_000, event), (10_001, event))
    assert own.told(heard) is heard
    own.add(event, event)
    assert [number for number, _ in own.told(heard)] == [10_000, 10_001, 10_002, 10_003]
    later = (*heard, (20_000, event))
    own.add(event)
    told = own.told(later)
    assert [number for number, _ in told] == [10_000, 10_001, 10_002, 10_003, 20_000, 20_001]
    assert own.told(later) is told


async def test_c121_an_endpoint_that_tells_the_token_is_not_repeated(server: ScriptedServer, tmp_path: Path) -> None:
    secret = token("a")
    window = {"used_percent": 5, "limit_window_seconds": 18_000}
    told = {"plan_type": f"plus {secret}", "rate_limit": {"allowed": True, "primary_window": window}}
    server.scripts = [response(json.dumps(told))]
    address = f"http://127.0.0.1:{server.port}/backend-api/codex"
    watched = Watched(tmp_path, benched() | {"base_url": address})
    watched.open_usages = lambda: HttpUsages(without_any, now=lambda: NOW)
    said = await watched.source.execute(ASK)
    assert "quota" in said
    assert server.seen[0].headers["authorization"] == f"Bearer {secret}"
    snapshot = watched.source.snapshot()
    assert secret not in f"{said}{snapshot!r}{snapshot.facts.verdicts}{snapshot.events}"


async def test_a_verdict_that_is_too_old_says_so_and_promises_no_other(watched: Watched) -> None:
    await watched.source.execute(ASK)
    (known,) = known_credentials(watched.source.snapshot().facts, NOW + 400)
    assert "login-a: week 5 % · 5 h 1 %; asked by hermes-tui, 6:40 ago, stale." in story(known, NOW + 400)


def test_c53_a_dead_login_says_where_to_sign_in_again(tmp_path: Path) -> None:
    dead = {"last_status": "dead", "last_status_at": NOW - 60, "last_error_reason": "token_revoked"}
    facts = Watched(tmp_path, benched() | dead).source.snapshot().facts
    (known,) = known_credentials(facts, NOW)
    assert story(known, NOW)[0].endswith("Sign in again in Hermes: hermes auth add openai-codex.")


async def test_the_screen_shows_a_question_while_it_is_asked_and_then_whose_answer_it_is(watched: Watched) -> None:
    watched.endpoint.open.clear()
    app = HermesApp(watched.source, look=STILL)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("4", "p")
        await asyncio.wait_for(watched.endpoint.is_asked.wait(), PATIENCE_SECONDS)
        await pilot.pause()
        assert "PROBING" in everything(app)
        await pilot.press("p")
        assert f"{KEY} is being asked about" in toasts(app)[-1]
        watched.endpoint.open.set()
        await settle(pilot)
        shown = " ".join(everything(app).split())
        assert "quota 5:00" in shown
        assert "login-a: week 5 % · 5 h 1 %; asked by hermes-tui, verdict expires in 5:00." in shown
        assert f"probe {PROVIDER} login-a: quota, asked by hermes-tui: every" in shown
    assert len(watched.endpoint.asked) == 1
