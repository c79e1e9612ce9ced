"""Ending the cooldown of one login: what changes in the file, what does not, and when nothing is touched."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.errors import HermesTuiError, RefusedError, StateError, StateLockedError, StateTooNewError
from hermes_tui.hermes import auth_lock
from hermes_tui.hermes.auth_file import AUTH_FILE, LoginsError
from hermes_tui.hermes.clearing import NEW_FILE, STATUS_FIELDS, clear, cleared
from hermes_tui.hermes.values import Home

NOW: Final = 2_000_000_000.0
BENCHED_AT: Final = NOW - 60
TOKEN: Final = "made-up-access-token-a1"

JSON: Final[st.SearchStrategy[object]] = st.sampled_from(
    [None, True, 0, -1.5, 1e300, "", "größe", "\ud800", [1, {"a": None}], {"b": [], "a": {}}]
)
NAMES = st.text(max_size=4) | st.sampled_from(["id_token", "priority", "plugin"])
KNOWN = {"id", "status_cleared_at", "model_cooldowns", "failure_reason", *STATUS_FIELDS}
EXTRAS = st.dictionaries(NAMES.filter(lambda name: name not in KNOWN), JSON, max_size=3)
STATUS = st.fixed_dictionaries(
    {},
    optional={
        "last_status": st.sampled_from([None, "ok", "exhausted", "dead"]),
        "last_status_at": st.none() | st.floats(1, BENCHED_AT) | st.just("2026-01-01T00:00:00Z"),
        "last_error_code": st.none() | st.integers(400, 599),
        "last_error_reason": JSON,
        "last_error_message": JSON,
        "last_error_reset_at": st.none() | st.floats(1, 2 * NOW),
        "model_cooldowns": st.none() | st.dictionaries(NAMES, st.floats(1, 2 * NOW), max_size=2),
        "failure_reason": JSON,
        "status_cleared_at": st.none() | st.floats(1, BENCHED_AT),
    },
)


@st.composite
def rows(draw: st.DrawFn, name: str) -> dict[str, Any]:
    items = [*draw(EXTRAS).items(), *draw(STATUS).items(), ("id", name)]
    return dict(draw(st.permutations(items)))


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Documents with the row `a1` of `p`, among whatever else."""
    own = draw(
        st.permutations([draw(rows("a1")), draw(rows("b2")), draw(JSON.filter(lambda it: type(it) is not dict))])
    )
    pools = {**draw(EXTRAS), "p": own, **draw(EXTRAS)}
    pools["p"] = own
    whole = {**draw(EXTRAS), "credential_pool": pools, **draw(EXTRAS)}
    return whole | {"credential_pool": pools}


def the_row(document: Any, name: str = "a1") -> dict[str, Any]:
    found = next(row for row in document["credential_pool"]["p"] if isinstance(row, dict) and row.get("id") == name)
    assert isinstance(found, dict)
    return found


def text(value: object) -> str:
    """Return a value with its order, so that equal texts are equal in that too."""
    return json.dumps(value)


@given(documents())
def test_the_row_has_no_cooldown_any_more_and_says_when_it_ended(document: dict[str, Any]) -> None:
    row = the_row(cleared(document, "p", "a1", NOW))
    assert all(row[name] is None for name in STATUS_FIELDS)
    assert row["status_cleared_at"] == NOW
    assert "model_cooldowns" not in row
    assert "failure_reason" not in row


@given(documents())
def test_c118_all_else_stays_in_its_place(document: dict[str, Any]) -> None:
    def rest(whole: Any) -> str:
        copy = deepcopy(whole)
        copy.pop("updated_at", None)
        for name in KNOWN - {"id"}:
            the_row(copy).pop(name, None)
        return text(copy)

    assert rest(cleared(document, "p", "a1", NOW)) == rest(document)


@given(documents())
def test_the_document_that_was_given_is_not_touched(document: dict[str, Any]) -> None:
    before = text(document)
    cleared(document, "p", "a1", NOW)
    assert text(document) == before


@given(documents())
def test_to_clear_again_moves_the_stamps_alone(document: dict[str, Any]) -> None:
    once, twice = cleared(document, "p", "a1", NOW), cleared(cleared(document, "p", "a1", NOW), "p", "a1", NOW + 1)
    the_row(twice)["status_cleared_at"] = NOW
    assert text(twice | {"updated_at": once["updated_at"]}) == text(once)


@pytest.mark.parametrize("name", ["", "c3", "A1", "größe"])
def test_a_row_that_is_gone_is_refused(name: str) -> None:
    document = {"credential_pool": {"p": [row("a1"), {"label": "nameless", "id": ""}], "q": [row("c3")]}}
    with pytest.raises(RefusedError, match=f"p has no login {name} any more"):
        cleared(document, "p", name, NOW)


@pytest.mark.parametrize(
    "document", [{}, {"credential_pool": []}, {"credential_pool": {"p": {}}}, {"credential_pool": {}}]
)
def test_a_document_without_such_a_pool_has_no_such_row(document: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="p has no login a1 any more"):
        cleared(document, "p", "a1", NOW)


