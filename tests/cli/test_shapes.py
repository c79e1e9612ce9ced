"""`shapes`: the gallery as a person, a script and a page see it."""

import json

import pytest

from hermes_tui.simulator.gallery import SHAPES, shapes
from tests.cli.conftest import Run
from tests.terminal.conftest import Open


def test_every_shape_is_listed_under_its_provider_on_one_line(program: Run) -> None:
    done = program("shapes")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names == list(shapes())
    assert lines[lines.index("Gemini") + 1].startswith("  gemini-daily-quota ")


def test_a_providers_shapes_are_listed_by_its_name(program: Run) -> None:
    lines = program("shapes", "groq").stdout.splitlines()
    assert lines[0] == "Groq"
    assert [line.split()[0] for line in lines[1:]] == [name for name in shapes() if name.startswith("groq-")]


@pytest.mark.parametrize("name", ["openai-codex", "codex", "Codex"])
def test_a_provider_is_found_under_the_name_that_stands_above_its_shapes(program: Run, name: str) -> None:
    assert program("shapes", name).stdout.splitlines()[0] == "Codex"


def test_a_shape_is_shown_with_its_answer_and_what_becomes_of_it(program: Run) -> None:
    done = program("shapes", "xai-out-of-credit")
    assert (done.returncode, done.stderr) == (0, "")
    assert "HTTP/1.1 429 Too Many Requests\n" in done.stdout
    assert '{"code":"Some resource has been exhausted","error":"Your team 3f9d1c52' in done.stdout
    assert "xAI says that this account is out of credit" in done.stdout
    assert "Your team <redacted> has either used all available credits" in done.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("broken-reset", "(the connection is reset)"),
        ("broken-silence", "(nothing more comes, and the connection stays open)"),
        ("broken-cut", "(the connection is closed in the middle)"),
        ("deepseek-keep-alives", "(only comments come from here on)"),
    ],
)
def test_an_answer_that_breaks_says_how(program: Run, name: str, words: str) -> None:
    assert words in program("shapes", name).stdout


def test_a_script_gets_the_answer_and_the_reading_as_values(program: Run) -> None:
    document = json.loads(program("shapes", "codex-usage-limit", "--json").stdout)
    (shape,) = document["shapes"]
    assert document["schema_version"] == 1
    assert (shape["status"], json.loads(shape["body"])["error"]["type"]) == (429, "usage_limit_reached")
    assert "usage limit" in shape["reading"]["advice"]
    assert shape["reading"] | {"message": "", "advice": ""} == {
        "kind": "usage_limit",
        "scope": "account",
        "message": "",
        "advice": "",
        "resets_in": 5400.0,
        "approximate": False,
        "source": "body_date",
        "next": "rotate",
    }


def test_the_page_that_comes_with_the_program_is_what_the_command_prints(
    program: Run, environment: dict[str, str]
) -> None:
    environment["TZ"] = "UTC"
    done = program("shapes", "--table")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (SHAPES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gemini-daily-quta"], 'there is no shape "gemini-daily-quta"; did you mean "gemini-daily-quota"?'),
        (["qqq"], 'there is no shape "qqq"; hermes-tui shapes lists them'),
        (["--table", "--json"], "--table prints all shapes as Markdown: leave the name and --json out"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(program: Run, words: list[str], sentence: str) -> None:
    done = program("shapes", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"hermes-tui: {sentence}\n")


@pytest.mark.parametrize("columns", [60, 80])
def test_on_a_terminal_no_word_is_torn_and_what_a_shape_is_stays_a_column(terminal: Open, columns: int) -> None:
    screen = terminal(columns, 60, "shapes", "gemini")
    screen.shows("gemini-prepaid")
    lines = screen.lines
    at = lines[1].index("the day's free requests")
    assert lines[2].startswith(" " * at)
    assert " ".join(" ".join(lines).split()).count(shapes()["gemini-daily-quota"].about) == 1
