"""Sessions that talk with tokens which another program owns, or which a command prints: over real HTTP."""

import asyncio
import hashlib
import shlex
import sys
from pathlib import Path

from hermes_tui.commands.watching import watch_configuration
from hermes_tui.core.acts import ProbeNow, ReloadConfiguration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.event import CredentialReplaced, TurnFailed
from hermes_tui.core.secret import Secret
from hermes_tui.simulator.mode import Mode
from hermes_tui.view.known import known_credentials
from hermes_tui.wiring import open_desk
from tests.config.logins import codex_login, hermes_login, token_of
from tests.engine.theatre import DAY, HOUR, START, Theatre, play, scenario, theatre

CODEX = "openai-codex"
KEY = CredentialKey(CODEX, f"{CODEX}-1")
ALONE = scenario()
FIRST, SECOND = (token_of("acc-1", expires_at=START + hours * HOUR, number=hours) for hours in (1, 100))


def accept(on: Theatre, token: str) -> None:
    """Let the provider take one token, and no other."""
    on.on.simulator.world.providers[CODEX].accounts[KEY.label].key = Secret(token)


def fingerprint(on: Theatre) -> str:
    """Return that of the credential as it is configured now."""
    ((member,),) = (pool.members for pool in on.pools(CODEX))
    return member.fingerprint


def named(on: Theatre) -> str:
    """Return the credential as the screen names it."""
    (known,) = known_credentials(on.facts, on.clock.now())
    return known.named


def mark(file: Path) -> tuple[bytes, int, list[str]]:
    """Return what would be another where somebody wrote in the file's folder."""
    names = sorted(path.name for path in file.parent.iterdir())
    return hashlib.sha256(file.read_bytes()).digest(), file.stat().st_mtime_ns, names


async def borrow(on: Theatre, reference: str) -> None:
    """Let the one credential be a login of another program."""
    on.refer_to(CODEX, reference)
    await on.fleet.execute(ReloadConfiguration())


@play
async def test_a_session_talks_with_a_borrowed_token_and_with_the_next_one_when_its_owner_has_renewed_it(
    tmp_path: Path,
) -> None:
    async with theatre(ALONE) as on:
        file = codex_login(tmp_path / "codex", FIRST)
        before = mark(file)
        accept(on, FIRST)
        await borrow(on, f"codex:{tmp_path / 'codex'}")
        assert await on.turn()
        assert fingerprint(on) == Secret(FIRST).fingerprint
        assert mark(file) == before
        codex_login(tmp_path / "codex", SECOND)
        before = mark(file)
        accept(on, SECOND)
        assert await on.turn()
        assert fingerprint(on) == Secret(SECOND).fingerprint
        assert len(on.events(CredentialReplaced)) == 1
        assert mark(file) == before


@play
async def test_an_expired_token_is_not_sent_and_says_who_must_renew_it(tmp_path: Path) -> None:
    async with theatre(ALONE) as on:
        hermes_login(tmp_path / "home", {"id": "aaaaaa", "label": "work", "access_token": FIRST})
        accept(on, FIRST)
        await borrow(on, f"hermes:{tmp_path / 'home'}#work")
        assert await on.turn()
        await on.clock.sleep(2 * HOUR)
        assert not await on.turn()
        assert on.calls(CODEX) == 1
        (failed,) = on.events(TurnFailed)
        assert "only Hermes may renew it: use it once, or run `hermes auth add openai-codex`" in failed.error
        hermes_login(tmp_path / "home", {"id": "aaaaaa", "label": "work", "access_token": SECOND})
        accept(on, SECOND)
        assert await on.turn()


@play
async def test_m9_a_borrowed_token_that_was_revoked_is_dead_until_its_owner_has_another(tmp_path: Path) -> None:
    async with theatre(ALONE) as on:
        codex_login(tmp_path / "codex", SECOND)
        accept(on, SECOND)
        await borrow(on, f"codex:{tmp_path / 'codex'}")
        on.mode(CODEX, Mode.REVOKED)
        assert not await on.turn()
        assert on.credential(CODEX).death is not None
        asked = on.calls(CODEX)
        on.mode(CODEX, Mode.OK)
        assert not await on.turn()
        assert on.calls(CODEX) == asked
        other = token_of("acc-1", expires_at=START + DAY, number=3)
        codex_login(tmp_path / "codex", other)
        accept(on, other)
        assert await on.turn()


