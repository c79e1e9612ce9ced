import os
from dataclasses import fields
from pathlib import Path

import pytest

from hermes_tui.config import schema
from hermes_tui.config.load import LARGEST, load
from hermes_tui.config.problems import InvalidFileError, MissingFileError
from hermes_tui.core.configuration import OnRefusal, Policy, RestoreMode, Settings, Strategy
from hermes_tui.core.errors import ConfigurationError
from hermes_tui.core.keymap import Keymap
from hermes_tui.core.telling import Occasion, Telling

from .conftest import NOW, LoadText

GOOD = """\
[primary]
provider = "openai-codex"
model = "gpt-5.5"

[[fallback_providers]]
provider = "backup"
model = "small"
context_length = 200000

[providers.openai-codex]
base_url = "http://127.0.0.1:8799/backend-api/codex"
[[providers.openai-codex.credentials]]
label = "work"
api_key = "${CODEX_TOKEN}"

[providers.backup]
base_url = "http://127.0.0.1:8799/v1"
api_mode = "chat_completions"
request_timeout_seconds = 120
[[providers.backup.credentials]]
label = "spare"
api_key = "env:BACKUP_KEY"

[credential_pool_strategies]
backup = "round_robin"

[runtime]
policy = "throttled"
restore = "sticky"
on_refusal = "fallback"
max_retries = 5
backoff_cap_seconds = 60

[[sessions]]
name = "nightly-docs"
prompt = "Summarise."
every = "1h30m"

[screen]
glyphs = "ascii"
motion = "none"
updates_per_second = 2
[keys]
probe = "ctrl+y"
"""
ENVIRON = {"CODEX_TOKEN": "codex-token-of-work", "BACKUP_KEY": "backup-key-of-spare"}


def rejected(load_text: LoadText, text: str) -> InvalidFileError:
    with pytest.raises(InvalidFileError) as caught:
        load_text(text)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    assert str(error.path) in str(error)
    return error


def test_the_skeleton_of_a_configuration_is_read_whole(load_text: LoadText, path: Path) -> None:
    loaded = load_text(GOOD, ENVIRON)
    configuration = loaded.configuration
    assert configuration.primary.fault is None
    assert str(configuration.primary.route) == "openai-codex/gpt-5.5"
    assert configuration.chain[0].route.context_length == 200000
    backup = configuration.pool("backup")
    assert backup is not None
    assert (backup.strategy, backup.request_timeout_seconds) == (Strategy.ROUND_ROBIN, 120)
    assert configuration.settings == Settings(
        policy=Policy.THROTTLED,
        restore=RestoreMode.STICKY,
        on_refusal=OnRefusal.FALLBACK,
        max_retries=5,
        backoff_cap_seconds=60,
    )
    assert configuration.sessions[0].every_seconds == 5400
    assert (configuration.origin, configuration.loaded_at, configuration.warnings) == (str(path), NOW, ())
    assert (loaded.screen.glyphs, loaded.screen.motion, loaded.screen.updates_per_second) == ("ascii", "none", 2)
    assert configuration.keymap == Keymap((("probe", ("ctrl+y",)),))


@pytest.mark.parametrize(
    ("table", "on"),
    [("", {Occasion.ASKS}), ("[tell]\nremind = '12h'", {Occasion.ASKS}), ("[tell]\non = ['dead']", set())],
)
def test_unless_a_means_is_named_the_bell_rings_for_a_question_alone(
    load_text: LoadText, table: str, on: set[Occasion]
) -> None:
    assert load_text(PRIMARY + table).telling == Telling(bell=True, on=frozenset(on))


def test_of_everything_is_told_where_a_means_is_named_and_of_nothing_where_it_is_refused(load_text: LoadText) -> None:
    every = frozenset(Occasion)
    assert load_text(PRIMARY + "[tell]\nbell = false").telling == Telling(on=every)
    some = load_text(PRIMARY + "[tell]\nbell = true\ncommand = ['say', '-v']\non = ['dead', 'dead']").telling
    assert some == Telling(bell=True, command=("say", "-v"), on=frozenset({Occasion.DEAD}))
    assert load_text(PRIMARY + "[tell]\ndesktop = true\nremind = '12h'").telling.remind_seconds == 12 * 3600


def test_the_digest_follows_the_bytes(load_text: LoadText) -> None:
    first, again, other = load_text(GOOD), load_text(GOOD), load_text(GOOD + "#\n")
    assert first.digest == again.digest != other.digest


