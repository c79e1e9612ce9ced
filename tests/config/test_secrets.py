import pickle
import traceback
from pathlib import Path

import pytest

from hermes_tui.config.problems import InvalidFileError
from hermes_tui.config.secrets import Kind, Sources, fetch, reference
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.secret import Secret
from hermes_tui.core.text import MESSAGE_LIMIT

from .conftest import NOW, LoadText

KEY = "kq7Zr2WmXv9TbLp4"
PRIMARY = '[primary]\nprovider = "groq"\nmodel = "m"\n'


def leaks(text: str) -> bool:
    """Tell whether any piece of eight characters of the key stands in `text` (C121)."""
    return any(KEY[at : at + 8] in text for at in range(len(KEY) - 7))


def found(value: str, folder: Path, **environ: str) -> str:
    secret = fetch(reference(value), Sources.of(environ, folder, NOW))
    return secret.reveal() if isinstance(secret, Secret) else f"fault: {secret}"


@pytest.mark.parametrize("form", ["${NAME}", "env:NAME"])
def test_a_variable_is_read_from_the_environment(form: str, tmp_path: Path) -> None:
    assert found(form, tmp_path, NAME=KEY) == KEY
    assert found(form, tmp_path) == found(form, tmp_path, NAME=" ") == "fault: NAME is not set"


def test_a_key_file_is_relative_to_the_configuration_and_loses_its_last_newline(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY + "\r\n")
    assert found("file:key", tmp_path) == KEY


def test_the_home_directory_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "key").write_text(KEY)
    assert found("file:~/key", tmp_path / "elsewhere") == KEY


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "file:key cannot be read: No such file or directory"),
        (b"", "file:key is empty"),
        (b"one\ntwo", "file:key is no key: it must be one line of ASCII characters without spaces"),
        (b"\xff", "file:key is no key: it must be one line of ASCII characters without spaces"),
        (b"x" * 70_000, "file:key is too large for a key"),
    ],
)
def test_a_key_file_that_holds_no_key_is_a_fault(tmp_path: Path, content: bytes | None, fault: str) -> None:
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    assert found("file:key", tmp_path) == f"fault: {fault}"


def test_a_folder_is_no_key_file(tmp_path: Path) -> None:
    assert found("file:.", tmp_path) == "fault: file:. is not a regular file"


@pytest.mark.parametrize("value", ["", " ", "${}", "${A B}", "env:", "env:1", "file:", f"$%{KEY}", f"x${{{KEY}}}", 5])
def test_a_reference_that_is_written_wrong_is_refused_without_showing_it(value: object) -> None:
    with pytest.raises(ValueError, match="must") as caught:
        reference(value)
    assert not leaks(str(caught.value))


def test_a_literal_key_works_and_is_warned_about_without_being_shown(load_text: LoadText) -> None:
    loaded = load_text(PRIMARY + f'[[providers.groq.credentials]]\nlabel = "a"\napi_key = "{KEY}"\n')
    secret = loaded.keyring.secret(CredentialKey("groq", "a"))
    assert secret is not None
    assert secret.reveal() == KEY
    (warning,) = loaded.configuration.warnings
    assert warning.startswith('line 6: "providers.groq.credentials[1].api_key" holds the key itself')
    assert warning.endswith('put it into an environment variable and write "${NAME}"')
    assert not leaks(warning)


def test_c121_a_loaded_configuration_prints_no_secret(load_text: LoadText) -> None:
    text = PRIMARY + f'api_key = "{KEY}"\napi_kye = "{KEY}"\n[providers.groq]\napi_key = "${{GROQ}}"\n'
    loaded = load_text(text, {"GROQ": KEY})
    for printed in (repr(loaded), str(loaded), f"{loaded.keyring}", repr(loaded.configuration)):
        assert not leaks(printed)
    assert KEY.encode() not in pickle.dumps(loaded.configuration)
    assert reference(KEY).kind is Kind.LITERAL
    assert not leaks(repr(reference(KEY)))


