"""Files that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from runthrough.reports.writing import write_whole


def test_a_written_file_replaces_the_old_one_and_keeps_its_permissions(tmp_path: Path) -> None:
    """The new content stands, the permissions stay, missing folders are made, and nothing else is left there."""
    path = tmp_path / "build" / "report.json"
    write_whole(path, b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in path.parent.iterdir()] == ["report.json"]


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption just before the new file is in place changes nothing."""
    path = tmp_path / "report.json"
    write_whole(path, b"old")

    def interrupted(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_symbolic_link_stays_a_link(tmp_path: Path) -> None:
    """Writing through a link changes the file it names, not the link."""
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write_whole(tmp_path / "link.json", b"text")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_bytes() == b"text"