def test_the_runtime_table_has_all_settings_and_their_defaults() -> None:
    assert set(schema.Runtime.model_fields) == {each.name for each in fields(Settings)}
    assert Settings(**{name: getattr(schema.Runtime(), name) for name in schema.Runtime.model_fields}) == Settings()


PRIMARY = '[primary]\nprovider = "groq"\nmodel = "m"\n'


@pytest.mark.parametrize(
    ("text", "line", "key", "remedy"),
    [
        ("", None, None, "write a [primary] table with provider and model"),
        ("# nothing\n", None, "primary", "write a [primary] table with provider and model"),
        ('[primry]\nprovider = "x"\n', None, "primary", 'is "primry" meant to be it?'),
        ("a = 1\nb = = 2\n", 2, None, "at column 5: correct it here"),
        ("\n[primary]\nmodel = [1,\n", 3, None, "is a quote or bracket open?"),
        ("a = " + "9" * 5000, None, None, "too many digits"),
        ("a = " + "[" * 5000 + "]" * 5000, None, None, "write them flat"),
        (PRIMARY + "context_length = '9'", 4, "primary.context_length", "a whole number without quotes"),
        (PRIMARY + "context_length = 0", 4, "primary.context_length", "must be greater than 0"),
        (PRIMARY + "[runtime]\npolicy = 'adaptiv'", 5, "runtime.policy", 'did you mean "adaptive"?'),
        (PRIMARY + "[runtime]\nmax_retries = true", 5, "runtime.max_retries", "a whole number"),
        (PRIMARY + "[runtime]\nidle_timeout_seconds = inf", 5, "runtime.idle_timeout_seconds", "must be a finite"),
        (PRIMARY + "[runtime]\nprobe_interval_seconds = 0.5", 5, "runtime.probe_interval_seconds", "at least 1"),
        (PRIMARY + "[runtime]\nbackoff_base_seconds = 200", 5, "runtime.backoff_base_seconds", "make it smaller"),
        (PRIMARY + "[[sessions]]\nprompt = 'p'", 4, "sessions[1].name", "write name = …"),
        (PRIMARY + "[[sessions]]\nname = 'p'\nevery = 15", 6, "sessions[1].every", '"15m"'),
        (PRIMARY + "[[sessions]]\nname = 'p'\nevery = '15m'", 6, "sessions[1].every", "add prompt"),
        (PRIMARY + "[[sessions]]\nname = 'p'\n[[sessions]]\nname = 'p'", 7, "sessions[2].name", "its own name"),
        (PRIMARY + "[[sessions]]\nname = '  '", 5, "sessions[1].name", "must not be blank"),
        (PRIMARY + "base_url = 'ftp://x'", 4, "primary.base_url", "such as https://api.example.com/v1"),
        (PRIMARY + "base_url = 'https://u:p@x/v1'", 4, "primary.base_url", "put the key into api_key"),
        (PRIMARY + "base_url = 'https://x/v1?key=1'", 4, "primary.base_url", "take out what follows ?"),
        (PRIMARY + "base_url = 'https://x/v1?api-version=1&sk-1'", 4, "primary.base_url", "take out what follows ?"),
        (PRIMARY + "base_url = 'https://x:99999/'", 4, "primary.base_url", "http or https address"),
        (PRIMARY + "[screen]\nglyphs = 'asci'", 5, "screen.glyphs", 'did you mean "ascii"?'),
        (PRIMARY + "[tell]\nbell = 'yes'", 5, "tell.bell", "must be true or false"),
        (PRIMARY + "[tell]\ncommand = 'notify-send'", 5, "tell.command", "must be a list, the program first"),
        (PRIMARY + "[tell]\ncommand = ['x', 1]", 5, "tell.command[2]", "must be text in quotes"),
        (PRIMARY + "[tell]\ncommand = ['']", 5, "tell.command[1]", "must be a word of the command"),
        (PRIMARY + "[tell]\nremind = '30s'", 5, "tell.remind", "must be a duration of at least a minute"),
        (PRIMARY + "[tell]\nremind = 12", 5, "tell.remind", "must be a duration of at least a second"),
        (PRIMARY + "[tell]\non = ['restord']", 5, "tell.on[1]", 'did you mean "restored"?'),
        (PRIMARY + "[tell]\non = 'dead'", 5, "tell.on", "must be a list"),
        (PRIMARY + "[providers]\nx = 1", 5, "providers.x", "must be a table"),
    ],
)
def test_each_mistake_is_named_with_line_key_and_remedy(
    load_text: LoadText, text: str, line: int | None, key: str | None, remedy: str
) -> None:
    error = rejected(load_text, text)
    assert (error.line, error.key) == (line, key)
    assert remedy in error.what


