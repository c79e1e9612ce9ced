"""The README names what there is."""

import re
from pathlib import Path

from hermes_tui.core.keymap import BACK, DEFAULT
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.route import ApiMode

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_every_known_provider_and_api_mode_is_named() -> None:
    named = set(re.findall(r"[a-z]+(?:[-_][a-z]+)*", README))
    assert {*KNOWN_PROVIDERS, *map(str, ApiMode)} - named == set()


def test_every_action_that_can_get_other_keys_is_named() -> None:
    assert set(DEFAULT) - {BACK} - set(re.findall(r"`([a-z_]+)`", README)) == set()