@pytest.mark.parametrize("at", [NOW, NOW + 1, (NOW + 1) * 1000, "2099-01-01T00:00:00+00:00"])
def test_a_cooldown_that_begins_later_than_now_is_refused(at: object) -> None:
    document = {"credential_pool": {"p": [{"id": "a1", "last_status": "exhausted", "last_status_at": at}]}}
    with pytest.raises(RefusedError, match="later than this clear: try again, or set"):
        cleared(document, "p", "a1", NOW)


# the file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a login that is benched."""
    folder = tmp_path / "home"
    folder.mkdir()
    write(folder, row("a1"))
    return Home(folder, folder)


def row(name: str, **values: object) -> dict[str, Any]:
    benched = {"last_status": "exhausted", "last_status_at": BENCHED_AT, "last_error_code": 429}
    return {
        "id": name,
        "label": "größe",
        "access_token": f"made-up-access-token-{name}",
        **benched,
        "note": 1e300,
        **values,
    }


def write(folder: Path, *found: dict[str, Any], **values: object) -> None:
    document = {"version": 1, "providers": {}, "credential_pool": {"p": [*found]}, **values}
    (folder / AUTH_FILE).write_text(json.dumps(document, indent=2, ensure_ascii=False))
    (folder / AUTH_FILE).chmod(0o600)


def do(home: Home, name: str = "a1", provider: str = "p", patience_seconds: float = 0) -> float:
    return clear(home, provider, name, clock=lambda: NOW, patience_seconds=patience_seconds)


def stands(home: Home) -> Any:
    return json.loads((home.path / AUTH_FILE).read_text())


def test_the_file_is_written_as_hermes_writes_it(home: Home) -> None:
    before = (home.path / AUTH_FILE).read_text()
    assert do(home) == NOW
    expected = cleared(json.loads(before), "p", "a1", NOW)
    assert (home.path / AUTH_FILE).read_text() == json.dumps(expected, indent=2, ensure_ascii=False)
    assert stands(home)["updated_at"] == "2033-05-18T03:33:20+00:00"


def test_nothing_but_the_file_and_a_lock_that_is_free_and_empty_stays(home: Home) -> None:
    do(home)
    assert sorted(each.name for each in home.path.iterdir()) == [AUTH_FILE, auth_lock.LOCK_FILE]
    assert (home.path / auth_lock.LOCK_FILE).read_bytes() == b""
    do(home)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_mode_and_owner_are_kept(home: Home, mode: int) -> None:
    (home.path / AUTH_FILE).chmod(mode)
    before = (home.path / AUTH_FILE).stat()
    do(home)
    after = (home.path / AUTH_FILE).stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino


def test_half_a_character_pair_is_carried_through(home: Home) -> None:
    (home.path / AUTH_FILE).write_text(json.dumps({"credential_pool": {"p": [row("a1", label="\ud800")]}}))
    do(home)
    assert the_row(stands(home))["label"] == "\ud800"


def test_a_line_end_at_the_end_is_kept(home: Home) -> None:
    file = home.path / AUTH_FILE
    file.write_text(file.read_text() + "\n")
    do(home)
    assert file.read_text().endswith("}\n")


def test_what_was_left_by_a_process_that_died_is_gone(home: Home) -> None:
    (home.path / NEW_FILE).write_text("half")
    do(home)
    assert not (home.path / NEW_FILE).exists()


def test_the_time_of_the_stamp_is_asked_while_the_lock_is_held_in_the_name_of_this_process(home: Home) -> None:
    def clock() -> float:
        assert (home.path / auth_lock.LOCK_FILE).read_text() == f"{os.getpid()}\n"
        with pytest.raises(StateLockedError), auth_lock.held(home.path, 0):
            pass
        return NOW

    assert clear(home, "p", "a1", clock=clock, patience_seconds=0) == NOW


def test_a_clear_at_any_line_of_which_its_process_is_killed_leaves_the_old_file_or_the_new_one(home: Home) -> None:
    script = Path(__file__).with_name("killing.py")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run(
        [sys.executable, str(script), str(home.path)], env=environment, capture_output=True, text=True, check=True
    )
    deaths = [json.loads(line) for line in run.stdout.splitlines()]
    states = [death["state"] for death in deaths]
    assert states == ["old"] * states.count("old") + ["new"] * states.count("new")
    assert min(states.count("old"), states.count("new")) > 3
    assert {name for death in deaths for name in death["left"]} == {NEW_FILE}
    assert deaths[-1] == {"state": "new", "left": [], "ended": True}


# what is refused, and how


def link(home: Home) -> None:
    (home.path / AUTH_FILE).rename(home.path / "elsewhere")
    (home.path / AUTH_FILE).symlink_to(home.path / "elsewhere")


def second_name(home: Home) -> None:
    (home.path / "elsewhere").hardlink_to(home.path / AUTH_FILE)


