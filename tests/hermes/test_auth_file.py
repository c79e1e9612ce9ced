"""What passes by is told apart from what is broken, and no token gets out with it (C117, C121)."""

import errno
import json
import os
import re
import resource
from pathlib import Path
from typing import Final

import pytest

from hermes_tui.core.secret import without_any
from hermes_tui.hermes.auth_file import LARGEST, AuthFile, Fault, LoginsError, loaded

TOKEN: Final = "made-up-access-token-of-nobody"
WHOLE: Final = json.dumps({"version": 1, "credential_pool": {"p": [{"access_token": TOKEN}]}}, indent=2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "auth.json"
    path.write_text(WHOLE)
    return path


def test_a_whole_file_is_its_content(file: Path) -> None:
    found = loaded(file)
    assert isinstance(found, AuthFile)
    assert found.document == json.loads(WHOLE)


@pytest.mark.parametrize("cut", range(len(WHOLE)))
def test_a_file_that_ends_anywhere_in_the_middle_is_unfinished(file: Path, cut: int) -> None:
    file.write_text(WHOLE[:cut])
    found = loaded(file)
    assert isinstance(found, LoginsError)
    assert (found.fault, found.passing) == (Fault.UNFINISHED, True)


def test_a_file_that_ends_in_the_middle_of_a_character_is_unfinished(file: Path) -> None:
    file.write_bytes('{"label": "ö'.encode()[:-1])
    found = loaded(file)
    assert isinstance(found, LoginsError)
    assert found.fault is Fault.UNFINISHED


def test_a_mark_of_another_editor_at_the_begin_is_no_fault_c117(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + WHOLE.encode())
    assert isinstance(loaded(file), AuthFile)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"a": made-up, "b": {}}', r"is not JSON \(line 1, column 7\)"),
        (b"[1, 2]}", "is not JSON"),
        (b'[{"a": 1}]', "holds no JSON object"),
        (b'{"a": "\xff\xfe and more"}', "is not text in UTF-8"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number too long"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too much inside of each other"),
        (b" " * (LARGEST + 1), "is larger than 2 MiB, and is not read"),
    ],
    ids=["bare word", "extra", "no object", "no text", "long number", "deep", "large"],
)
def test_what_is_broken_says_where_and_what_to_do(file: Path, content: bytes, told: str) -> None:
    file.write_bytes(content)
    found = loaded(file)
    assert isinstance(found, LoginsError)
    assert (found.fault, found.passing, str(file) in str(found)) == (Fault.BROKEN, False, True)
    assert re.search(told, str(found))


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ESTALE, errno.ENFILE])
def test_c117_a_read_that_failed_is_no_empty_file(file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    found = loaded(file)
    assert isinstance(found, LoginsError)
    assert (found.fault, found.passing) == (Fault.UNREADABLE, True)
    assert f"cannot be read ({os.strerror(number)}): its logins are unknown, not lost" in str(found)


def test_c117_too_many_open_files_pass(file: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        found = loaded(file)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert isinstance(found, LoginsError)
    assert found.passing
    assert "Too many open files" in str(found)
    assert isinstance(loaded(file), AuthFile)


def test_a_file_that_is_not_there_may_come(file: Path) -> None:
    file.unlink()
    found = loaded(file)
    assert isinstance(found, LoginsError)
    assert (found.fault, found.passing) == (Fault.MISSING, True)


def test_a_pipe_in_its_place_is_not_waited_for(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)
    found = loaded(file)
    assert isinstance(found, LoginsError)
    assert (found.fault, str(found)) == (Fault.BROKEN, f"{file}: is no regular file")


def test_every_secret_of_the_file_is_known_wherever_it_stands(file: Path) -> None:
    hidden = ["deep-refresh-token-1", "deep-session-secret", "nested-in-tokens-1", "a-key-of-a-plugin-1"]
    shown = ["Bearer-is-a-type", "key-id-is-shown", "an-ordinary-word"]
    file.write_text(
        json.dumps(
            {
                "providers": {"p": {"tokens": {"refresh_token": hidden[0], "more": [hidden[2]]}, "note": shown[2]}},
                "credential_pool": {"p": [{"sessionSecret": hidden[1], "plugin": {"apiKey": hidden[3]}}]},
                "token_type": shown[0],
                "agent_key_id": shown[1],
            }
        )
    )
    found = loaded(file)
    assert isinstance(found, AuthFile)
    assert {secret.reveal() for secret in found.secrets} == set(hidden)


def test_no_printed_form_tells_a_token_and_a_crash_report_knows_it(file: Path) -> None:
    found = loaded(file)
    assert TOKEN not in f"{found!r} {found}"
    assert TOKEN not in without_any(f"a crash that tells {TOKEN}")
