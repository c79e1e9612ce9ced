"""The bridge inside real agents of both releases: what it tells, and what its acts do on the wire."""

import asyncio
import fcntl
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median

import pytest
import pytest_asyncio

from hermes_tui.bridge.values import Act, Held
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.secret import fingerprint
from hermes_tui.simulator import Reopen, SetPace, SetUsage, UsageMode
from tests.benchmarks.process import resident_bytes
from tests.bridge.bridged import ON_FALLBACK, ON_PRIMARY, Bridged, bridged, with_second_entry
from tests.bridge.small_disk import empty, fill, small_disk
from tests.hermes.lab.agent import Agent, running_agent
from tests.hermes.lab.environments import Build
from tests.hermes.lab.homes import Fallback, make_home
from tests.hermes.lab.provider import BACKUP, BACKUP_KEY, DAY, FALLBACK_MODEL, PRIMARY, PRIMARY_MODEL

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_SECONDS = 30.0


@pytest_asyncio.fixture(params=Build, ids=lambda build: build.value, scope="module", loop_scope="module")
async def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bridged]:
    """Yield one agent for all tests here: it takes seconds to start."""
    with small_disk(tmp_path_factory.mktemp("bridged") / "disk", "128m", 10_000) as disk:
        async with bridged(request.param, disk / "home") as session:
            yield session


@pytest_asyncio.fixture(loop_scope="module")
async def one(session: Bridged) -> Bridged:
    """Return it on its primary, nothing waiting, with the chain that it began with."""
    await session.come_home()
    return session


