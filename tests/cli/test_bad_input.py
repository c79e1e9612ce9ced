"""Bad input at the command line: whatever stands there, one sentence on standard error and the right exit code."""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import ptyprocess
import pytest
import tomli_w

from hermes_tui.simulator.action import SetMode
from hermes_tui.simulator.mode import Mode
from tests.cli.conftest import Provider, Run

GOOD = '[primary]\nprovider = "ollama"\nmodel = "m"\n'
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
HOSTILE = "[bold]x[/]\x1b[31m\x9b2J\u202e\x07\x7f"


def is_one_sentence(text: str) -> None:
    """Fail unless `text` is one line of ours that could steer no terminal."""
    assert text.startswith("hermes-tui: "), text
    assert text.endswith("\n"), text
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    assert UNSAFE.findall(text) == []


# The configuration file.


def a_folder(path: Path) -> None:
    path.mkdir()


def a_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def a_loop(path: Path) -> None:
    path.symlink_to(path)


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def in_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("")


def content(data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(data)

    return write


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_folder, "this is a folder: name the file in it"),
        (a_dangling_link, "is a link to a file that is not there: mend the link"),
        (a_loop, "cannot be read (Too many levels of symbolic links): name another with --config"),
        (a_fifo, "this is not a regular file: name one"),
        (in_a_file, "cannot be read (Not a directory)"),
        (content(b""), "the file is empty: write a [primary] table"),
        (content(GOOD.encode() + b"[runtime\n"), "line 4: this is not TOML"),
        (content(b"\x7fELF\x02\x01\x01\x00\xff\xfe" * 100), "line 1: this is not UTF-8 text"),
        (content(b"# x\n" * 524288), "is larger than 1 MiB"),
        (content(b"\0" * 100), "line 1: this is not TOML"),
        (content(GOOD.encode().replace(b'"m"', b'"m\0"')), "line 3: this is not TOML"),
        (content(b"a = " + b"[" * 100_000), "nested too deeply"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_exit_code_2(
    program: Run, environment: dict[str, str], tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    path = tmp_path / "folder" / "hermes-tui.toml"
    path.parent.mkdir()
    make(path)
    environment["HERMES_TUI_CONFIG"] = str(path)
    done = program("run", "--prompt", "One.")
    assert (done.returncode, done.stdout) == (2, "")
    is_one_sentence(done.stderr)
    assert str(path) in done.stderr
    assert words in done.stderr
    assert not (tmp_path / "state").exists()


def test_a_link_is_followed(program: Run, tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text(GOOD)
    (tmp_path / "hermes-tui.toml").symlink_to(tmp_path / "real.toml")
    assert program("check").returncode == 0


AS_NOBODY = """
import contextlib, os, sys
from hermes_tui.cli import main
with contextlib.suppress(SystemExit), open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    main(["check", "--config", sys.argv[1]])  # loads what nobody may not: the libraries of another user
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
main(["check", "--config", sys.argv[2]])
"""


@pytest.mark.parametrize(("mode", "code"), [(0o000, 2), (0o644, 0)])
def test_a_file_of_somebody_else_is_read_where_that_is_allowed(mode: int, code: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        mine, other = Path(folder) / "mine.toml", Path(folder) / "other.toml"
        for path in (mine, other):
            path.write_text(GOOD)
        other.chmod(mode)
        command = [sys.executable, "-c", AS_NOBODY, str(mine), str(other)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    if code:
        is_one_sentence(done.stderr)
        assert "cannot be read (Permission denied): check its permissions" in done.stderr


SEVERAL = """[primary]
provider = 3
model = "m"
[runtime]
max_retries = "x"
policy = "adaptiv"
"""


def test_several_problems_are_counted_and_check_names_each_with_its_line(program: Run, tmp_path: Path) -> None:
    (tmp_path / "hermes-tui.toml").write_text(SEVERAL)
    done = program("probe")
    assert (done.returncode, done.stdout) == (2, "")
    is_one_sentence(done.stderr)
    assert 'line 2: "primary.provider" must be text' in done.stderr
    assert done.stderr.endswith("(and 2 more: hermes-tui check names them)\n")
    checked = program("check")
    assert (checked.returncode, checked.stderr) == (2, "")
    assert [line.split(" must ")[0] for line in checked.stdout.splitlines()[1:4]] == [
        '! line 2: "primary.provider"',
        '! line 5: "runtime.max_retries"',
        '! line 6: "runtime.policy"',
    ]


# Names that would steer the terminal.


@pytest.fixture
def hostile(home: Path, provider: Provider) -> Path:
    """A home whose configuration is named as badly as TOML can say, with the primary out of quota."""
    file = home / "hermes-tui.toml"
    tables = tomllib.loads(file.read_text())
    tables["sessions"] = [{"name": HOSTILE, "prompt": HOSTILE}]
    tables["providers"]["openai-codex"]["credentials"][0]["label"] = HOSTILE
    spare = {"base_url": provider.simulator.base_url, "credentials": [{"label": "x", "api_key": "file:/\x1b[31m"}]}
    tables["providers"][HOSTILE] = spare
    tables["fallback_providers"].append({"provider": HOSTILE, "model": HOSTILE})
    tables["credential_pool_strategies"] = {HOSTILE: "random"}
    tables["keys"] = {HOSTILE: HOSTILE}
    tables[HOSTILE] = HOSTILE
    file.write_text(tomli_w.dumps(tables))
    provider.apply(SetMode(provider="openai-codex", mode=Mode.USAGE_LIMIT, resets_in=172800.0))
    return home


@pytest.mark.usefixtures("hostile")
def test_no_name_of_the_file_reaches_the_terminal_as_it_is(program: Run, environment: dict[str, str]) -> None:
    for arguments in (
        ("check",),
        ("run",),
        ("run", "--json"),
        ("probe",),
        ("probe", "--json"),
        ("status",),
        ("status", "--json"),
        ("auth", "list"),
        ("auth", "list", "--json"),
        ("why", "x"),
        ("auth", "reset", "x"),
    ):
        done = program(*arguments)
        assert "[bold]x[/]" in done.stdout + done.stderr, arguments
        assert UNSAFE.findall(done.stdout + done.stderr) == [], arguments
        assert "Traceback" not in done.stderr
    watch = subprocess.Popen(
        [sys.executable, "-m", "hermes_tui", "status", "--watch"], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert watch.stdout is not None
    lines = [watch.stdout.readline() for _ in range(3)]
    watch.terminate()
    rest, _ = watch.communicate(timeout=30)
    assert "[bold]x[/]" in lines[2]
    assert UNSAFE.findall("".join(lines) + rest) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("nosuch\x1b[31m",),
        ("why", HOSTILE, "--state", "/\x1b[31m"),
        ("check", "--config", "/no/\x1b[31m\udcff"),
        ("init", "--provider", HOSTILE),
        ("demo", "--plain", HOSTILE),
        ("simulate", f"{HOSTILE}.toml"),
        ("run", "--prompts", "/no/\x1b[31m"),
        ("completion", HOSTILE),
    ],
)
def test_no_argument_comes_back_as_it_is(program: Run, arguments: tuple[str, ...]) -> None:
    done = program(*arguments)
    assert done.returncode in (2, 3)
    assert done.stdout == ""
    is_one_sentence(done.stderr)


# The command line itself.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("staus",), 'there is no command "staus"; did you mean "status"? See hermes-tui --help.'),
        (("auth", "rest"), 'there is no command "rest"; did you mean "reset"? See hermes-tui auth --help.'),
        (("zzz",), 'there is no command "zzz". See hermes-tui --help.'),
        (("auth",), "missing command. See hermes-tui auth --help."),
        (("why",), "missing argument 'SESSION'. See hermes-tui why --help."),
        (("status", "--jsn"), "no such option '--jsn'. Did you mean '--json'? See hermes-tui status --help."),
    ],
)
def test_a_mistyped_command_line_is_answered_with_the_nearest(
    program: Run, arguments: tuple[str, ...], sentence: str
) -> None:
    done = program(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"hermes-tui: {sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--prompt", "One.", "--pause", "nan"), "nan is not a number"),
        (("run", "--prompt", "One.", "--pause", "inf"), "inf is not in the range"),
        (("demo", "--plain", "--speed", "nan"), "nan is not a number"),
        (("demo", "--plain", "--speed", "1e300"), "1e+300 is not in the range"),
        (("run", "--prompt", " "), "--prompt is empty"),
        (("run", "--prompts", "/dev/null"), "--prompts holds no prompt"),
        (("run", "--prompts", sys.executable), "--prompts is not utf-8 text"),
        (("run", "--prompts", "/"), "Is a directory"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_value_that_makes_no_sense_is_refused_before_anything_is_sent(
    program: Run, provider: Provider, arguments: tuple[str, ...], words: str
) -> None:
    done = program(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    is_one_sentence(done.stderr)
    assert words in done.stderr
    assert provider.simulator.requests == []


# Standard streams that are no good.

Shell = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(environment: dict[str, str]) -> Shell:
    """Run a line in which $H is the program."""

    def run(line: str) -> subprocess.CompletedProcess[str]:
        command = f"set -o pipefail; H='{sys.executable} -m hermes_tui'; {line}"
        return subprocess.run(
            ["bash", "-c", command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


WRITERS = ("--help", "status", "status --watch", "probe", "run --json --prompt One.", "completion bash")


@pytest.mark.parametrize(("unbuffered", "commands"), [("", WRITERS), ("1", WRITERS[:2])])
@pytest.mark.usefixtures("home")
def test_output_that_cannot_be_written_is_a_sentence_or_where_nobody_reads_quiet(
    shell: Shell, program: Run, environment: dict[str, str], unbuffered: str, commands: tuple[str, ...]
) -> None:
    environment["PYTHONUNBUFFERED"] = unbuffered
    program("run", "--prompt", "One.")
    full = "hermes-tui: standard output cannot be written: No space left on device\n"
    for command in commands:
        done = shell(f"$H {command} >/dev/full")
        assert (done.returncode, done.stderr) == (1, full), command
        done = shell(f"$H {command} | :")
        assert (done.returncode, done.stderr) == (1, ""), command


@pytest.mark.usefixtures("home")
def test_closed_streams_end_nothing_and_corrupt_nothing(shell: Shell, program: Run) -> None:
    assert shell("$H run --prompt One. >&- 2>&-").returncode == 0
    nothing = shell("$H run --prompts - <&-")
    assert (nothing.returncode, nothing.stderr[:30]) == (2, "hermes-tui: --prompts holds no")
    assert shell("$H status <&- >&- 2>&-").returncode == 0
    assert shell("$H nosuch 2>&-").returncode == 2
    assert shell("$H nosuch 2>/dev/full").returncode == 2
    assert json.loads(program("status", "--json").stdout)["sessions"][0]["turns"] == 1


@pytest.mark.usefixtures("home")
def test_letters_that_the_output_cannot_show_end_nothing(shell: Shell) -> None:
    done = shell("PYTHONIOENCODING=ascii $H run --prompt 'ü ☃'")
    assert (done.returncode, done.stderr) == (0, "")
    assert "turn 1: ? ?" in done.stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("$H </dev/null", ("hermes-tui init", "hermes-tui demo --plain")),
        ("$H | cat", ("hermes-tui init", "hermes-tui demo --plain")),
        ("$H init >/dev/null && $H </dev/null", ("hermes-tui status --watch", "hermes-tui run")),
        ("$H demo </dev/null", ("hermes-tui demo --plain",)),
    ],
)
def test_a_screen_without_a_terminal_names_what_to_use_instead(shell: Shell, line: str, words: tuple[str, ...]) -> None:
    done = shell(line)
    assert (done.returncode, done.stdout) == (2, "")
    is_one_sentence(done.stderr)
    assert all(word in done.stderr for word in words)


def test_a_terminal_whose_input_is_no_terminal_is_not_drawn_on() -> None:
    process = ptyprocess.PtyProcess.spawn(["sh", "-c", f"exec '{sys.executable}' -m hermes_tui </dev/null"])
    written = b""
    with suppress(EOFError):
        while True:
            written += process.read()
    assert process.wait() == 2
    assert b"needs a terminal" in written
    assert b"\x1b" not in written
