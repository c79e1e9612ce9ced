"""The logins of a home as values: every row, its dates, its hashes, and none of its tokens."""

import base64
import hashlib
import json
import os
import subprocess
import traceback
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.secret import fingerprint
from hermes_tui.hermes.auth_file import AUTH_FILE, AuthFile, Fault, LoginsError
from hermes_tui.hermes.cooldowns import OLD_RULES, RULES
from hermes_tui.hermes.logins import NAME_LIMIT, _logins, read_logins
from hermes_tui.hermes.values import Home, Login
from tests.hermes.real import real

AT: Final = 1_900_000_000.0
TOKEN: Final = "made-up-access-token-1"
REFRESH: Final = "made-up-refresh-token-1"


def jwt(**claims: object) -> str:
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in ({"alg": "none"}, claims))
    return ".".join([*(part.rstrip("=") for part in parts), "made-up-signature"])


def row(name: str = "a1", **values: object) -> dict[str, Any]:
    return {"id": name, "label": f"login {name}", "access_token": TOKEN, "refresh_token": REFRESH, **values}


def write(folder: Path, *rows: object, provider: str = "openai-codex", **values: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    document = {"version": 1, "providers": {}, "credential_pool": {provider: [*rows]}, **values}
    (folder / AUTH_FILE).write_text(json.dumps(document))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, tmp_path)


@pytest.fixture
def profile(home: Home) -> Home:
    folder = home.path / "profiles" / "work"
    folder.mkdir(parents=True)
    return Home(folder, home.path, "work")


def only(home: Home) -> Login:
    (found,) = read_logins(home, RULES).rows
    return found


def test_a_row_is_read_whole(home: Home) -> None:
    write(
        home.path,
        row(
            priority=2,
            auth_type="oauth",
            source="manual:device_code",
            last_status="exhausted",
            last_status_at=AT,
            last_error_code=429,
            last_error_reason="usage_limit_reached",
            last_error_message="The usage limit\nhas been reached",
            last_error_reset_at=(AT + 50) * 1000,
            status_cleared_at=AT - 5,
            expires_at="2030-03-17T17:46:40+00:00",
            last_refresh="2030-03-17T17:46:40Z",
            base_url="https://chatgpt.com/backend-api/codex",
            request_count=7,
            model_cooldowns={"gpt-5.5": AT + 60, "gpt-5": (AT + 70) * 1000, "nothing": None},
            a_key_of_tomorrow={"x": 1},
        ),
        updated_at="2030-03-17T17:46:40+00:00",
    )
    assert only(home) == Login(
        provider="openai-codex",
        id="a1",
        label="login a1",
        priority=2,
        auth_type="oauth",
        source="manual:device_code",
        status="exhausted",
        status_at=AT,
        code=429,
        reason="usage_limit_reached",
        message=only(home).message,
        reset_at=AT + 50,
        benched_until=AT + 50,
        model_cooldowns=(("gpt-5.5", AT + 60), ("gpt-5", AT + 70)),
        cleared_at=AT - 5,
        expires_at=AT,
        last_refresh_at=AT,
        has_token=True,
        can_refresh=True,
        fingerprint=fingerprint(TOKEN),
        probe_key=hashlib.sha256(TOKEN.encode()).hexdigest()[:16],
        base_url="https://chatgpt.com/backend-api/codex",
        request_count=7,
    )
    assert only(home).message == "The usage limit has been reached"
    assert read_logins(home, RULES).updated_at == AT
    assert read_logins(home, RULES).version == 1


def test_a_row_of_which_nothing_is_known_is_a_login_all_the_same(home: Home) -> None:
    write(home.path, {})
    assert only(home) == Login(provider="openai-codex", id="", label="openai-codex")


def test_rows_come_by_provider_in_the_order_of_their_priority(home: Home) -> None:
    write(home.path, row("b", priority=1), row("c"), row("a"), more=1)
    document = json.loads((home.path / AUTH_FILE).read_text())
    document["credential_pool"]["anthropic"] = [row("z")]
    (home.path / AUTH_FILE).write_text(json.dumps(document))
    assert [(login.provider, login.id) for login in read_logins(home, RULES).rows] == [
        ("openai-codex", "c"), ("openai-codex", "a"), ("openai-codex", "b"), ("anthropic", "z"),
    ]  # fmt: skip


def test_c46_a_sole_login_is_benched_for_a_minute_since_there_is_that_rule(home: Home) -> None:
    benched = row(last_status="exhausted", last_status_at=AT, last_error_code=429)
    write(home.path, benched, row("dead", last_status="dead"))
    assert read_logins(home, RULES).rows[0].benched_until == AT + 60
    assert read_logins(home, OLD_RULES).rows[0].benched_until == AT + 3600
    write(home.path, benched, row("other"))
    assert read_logins(home, RULES).rows[0].benched_until == AT + 3600