def program(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hermes_tui", "bridge", *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


async def wait_for_stream(one: Bridged, before: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(one.asked()) == before or not (await one.where()).in_turn:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def row(one: Bridged) -> dict[str, object]:
    """Return the primary's login as it stands in auth.json."""
    (found,) = json.loads((one.home / "auth.json").read_text())["credential_pool"][PRIMARY]
    assert isinstance(found, dict)
    return found


async def test_a_session_on_its_primary_has_nothing_to_be_restored(one: Bridged) -> None:
    with pytest.raises(RefusedError, match="is on its primary"):
        await one.do(Act.FORCE_RESTORE)


async def test_a_session_that_fell_back_is_told_with_all_that_keeps_it_there(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    fallen = await one.where()
    assert (fallen.position, fallen.on_fallback, fallen.next_entry) == (1, True, 1)
    assert (str(fallen.primary), fallen.route.model) == (f"{PRIMARY}/{PRIMARY_MODEL}", FALLBACK_MODEL)
    assert fallen.cooldown_until is not None
    assert fallen.credential is not None
    assert (fallen.credential.label, fallen.credential.fingerprint) == (BACKUP, fingerprint(BACKUP_KEY))
    assert BACKUP_KEY not in repr(await one.look())
    if one.build is Build.HERMES_22:
        assert fallen.cooldown_until == pytest.approx(time.time() + 2 * DAY, abs=60)
        assert (fallen.held, fallen.backoffs) == (Held.LIMIT, 1)


async def test_status_names_the_process_and_where_its_session_stands(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    where = await one.where()
    done = await asyncio.to_thread(program, "status", str(one.home))
    assert done.returncode == 0, done.stdout
    assert f"Process {where.pid}, Hermes 0." in done.stdout
    assert f"{where.session}  on the fallback custom:{BACKUP}/{FALLBACK_MODEL}, held until " in done.stdout


async def test_the_command_line_asks_first_and_then_puts_the_primary_back(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    words = ("do", "force-restore", "--home", str(one.home))
    asked = await asyncio.to_thread(program, *words)
    assert asked.returncode == 2
    assert "It is held until " in asked.stderr
    assert (await one.where()).waiting == ()
    done = await asyncio.to_thread(program, *words, "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "When the next turn begins, the primary is asked" in done.stdout
    assert ON_PRIMARY in await one.say()


async def test_a_session_pinned_for_two_days_comes_home_one_turn_after_the_command(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    assert ON_FALLBACK in await one.say()
    assert row(one)["last_status"] == "exhausted"
    asked = len(one.asked())

    assert "When the next turn begins, the primary is asked" in await one.do(Act.FORCE_RESTORE)
    assert (await one.where()).waiting == (Act.FORCE_RESTORE,)
    assert ON_PRIMARY in await one.say()
    assert one.asked()[asked:] == [("responses", 200)]
    back = await one.where()
    assert (back.position, back.cooldown_until, back.waiting) == (0, None, ())
    assert back.last is not None
    assert back.last.said == f"the turn began on the primary {PRIMARY}/{PRIMARY_MODEL}"
    assert row(one)["last_status"] in (None, "ok")


async def test_a_restore_that_is_asked_for_while_a_reply_comes_waits_and_harms_nothing(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    one.simulator.world.apply(SetPace(provider=BACKUP, tokens_per_second=0.5))
    asked = len(one.asked())
    replying = asyncio.create_task(one.say())
    await wait_for_stream(one, asked)

    assert "When the turn that runs has ended" in await one.do(Act.FORCE_RESTORE)
    assert not replying.done()
    one.simulator.world.apply(SetPace(provider=BACKUP, tokens_per_second=0))
    assert ON_FALLBACK in await replying
    assert one.asked()[asked:] == [("completions", 200)]
    assert one.agent.turns[-1]["notices"] == []
    assert ON_PRIMARY in await one.say()
    assert one.asked()[asked + 1 :] == [("responses", 200)]


async def test_a_fallback_that_the_user_chose_stays_until_the_user_restores(one: Bridged) -> None:
    await one.do(Act.USE_FALLBACK)
    assert [ON_FALLBACK in await one.say(), ON_FALLBACK in await one.say()] == [True, True]
    chosen = await one.where()
    assert (chosen.held, chosen.position) == (Held.PINNED, 1)
    with pytest.raises(RefusedError, match="no route after it"):
        await one.do(Act.USE_FALLBACK)
    await one.do(Act.FORCE_RESTORE)
    assert ON_PRIMARY in await one.say()


async def test_the_edited_chain_counts_from_the_next_turn_in_the_midst_of_a_cooldown(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    with_second_entry(one)
    assert "2 entries" in await one.do(Act.TAKE_CHAIN)
    assert len((await one.where()).chain) == 1
    assert ON_FALLBACK in await one.say()
    taken = await one.where()
    assert [str(entry) for entry in taken.chain] == ["custom/small", f"custom:{BACKUP}/small"]
    assert (taken.position, taken.next_entry, taken.on_fallback) == (2, 2, True)


async def test_a_reset_chain_is_that_of_the_file_from_its_first_entry(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    with_second_entry(one)
    await one.do(Act.RESET_CHAIN)
    assert ON_FALLBACK in await one.say()
    reset = await one.where()
    assert (reset.position, reset.next_entry, reset.skipped, len(reset.chain)) == (2, 0, (), 2)
    assert reset.on_fallback


async def test_a_file_that_cannot_be_read_leaves_the_session_its_chain(one: Bridged) -> None:
    (one.home / "config.yaml").write_text("fallback_providers: [\n")
    with pytest.raises(RefusedError, match=r"config.yaml cannot be read .*: the session keeps its chain"):
        await one.do(Act.RESET_CHAIN)
    assert len((await one.where()).chain) == 1


async def test_a_cleared_cooldown_frees_the_sessions_that_wait_for_that_login(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    login = str(row(one)["label"])
    done = await asyncio.to_thread(program, "do", "clear-cooldown", f"{PRIMARY}/{login}", "--home", str(one.home))
    assert "One session here asks the primary at the next turn." in done.stdout
    assert ON_PRIMARY in await one.say()
    with pytest.raises(RefusedError, match="has no cooldown to clear"):
        await asyncio.to_thread(one.live.clear_cooldown, PRIMARY, login)


async def test_on_a_full_disk_no_cooldown_is_ended_and_the_session_goes_on(one: Bridged) -> None:
    if not one.home.parent.is_mount():
        pytest.skip("no filesystem may be mounted here")
    one.run_out()
    assert ON_FALLBACK in await one.say()
    logins = one.home / "auth.json"
    before = logins.read_bytes()
    label = str(row(one)["label"])
    fill(one.home.parent, pages=0)
    try:
        for act in (one.do(Act.FORCE_RESTORE), asyncio.to_thread(one.live.clear_cooldown, PRIMARY, label)):
            with pytest.raises(RefusedError, match=r"auth\.json cannot be written now \(OSError\): try again"):
                await act
        assert logins.read_bytes() == before
        assert (await one.where()).waiting == ()
    finally:
        empty(one.home.parent)
    assert ON_FALLBACK in await one.say()
    one.simulator.world.apply(Reopen(provider=PRIMARY))
    await one.do(Act.FORCE_RESTORE)
    assert ON_PRIMARY in await one.say()


async def test_who_holds_the_lock_of_the_logins_is_waited_for_a_moment_and_nobody_else_meanwhile(one: Bridged) -> None:
    one.run_out()
    assert ON_FALLBACK in await one.say()
    with (one.home / "auth.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        asking = asyncio.create_task(asyncio.to_thread(one.live.execute, Act.FORCE_RESTORE, await one.where()))
        while not asking.done():
            assert len((await one.look()).agents) == 1
        with pytest.raises(RefusedError, match=r"another process holds the lock of auth\.json: nothing was changed"):
            await asking
        assert row(one)["last_status"] == "exhausted"


QUESTIONS = 400
ROUNDS = 5
GROWTH_BYTES = 16 << 20
BOTHERED_MOST = 2.0
"""Times the turn of an agent without a bridge: generous, as others use this machine too."""

TRIES = 3
"""So often that may be measured: what others do on this machine is over then, or nobody can tell."""


def held(pid: int) -> tuple[int, int]:
    """Return how many descriptors and threads a process has."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), len(list(Path(f"/proc/{pid}/task").iterdir()))


async def seconds(agent: Agent) -> float:
    """Return how long a turn takes that goes well."""
    began = time.perf_counter()
    assert not (await agent.turn("And then?"))["failed"]
    return time.perf_counter() - began


async def slowed(one: Bridged, pid: int, without: Agent) -> float:
    """Return how many times as long turns take while the bridge is asked all the time, as without one."""
    words = ("-m", "tests.bridge.bothering", str(one.home), str(pid), str(QUESTIONS))
    bothering = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    both = [(await seconds(one.agent), await seconds(without)) for _ in range(ROUNDS)]
    answered, _ = await bothering.communicate()
    assert int(answered) == QUESTIONS
    ours, bare = map(median, zip(*both, strict=True))
    return float(ours / bare)


async def test_whatever_a_bridge_bears_turns_take_what_they_take_without_and_nothing_stays_behind(
    one: Bridged, tmp_path: Path
) -> None:
    pid = (await one.where()).pid
    make_home(tmp_path / "without", one.build, one.simulator.base_url, fallback=Fallback.POOLED, logins=["work"])
    async with running_agent(one.build, tmp_path / "without") as without:
        for agent in (one.agent, without):
            await agent.forget()
            await seconds(agent)
        before, memory = held(pid), resident_bytes(pid)
        for _ in range(TRIES):
            times = await slowed(one, pid, without)
            if times <= BOTHERED_MOST:
                break
    assert times <= BOTHERED_MOST
    assert resident_bytes(pid) - memory < GROWTH_BYTES
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(now > then for now, then in zip(held(pid), before, strict=True)):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    assert (await one.where()).pid == pid


async def test_a_lying_probe_is_seen_and_forcing_costs_one_failed_call(one: Bridged) -> None:
    if one.build is Build.HERMES_19:
        assert "asks no usage endpoint" in ((await one.look()).processes[0].why_not(Act.DROP_VERDICT) or "")
        return
    for old in (await one.look()).verdicts:
        await asyncio.to_thread(one.live.drop_verdict, old.fingerprint)
    one.simulator.world.apply(SetUsage(provider=PRIMARY, mode=UsageMode.LIES, used_percent=5.0))
    one.run_out()
    assert ON_FALLBACK in await one.say()
    (verdict,) = (await one.look()).verdicts
    token = str(row(one)["access_token"])
    assert (verdict.quota, verdict.fingerprint) == (True, fingerprint(token))
    assert verdict.until == pytest.approx(verdict.asked_at + 300)
    assert token not in repr(await one.look())

    asked = len(one.asked())
    await one.do(Act.FORCE_RESTORE)
    assert ON_FALLBACK in await one.say()
    assert one.asked()[asked:] == [("responses", 429), ("completions", 200)]
    assert ON_FALLBACK in await one.say()
    assert one.asked()[asked + 2 :] == [("completions", 200)]

    (again,) = (await one.look()).verdicts
    assert again.asked_at > verdict.asked_at
    await asyncio.to_thread(one.live.drop_verdict, verdict.fingerprint)
    assert (await one.look()).verdicts == ()
    with pytest.raises(RefusedError, match="no cached verdict"):
        await asyncio.to_thread(one.live.drop_verdict, verdict.fingerprint)
