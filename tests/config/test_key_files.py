"""Key files: what is there already is never touched, whatever it is."""

from pathlib import Path

from hermes_tui.config.key_files import keep, key_file
from hermes_tui.core.secret import Secret


def test_a_link_to_nowhere_is_in_the_way_as_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "hermes-tui.toml"
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "openrouter").symlink_to(tmp_path / "elsewhere")
    reference = key_file(path, "openrouter")
    assert reference == "file:keys/openrouter-2"
    assert keep(path, reference, Secret("a0key0of0nobody")).stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "elsewhere").exists()
