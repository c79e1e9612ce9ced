"""Homes of Hermes without a screen: a root with profiles that real agents have filled, and one that a test makes."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from hermes_tui.cli import main
from hermes_tui.commands.completion import VARIABLE
from hermes_tui.commands.homes import Asked, opened
from hermes_tui.commands.watch_homes import HomesWatch
from hermes_tui.core.errors import UsageError
from hermes_tui.hermes.watching import EVENTS_SHOWN
from tests.hermes.lab.environments import Build, interpreter
from tests.hermes.made import DAY, NOW
from tests.hermes.state.homes import Writer, answered, change, make, session
from tests.hermes.test_reader import contents

HomeOf = Callable[[Build, str], Path]
Run = Callable[..., subprocess.CompletedProcess[str]]

TITLE = "What is left to do?"


@pytest.fixture
def root(home_of: HomeOf) -> Path:
    """A home with two profiles: one with logins of its own, one that uses the root's."""
    root = home_of(Build.HERMES_22, "two")
    for name in ("work", "spare"):
        shutil.copytree(home_of(Build.HERMES_22, "lying"), root / "profiles" / name)
        shutil.rmtree(root.parent / "lying")
    (root / "profiles" / "spare" / "auth.json").unlink()
    return root


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A home with one session on its primary."""
    home = make("22", tmp_path / "home")
    (home / "config.yaml").write_text(
        "model: {provider: openai-codex, default: gpt-5.5}\n"
        "fallback_providers: [{provider: openrouter, model: small, context_length: 128000}]\n"
    )
    (home / "auth.json").write_text('{"version": 1, "credential_pool": {}}\n')
    (home / "logs").mkdir()
    (home / "logs" / "agent.log").touch()
    change(home, session("s1", NOW - DAY, title="weekly", model="gpt-5.5", billing_provider="openai-codex"))
    change(home, answered("s1", "openai-codex", "gpt-5.5", NOW - 60))
    return home


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line as somebody does who has 0.22 and no configuration of this program."""
    for name in ("HERMES_HOME", "HERMES_TUI_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("HERMES_TUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", os.pathsep.join((str(interpreter(Build.HERMES_22).parent), os.environ["PATH"])))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        written = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        assert not (tmp_path / "state").exists()
        return subprocess.CompletedProcess(arguments, ended.value.code, written.out, written.err)

    return run


def test_the_status_has_every_profile_with_its_own_files_and_what_it_inherits(root: Path, run: Run) -> None:
    before = contents(root)
    done = run("status", "--home", str(root), "--json")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert [home["profile"] for home in document["homes"]] == ["default", "spare", "work"]
    assert {(one["profile"], one["diagnosis"]["code"]) for one in document["sessions"]} == {
        ("default", "credential_not_tried"),
        ("spare", "credential_not_tried"),
        ("work", "lying_probe"),
    }
    lenders = {(one["profile"], one["label"]): one["lender"] for one in document["credentials"]}
    assert lenders["default", "work"] is None
    assert lenders["spare", "work"] == lenders["spare", "home"] == str(root)
    assert (lenders["work", "device_code"], ("work", "home") in lenders) == (None, False)
    assert contents(root) == before


def test_as_lines_each_session_and_login_names_its_profile(root: Path, run: Run) -> None:
    lines = run("status", "--home", str(root)).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["default", "spare", "work"]
    assert any(line.startswith("spare") and "openai-codex/work" in line and "(inherited)" in line for line in lines)
    assert sum(line.startswith(f"work: {TITLE}: The usage endpoint says quota") for line in lines) == 1
    assert lines[-1].startswith(f"spare: {root}/profiles/spare/auth.json: is not there; the profile uses the logins")


def test_one_profile_is_told_as_one_home(root: Path, run: Run) -> None:
    by_name = run("status", "--home", str(root), "--profile", "work").stdout
    by_folder = run("status", "--home", str(root / "profiles" / "work")).stdout
    assert by_name == by_folder
    assert by_name.startswith("session ")
    assert "profile" not in by_name.splitlines()[0]


def test_a_profile_that_is_not_there_is_a_mistake_with_the_choices(root: Path, run: Run) -> None:
    done = run("status", "--home", str(root), "--profile", "play")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'there is no profile "play". There are: default, spare, work' in done.stderr


def test_a_session_of_several_profiles_has_to_be_told_apart(root: Path, run: Run) -> None:
    done = run("why", TITLE, "--home", str(root))
    assert done.returncode == 2
    assert f'several profiles have a session "{TITLE}": add --profile default or spare or work' in done.stderr
    why = run("why", TITLE, "--home", str(root), "--profile", "work")
    assert why.returncode == 1
    assert "Hermes took back the credential that had just failed" in why.stdout
    missing = run("why", "What is left to d", "--home", str(root))
    assert missing.returncode == 2
    assert f'did you mean "{TITLE}"?' in missing.stderr


def test_the_timeline_of_a_session_is_what_the_logs_tell(root: Path, run: Run) -> None:
    of_work = ("--home", str(root), "--profile", "work")
    done = run("timeline", TITLE, *of_work)
    assert done.returncode == 1
    assert "switches, 3 failed restores" in done.stdout
    document = json.loads(run("timeline", TITLE, "--json", *of_work).stdout)
    (absence,) = document["absences"]
    assert (absence["left"], absence["failed_restores"], absence["until"]) == ("openai-codex/gpt-5.5", 3, None)


def test_a_timeline_goes_back_as_far_as_it_is_asked_to(made: Path, run: Run) -> None:
    leave(made, time.time() - 3 * DAY)
    totals = [
        json.loads(run("timeline", "weekly", "--json", "--home", str(made), *since).stdout)["totals"]["switches"]
        for since in ((), ("--since", "4d"), ("--since", "2d"))
    ]
    assert totals == [1, 1, 0]


def test_a_timeline_holds_more_than_a_screen_shows_at_once(made: Path, run: Run) -> None:
    for ago in range(EVENTS_SHOWN + 1, 0, -1):
        leave(made, time.time() - 60 * ago)
    told = run("timeline", "weekly", "--json", "--home", str(made)).stdout
    assert json.loads(told)["totals"]["switches"] == EVENTS_SHOWN + 1


def test_the_logins_are_listed_as_our_own_are(root: Path, run: Run) -> None:
    done = run("auth", "list", "--home", str(root))
    assert done.returncode == 1
    heads = [line for line in done.stdout.splitlines() if line.startswith("profile ")]
    assert heads == ["profile default:", "profile spare:", "profile work:"]
    assert f"It belongs to {root}, which lends it." in done.stdout
    document = json.loads(run("auth", "list", "--home", str(root), "--profile", "default", "--json").stdout)
    (cooling,) = (one for one in document["credentials"] if one["label"] == "work")
    assert (cooling["state"], cooling["profile"], cooling["source"]) == ("cooling", "default", "hermes")
    assert "token" not in json.dumps(document).replace("no token", "")


def test_a_cooldown_is_cleared_after_a_yes_and_says_what_it_does_not_do(root: Path, run: Run) -> None:
    def statuses(home: Path) -> list[object]:
        pool = json.loads((home / "auth.json").read_text())["credential_pool"]["openai-codex"]
        return [row["last_status"] for row in pool]

    asked = run("auth", "reset", "openai-codex/work", "--home", str(root))
    assert asked.returncode == 2
    assert "keeps its own cooldown in memory" in asked.stderr
    assert "add --yes" in asked.stderr
    assert "exhausted" in statuses(root)
    done = run("auth", "reset", "openai-codex/work", "--home", str(root), "--yes")
    assert (done.returncode, done.stdout) == (0, "The cooldown of openai-codex/work is cleared in auth.json.\n")
    assert "exhausted" not in statuses(root)
    assert statuses(root / "profiles" / "work") == ["exhausted"]
    again = run("auth", "reset", "work", "--home", str(root), "--yes")
    assert again.returncode == 1
    assert "has no cooldown to clear" in again.stderr


def test_a_login_that_is_lent_is_cleared_where_it_belongs(root: Path, run: Run) -> None:
    done = run("auth", "reset", "openai-codex/work", "--home", str(root), "--profile", "spare", "--yes")
    assert done.returncode == 1
    assert "belongs to the root's home, which lends it" in done.stderr
    unknown = run("auth", "reset", "openai-codex/wrk", "--home", str(root), "--yes")
    assert unknown.returncode == 2
    assert "openai-codex/work" in unknown.stderr


def test_a_login_of_several_profiles_has_to_be_told_apart(root: Path, run: Run) -> None:
    shutil.copy(root / "auth.json", root / "profiles" / "spare" / "auth.json")
    done = run("auth", "reset", "openai-codex/work", "--home", str(root), "--yes")
    assert done.returncode == 2
    assert "several profiles have openai-codex/work: add --profile default or spare" in done.stderr


def test_a_file_that_cannot_be_read_is_no_empty_success(made: Path, run: Run) -> None:
    assert run("status", "--home", str(made)).returncode == 0
    (made / "state.db").write_bytes(b"nothing like it")
    done = run("status", "--home", str(made))
    assert done.returncode == 1
    assert done.stdout.startswith("! state.db: ")
    assert "No sessions" not in done.stdout
    missing = run("why", "weekly", "--home", str(made))
    assert missing.returncode == 3
    assert "cannot be read now: state.db" in missing.stderr


def test_what_is_told_of_a_session_from_old_numbers_says_so(made: Path, run: Run) -> None:
    assert run("why", "weekly", "--home", str(made)).returncode == 0
    (made / "auth.json").write_text("{")
    for command in ("why", "timeline"):
        assert run(command, "weekly", "--home", str(made)).stdout.startswith("! auth.json: ")
    assert run("why", "weekly", "--home", str(made)).returncode == 1


def test_a_home_in_which_nothing_was_done_yet_says_what_is_not_there(tmp_path: Path, run: Run) -> None:
    (tmp_path / "config.yaml").write_text("model: {provider: openai-codex, default: gpt-5.5}\n")
    (tmp_path / "auth.json").write_text('{"version": 1, "credential_pool": {}}\n')
    done = run("status", "--home", str(tmp_path))
    assert done.returncode == 0
    first, *others = filter(None, done.stdout.splitlines())
    assert first == "No sessions yet."
    assert any("Hermes has kept no session in this home yet" in line for line in others)


def test_logins_that_cannot_be_told_without_a_model_are_not_taken_for_none(made: Path, run: Run) -> None:
    assert run("auth", "list", "--home", str(made)).stdout.startswith("credential ")
    (made / "config.yaml").write_text("fallback_providers: []\n")
    done = run("auth", "list", "--home", str(made))
    assert (done.returncode, done.stdout.splitlines()) == (
        1,
        ["config.yaml names no model yet, so that no login can be told: choose one with `hermes model`."],
    )
    (made / "config.yaml").write_text("model: {provider: openai-codex, default: gpt-5.5}\n")
    assert run("auth", "list", "--home", str(made)).stdout.startswith("credential ")


def test_what_is_left_out_and_who_is_not_there_stand_at_the_end(made: Path, run: Run) -> None:
    change(made, *(session(f"n{number}", 200.0 + number) for number in range(1_400)))
    (made / "gateway_state.json").write_text('{"pid": 999999999, "gateway_state": "running"}')
    lines = run("status", "--home", str(made)).stdout.splitlines()
    assert lines[-2] == "The newest 200 of 1,401 sessions were read."
    assert lines[-1] == "gateway_state.json still says running of process 999999999, which has ended."
    (home,) = json.loads(run("status", "--home", str(made), "--json").stdout)["homes"]
    assert (home["read"], home["left_out"], len(home["notes"]), home["problem"]) == (200, 1_201, 1, None)


def test_the_home_of_the_environment_is_meant_by_hermes_alone(made: Path, run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("HERMES_HOME", str(made))
    assert "weekly" in run("status", "--hermes").stdout
    assert "weekly" in run("status", "--profile", "default").stdout
    monkeypatch.setenv("HERMES_HOME", str(made / "nowhere"))
    done = run("status", "--hermes")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


def test_a_shell_is_offered_the_names_of_the_home_that_is_asked_for(made: Path, run: Run) -> None:
    (made / "auth.json").write_text(
        json.dumps({"version": 1, "credential_pool": {"openai-codex": [{"id": "a1", "label": "work"}]}})
    )

    def offered(*words: str) -> list[str]:
        return [one.value for one in ShellComplete(main, {}, "hermes-tui", VARIABLE).get_completions([*words], "")]

    of_home = ("--home", str(made))
    assert offered("why", *of_home) == offered("timeline", "--json", *of_home) == ["weekly"]
    assert offered("auth", "reset", *of_home) == ["openai-codex/work", "openrouter/no key"]
    assert offered("why") == []
    assert offered("why", "--home", str(made / "nowhere")) == []


def test_a_busy_moment_is_waited_for_and_not_shown_as_nothing(made: Path) -> None:
    with Writer(made, "keep it to itself") as writer:
        pauses: list[float] = []

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                writer.end()

        clock = iter(range(int(NOW), int(NOW) + 1_000, 30))
        ((_, _, source),) = opened(Asked(made), lambda: float(next(clock)), pause)

    assert len(pauses) >= 2
    assert list(source.snapshot().facts.sessions) == ["weekly"]
    assert source.snapshot().problem is None


class Watched:
    """A watch on homes that the test changes, with a clock that the test moves."""

    def __init__(self, root: Path, capfd: pytest.CaptureFixture[str], *, as_json: bool = False) -> None:
        self.now = NOW
        self._capfd = capfd
        self._watch = HomesWatch(Asked(root), as_json=as_json, now=lambda: self.now)

    def look(self, seconds: float = 1.0) -> list[str]:
        """Return the lines that the look so many seconds later prints."""
        self.now += seconds
        self._watch.look()
        return self._capfd.readouterr().out.splitlines()


def log(home: Path, at: float, text: str) -> None:
    """Add a line to the log of a home, as Hermes writes it."""
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    with (home / "logs" / "agent.log").open("a") as file:
        file.write(f"{clock},000 INFO [s1] {text}\n")


def leave(home: Path, at: float) -> None:
    """Let the session go over to its fallback."""
    log(home, at, "agent.chat_completion_helpers: Fallback activated: gpt-5.5 → small (openrouter)")


@pytest.fixture
def watched(made: Path, capfd: pytest.CaptureFixture[str]) -> Watched:
    """A watch that has seen the session on its primary."""
    watch = Watched(made, capfd)
    assert any(line.startswith("weekly ") and "on primary" in line for line in watch.look())
    return watch


def test_while_nothing_changes_a_watch_prints_nothing(watched: Watched) -> None:
    assert [watched.look() for _ in range(3)] == [[], [], []]


def test_a_switch_is_told_and_where_the_session_stands_then(watched: Watched, made: Path) -> None:
    leave(made, NOW + 1)
    event, standing = watched.look()
    assert "switch   weekly" in event
    assert "standing weekly: restore due, on openrouter/small (1/1)" in standing
    assert watched.look() == []


def test_a_file_that_breaks_and_is_mended_is_told_once_each(watched: Watched, made: Path) -> None:
    whole = (made / "auth.json").read_text()
    (made / "auth.json").write_text("{")
    (broken,) = watched.look(6)
    assert "problem  auth.json: " in broken
    assert watched.look(6) == []
    (made / "auth.json").write_text(whole)
    (mended,) = watched.look(6)
    assert mended.endswith("problem  everything can be read again")


def test_a_claim_of_a_process_that_has_ended_is_noted_once(watched: Watched, made: Path) -> None:
    (made / "gateway_state.json").write_text('{"pid": 999999999, "gateway_state": "running"}')
    (note,) = watched.look()
    assert note[8:] == "  note     gateway_state.json still says running of process 999999999, which has ended."
    assert watched.look() == []


def test_with_several_profiles_each_line_says_whose_it_is(made: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(made, made / "profiles" / "work", ignore=shutil.ignore_patterns("profiles"))
    watch = Watched(made, capfd)
    assert watch.look()[0].startswith("profile  session")
    leave(made / "profiles" / "work", NOW + 1)
    event, standing = watch.look()
    assert "switch   work: weekly" in event
    assert "standing work: weekly: restore due" in standing


def test_as_json_each_line_of_a_watch_is_an_object_with_a_type(made: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(made, made / "profiles" / "work", ignore=shutil.ignore_patterns("profiles"))
    watch = Watched(made, capfd, as_json=True)
    (status,) = map(json.loads, watch.look())
    assert (status["type"], len(status["sessions"])) == ("status", 2)
    leave(made, NOW + 1)
    (made / "config.yaml").write_text("model: [")
    told = {one["type"]: one for one in map(json.loads, watch.look(6))}
    assert set(told) == {"fallback_activated", "standing_changed", "problem_changed"}
    assert {one["profile"] for one in told.values()} == {"default"}
    assert told["problem_changed"]["problem"].startswith("config.yaml: ")


def test_a_watch_of_a_home_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        HomesWatch(Asked(tmp_path / "nowhere"), as_json=False)


def test_a_real_watch_sees_what_another_process_writes(made: Path) -> None:
    command = [sys.executable, "-m", "hermes_tui", "status", "--watch", "--json", "--home", str(made)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        assert json.loads(watch.stdout.readline())["type"] == "status"
        leave(made, time.time())
        assert json.loads(watch.stdout.readline())["type"] == "fallback_activated"
        assert json.loads(watch.stdout.readline())["standing"]["fallback_active"]
        watch.terminate()
        _, errors = watch.communicate(timeout=30)
    assert (watch.returncode, errors) == (0, "")
