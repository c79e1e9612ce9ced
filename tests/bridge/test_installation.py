"""The plugin in a home: shown before it is put there, brought up to date, told from a changed one, and gone again."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.bridge import installation
from hermes_tui.bridge.installation import NAME, SUMS, VERSION, Standing
from hermes_tui.bridge.plugin import turns
from hermes_tui.bridge.values import Act
from hermes_tui.cli.bridge import ACTS
from hermes_tui.core.errors import RefusedError, StateError
from tests.bridge.impostor import impostor, saying
from tests.bridge.knocking import place

CONFIGURATION = "# mine\nmodel:\n  default: gpt-5.5\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text(CONFIGURATION)
    return home


def bridge(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hermes_tui", "bridge", *words, str(home)]
    return subprocess.run(
        command, env=os.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def everything(home: Path) -> dict[str, bytes]:
    """Return all files, without the copies of config.yaml that each change keeps."""
    files = [path for path in sorted(home.rglob("*")) if path.is_file() and "backups" not in path.parts]
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def folder(home: Path) -> Path:
    return home / "plugins" / NAME


def make_older(home: Path) -> None:
    """Let the home have a bridge as an earlier release put it there, with a file that is no more."""
    installation.install(home)
    (folder(home) / "plugin.yaml").write_text('name: hermes-tui-bridge\nversion: "0.9.0"\n')
    (folder(home) / "gone.py").write_text("")
    names = sorted(path.name for path in folder(home).iterdir() if path.name != SUMS)
    sums = "".join(f"{installation._digest((folder(home) / name).read_bytes())}  {name}\n" for name in names)
    (folder(home) / SUMS).write_text(sums)


def test_what_will_be_done_is_shown_and_nothing_is_done_where_nobody_can_be_asked(home: Path) -> None:
    before = everything(home)
    done = bridge(home, "install")
    assert done.returncode == 2
    assert "add --yes" in done.stderr
    for name in installation.shipped():
        assert f"+ {folder(home) / name} (" in done.stdout
    assert f"{home / 'config.yaml'}:\n  line 4:\n  +plugins:\n  +  enabled:\n  +  - {NAME}\n" in done.stdout
    assert everything(home) == before


def test_it_is_installed_shown_and_removed_without_a_trace(home: Path) -> None:
    before = everything(home)
    assert bridge(home, "status").returncode == 1
    assert bridge(home, "install", "--yes").returncode == 0
    assert everything(home) == {
        "config.yaml": f"{CONFIGURATION}plugins:\n  enabled:\n  - {NAME}\n".encode(),
        **{f"plugins/{NAME}/{name}": content for name, content in installation.shipped().items()},
    }
    told = bridge(home, "status")
    assert told.returncode == 0, told.stdout
    assert f"The plugin is installed ({VERSION}).\n  config.yaml enables it.\n  No Hermes runs with it." in told.stdout
    assert "already" in bridge(home, "install").stdout
    with impostor(home, saying()):
        place(home).rename(place(home, 2**30))
    assert bridge(home, "remove", "--yes").returncode == 0
    assert everything(home) == before
    assert sorted(path.name for path in home.iterdir()) == ["backups", "config.yaml"]
    assert "There is no bridge" in bridge(home, "remove").stdout


def test_the_plugin_says_the_version_of_its_manifest(home: Path) -> None:
    installation.install(home)
    assert installation.look(home).version == VERSION


def test_an_older_version_is_told_and_replaced(home: Path) -> None:
    make_older(home)
    found = installation.look(home)
    assert (found.standing, found.version, found.changed) == (Standing.OTHER_VERSION, "0.9.0", ())
    installation.install(home)
    assert installation.look(home).standing is Standing.CURRENT
    assert not (folder(home) / "gone.py").exists()


def test_a_file_that_somebody_changed_is_named_before_it_is_replaced(home: Path) -> None:
    make_older(home)
    (folder(home) / "door.py").write_text("# mine\n")
    assert installation.look(home).changed == ("door.py",)
    assert bridge(home, "status").returncode == 1
    done = bridge(home, "install", "--yes")
    assert "! door.py was changed since it was put there; the change is lost." in done.stdout
    assert installation.look(home).standing is Standing.CURRENT


def test_what_python_compiled_there_is_no_change_and_goes_with_it(home: Path) -> None:
    installation.install(home)
    (folder(home) / "__pycache__").mkdir()
    (folder(home) / "__pycache__" / "door.cpython-311.pyc").write_text("")
    assert installation.look(home).standing is Standing.CURRENT
    assert installation.remove(home)
    assert not (home / "plugins").exists()


def test_a_file_of_others_in_the_folder_is_neither_replaced_nor_taken_away(home: Path) -> None:
    installation.install(home)
    (folder(home) / "notes.txt").write_text("mine")
    for act in (installation.install, installation.remove):
        with pytest.raises(RefusedError, match=r"holds notes\.txt, which is not the bridge's"):
            act(home)
    before = everything(home)
    for word in ("install", "remove"):
        assert bridge(home, word, "--yes").returncode == 1
    assert everything(home) == before


@pytest.mark.parametrize("where", ["plugins", f"plugins/{NAME}"])
def test_a_link_in_the_way_is_not_followed(home: Path, tmp_path: Path, where: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (home / where).parent.mkdir(exist_ok=True)
    (home / where).symlink_to(tmp_path / "elsewhere")
    for act in (installation.look, installation.install, installation.remove):
        with pytest.raises(RefusedError, match="is a link or a file"):
            act(home)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_update_that_cannot_take_its_place_leaves_the_one_before(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_older(home)
    before, rename = everything(home), Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name.endswith(".new"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StateError, match="No space left on device"):
        installation.install(home)
    assert everything(home) == before


@pytest.mark.parametrize("end", ["new", "old"])
@pytest.mark.parametrize("made", ["file", "link"])
def test_what_is_in_the_way_beside_it_is_left_and_named(home: Path, tmp_path: Path, end: str, made: str) -> None:
    in_the_way = home / f".{NAME}.{end}"
    (tmp_path / "elsewhere").mkdir()
    in_the_way.symlink_to(tmp_path / "elsewhere") if made == "link" else in_the_way.write_text("mine")
    with pytest.raises(StateError, match=r"cannot be written \("):
        installation.install(home)
    assert os.path.lexists(in_the_way)
    assert installation.look(home).standing is Standing.ABSENT


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_another_user_is_left_alone(home: Path) -> None:
    installation.install(home)
    os.chown(home / "plugins", 65534, 65534)
    with pytest.raises(RefusedError, match="belongs to another user"):
        installation.install(home)


def test_where_no_plugin_sees_a_session_that_is_said(home: Path) -> None:
    (home / "config.yaml").write_text("plugins:\n  isolation: host\n")
    assert "plugins.isolation is host" in bridge(home, "install").stdout


def test_a_file_that_names_it_as_disabled_is_not_overruled(home: Path) -> None:
    (home / "config.yaml").write_text(f"plugins:\n  disabled: [{NAME}]\n")
    done = bridge(home, "install", "--yes")
    assert done.returncode == 1
    assert "under plugins.disabled" in done.stderr
    assert not (home / "plugins").exists()


def test_a_home_that_a_package_manager_keeps_is_left_to_it(home: Path) -> None:
    (home / ".managed").touch()
    for word in ("install", "remove"):
        done = bridge(home, word, "--yes")
        assert done.returncode == 1
        assert f"a package manager decides about {home}" in done.stderr
    assert not (home / "plugins").exists()


def test_an_act_where_no_bridge_runs_is_a_sentence(home: Path) -> None:
    command = [sys.executable, "-m", "hermes_tui", "bridge", "do", "force-restore", "--home", str(home)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == "hermes-tui: no Hermes with a bridge runs in this home\n"


def test_each_act_of_the_bridge_has_a_word_on_the_command_line() -> None:
    assert {word.replace("-", "_") for word in ACTS} == {act.value for act in Act} == set(turns.ACTS)
