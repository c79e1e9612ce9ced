"""A token goes where Hermes itself sends it, and nowhere on a guess."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from hermes_tui.core.errors import RefusedError
from hermes_tui.hermes.configuration import understood
from hermes_tui.hermes.document import read_document
from hermes_tui.hermes.endpoint import CANONICAL, VARIABLE, endpoint_of
from hermes_tui.hermes.values import Home, Release
from hermes_tui.providers.usage import usage_url
from tests.hermes.made import BENCHED, FIXED, OLD, reading
from tests.hermes.real import real

GATEWAY: Final = "https://gateway.example/v1/codex"
BACKEND: Final = "https://proxy.example/backend-api/codex"
CODEX: Final = "model:\n  default: gpt-5.5\n  provider: openai-codex\n"
CASES: Final[Mapping[str, dict[str, Any]]] = {
    "nothing but the row": {"env": "", "config": CODEX, "row": CANONICAL},
    "a row that names no address": {"env": "", "config": CODEX, "row": ""},
    "the row's own gateway": {"env": "", "config": CODEX, "row": BACKEND},
    "the file's address, for a row without one of its own": {
        "env": "",
        "config": f"{CODEX}  base_url: {BACKEND}/\n",
        "row": CANONICAL,
    },
    "the file's address, and a row with its own": {
        "env": "",
        "config": f"{CODEX}  base_url: {BACKEND}\n",
        "row": "https://own.example/backend-api/codex",
    },
    "an address that belongs to another provider": {
        "env": "",
        "config": f"model:\n  default: small\n  provider: custom\n  base_url: {GATEWAY}\n",
        "row": CANONICAL,
    },
    "the variable before all": {
        "env": f"OTHER=1\n{VARIABLE}={BACKEND}/\n",
        "config": f"{CODEX}  base_url: {GATEWAY}\n",
        "row": "https://own.example/backend-api/codex",
    },
    "the last of two lines, quoted, exported and remarked upon": {
        "env": f'{VARIABLE}=https://first.example\n export {VARIABLE} = "{BACKEND}" # the proxy\n# {VARIABLE}=none\n',
        "config": CODEX,
        "row": CANONICAL,
    },
    "the variable of the shell": {
        "env": "",
        "config": CODEX,
        "row": CANONICAL,
        "environ": {VARIABLE: BACKEND},
    },
    "the variable of the file over that of the shell": {
        "env": f"{VARIABLE}='{BACKEND}'\n",
        "config": CODEX,
        "row": CANONICAL,
        "environ": {VARIABLE: "https://shell.example"},
    },
    "an empty variable": {"env": f"{VARIABLE}=\n", "config": CODEX, "row": BACKEND},
}


def asked_at(case: Mapping[str, Any], folder: Path, release: Release | None = FIXED) -> str:
    """Return where this program asks in the home of a case."""
    (folder / ".env").write_text(case["env"])
    file = understood(read_document(case["config"].encode(), folder / "config.yaml"))
    read = replace(reading(BENCHED, release=release), home=Home(folder, folder), configuration=file)
    return endpoint_of(replace(BENCHED, base_url=case["row"]), read, case.get("environ", {}))


@pytest.fixture(scope="module")
def hermes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what the real package does."""
    home = str(tmp_path_factory.mktemp("home"))
    environ = {"PATH": os.defpath, "HOME": home, "HERMES_HOME": home}
    command = [str(real("22")), str(Path(__file__).with_name("as_hermes_asks.py"))]
    cases = json.dumps(list(CASES.values()))
    done = subprocess.run(command, env=environ, input=cases, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_is_asked_where_the_real_package_asks(hermes: Any, tmp_path: Path) -> None:
    assert {name: usage_url(asked_at(case, tmp_path)) for name, case in CASES.items()} == dict(
        zip(CASES, hermes["asks_at"], strict=True)
    )


def test_c95_the_real_package_renews_an_expired_token_where_it_can(hermes: Any) -> None:
    assert hermes["renews"] == [True, False]


def test_an_older_hermes_goes_where_the_row_says(tmp_path: Path) -> None:
    case = CASES["the variable before all"]
    assert asked_at(case, tmp_path, OLD) == case["row"]
    assert asked_at(CASES["a row that names no address"], tmp_path, OLD) == CANONICAL


@pytest.mark.parametrize(
    "address", ["https://${GATEWAY_HOST}/v1", "https://user:made-up-password@gateway.example/v1", "https://a b/v1"]
)
def test_no_token_is_sent_to_an_address_that_is_not_told_in_full(address: str, tmp_path: Path) -> None:
    case = {"env": "", "config": f"{CODEX}  base_url: {address}\n", "row": CANONICAL}
    with pytest.raises(RefusedError, match="only Hermes can ask there"):
        asked_at(case, tmp_path)


def test_no_token_is_sent_while_the_file_of_variables_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    read = replace(reading(BENCHED), home=Home(tmp_path, tmp_path))
    with pytest.raises(RefusedError, match="it is unknown where Hermes asks"):
        endpoint_of(BENCHED, read, {})
