"""The first configuration: it loads as it stands and with every setting taken out of its comment."""

import re
import resource
import stat
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.config import schema
from hermes_tui.config.initial import EXAMPLE, found_variables, initial_text, write_new
from hermes_tui.core.configuration import Configuration, Settings
from hermes_tui.core.errors import ConfigurationError, UsageError
from hermes_tui.core.keymap import DEFAULT
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.telling import UNLESS_CHOSEN, Telling
from hermes_tui.tui.themes import THEMES
from tests.config.conftest import LoadText

KEY = "sk-a-key-that-nobody-may-see"
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "nothing": {},
    "one key": {"GROQ_API_KEY": KEY},
    "several": {"OPENROUTER_API_KEY": KEY, "GLM_API_KEY": KEY, "CODEX_TOKEN": KEY, "XAI_API_KEY": "  "},
}


def uncommented(text: str) -> str:
    """Return the text with every setting in force that a `#` keeps out of it."""
    return re.sub(r"(?m)^#(?=[^ \n])", "", text)


def routes(configuration: Configuration) -> list[str]:
    """Return the primary and the chain by name."""
    return [str(link.route) for link in (configuration.primary, *configuration.chain)]


@pytest.mark.parametrize("environ", ENVIRONMENTS.values(), ids=list(ENVIRONMENTS))
def test_it_loads_without_an_error_or_a_warning(load_text: LoadText, environ: dict[str, str]) -> None:
    configuration = load_text(initial_text(environ), environ).configuration
    assert configuration.warnings == ()
    assert [plan.name for plan in configuration.sessions] == ["main"]
    assert all(link.fault is None for link in (configuration.primary, *configuration.chain))
    assert configuration.settings == Settings()


@pytest.mark.parametrize("environ", ENVIRONMENTS.values(), ids=list(ENVIRONMENTS))
def test_it_loads_with_every_setting_in_force_and_those_are_the_defaults(
    load_text: LoadText, environ: dict[str, str]
) -> None:
    text = initial_text(environ)
    as_it_stands, all_of_it = (
        load_text(text, environ).configuration,
        load_text(uncommented(text), environ).configuration,
    )
    assert all_of_it.warnings == ()
    assert tomllib.loads(uncommented(text))["runtime"].keys() == {field.name for field in fields(Settings)}
    assert all_of_it.settings == as_it_stands.settings
    assert all_of_it.primary == as_it_stands.primary
    assert load_text(text, environ).telling == UNLESS_CHOSEN
    assert load_text(uncommented(text), environ).telling == Telling(
        command=("notify-send", "hermes-tui"), remind_seconds=12 * 3600.0
    )
    pools = {pool.name: pool for pool in all_of_it.pools}
    for pool in as_it_stands.pools:
        same = pools[pool.name]
        assert (same.strategy, same.request_timeout_seconds) == (pool.strategy, pool.request_timeout_seconds)
        assert [member.label for member in same.members] == ["main", "second"]


def test_any_single_setting_can_be_put_in_force(load_text: LoadText) -> None:
    lines = initial_text({}).splitlines(keepends=True)
    alone = list(settings_of_tables_in_force(lines))
    assert len(alone) > len(fields(Settings))
    for at in alone:
        changed = [*lines[:at], lines[at].removeprefix("#"), *lines[at + 1 :]]
        assert load_text("".join(changed)).configuration.warnings == (), lines[at]


def settings_of_tables_in_force(lines: list[str]) -> Iterator[int]:
    """Yield the numbers of the lines that are settings of a table which is in force."""
    in_force = True
    for at, line in enumerate(lines):
        if line == "\n" or line.startswith("["):
            in_force = True
        elif line.startswith("#["):
            in_force = False
        elif in_force and re.match(r"#[a-z]", line):
            yield at


def test_every_table_of_the_file_is_explained() -> None:
    text = initial_text({})
    assert [name for name in schema.File.model_fields if name not in text] == []


def test_the_examples_name_what_the_dashboard_knows() -> None:
    document = tomllib.loads(uncommented(initial_text({})))
    assert document["screen"]["theme"] in {theme.name for theme in THEMES}
    assert document["keys"].keys() <= DEFAULT.keys()


def test_a_line_fits_and_explains_or_sets() -> None:
    for line in initial_text(ENVIRONMENTS["several"]).splitlines():
        assert len(line) <= 120
        assert re.match(r"$|# |#$|#?\[|#?[a-z_-]+ = ", line), line


