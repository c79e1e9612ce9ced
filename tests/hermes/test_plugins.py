"""A plugin's name is put into `config.yaml` and taken out again, and not a letter else is touched."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from hermes_tui.core.errors import ConfigurationError, RefusedError
from hermes_tui.hermes.document import read_document
from hermes_tui.hermes.plugins import settings, with_plugin, without_plugin

NAME = "hermes-tui-bridge"
PATH = Path("config.yaml")
MODEL = "# mine\nmodel:\n  default: gpt-5.5   # the big one\n"

FORMS = {
    "empty": "",
    "nothing of plugins": MODEL,
    "no newline at the end": MODEL.rstrip(),
    "windows": MODEL.replace("\n", "\r\n"),
    "with a mark": "\ufeff" + MODEL,
    "nothing under it": f"plugins:\n{MODEL}",
    "nothing under it, at the end": f"{MODEL}plugins:\n",
    "others": f"plugins:\n  enabled:\n  - one\n  # a remark\n  - two\n{MODEL}",
    "others, set in": f"plugins:\n    enabled:\n        - one\n    disabled: []\n{MODEL}",
    "no list": f"plugins:\n  enabled:\n{MODEL}",
    "an empty list": f"plugins:\n  enabled: []\n  disabled: [three]\n{MODEL}",
    "a short list": f"plugins:\n  disabled: []\n  enabled: [one, 'two']  # mine\n{MODEL}",
    "a list of several lines": f"plugins:\n  enabled: [\n    one,\n    two ]\n{MODEL}",
    "other keys": f"plugins:\n  # first\n  isolation: in_process\n  disabled:\n  - four\n{MODEL}",
    "braces": f"plugins: {{}}\n{MODEL}",
    "braces with a list": f"plugins: {{enabled: [one], isolation: in_process}}\n{MODEL}",
    "braces without one": f"plugins: {{isolation: in_process}}\n{MODEL}",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_name_is_one_more_and_all_else_stays_to_the_letter(form: str) -> None:
    before = FORMS[form].encode()
    after = with_plugin(before, PATH, NAME)
    assert settings(after, PATH).enabled == (NAME, *settings(before, PATH).enabled)
    lines = after.decode().splitlines()
    for line in before.decode().splitlines():
        if NAME not in line and not line.startswith(("plugins: {", "  enabled: [")):
            assert line in lines
    assert with_plugin(after, PATH, NAME) == after


@pytest.mark.parametrize("form", FORMS)
def test_taken_out_again_the_file_says_what_it_said(form: str) -> None:
    before = FORMS[form].encode()
    after = without_plugin(with_plugin(before, PATH, NAME), PATH, NAME)
    assert settings(after, PATH) == settings(before, PATH)
    assert read_document(after, PATH).get("model") == read_document(before, PATH).get("model")
    assert NAME.encode() not in after


@pytest.mark.parametrize("form", ["nothing of plugins", "others", "an empty list", "a short list", "other keys"])
def test_in_the_usual_forms_nothing_at_all_is_left_of_it(form: str) -> None:
    before = FORMS[form].encode()
    assert without_plugin(with_plugin(before, PATH, NAME), PATH, NAME) == before


@pytest.mark.parametrize(
    "text",
    [
        "plugins: all\n",
        "plugins:\n  enabled: one\n",
        "mine: &list [one]\nplugins:\n  enabled: *list\n",
        "{model: gpt-5.5}\n",
        "model: gpt-5.5\n...\n",
    ],
)
def test_a_form_that_cannot_be_changed_surely_is_left_to_the_user(text: str) -> None:
    with pytest.raises(RefusedError, match="hermes plugins enable"):
        with_plugin(text.encode(), PATH, NAME)


def test_what_is_disabled_by_name_is_not_enabled() -> None:
    with pytest.raises(RefusedError, match=r"under plugins\.disabled"):
        with_plugin(f"plugins:\n  disabled:\n  - {NAME}\n".encode(), PATH, NAME)


def test_a_broken_file_is_not_changed() -> None:
    with pytest.raises(ConfigurationError):
        with_plugin(b"plugins: [\n", PATH, NAME)


NAMES = st.lists(st.sampled_from(["one", "two", "three/four", NAME]), unique=True, max_size=4)


@settings_of_hypothesis(max_examples=25)
@given(names=NAMES, flow=st.booleans(), indent=st.integers(0, 4), others=st.booleans())
def test_any_list_gains_and_loses_one_name(names: list[str], flow: bool, indent: int, others: bool) -> None:
    items = f" [{', '.join(names)}]\n" if flow else "\n" + "".join(f"  {' ' * indent}- {name}\n" for name in names)
    text = f"plugins:\n  enabled:{items}" + ("  isolation: host\n" if others else "") + MODEL
    after = with_plugin(text.encode(), PATH, NAME)
    assert set(settings(after, PATH).enabled) == {*names, NAME}
    gone = without_plugin(after, PATH, NAME)
    assert settings(gone, PATH).enabled == tuple(name for name in names if name != NAME)