@pytest.mark.parametrize(
    "text",
    [
        f'[primary]\napi_key = ["{KEY}"]\n',
        f'[primary]\napi_key = "{KEY} ${{X}}"\n',
        f'[primary]\nprovider = ["{KEY}"]\nmodel = {{ a = "{KEY}" }}\n',
        f'[primary]\nbase_url = "https://x/{KEY}?key={KEY}"\n',
        f'[primary]\nbase_url = "https://{KEY}@x/"\n',
        f'[primary]\napi_key = "{KEY}\n',
        f'[primary]\n[[providers.x.credentials]]\nlabel = "a"\nkey = "{KEY}"\n',
        f'fallback_providers = "{KEY}"\n[runtime]\npolicy = "{KEY}"\n[screen]\nmotion = "{KEY}"\n',
        f'primary = "{KEY}"\n[[sessions]]\nname = "a"\nevery = "{KEY}"\n',
    ],
)
def test_c121_no_error_holds_a_value_of_the_file(load_text: LoadText, text: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        load_text(text)
    error = caught.value
    printed = "".join(traceback.format_exception(error))
    assert not leaks(printed + repr(error) + "".join(map(str, error.also)))
    assert error.__context__ is None


def test_the_keyring_takes_known_secrets_out_of_foreign_text(load_text: LoadText) -> None:
    keyring = load_text(PRIMARY, {"GROQ_API_KEY": KEY}).keyring
    cleaned = keyring.redact(f"Incorrect key: {KEY}\x1b[31m\n" + "x" * MESSAGE_LIMIT)
    assert not leaks(cleaned)
    assert "\x1b" not in cleaned
    assert cleaned.startswith("Incorrect key: <secret ")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('"sk-live-0123456789"', "stands in quotes: take them away"),
        ("'sk-live-0123456789'", "stands in quotes: take them away"),
        ("Bearer sk-live-0123456789", 'begins with "Bearer": give the key alone'),
        ("${OTHER_KEY}", "names a variable that nothing was put in for"),
        ("$OTHER_KEY", "names a variable that nothing was put in for"),
        ("your-api-key", "is the placeholder of an example"),
        ("YOUR_API_KEY_HERE", "is the placeholder of an example"),
        ("sk-your-key", "is the placeholder of an example"),
        ("YOURAPIKEY", "is the placeholder of an example"),
        ("<your key>", "is the placeholder of an example"),
        ("sk-...", "is the placeholder of an example"),
        ("sk-xxxxxxxxxxxxxxxx", "is the placeholder of an example"),
        ("****************", "is the placeholder of an example"),
        ("changeme", "is the placeholder of an example"),
        ("replace_with_key", "is the placeholder of an example"),
    ],
)
def test_c116_what_stands_in_a_keys_place_by_mistake_is_told_and_never_sent(
    load_text: LoadText, value: str, words: str
) -> None:
    loaded = load_text(f"{PRIMARY}[[providers.groq.credentials]]\nlabel = 'a'\napi_key = '${{K}}'\n", {"K": value})
    pool = loaded.configuration.pool("groq")
    assert pool is not None
    fault = pool.members[0].fault or ""
    assert fault.startswith(f"K {words}")
    assert loaded.keyring.secret(CredentialKey("groq", "a")) is None


@pytest.mark.parametrize(
    "value", ["dummy", "EMPTY", "none", "sk-no-key-required", "my-master-key", "a$b", "x7xxx9", "yours"]
)
def test_what_a_local_server_takes_for_a_key_is_one(load_text: LoadText, value: str) -> None:
    loaded = load_text(f"{PRIMARY}[[providers.groq.credentials]]\nlabel = 'a'\napi_key = '${{K}}'\n", {"K": value})
    assert loaded.keyring.secret(CredentialKey("groq", "a")) is not None


@pytest.mark.parametrize(
    ("url", "key", "fault"),
    [
        (
            "https://api.openai.com/v1",
            "sk-ant-api03-0123456789",
            "the key is one of Anthropic's, so it is not sent to OpenAI",
        ),
        (
            "https://api.groq.com/openai/v1",
            "sk-or-v1-0123456789",
            "the key is one of OpenRouter's, so it is not sent to Groq",
        ),
        ("https://api.anthropic.com/v1", "sk-ant-api03-0123456789", None),
        ("https://gateway.example/v1", "sk-ant-api03-0123456789", None),
        ("http://127.0.0.1:9/v1", "gsk_0123456789", None),
        ("https://api.openai.com/v1", "sk-proj-0123456789", None),
    ],
)
@pytest.mark.parametrize("own", [False, True], ids=["in the pool", "of the entry"])
def test_c80_a_key_of_another_vendor_is_not_sent(
    load_text: LoadText, url: str, key: str, fault: str | None, own: bool
) -> None:
    route = '[[fallback_providers]]\nprovider = "work"\nmodel = "m"\n'
    where = f'base_url = "{url}"\napi_key = "env:K"\n'
    text = PRIMARY + route + (where if own else f"[providers.work]\n{where}")
    configuration = load_text(text, {"K": key}).configuration
    pool = configuration.pool(configuration.chain[0].route.pool)
    assert pool is not None
    assert [member.fault for member in pool.members] == [fault]
