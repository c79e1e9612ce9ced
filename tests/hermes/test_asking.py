"""Real homes of both releases, asked about over HTTP: what is said of them then, and that nothing there changed."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.diagnosis import Code, Diagnosis
from hermes_tui.core.judging import judged
from hermes_tui.core.verdict import Verdict
from hermes_tui.hermes.source import HermesHome
from hermes_tui.simulator import Mode, SetMode, SetUsage, Simulator, UsageMode, World
from hermes_tui.view.known import known_credentials
from tests.hermes.lab.environments import Build
from tests.hermes.lab.provider import DAY, PRIMARY, PRIMARY_MODEL, make_world
from tests.hermes.test_reader import contents, opened

HomeOf = Callable[[Build, str], Path]
Say = Callable[[World], None]

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


def _quota(world: World) -> None:
    world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.HONEST))


def _lies(world: World) -> None:
    world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.LIES, used_percent=5.0))


def _no_quota(world: World) -> None:
    world.apply(SetMode(provider=PRIMARY, mode=Mode.USAGE_LIMIT, resets_in=2 * DAY))


def _throttled(world: World) -> None:
    world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.THROTTLED))


def diagnosis_of(source: HermesHome) -> Diagnosis:
    """Return what is said of the one session."""
    facts = source.snapshot().facts
    (session,) = facts.sessions.values()
    return judged(facts, session, source.now())[1]


@pytest.mark.parametrize(
    ("build", "story", "say", "verdict", "code"),
    [
        (Build.HERMES_22, "lying", _lies, Verdict.QUOTA, Code.LYING_PROBE),
        (Build.HERMES_22, "stuck", _quota, Verdict.QUOTA, Code.LIFT_NOT_SAVED),
        (Build.HERMES_22, "poolless", _quota, Verdict.QUOTA, Code.RESTORE_DUE),
        (Build.HERMES_22, "poolless", _no_quota, Verdict.NO_QUOTA, Code.WAITING_FOR_RESET),
        (Build.HERMES_22, "quota_out", _throttled, Verdict.UNKNOWN, Code.WAITING_FOR_RESET),
        (Build.HERMES_19, "lying", _lies, Verdict.QUOTA, Code.RESTORE_DUE),
    ],
)
async def test_c94_c98_c103_c105_what_the_endpoint_says_is_told_beside_what_the_home_says(
    home_of: HomeOf, build: Build, story: str, say: Say, verdict: Verdict, code: Code
) -> None:
    home = home_of(build, story)
    async with Simulator(make_world()) as simulator:
        say(simulator.world)
        _move(home, simulator.base_url)
        before = contents(home)
        source = opened(build, home)
        (key,) = (CredentialKey(row.key.pool, row.key.label) for row in _logins(source))
        said = await source.execute(ProbeNow(key, PRIMARY_MODEL))
        (asked,) = simulator.requests
    assert (asked.path.rpartition("/")[2], asked.model) == ("usage", None)
    assert "(asked by hermes-tui)" in said
    assert [one.verdict for one in source.snapshot().facts.verdicts.values()] == [verdict]
    diagnosis = diagnosis_of(source)
    assert diagnosis.code is code
    assert [fact.source for fact in diagnosis.facts if fact.text.startswith("the usage endpoint")] == [
        "asked by hermes-tui"
    ]
    assert contents(home) == before
    assert not [secret for secret in _secrets(home) if secret in f"{said}{source.snapshot()!r}"]


async def test_c98_the_contradiction_is_marked_where_the_verdict_stands(home_of: HomeOf) -> None:
    home = home_of(Build.HERMES_22, "lying")
    async with Simulator(make_world()) as simulator:
        _lies(simulator.world)
        _move(home, simulator.base_url)
        source = opened(Build.HERMES_22, home)
        (row,) = _logins(source)
        await source.execute(ProbeNow(row.key, PRIMARY_MODEL))
    (known,) = (one for one in known_credentials(source.snapshot().facts, source.now()) if one.row.key == row.key)
    assert known.contradicted
    told = " ".join(fact.text for fact in diagnosis_of(source).facts)
    assert "is benched: 429 usage limit" in told
    assert "the usage endpoint says quota" in told
    assert "Hermes took back the credential that had just failed" in told


def _logins(source: HermesHome) -> list[Any]:
    return [row for row in source.snapshot().facts.credentials.values() if row.key.pool == PRIMARY]


def _move(home: Path, address: str) -> None:
    """Let a home that its provider has left ask at another one."""
    for file in (home / ".env", home / "auth.json", home / "config.yaml"):
        file.write_text(_ADDRESS.sub(address, file.read_text()))


def _secrets(home: Path) -> list[str]:
    rows = json.loads((home / "auth.json").read_text())["credential_pool"][PRIMARY]
    return [row[name] for row in rows for name in ("access_token", "refresh_token")]
