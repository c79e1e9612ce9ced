"""Keys that commands print: asked when they are needed, bounded, and told apart when they bring none."""

import asyncio
import os
import shlex
import sys
import traceback
from pathlib import Path

import pytest

from hermes_tui.config import key_commands
from hermes_tui.config.desk import FileDesk
from hermes_tui.config.key_commands import KeyCommands
from hermes_tui.config.load import Loaded
from hermes_tui.config.problems import InvalidFileError
from hermes_tui.config.secrets import Kind, reference
from hermes_tui.core.configuration import Member
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.secret import Secret

from .conftest import NOW, LoadText

KEY = "kq7Zr2WmXv9TbLp4"
TEXT = """\
[primary]
provider = "groq"
model = "m"

[[providers.groq.credentials]]
label = "vault"
api_key = {key}
"""


def python(code: str) -> str:
    """Return a reference to a command that runs `code`."""
    return f"command:{shlex.join((sys.executable, '-c', code))}"


class Vault:
    """A file whose one key a command prints."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._desk = FileDesk(path, environ=os.environ, now=lambda: NOW)

    def write(self, reference: str) -> None:
        """Let the file name its key so."""
        quoted = reference.replace("\\", "\\\\").replace('"', '\\"')
        self.path.write_text(TEXT.format(key=f'"{quoted}"'))

    def load(self) -> Loaded:
        """Read the file."""
        return self._desk.load()

    @property
    def member(self) -> Member:
        """The credential as it is known now."""
        (pool,) = self.load().configuration.pools
        (member,) = pool.members
        return member

    async def ask(self, *, again: bool = False) -> Member:
        """Ask for the key, and return the credential then."""
        await self.load().keyring.ask("groq", again=again)
        return self.member


@pytest.fixture
def vault(path: Path) -> Vault:
    return Vault(path)


async def test_a_command_runs_when_its_key_is_needed_and_once(vault: Vault, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    vault.write(python(f"open({str(ran)!r}, 'a').write('x'); print(' {KEY} '); print('other')"))
    before = vault.member
    assert before.on_demand
    assert before.fault is None
    assert not ran.exists()
    await asyncio.gather(*(vault.ask() for _ in range(3)))
    after = await vault.ask()
    assert (after.on_demand, after.fault, after.fingerprint) == (False, None, Secret(KEY).fingerprint)
    assert before.fingerprint != after.fingerprint
    assert ran.read_text() == "x"
    loaded = vault.load()
    secret = loaded.keyring.secret(CredentialKey("groq", "vault"))
    assert secret == Secret(KEY)
    assert KEY not in loaded.keyring.redact(f"Incorrect key: {KEY}")


async def test_a_key_is_asked_for_again_by_whoever_was_not_let_in_with_it_and_after_a_reload(
    vault: Vault, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("first-key")
    vault.write(f"command:cat {kept}")
    first = await vault.ask()
    kept.write_text("second-key")
    assert await vault.ask() == first
    second = await vault.ask(again=True)
    assert second.fingerprint == Secret("second-key").fingerprint
    vault.load().keyring.forget()
    assert vault.member.on_demand


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("command:no-such-program-here", "command:no-such-program-here could not be started (No such file or dire"),
        ("command:sh -c 'echo no-key-at-all; exit 3'", "command:sh ended with code 3: run it in a terminal to see why"),
        ("command:true", "command:true printed no key: it must print it on its first line"),
        ("command:sh -c 'echo; echo late-key'", "command:sh printed no key: it must print it on its first line"),
        ("command:sh -c 'yes | head -c 1000000'", "command:sh printed more than 64 KiB: it must print the key alone"),
        ("command:echo two words", "command:echo is no key: it must be one line of ASCII characters without spaces"),
        ("command:cat", "command:cat printed no key: it must print it on its first line"),
        ("command:sh -c 'echo secret-told-aside >&2; kill $$'", "command:sh ended with code -15"),
    ],
)
async def test_a_command_that_brings_no_key_is_told_with_what_to_do(vault: Vault, command: str, fault: str) -> None:
    vault.write(command)
    member = await vault.ask()
    assert member.fault is not None
    assert member.fault.startswith(fault)
    assert "secret-told-aside" not in member.fault
    assert vault.load().keyring.secret(CredentialKey("groq", "vault")) is None


async def test_a_command_that_hangs_is_ended_with_all_that_it_started(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_commands, "PATIENCE_SECONDS", 2.0)
    child = tmp_path / "child"
    vault.write(f"command:sh -c 'sleep 600 & echo $! > {child}; wait'")
    member = await vault.ask()
    assert member.fault is not None
    assert member.fault.startswith("command:sh took longer than 2 s and was ended")
    async with asyncio.timeout(60):
        while Path(f"/proc/{child.read_text().strip()}").exists():  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.02)


async def test_a_command_that_failed_is_left_alone_for_a_moment(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    vault.write(f"command:sh -c 'echo x >> {ran}; exit 1'")
    await vault.ask()
    await vault.ask(again=True)
    assert ran.read_text() == "x\n"
    monkeypatch.setattr(key_commands, "REST_SECONDS", 0.0)
    vault.load().keyring.forget()
    await vault.ask()
    await vault.ask(again=True)
    assert ran.read_text() == "x\n" * 3


async def test_whoever_gives_up_waiting_leaves_the_command_to_the_others(tmp_path: Path) -> None:
    commands = KeyCommands(os.environ, tmp_path)
    held = f"{tmp_path}/held"
    os.mkfifo(held)
    impatient = asyncio.ensure_future(commands.ask([f"cat {held}"]))
    patient = asyncio.ensure_future(commands.ask([f"cat {held}"]))
    await asyncio.sleep(0)
    impatient.cancel()
    writer = await asyncio.to_thread(Path(held).open, "w")
    writer.write("a-key-at-last\n")
    writer.close()
    await patient
    assert commands.answer(f"cat {held}") == Secret("a-key-at-last")


@pytest.mark.parametrize("value", ["command:", "command: ", "command:pass 'show", "command:''"])
def test_a_command_that_is_written_wrong_is_refused_with_its_line(load_text: LoadText, value: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        load_text(TEXT.format(key=f'"{value} {KEY}"' if "'" in value else f'"{value}"'))
    assert caught.value.line == 7
    assert 'must name a program after "command:", with closed quotes' in caught.value.what
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_command_is_no_key_of_the_file(load_text: LoadText) -> None:
    loaded = load_text(TEXT.format(key='"command:pass show groq"'))
    assert not loaded.configuration.warnings
    assert reference("command:pass show groq").kind is Kind.COMMAND
