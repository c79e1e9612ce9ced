"""Credentials as a person names them."""

import pytest

from hermes_tui.commands.naming import credential_named
from hermes_tui.core.configuration import Configuration, Member, Pool
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.errors import UsageError
from hermes_tui.core.route import ApiMode, Link, Route


def pool(name: str, *labels: str) -> Pool:
    return Pool(name, name, tuple(Member(label, "f" * 12, "account") for label in labels))


CONFIGURATION = Configuration(
    primary=Link(Route("codex", "m", "http://127.0.0.1:1", ApiMode.CHAT_COMPLETIONS, "codex")),
    pools=(pool("codex", "work", "home"), pool("zai", "work", "codex/work")),
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("codex/work", CredentialKey("codex", "work")),
        ("zai/work", CredentialKey("zai", "work")),
        ("home", CredentialKey("codex", "home")),
        ("zai/codex/work", CredentialKey("zai", "codex/work")),
    ],
)
def test_a_whole_name_or_a_label_that_only_one_has_means_it(name: str, key: CredentialKey) -> None:
    assert credential_named(name, CONFIGURATION) == key


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("work", 'several credentials are called "work": write one of codex/work, zai/work'),
        ("hoem", 'there is no credential "hoem"; did you mean "home"? There are: codex/work, codex/home, zai/work, '),
        ("zzzz", 'there is no credential "zzzz". There are: codex/work, '),
    ],
)
def test_any_other_is_answered_with_the_choices(name: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        credential_named(name, CONFIGURATION)
    assert str(refused.value).startswith(sentence)