def test_providers_whose_key_is_set_come_first_by_their_variables_name_never_by_its_value(load_text: LoadText) -> None:
    environ = ENVIRONMENTS["several"]
    text = initial_text(environ)
    assert KEY not in text
    assert found_variables(environ) == {
        "openai-codex": "CODEX_TOKEN",
        "openrouter": "OPENROUTER_API_KEY",
        "zai": "GLM_API_KEY",
    }
    configuration = load_text(text, environ).configuration
    assert [name.partition("/")[0] for name in routes(configuration)] == ["openai-codex", "openrouter", "zai"]
    assert [member.fault for pool in configuration.pools for member in pool.members] == [None, None, None]


def test_with_no_key_at_all_an_example_stands_in_that_says_what_it_lacks(load_text: LoadText) -> None:
    configuration = load_text(initial_text({})).configuration
    assert tuple(name.partition("/")[0] for name in routes(configuration)) == EXAMPLE
    faults = [member.fault for pool in configuration.pools for member in pool.members]
    assert faults == ["CODEX_TOKEN is not set", "OPENROUTER_API_KEY is not set"]


def test_what_the_user_names_is_taken(load_text: LoadText) -> None:
    text = initial_text({}, provider="groq", model='a "model"', fallbacks=("openrouter/z-ai/glm-5", "ollama/small"))
    configuration = load_text(text).configuration
    assert routes(configuration) == ['groq/a "model"', "openrouter/z-ai/glm-5", "ollama/small"]
    assert routes(load_text(initial_text({}, provider="ollama")).configuration) == ["ollama/llama3.2"]


@pytest.mark.parametrize("provider", list(KNOWN_PROVIDERS))
def test_every_known_provider_can_be_the_primary(load_text: LoadText, provider: str) -> None:
    text = initial_text({}, provider=provider)
    for each, filled_in in ((text, False), (uncommented(text), True)):
        configuration = load_text(each).configuration
        lacks_address = not filled_in and not KNOWN_PROVIDERS[provider].base_url
        assert configuration.primary.route.provider == provider
        assert ("no base_url: write base_url" in (configuration.primary.fault or "")) == lacks_address
        assert (configuration.primary.fault is None) != lacks_address
        assert configuration.warnings == ()


def test_an_address_that_every_customer_has_another_of_is_asked_for(load_text: LoadText, path: Path) -> None:
    text = initial_text({"AZURE_OPENAI_API_KEY": KEY})
    assert "# Every customer has another address: write yours as base_url.\n" in text
    fault = load_text(text).configuration.primary.fault
    example = KNOWN_PROVIDERS["azure"].example_url
    assert fault == (
        f'no base_url: write base_url = … under [providers.azure], as in "{example}" (hermes-tui.toml, line 7)'
    )
    mine = text.replace("[providers.azure]\n#base_url", "[providers.azure]\nbase_url").replace("my-resource", "mine")
    route = load_text(mine).configuration.primary.route
    assert route.base_url == "https://mine.openai.azure.com/openai/v1"


def test_a_key_that_is_optional_is_named_only_where_it_is_set(load_text: LoadText) -> None:
    without, with_key = initial_text({}, provider="litellm"), initial_text({"LITELLM_MASTER_KEY": KEY})
    for text, label in ((without, "local"), (with_key, "main")):
        pool = load_text(text, {"LITELLM_MASTER_KEY": KEY} if label == "main" else {}).configuration.pool("litellm")
        assert pool is not None
        assert [(member.label, member.fault) for member in pool.members] == [(label, None)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"provider": "openruter"}, 'did you mean "openrouter"?'),
        ({"provider": "acme"}, "[providers.NAME] with its base_url"),
        ({"fallbacks": ("groq",)}, "write provider/model"),
        ({"fallbacks": ("/model",)}, "write provider/model"),
        ({"fallbacks": ("acme/model",)}, 'provider "acme" is not known'),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        initial_text({}, **options)


def test_the_file_is_its_owners_alone_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "hermes-tui.toml"
    write_new(path, "text é\n")
    assert path.read_bytes() == "text é\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def there_is_a_file(path: Path) -> None:
    path.write_text("mine")


def there_is_a_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def there_is_a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [there_is_a_file, there_is_a_dangling_link, there_is_a_folder])
def test_whatever_is_there_is_never_overwritten(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    before = path.lstat()
    with pytest.raises(
        ConfigurationError, match=r"is there already, .* `hermes-tui check` .* `hermes-tui fallback add`"
    ):
        write_new(path, "other")
    assert (path.lstat().st_ino, path.lstat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not path.with_name("nowhere").exists()


def test_a_file_that_cannot_grow_is_not_left_half(path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, limits[1]))
    try:
        with pytest.raises(ConfigurationError, match=r"cannot be written \(File too large\)"):
            write_new(path, "text")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not path.exists()


def test_a_place_where_nothing_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="name another place with --config"):
        write_new(tmp_path / "file" / "hermes-tui.toml", "text")
