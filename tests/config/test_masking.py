"""Keys of the file on the desk: hidden for whoever looks, and back in their place when it is saved."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config.masking import toml_masks
from hermes_tui.core.secret import fingerprint

KEY = "kq7Zr2WmXv9TbLp4"
PLACEHOLDER = f"<kept {fingerprint(KEY)[:4]}>"


def pieces(text: str) -> bool:
    """Tell whether any piece of six characters of the key stands in `text`."""
    return any(KEY[at : at + 6] in text for at in range(len(KEY) - 5))


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{KEY}"',
        f"api_key='{KEY}' # work",
        f'"api_key" = "{KEY}"',
        f'primary.api_key="{KEY}"',
        f'entry = {{ provider = "p", api_key = "{KEY}", model = "m" }}',
        f'api_key = """{KEY}"""',
        f"api_key = '''\n{KEY}'''",
        f'# api_key = "{KEY}"',
        f'    apikey = "{KEY}"',
        f'access_token = "{KEY}"',
        f'password = "{KEY}"',
        f"# Authorization: Bearer {KEY}",
        f"# curl https://127.0.0.1/v1?key={KEY}",
        f'base_url = "https://me:{KEY}@127.0.0.1/v1"',
        f'label = "sk-{KEY}"',
        f"note = 'eyJhbGciOiJI.{KEY}.{KEY}'",
    ],
)
def test_a_key_is_hidden_wherever_it_is_written(line: str) -> None:
    masks = toml_masks()
    hidden = masks.hide(line)
    assert not pieces(hidden)
    assert tomllib.loads(hidden) or line.startswith("#")
    assert masks.restore(hidden) == line


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{KEY}',
        f"api_key = {KEY}",
        f'api_key = ["{KEY}"]',
        f'[[providers.x\napi_key = "{KEY}"',
        f'api_key = """{KEY}',
        f'api_key = "{KEY} ${{NAME}}"',
        f'api_key = "$%{KEY}"',
    ],
)
def test_a_text_that_is_wrong_hides_as_much(line: str) -> None:
    masks = toml_masks()
    hidden = masks.hide(line)
    assert not pieces(hidden)
    assert masks.restore(hidden) == line


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "${GROQ_API_KEY}"',
        'api_key = "${sk_production_key_of_us}"',
        "api_key = 'env:GROQ_API_KEY'",
        'api_key = "file:~/.keys/groq"',
        'api_key = "command:pass groq"',
        'api_key = ""',
        "first_token_timeout_seconds = 120",
        'name = "team-frontend1"',
        "[keys]\nquit = 'q'",
    ],
)
def test_what_is_no_key_is_shown(line: str) -> None:
    assert toml_masks().hide(line) == line


def test_a_key_has_one_placeholder_with_four_digits_of_its_fingerprint() -> None:
    masks = toml_masks()
    hidden = masks.hide(f'api_key = "{KEY}"\n# api_key = "{KEY}"\napi_key = "another"\n')
    assert hidden.count(PLACEHOLDER) == 2
    assert hidden.count("<kept ") == 3


def test_a_placeholder_that_is_copied_means_the_key_and_one_that_is_deleted_is_gone() -> None:
    masks = toml_masks()
    masks.hide(f'api_key = "{KEY}"\n')
    assert masks.restore(f"a = '{PLACEHOLDER}'\nb = '{PLACEHOLDER}'\n") == f"a = '{KEY}'\nb = '{KEY}'\n"
    assert masks.restore("a = ''\n") == "a = ''\n"


def test_two_keys_whose_digits_begin_alike_have_two_placeholders() -> None:
    seen: dict[str, str] = {}
    for number in range(3000):
        twin = seen.setdefault(fingerprint(f"key-{number}")[:4], f"key-{number}")
        if twin != f"key-{number}":
            break
    masks, text = toml_masks(), f'api_key = "{twin}"\napi_key = "key-{number}"\n'
    hidden = masks.hide(text)
    one, other = hidden.splitlines()
    assert one != other
    assert masks.restore(hidden) == text


def test_what_looks_like_a_placeholder_in_the_file_stays_what_it_is() -> None:
    masks, text = toml_masks(), f'# {PLACEHOLDER}\napi_key = "{KEY}"\n'
    hidden = masks.hide(text)
    assert not pieces(hidden)
    assert masks.restore(hidden) == text
    assert list(masks.strangers(hidden)) == []


def test_a_placeholder_that_stands_for_nothing_is_a_stranger_with_its_line() -> None:
    assert list(toml_masks().strangers('\n\napi_key = "<kept beef>"\n')) == [("<kept beef>", 3)]


words = st.text("api_key=\"#\n'<kept a91f>[]{}, sk-abcdefghijklm${X}\\é", max_size=60)


@given(
    text=st.lists(words | st.sampled_from((f'api_key = "{KEY}"', PLACEHOLDER, f"sk-{KEY}")), max_size=8).map("".join)
)
def test_whatever_the_text_it_comes_back_as_it_was(text: str) -> None:
    masks = toml_masks()
    hidden = masks.hide(text)
    assert masks.restore(hidden) == text
    assert hidden.count("\n") == text.count("\n")
    assert list(masks.strangers(hidden)) == []
