"""A home is found as Hermes finds it, and what is none says why."""

import os
from pathlib import Path

import pytest

from hermes_tui.hermes.homes import chosen_homes, find_home, homes_of, profile_name, why_not_a_home
from hermes_tui.hermes.values import Home
from tests.hermes.scarce import no_more_files


def make(path: Path, mark: str = "config.yaml") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / mark).touch()
    return path


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "user"


def test_a_given_path_goes_before_everything(tmp_path: Path, user: Path) -> None:
    environ = {"HERMES_HOME": str(tmp_path / "other")}
    assert find_home(tmp_path / "given", environ, user) == Home(tmp_path / "given", tmp_path / "given")


def test_the_variable_goes_before_the_folder_of_the_user(tmp_path: Path, user: Path) -> None:
    assert find_home(None, {"HERMES_HOME": str(tmp_path / "named")}, user).path == tmp_path / "named"
    assert find_home(None, {"HERMES_HOME": "  "}, user) == Home(user / ".hermes", user / ".hermes")


def test_the_variable_may_name_variables_and_the_user(tmp_path: Path, user: Path) -> None:
    environ = {"HERMES_HOME": "$BASE/${NAME}", "BASE": str(tmp_path), "NAME": "h"}
    assert find_home(None, environ, user).path == tmp_path / "h"
    assert find_home(None, {"HERMES_HOME": "~/h"}, user).path == user / "h"
    assert find_home(Path("~"), {}, user).path == user


def test_a_suffix_belongs_to_the_folder_of_the_user(user: Path) -> None:
    assert find_home(None, {"HERMES_DATA_DIR_SUFFIX": "-dev"}, user).path == user / ".hermes-dev"


def test_a_profile_knows_its_root(tmp_path: Path, user: Path) -> None:
    path = tmp_path / "data" / "profiles" / "work"
    assert find_home(path, {}, user) == Home(path, tmp_path / "data", "work")
    own = user / ".hermes" / "profiles" / "work"
    assert find_home(own, {}, user) == Home(own, user / ".hermes", "work")


def test_the_chosen_profile_is_where_hermes_starts(user: Path) -> None:
    root = make(user / ".hermes")
    (root / "active_profile").write_text("\ufeffWork\n")
    assert find_home(None, {}, user) == Home(root / "profiles" / "work", root, "work")
    assert find_home(None, {"HERMES_HOME": str(root)}, user).profile == "work"
    other = root / "profiles" / "other"
    assert find_home(None, {"HERMES_HOME": str(other)}, user).profile == "other"
    assert find_home(root, {}, user) == Home(root, root)


@pytest.mark.parametrize("content", [b"", b"default", b"../../etc", b"a/b", b"\xff\xfe", b"work\n" * 200])
def test_a_choice_that_names_no_profile_is_none(user: Path, content: bytes) -> None:
    root = make(user / ".hermes")
    (root / "active_profile").write_bytes(content)
    assert find_home(None, {}, user) == Home(root, root)


def test_a_pipe_in_place_of_the_choice_is_not_waited_for(user: Path) -> None:
    root = make(user / ".hermes")
    os.mkfifo(root / "active_profile")
    assert find_home(None, {}, user) == Home(root, root)


def test_the_homes_of_a_root_are_its_own_and_its_profiles(tmp_path: Path) -> None:
    root = make(tmp_path / "h")
    for name, mark in (
        ("work", ".env"),
        ("alone", "auth.json"),
        ("Wrong", ".env"),
        ("default", ".env"),
        ("gone", ".env"),
    ):
        make(root / "profiles" / name, mark)
    (root / "profiles" / "ghost" / "logs").mkdir(parents=True)
    make(root / "profiles" / ".deleted", "gone")
    work = Home(root / "profiles" / "work", root, "work")
    assert [home.profile for home in homes_of(work)] == [None, "alone", "work"]
    assert homes_of(work)[0] == Home(root, root)


def test_a_root_that_is_no_home_itself_has_its_profiles(tmp_path: Path) -> None:
    make(tmp_path / "h" / "profiles" / "work")
    assert [home.profile for home in homes_of(Home(tmp_path / "h", tmp_path / "h"))] == ["work"]


def test_all_profiles_of_a_root_are_chosen_whichever_hermes_starts_in(user: Path) -> None:
    root = make(user / ".hermes")
    make(root / "profiles" / "work")
    make(root / "profiles" / "spare")
    (root / "active_profile").write_text("work")
    for environ in ({}, {"HERMES_HOME": str(root)}):
        chosen = chosen_homes(None, None, environ, user)
        assert [profile_name(home) for home in chosen] == ["default", "spare", "work"]
    assert chosen_homes(root, None, {}, user) == chosen


def test_a_profile_that_is_named_or_whose_folder_is_is_chosen_alone(user: Path) -> None:
    root = make(user / ".hermes")
    work = Home(make(root / "profiles" / "work"), root, "work")
    assert chosen_homes(None, "work", {}, user) == (work,)
    assert chosen_homes(work.path, None, {}, user) == (work,)
    assert chosen_homes(None, None, {"HERMES_HOME": str(work.path)}, user) == (work,)
    assert chosen_homes(work.path, "default", {}, user) == (Home(root, root),)


@pytest.mark.parametrize("name", ["nobody", "../..", "", "Work"])
def test_a_profile_that_is_not_there_is_none(user: Path, name: str) -> None:
    make(make(user / ".hermes") / "profiles" / "work")
    assert chosen_homes(None, name, {}, user) == ()


def test_without_a_home_its_path_is_chosen_so_that_somebody_can_say_why(user: Path) -> None:
    assert chosen_homes(None, None, {}, user) == (Home(user / ".hermes", user / ".hermes"),)


def test_what_is_no_home_says_why(tmp_path: Path) -> None:
    def why(path: Path, profile: str | None = None) -> str:
        return str(why_not_a_home(Home(path, tmp_path, profile)))

    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    make(tmp_path / "profiles" / "gone")
    make(tmp_path / "profiles" / ".deleted", "gone")
    assert "there is no folder" in why(tmp_path / "nowhere")
    assert "is a file" in why(tmp_path / "file")
    assert "holds none of config.yaml" in why(tmp_path / "empty")
    assert "profile gone was deleted" in why(tmp_path / "profiles" / "gone", "gone")
    assert "file name too long" in why(tmp_path / ("a" * 300))
    assert why_not_a_home(Home(make(tmp_path / "real"), tmp_path)) is None


def test_a_path_cannot_steer_the_terminal_that_reads_why(tmp_path: Path) -> None:
    assert "\x1b" not in str(why_not_a_home(Home(tmp_path / "a\x1b[31m", tmp_path)))


def test_where_no_file_can_be_opened_a_home_says_so(user: Path) -> None:
    root = make(user / ".hermes")
    (root / "active_profile").write_text("work")
    with no_more_files():
        home = find_home(None, {}, user)
        why, homes = why_not_a_home(home), homes_of(home)
    assert "cannot be read (too many open files)" in str(why)
    assert homes == ()


def test_a_loop_of_links_is_no_home(tmp_path: Path, user: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "symbolic links" in str(why_not_a_home(find_home(tmp_path / "loop", {}, user)))