@pytest.mark.parametrize(
    ("values", "expires_at"),
    [
        ({"expires_at": "2030-03-17T17:46:40Z", "access_token": jwt(exp=AT + 9)}, AT),
        ({"expires_at_ms": AT * 1000, "access_token": jwt(exp=AT + 9)}, AT),
        ({"access_token": jwt(exp=AT + 9)}, AT + 9),
        ({"access_token": jwt()}, None),
        ({"access_token": "a.b.c"}, None),
    ],
)
def test_the_end_of_a_token_is_what_its_row_says_else_what_it_says_itself(
    home: Home, values: dict[str, Any], expires_at: float | None
) -> None:
    write(home.path, row(**values))
    assert only(home).expires_at == expires_at


def test_a_key_that_hermes_took_from_elsewhere_is_known_by_the_hash_it_left(home: Home) -> None:
    whole = hashlib.sha256(TOKEN.encode()).hexdigest()
    write(home.path, {"id": "a1", "source": "env:OPENROUTER_API_KEY", "secret_fingerprint": f"sha256:{whole[:16]}"})
    found = only(home)
    assert (found.has_token, found.can_refresh, found.source) == (False, False, "env:OPENROUTER_API_KEY")
    assert (found.fingerprint, found.probe_key) == (fingerprint(TOKEN), whole[:16])


def test_nous_is_asked_with_a_key_of_its_own(home: Home) -> None:
    write(home.path, row(agent_key="made-up-agent-key"), provider="nous")
    assert only(home).fingerprint == fingerprint("made-up-agent-key")


# what a profile uses


def test_c119_a_profile_without_rows_for_a_provider_uses_those_of_the_root(home: Home, profile: Home) -> None:
    write(home.path, row("root"))
    write(profile.path, row("own"), provider="anthropic")
    found = read_logins(profile, RULES).rows
    assert [(login.provider, login.id, login.inherited) for login in found] == [
        ("anthropic", "own", False), ("openai-codex", "root", True),
    ]  # fmt: skip


def test_a_profile_with_any_row_for_a_provider_uses_its_own_alone(home: Home, profile: Home) -> None:
    write(home.path, row("root"))
    write(profile.path, row("own"))
    assert [(login.id, login.inherited) for login in read_logins(profile, RULES).rows] == [("own", False)]


def test_an_empty_list_of_a_profile_is_no_row_of_its_own(home: Home, profile: Home) -> None:
    write(home.path, row("root"))
    write(profile.path)
    assert [login.id for login in read_logins(profile, RULES).rows] == ["root"]


def test_a_profile_without_the_file_uses_the_root_and_says_so(home: Home, profile: Home) -> None:
    write(home.path, row("root"))
    found = read_logins(profile, RULES)
    assert [(login.id, login.inherited) for login in found.rows] == [("root", True)]
    assert found.warnings == ()
    assert found.notes == (f"{profile.path / AUTH_FILE}: is not there; the profile uses the logins of the root",)


def test_a_root_that_cannot_be_read_is_told_beside_what_the_profile_has(home: Home, profile: Home) -> None:
    (home.path / AUTH_FILE).write_text("{")
    write(profile.path, row("own"))
    found = read_logins(profile, RULES)
    assert [login.id for login in found.rows] == ["own"]
    assert found.warnings[0].startswith(f"{home.path / AUTH_FILE}: ends in the middle")


def test_a_root_without_logins_is_nothing_to_tell_a_profile_that_has_its_own(home: Home, profile: Home) -> None:
    write(profile.path, row("own"))
    assert read_logins(profile, RULES).warnings == ()


@pytest.mark.parametrize("fault", [Fault.MISSING, Fault.UNFINISHED])
def test_a_profile_without_the_file_needs_the_root(home: Home, profile: Home, fault: Fault) -> None:
    if fault is Fault.UNFINISHED:
        (home.path / AUTH_FILE).write_text("{")
    with pytest.raises(LoginsError) as raised:
        read_logins(profile, RULES)
    assert raised.value.fault is fault


def test_a_profile_whose_file_is_broken_does_not_seem_to_use_the_root(home: Home, profile: Home) -> None:
    write(home.path, row("root"))
    (profile.path / AUTH_FILE).write_text('{"a": b}')
    with pytest.raises(LoginsError, match="is not JSON"):
        read_logins(profile, RULES)


# what a person should know


def test_what_cannot_be_read_is_told_and_the_rest_is_there(home: Home) -> None:
    write(home.path, row(), "text", 7, version=2, providers={"nous": {"tokens": {"access_token": TOKEN}}})
    document = json.loads((home.path / AUTH_FILE).read_text())
    document["credential_pool"]["odd"] = {"a": 1}
    (home.path / AUTH_FILE).write_text(json.dumps(document))
    found = read_logins(home, RULES)
    assert [login.id for login in found.rows] == ["a1"]
    assert found.signed_in == ("nous",)
    assert found.warnings == (
        "auth.json has format 2, newer than 1: some of it may be missing here",
        "openai-codex: 2 of 3 rows in auth.json cannot be read",
        "odd: its rows in auth.json are no list, and are left out",
        "nous: signed in, but not in the pool until Hermes uses it",
    )