def linked_lock(home: Home) -> None:
    (home.path / "elsewhere").write_text("mine")
    (home.path / auth_lock.LOCK_FILE).symlink_to(home.path / "elsewhere")


def folder(home: Home) -> None:
    (home.path / AUTH_FILE).unlink()
    (home.path / AUTH_FILE).mkdir()


def missing(home: Home) -> None:
    (home.path / AUTH_FILE).unlink()


def newer(home: Home) -> None:
    write(home.path, row("a1"), version=2)


def broken(home: Home) -> None:
    (home.path / AUTH_FILE).write_text('{"credential_pool": {p: "' + TOKEN + '"}}')


def gone(home: Home) -> None:
    write(home.path, row("b2"))


def in_the_way(home: Home) -> None:
    (home.path / NEW_FILE).mkdir()


@pytest.mark.parametrize(
    ("prepare", "kind", "told"),
    [
        (link, RefusedError, "auth.json is a link, and is not replaced: use `hermes auth reset`"),
        (second_name, RefusedError, "has a second name, which would keep the old content"),
        (linked_lock, RefusedError, "auth.lock is a link, and is not followed"),
        (folder, RefusedError, "is no regular file"),
        (missing, RefusedError, "auth.json is not there: `hermes auth add` makes it"),
        (newer, StateTooNewError, "a newer Hermes wrote it, format 2: not changed"),
        (broken, LoginsError, r"is not JSON \(line 1, column"),
        (gone, RefusedError, "p has no login a1 any more"),
        (in_the_way, StateError, r"cannot be changed \(Is a directory\); it is as it was"),
    ],
)
def test_a_refusal_has_a_reason_and_touches_nothing(
    home: Home, prepare: Callable[[Home], None], kind: type[HermesTuiError], told: str
) -> None:
    prepare(home)
    before = snapshot(home.path)
    with pytest.raises(kind, match=told) as refused:
        do(home)
    assert snapshot(home.path) == before
    assert TOKEN not in str(refused.value)


def snapshot(folder: Path) -> dict[str, object]:
    """Return what stands in a folder, but for the lock."""
    names = [each for each in sorted(folder.iterdir()) if each.name != auth_lock.LOCK_FILE or each.is_symlink()]
    return {each.name: each.is_symlink() or (each.is_file() and each.read_bytes()) for each in names}


def test_a_file_of_another_user_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with pytest.raises(RefusedError, match="belongs to another user, and would become yours"):
        do(home)
    assert the_row(stands(home))["last_status"] == "exhausted"


def test_c119_a_login_that_the_root_lends_is_refused_and_both_files_stay(home: Home) -> None:
    profile = home.path / "profiles" / "work"
    profile.mkdir(parents=True)
    borrower = Home(profile, home.path, "work")
    before = snapshot(home.path)
    with pytest.raises(
        RefusedError, match=f"is not there: the profile uses the login of {home.path}: end its cooldown"
    ):
        do(borrower)
    write(profile)
    with pytest.raises(RefusedError, match="work has no login of its own for p: the profile uses the login of"):
        do(borrower)
    write(profile, row("own"))
    with pytest.raises(RefusedError, match="p has no login a1 any more"):
        do(borrower)
    assert snapshot(home.path) == before


def test_c113_a_write_that_does_not_heed_the_lock_wins(home: Home) -> None:
    def clock() -> float:
        write(home.path, row("a1", label="theirs"))
        return NOW

    with pytest.raises(RefusedError, match="was changed by something that does not heed its lock: try again"):
        clear(home, "p", "a1", clock=clock, patience_seconds=0)
    assert the_row(stands(home)) == row("a1", label="theirs")
    assert not (home.path / NEW_FILE).exists()


@pytest.mark.parametrize("pid", [b"", b"words\n", b"0\n", b"99999999999999999999\n"])
def test_a_lock_whose_holder_is_not_known_is_told_without_a_pid(home: Home, pid: bytes) -> None:
    with auth_lock.held(home.path, 0):
        (home.path / auth_lock.LOCK_FILE).write_bytes(pid)
        with pytest.raises(StateLockedError, match=r"Hermes holds .*/auth.lock: nothing was changed, try again"):
            do(home)


def test_the_pid_of_a_process_that_ended_is_not_blamed(home: Home) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    with auth_lock.held(home.path, 0):
        (home.path / auth_lock.LOCK_FILE).write_text(f"{process.pid}\n")
        with pytest.raises(StateLockedError, match=r"auth.lock: nothing"):
            do(home)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_system_that_cannot_write_is_told_and_the_file_stays(
    home: Home, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before = snapshot(home.path)

    def refuse(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StateError, match=rf"cannot be changed \({os.strerror(number)}\); it is as it was"):
        do(home)
    monkeypatch.undo()
    assert snapshot(home.path) == before
    do(home)


def test_a_folder_that_cannot_be_made_durable_is_told_though_the_cooldown_has_ended(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def refuse_folders(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse_folders)
    with pytest.raises(StateError, match="the cooldown is ended, but may be back after a power cut"):
        do(home)
    assert the_row(stands(home))["last_status"] is None
