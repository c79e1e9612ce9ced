"""Keys of a `config.yaml` on the desk: hidden for whoever looks, and back in their place when it is saved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.hermes.masking import yaml_masks

KEY = "kq7Zr2WmXv9TbLp4"


def pieces(text: str) -> bool:
    """Tell whether any piece of six characters of the key stands in `text`."""
    return any(KEY[at : at + 6] in text for at in range(len(KEY) - 5))


@pytest.mark.parametrize(
    "text",
    [
        f"api_key: {KEY}",
        f"  api_key: {KEY}   # work\n  model: m\n",
        f"api_key: {KEY} and more\n",
        f"'api_key': '{KEY}'",
        f'"api_key" : "{KEY}"',
        f"apiKey: {KEY}\r\nmodel: m\r\n",
        f"api: {KEY}\n",
        f"- {{provider: p, api_key: {KEY}, model: m}}",
        f"- {{provider: p, api_key: '{KEY}'}}",
        f"api_keys_of_token: [{KEY}, other]",
        f"api_key: |\n  {KEY}\n  {KEY}\nmodel: m\n",
        f"api_key: >-\n    {KEY}\nmodel: m\n",
        f"api_key:\n    {KEY}\n",
        f'api_key: "one\n  {KEY}"\n',
        f"# api_key: {KEY}",
        f"bot_token: {KEY}",
        f"PASSWORD: {KEY}",
        f"Authorization: Bearer {KEY}",
        f"base_url: https://me:{KEY}@127.0.0.1/v1",
        f"key_env: sk-{KEY}",
        f'api_key: "{KEY}',
        f"api_key: '{KEY}\nmodel: m\n",
    ],
)
def test_a_key_is_hidden_wherever_it_is_written(text: str) -> None:
    masks = yaml_masks()
    hidden = masks.hide(text)
    assert not pieces(hidden)
    assert hidden.count("\n") == text.count("\n")
    assert masks.restore(hidden) == text


@pytest.mark.parametrize(
    "text",
    [
        "api_key: ${GROQ_API_KEY}",
        "api_key: '${env:GROQ_API_KEY}'   # from the environment",
        "api_key: ''",
        "api_key:\n  model: a-longer-name\n",
        "api_key:\nmodel: a-longer-name\n",
        "api: http://127.0.0.1:9/v1",
        "key_env: GROQ_API_KEY",
        "max_tokens: 128000",
        "minimum_tool_context_length: 64000",
        "base_url: https://127.0.0.1/v1",
    ],
)
def test_what_is_no_key_stays(text: str) -> None:
    assert yaml_masks().hide(text) == text


@given(st.text("api_key:\"'\n\r \t#-[]{}|>&*!\\x${}" + KEY[:6], max_size=80))
def test_any_text_comes_back_as_it_was(text: str) -> None:
    masks = yaml_masks()
    assert masks.restore(masks.hide(text)) == text