@pytest.mark.parametrize("pool", [None, [], "text", 7])
def test_a_pool_that_is_none_has_no_rows(home: Home, pool: object) -> None:
    write(home.path, credential_pool=pool)
    assert read_logins(home, RULES).rows == ()


# C121: no token gets out


def test_c121_a_providers_words_are_without_tokens_addresses_and_ids(home: Home) -> None:
    token = jwt(**{"https://api.openai.com/auth": {"chatgpt_account_id": "made-up-workspace"}})
    said = f"{token} of made-up-workspace ann@example.test org-abcdefgh1234 with {REFRESH} failed, see {REFRESH[:-3]}"
    write(home.path, row(access_token=token, last_error_message=said))
    message = only(home).message
    for secret in (token, token[-20:], "made-up-workspace", "ann@example.test", "org-abcdefgh1234", REFRESH[:-3]):
        assert secret not in message
    assert "failed, see" in message


def test_an_address_stays_in_a_label_for_it_is_how_a_user_knows_the_account(home: Home) -> None:
    write(home.path, row(label=f"ann@example.test {TOKEN}", base_url="https://ann:secret-of-ann@host/v1"))
    assert only(home).label == f"ann@example.test <secret {fingerprint(TOKEN)[:4]}>"
    assert only(home).base_url == "https://<redacted>@host/v1"


def test_what_steers_a_terminal_is_shown_and_long_names_are_cut(home: Home) -> None:
    write(home.path, row(label="a\x1b[31m\u202eb", source="x" * 10_000))
    assert only(home).label == "a␛[31m\ufffdb"
    assert len(only(home).source) == NAME_LIMIT


@pytest.mark.parametrize("content", ['{"access_token": "%s" and more}', '{"access_token": "%s", ', '["%s"]'])
def test_c121_an_error_keeps_nothing_of_the_file_for_whoever_looks_at_it(home: Home, content: str) -> None:
    (home.path / AUTH_FILE).write_text(content % TOKEN)
    with pytest.raises(LoginsError) as raised:
        read_logins(home, RULES)
    told = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    ours = [frame for frame in told.stack if Path(frame.filename) != Path(__file__)]
    assert ours
    assert not any(TOKEN in repr(frame.locals) for frame in ours)
    assert TOKEN not in f"{raised.value!r} {vars(raised.value)}"
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from([*Login.__dataclass_fields__, *row(), "last_status", "last_status_at", "last_error_reset_at"])


@given(st.dictionaries(NAMES, JSON))
def test_whatever_stands_in_a_row_it_is_read_and_no_token_gets_out(values: dict[str, Any]) -> None:
    secrets = {"access_token": TOKEN, "refresh_token": REFRESH, "plugin": {"deep_secret": "made-up-deep-secret"}}
    told = f"{TOKEN} {REFRESH} made-up-deep-secret"
    document: dict[str, object] = {
        "credential_pool": {"p": [values, {**values, **secrets, "last_error_message": told, "label": told, told: told}]}
    }
    found = _logins(AuthFile(document), None, (), RULES)
    assert len(found.rows) == 2
    for secret in told.split():
        assert secret not in repr(found)


# the real package

_ASK: Final = """
import json
import os
import subprocess
from hermes_cli.auth import read_credential_pool
print(json.dumps({provider: [row["id"] for row in rows] for provider, rows in read_credential_pool().items()}))
"""


@pytest.mark.parametrize("version", ["22", "19"])
def test_a_profile_has_the_rows_that_the_real_package_gives_it(home: Home, profile: Home, version: str) -> None:
    interpreter = real(version)
    for folder, rows in (
        (home.path, {"openai-codex": ["r1", "r2"], "anthropic": ["r3"], "nous": ["r4"], "xai-oauth": []}),
        (profile.path, {"anthropic": ["p1"], "nous": [], "custom:own": ["p2"]}),
    ):
        write(folder, credential_pool={provider: [row(name) for name in names] for provider, names in rows.items()})
    environment = {"HERMES_HOME": str(profile.path), "HOME": str(home.path), "PATH": os.defpath}
    run = subprocess.run([str(interpreter), "-c", _ASK], env=environment, capture_output=True, text=True, check=True)
    ours: dict[str, list[str]] = {}
    for login in read_logins(profile, RULES).rows:
        ours.setdefault(login.provider, []).append(login.id)
        assert login.inherited == login.id.startswith("r")
    assert ours == {provider: names for provider, names in json.loads(run.stdout).items() if names}