async def test_a_renewed_token_is_in_force_without_a_turn_and_the_watch_ends_at_once(tmp_path: Path) -> None:
    async with asyncio.timeout(20), theatre(ALONE) as on:
        codex_login(tmp_path / "codex", FIRST)
        await borrow(on, f"codex:{tmp_path / 'codex'}")
        desk = open_desk(on.on.config, {}, on.clock.now)
        work = watch_configuration(on.fleet, on.on.config, desk.load, desk.load().digest)
        watching = asyncio.ensure_future(work)
        codex_login(tmp_path / "codex", SECOND)
        await on.until(lambda: fingerprint(on) == Secret(SECOND).fingerprint)
        watching.cancel()
        await asyncio.wait((watching,))


class Vault:
    """A file whose key a command prints, and which notes down that it did."""

    def __init__(self, folder: Path) -> None:
        self._key, self._ran = folder / "key", folder / "ran"

    @property
    def reference(self) -> str:
        """How a configuration names it."""
        code = f"open({str(self._ran)!r}, 'a').write('x'); print(open({str(self._key)!r}).read())"
        return f"command:{shlex.join((sys.executable, '-c', code))}"

    def keep(self, key: str) -> None:
        """Keep another key."""
        self._key.write_text(key, encoding="utf-8")

    @property
    def runs(self) -> int:
        """How often it was asked."""
        return len(self._ran.read_text(encoding="utf-8")) if self._ran.exists() else 0


async def test_a_command_is_asked_by_the_first_turn_and_again_by_one_that_was_not_let_in(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.keep(FIRST)
    async with theatre(ALONE) as on:
        accept(on, FIRST)
        await borrow(on, vault.reference)
        assert vault.runs == 0
        assert named(on) == str(KEY)
        assert await on.turn()
        assert named(on) == f"{KEY} {Secret(FIRST).fingerprint[:4]}"
        assert await on.turn()
        assert vault.runs == 1
        assert fingerprint(on) == Secret(FIRST).fingerprint
        assert FIRST not in on.fleet.snapshot().facts.configuration.__repr__()
        vault.keep(SECOND)
        accept(on, SECOND)
        assert await on.turn()
        assert vault.runs == 2
        await on.fleet.execute(ReloadConfiguration())
        assert vault.runs == 2
        assert await on.turn()
        assert vault.runs == 3
        assert len(on.events(CredentialReplaced)) == 1


async def test_a_probe_by_hand_asks_for_the_key_too(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.keep(SECOND)
    async with theatre(ALONE) as on:
        accept(on, SECOND)
        await borrow(on, vault.reference)
        assert "quota" in await on.fleet.execute(ProbeNow(KEY, "gpt"))
        assert vault.runs == 1


async def test_a_start_forgets_no_cooldown_of_a_key_that_nobody_has_asked_for_yet(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    vault.keep(SECOND)
    async with theatre(ALONE) as on:
        accept(on, SECOND)
        await borrow(on, vault.reference)
        on.limit()
        assert not await on.turn()
        asked = on.calls(CODEX)
        await on.fleet.execute(ReloadConfiguration())
        assert not await on.turn()
        assert on.calls(CODEX) == asked
        assert not on.events(CredentialReplaced)


async def test_a_command_that_brings_no_key_sends_nothing_and_the_chain_is_used() -> None:
    async with theatre(scenario("backup/small")) as on:
        await borrow(on, "command:sh -c 'exit 7'")
        assert await on.turn()
        assert on.calls(CODEX) == 0
        assert on.row().active.provider == "backup"
        ((member,),) = (pool.members for pool in on.pools(CODEX))
        assert member.fault == "command:sh ended with code 7: run it in a terminal to see why"
