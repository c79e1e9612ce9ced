"""`fallback`: the chain listed and changed in the file, by the real program."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.commands.edge import ATTENTION, FINE, USAGE
from hermes_tui.core.event import ActPerformed
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.locks import FileLock
from hermes_tui.storage.ownership import Ownership
from tests.cli.conftest import Run
from tests.terminal.conftest import Open

TEXT = """\
# who answers
[primary]
provider = "ollama"
model = "m"

# the spare one
[[fallback_providers]]
provider = "lmstudio"
model = "z-ai/glm" # large

[[sessions]]
name = "nightly"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hermes-tui.toml"
    path.write_text(TEXT, encoding="utf-8")
    path.chmod(0o640)
    return path


def chain(run: Run, *arguments: str) -> list[str]:
    """Return the chain as the program lists it."""
    document = json.loads(run("fallback", "list", "--json", *arguments).stdout)
    return [f"{entry['provider']}/{entry['model']}" for entry in document["entries"]]


@pytest.mark.usefixtures("file")
def test_the_chain_is_listed_for_people_and_for_scripts(program: Run) -> None:
    done = program("fallback", "list")
    assert done.returncode == FINE
    assert [line.split() for line in done.stdout.splitlines()[3:]] == [
        ["0", "ollama/m", "ok"],
        ["1", "lmstudio/z-ai/glm", "ok"],
    ]
    document = json.loads(program("fallback", "list", "--json", "--session", "nightly").stdout)
    assert (document["schema_version"], document["session"], document["own"]) == (1, "nightly", False)
    assert document["entries"] == [
        {
            "position": 1,
            "provider": "lmstudio",
            "model": "z-ai/glm",
            "base_url": "http://127.0.0.1:1234/v1",
            "api_mode": "chat_completions",
            "context_length": None,
            "credentials": ["local"],
            "fault": None,
        }
    ]


def test_m44_entries_are_added_moved_and_removed_and_everything_else_stays(program: Run, file: Path) -> None:
    added = program("fallback", "add", "vllm/org/large", "--at", "1", "--context-length", "9000")
    assert (added.returncode, added.stderr) == (FINE, "")
    assert [line.split()[1] for line in added.stdout.splitlines()[3:]] == [
        "ollama/m",
        "vllm/org/large",
        "lmstudio/z-ai/glm",
    ]
    new = '[[fallback_providers]]\nprovider = "vllm"\nmodel = "org/large"\ncontext_length = 9000\n\n'
    assert file.read_text() == TEXT.replace("# the spare one\n", f"{new}# the spare one\n")
    assert file.stat().st_mode & 0o777 == 0o640
    assert program("fallback", "move", "vllm/org/large", "2").returncode == FINE
    assert chain(program) == ["lmstudio/z-ai/glm", "vllm/org/large"]
    assert program("fallback", "remove", "2").returncode == FINE
    assert file.read_text() == TEXT
    assert "vllm" in file.with_name("hermes-tui.toml.bak").read_text()


