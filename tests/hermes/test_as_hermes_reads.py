"""What we read of a configuration is what the real package takes of it."""

import json
import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.core.errors import ConfigurationError
from hermes_tui.hermes.configuration import understood
from hermes_tui.hermes.document import read_document
from hermes_tui.hermes.known import KNOWN, canonical
from hermes_tui.hermes.values import HomeConfiguration
from tests.hermes.configurations import BROKEN, CONFIGURATIONS
from tests.hermes.real import real

SCRIPT = Path(__file__).with_name("as_hermes_reads.py")
PATH = Path("config.yaml")
FORMS_OF_0_22 = {"an alias of the same provider", "both forms of custom providers", "a model within the model"}


Hermes = Callable[[str], Any]
"""What a release makes of all configurations, as `as_hermes_reads` tells it."""


@pytest.fixture(scope="module")
def hermes(tmp_path_factory: pytest.TempPathFactory) -> Hermes:
    @cache
    def ask(version: str) -> Any:
        home = str(tmp_path_factory.mktemp("home"))
        environ = {"PATH": os.defpath, "HOME": home, "HERMES_HOME": home}
        texts = CONFIGURATIONS | {name: text for name, (text, _, _) in BROKEN.items()}
        command = [str(real(version)), str(SCRIPT)]
        done = subprocess.run(
            command, input=json.dumps(texts), capture_output=True, text=True, check=True, env=environ, timeout=120
        )
        return json.loads(done.stdout.splitlines()[-1])

    return ask


def read(text: str) -> HomeConfiguration:
    return understood(read_document(text.encode(), PATH))


@pytest.mark.parametrize("version", ["22", "19"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_chain_is_the_one_that_hermes_makes_up(hermes: Hermes, version: str, name: str) -> None:
    if version == "19" and name in FORMS_OF_0_22:
        pytest.skip("0.19 takes this otherwise: see the tests below")
    ours = read(CONFIGURATIONS[name])
    chain = [[one.provider, one.model, one.base_url] for one in ours.chain if not one.ignored]
    assert chain == hermes(version)["taken"][name]["chain"]


@pytest.mark.parametrize("version", ["22", "19"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_primary_is_the_one_that_hermes_asks_for(hermes: Hermes, version: str, name: str) -> None:
    if version == "19" and name in FORMS_OF_0_22:
        pytest.skip("0.19 takes this otherwise: see the tests below")
    model, provider, base_url = hermes(version)["taken"][name]["primary"]
    primary = read(CONFIGURATIONS[name]).primary
    if not model:
        assert primary is None
    else:
        assert primary is not None
        assert (primary.model, primary.provider, primary.base_url) == (model, provider or "auto", base_url)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_custom_providers_are_those_that_hermes_accepts(hermes: Hermes, name: str) -> None:
    ours = [[one.provider, one.base_url] for one in read(CONFIGURATIONS[name]).custom_providers if not one.ignored]
    assert ours == hermes("22")["taken"][name]["custom"]


def test_an_older_release_keeps_an_entry_under_another_name_of_its_provider(hermes: Hermes) -> None:
    name = "an alias of the same provider"
    ours = read(CONFIGURATIONS[name]).chain
    assert [one.provider for one in ours] == [provider for provider, _, _ in hermes("19")["taken"][name]["chain"]]
    assert [one.provider for one in ours if one.ignored] == ["zen", "moonshot"]


@pytest.mark.parametrize("name", BROKEN)
def test_hermes_cannot_read_either_what_is_called_broken(hermes: Hermes, name: str) -> None:
    with pytest.raises(ConfigurationError):
        read(BROKEN[name][0])
    assert hermes("22")["taken"][name]["reads"] is False


@pytest.mark.parametrize("version", ["22", "19"])
def test_no_provider_of_hermes_own_is_called_unknown(hermes: Hermes, version: str) -> None:
    names = hermes(version)
    assert set(names["known"]) <= KNOWN


def test_other_names_of_a_provider_are_those_of_the_release(hermes: Hermes) -> None:
    aliases = hermes("22")["aliases"]
    assert {alias: canonical(alias) for alias in aliases} == aliases
    assert {name for name in KNOWN if canonical(name) != name} <= set(aliases)