@pytest.mark.parametrize(
    ("chain", "remedy"),
    [
        ("""fallback_providers = '[{"provider":"p","model":"m"}]'\n""", "take the quotes away"),
        ('[fallback_providers]\nprovider = "p"\n', "with two brackets, [[fallback_providers]]"),
    ],
)
def test_c114_a_chain_that_is_no_list_is_a_loud_error(load_text: LoadText, chain: str, remedy: str) -> None:
    error = rejected(load_text, chain + PRIMARY)
    assert (error.line, error.key) == (1, "fallback_providers")
    assert remedy in error.what


def test_all_mistakes_of_a_file_are_reported_in_line_order(load_text: LoadText) -> None:
    error = rejected(load_text, PRIMARY + "context_length = 'x'\n[runtime]\nrestore = 1\npolicy = 'p'\n")
    assert [error.line, *(other.line for other in error.also)] == [4, 6, 7]
    assert all(str(error.path) in str(other) for other in error.also)


def test_two_credentials_of_a_pool_need_two_labels(load_text: LoadText) -> None:
    credential = "[[providers.groq.credentials]]\nlabel = 'a'\napi_key = '${A}'\n"
    error = rejected(load_text, PRIMARY + credential + credential)
    assert (error.line, error.key) == (8, "providers.groq.credentials[2].label")
    assert "its own label" in error.what


def test_an_unknown_key_is_a_warning_with_line_and_nearest_name(load_text: LoadText) -> None:
    loaded = load_text(PRIMARY + "modle = 'x'\n[runtimes]\na = 1\n[runtime]\nqqqqq = 1\n")
    assert loaded.configuration.warnings == (
        'line 5: "runtimes" is unknown and has no effect; did you mean "runtime"?',
        'line 4: "primary.modle" is unknown and has no effect; did you mean "model"?',
        'line 8: "runtime.qqqqq" is unknown and has no effect',
    )


def test_a_byte_order_mark_is_no_mistake(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + PRIMARY.encode())
    assert load(path, environ={}, now=NOW).configuration.primary.route.model == "m"


def test_bytes_that_are_not_utf_8_are_named_by_line(path: Path) -> None:
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(InvalidFileError, match=r"line 2: .*save the file as UTF-8") as caught:
        load(path, environ={}, now=NOW)
    assert caught.value.__context__ is None


def test_a_missing_file_is_an_error_of_its_own(path: Path) -> None:
    with pytest.raises(MissingFileError, match="`hermes-tui init` writes one, --config names another"):
        load(path, environ={}, now=NOW)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="name the file in it"):
        load(tmp_path, environ={}, now=NOW)


def test_a_pipe_is_refused_without_waiting_for_it(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(ConfigurationError, match="not a regular file"):
        load(path, environ={}, now=NOW)


def test_a_huge_file_is_refused(path: Path) -> None:
    path.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(ConfigurationError, match="larger than 1 MiB"):
        load(path, environ={}, now=NOW)


def test_a_file_without_permission_says_so(unprivileged: Path) -> None:
    path = unprivileged / "hermes-tui.toml"
    path.write_text(PRIMARY)
    path.chmod(0)
    with pytest.raises(ConfigurationError, match=r"Permission denied.*check its permissions"):
        load(path, environ={}, now=NOW)


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_a_path_that_no_system_takes_is_a_clear_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load(tmp_path / name, environ={}, now=NOW)


def test_control_codes_in_names_do_not_reach_the_configuration(load_text: LoadText) -> None:
    loaded = load_text(PRIMARY + '[[sessions]]\nname = "a\\u001b[31mb\\u202e"\n')
    assert loaded.configuration.sessions[0].name == "a␛[31mb\ufffd"


def test_an_address_may_ask_for_its_version_and_for_nothing_else(load_text: LoadText) -> None:
    url = "https://mine.openai.azure.com/openai/deployments/d?api-version=2024-10-21"
    text = f'{PRIMARY}base_url = "{url}"\napi_key = "env:K"\n'
    assert load_text(text, {"K": "key-of-somebody"}).configuration.primary.route.base_url == url
