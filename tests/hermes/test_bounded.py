"""Opening a file of a home: what is no file is told, and nothing stays open."""

import os
from pathlib import Path

import pytest

from hermes_tui.hermes.bounded import read_at_most

OPEN_FILES = Path("/proc/self/fd")


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="this system does not list open files there")
def test_a_folder_in_place_of_a_file_leaves_nothing_open(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    before = len(os.listdir(OPEN_FILES))  # noqa: PTH208

    for _ in range(3):
        assert read_at_most(tmp_path / "file", 3)[0] == b"con"
        with pytest.raises(OSError, match="not a regular file"):
            read_at_most(tmp_path, 3)

    assert len(os.listdir(OPEN_FILES)) == before  # noqa: PTH208