def test_m44_a_session_has_its_own_chain_from_its_first_entry_on(here: Run, file: Path) -> None:
    assert here("fallback", "add", "vllm/a", "--session", "nightly").returncode == FINE
    assert (chain(here), chain(here, "--session", "nightly")) == (["lmstudio/z-ai/glm"], ["vllm/a"])
    assert here("fallback", "remove", "vllm/a", "--session", "nightly").returncode == FINE
    assert chain(here, "--session", "nightly") == []
    assert file.read_text() == TEXT + "fallback_providers = []\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "lmstdio/x"), 'provider "lmstdio" is not configured; did you mean "lmstudio"? (--anyway writes it'),
        (("add", "lmstudio/z-ai/glm"), "it is the same backend as entry 1"),
        (("add", "ollama/m"), "it is the same backend as the primary"),
        (("add", "ollama"), '"ollama" is not PROVIDER/MODEL'),
        (("add", "vllm/x", "--at", "5"), "there is no place 5 in a chain of 1"),
        (
            ("add", "vllm/x", "--base-url", "ftp://x"),
            'nothing was written: "fallback_providers[2].base_url" must be an http or',
        ),
        (
            ("add", "vllm/x", "--base-url", "http://127.0.0.1:9/v1/chat/completions"),
            "base_url ends in /chat/completions, which every request adds: leave it out (--anyway writes it",
        ),
        (("add", "azure/mine"), "no base_url: write base_url = … under [providers.azure], as in"),
        (("add", "vllm/x", "--session", "nightli"), 'there is no session "nightli"; did you mean "nightly"?'),
        (("list", "--session", "nightli"), 'there is no session "nightli"; did you mean "nightly"? There are: nightly'),
        (("remove", "lmstudio/glm"), 'did you mean "lmstudio/z-ai/glm"? There are: lmstudio/z-ai/glm'),
        (("remove", "2"), "there is no place 2 in a chain of 1"),
        (("remove", "1", "--session", "nightly"), "has no chain of its own: it takes the file's"),
        (("move", "1", "2"), "there is no place 2 in a chain of 1"),
        (("move", "1", "0"), "0 is not in the range"),
        (("clear",), "nobody can be asked here: add --yes"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_nothing_is_written(
    here: Run, file: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = here("fallback", *arguments)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert file.read_text() == TEXT
    assert [each.name for each in file.parent.glob("*.toml*")] == [file.name]


def test_an_entry_that_cannot_work_is_written_on_demand(here: Run, file: Path) -> None:
    done = here("fallback", "add", "lmstdio/x", "--anyway")
    assert done.returncode == FINE
    assert 'lmstdio/x is added and cannot be used yet: provider "lmstdio" is not configured' in done.stderr
    assert 'provider = "lmstdio"' in file.read_text()
    assert here("fallback", "list").returncode == ATTENTION


def test_a_variable_that_is_not_set_is_a_warning_and_the_entry_is_written(here: Run, file: Path) -> None:
    done = here("fallback", "add", "groq/x", "--api-key", "${NO_SUCH_KEY_ANYWHERE}")
    assert done.returncode == FINE
    assert done.stderr == "hermes-tui: groq/x is added and cannot be used yet: NO_SUCH_KEY_ANYWHERE is not set\n"
    assert 'api_key = "${NO_SUCH_KEY_ANYWHERE}"\n' in file.read_text()


@pytest.mark.usefixtures("file")
def test_an_entry_that_stands_there_twice_is_named_by_its_number(here: Run) -> None:
    here("fallback", "add", "lmstudio/z-ai/glm", "--anyway")
    done = here("fallback", "remove", "lmstudio/z-ai/glm")
    assert (done.returncode, "write one of the numbers 1, 2" in done.stderr) == (USAGE, True)


@pytest.mark.usefixtures("file")
def test_a_shell_completes_sessions_and_entries(environment: dict[str, str]) -> None:
    for words, offered in (("remove lm", "lmstudio/z-ai/glm"), ("list --session n", "nightly")):
        line = f"hermes-tui fallback {words}"
        asked = {"_HERMES_TUI_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        command = [sys.executable, "-m", "hermes_tui"]
        done = subprocess.run(command, env=environment | asked, capture_output=True, text=True, check=True)
        assert done.stdout == f"plain,{offered}\n"


def test_c111_a_broken_file_stays_as_it_is(here: Run, file: Path) -> None:
    broken = TEXT.replace('"m"', '"m')
    file.write_text(broken)
    done = here("fallback", "add", "vllm/x")
    assert (done.returncode, "line 4: this is not TOML" in done.stderr) == (USAGE, True)
    assert file.read_text() == broken


def test_c121_a_key_on_the_command_line_is_refused_and_not_shown(here: Run, file: Path) -> None:
    done = here("fallback", "add", "vllm/x", "--api-key", "kq7Zr2WmXv9TbLp4")
    assert done.returncode == USAGE
    assert (
        "write '${NAME}' (in single quotes), env:NAME, file:PATH, command:ARGV, codex: or hermes:LABEL" in done.stderr
    )
    assert "kq7Z" not in done.stdout + done.stderr
    assert file.read_text() == TEXT


def test_the_chain_is_cleared_after_a_yes(
    file: Path, terminal: Open, environment: dict[str, str], program: Run
) -> None:
    for answer, code in (("n", ATTENTION), ("y", FINE)):
        screen = terminal(100, 20, "fallback", "clear", environment=environment)
        screen.shows("lmstudio/z-ai/glm", "Take every entry out?")
        screen.press(f"{answer}\n")
        assert screen.ends() == code
    cleared = TEXT[: TEXT.index("# the spare")] + TEXT[TEXT.index("[[sessions]]") :]
    assert file.read_text() == cleared
    assert program("fallback", "clear", "--yes").returncode == FINE
    assert file.read_text() == cleared


# Where sessions have run


@pytest.mark.usefixtures("home")
def test_m44_who_takes_the_chain_is_said_and_m45_the_change_is_in_the_timeline(
    program: Run, here: Run, tmp_path: Path
) -> None:
    assert program("run", "--prompt", "One.").returncode == FINE
    done = here("fallback", "add", "ollama/large")
    assert done.stdout.splitlines()[-1] == "s1 stays on its primary, with 2 entries behind it: when it runs next"
    owners = Ownership(tmp_path / "state")
    assert owners.acquire("s1")
    done = here("fallback", "remove", "1")
    owners.release_all()
    assert done.stdout.splitlines()[-1] == "s1 stays on its primary, with 1 entry behind it: now"
    ledger = SqliteLedger.open(tmp_path / "state", read_only=True)
    acts = [event for _, event in ledger.tail(0) if isinstance(event, ActPerformed)]
    assert [(act.act, act.target) for act in acts] == [("edit_chain", str(tmp_path / "hermes-tui.toml"))] * 2
    assert acts[0].effect == "added ollama/large; the chain is openai-codex/gpt › backup/small › ollama/large"
    assert acts[1].effect == "removed entry 1; the chain is openai-codex/gpt › ollama/large"


@pytest.mark.usefixtures("home")
def test_a_state_that_cannot_be_written_does_not_undo_the_change(program: Run, here: Run, tmp_path: Path) -> None:
    program("run", "--prompt", "One.")
    lock = FileLock(tmp_path / "state" / "state.lock")
    with lock:
        done = here("fallback", "add", "ollama/large")
    assert done.returncode == FINE
    assert "the change is saved, but could not be recorded" in done.stderr
    assert 'provider = "ollama"' in (tmp_path / "hermes-tui.toml").read_text()
