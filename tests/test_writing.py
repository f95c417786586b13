"""Files that are whole or not there."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from types import FrameType

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


# An interrupt may come before the opened file is closed; the interpreter then closes it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_line_leaves_one_of_the_two_files_and_no_litter(tmp_path: Path) -> None:
    """Wherever Ctrl+C comes, the old or the new content stands whole, and nothing else is left there."""
    path = tmp_path / "report.json"
    interrupted = 0
    for moment in count(1):
        path.write_bytes(b"old")
        lines = count(1)

        def interrupt(frame: FrameType, event: str, argument: object) -> object:
            if frame.f_code is not write_whole.__code__:
                return None
            if event == "line" and next(lines) == moment:  # noqa: B023  # called in this round alone
                sys.settrace(None)
                raise KeyboardInterrupt
            return interrupt

        try:
            sys.settrace(interrupt)  # type: ignore[arg-type]  # what it returns is such a function or None
            write_whole(path, b"new")
            break
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            sys.settrace(None)
        assert path.read_bytes() in (b"old", b"new")
        assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]
    assert interrupted > 5


def test_a_name_as_long_as_names_may_be_is_written(tmp_path: Path) -> None:
    """The file written aside needs no longer name than the file itself."""
    path = tmp_path / ("a" * 252 + ".md")
    write_whole(path, b"text")
    assert path.read_bytes() == b"text"
