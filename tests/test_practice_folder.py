"""The files of a student's exercises: what is kept, brought back or refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from practising import ADD, RIGHT, practice


def test_a_second_start_keeps_the_work(tmp_path: Path, mine: Path) -> None:
    """Starting again changes no file of the student's, and hands out again what was deleted."""
    (mine / ADD).write_text(RIGHT)
    (mine / "02_many.py").unlink()
    (mine / "notes.txt").write_text("my own")
    done = practice(tmp_path, "--list")
    assert "handed out: 02_many.py" in done.out
    assert (mine / ADD).read_text() == RIGHT
    assert (mine / "02_many.py").read_text().endswith("many = 0\n")
    assert (mine / "notes.txt").read_text() == "my own"


def test_a_file_that_was_there_first_stays(tmp_path: Path) -> None:
    """A file that has the name of an exercise before the first start is told, and left as it is."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ADD).write_text("# mine\n")
    done = practice(tmp_path, "--list")
    assert f"{ADD} was there already; it is left as it is" in done.out
    assert (tmp_path / "mine" / ADD).read_text() == "# mine\n"


def test_reset_keeps_every_backup(tmp_path: Path, mine: Path) -> None:
    """A reset puts the starter back and keeps the student's file under a name that no older backup has."""
    starter = (mine / ADD).read_text()
    for number in (1, 2):
        (mine / ADD).write_text(f"# attempt {number}\n")
        assert f"your file is kept as backup/01_add.{number}.py" in practice(tmp_path, "--reset", "add").out
        assert (mine / ADD).read_text() == starter
    assert (mine / "backup" / "01_add.1.py").read_text() == "# attempt 1\n"
    assert (mine / "backup" / "01_add.2.py").read_text() == "# attempt 2\n"
    assert practice(tmp_path, "--reset", "add").out == f"{ADD} is the starter again\n"


def test_a_reset_moves_whatever_is_in_the_way(tmp_path: Path, mine: Path) -> None:
    """A folder in the place of an exercise's file is told, and a reset keeps it as a backup too."""
    (mine / ADD).unlink()
    (mine / ADD).mkdir()
    assert f"{ADD} cannot be read: Is a directory" in practice(tmp_path, "--check", "add").out
    assert practice(tmp_path, "--reset", "add").code == 0
    assert (mine / "backup" / "01_add.1.py").is_dir()
    assert (mine / ADD).read_text().endswith("return a\n")


def test_a_reset_that_cannot_be_written_loses_nothing(tmp_path: Path, mine: Path) -> None:
    """Where no backup can be made, the file stays as it is, and that is said."""
    (mine / ADD).write_text(RIGHT)
    (mine / "backup").touch()
    done = practice(tmp_path, "--reset", "add")
    assert done.code == 2
    assert "backup cannot be written" in done.err
    assert (mine / ADD).read_text() == RIGHT


def test_a_changed_starter_is_told(tmp_path: Path, course: Path) -> None:
    """Where the course has changed a starter, the student's file stays, and a reset brings the new one."""
    assert practice(tmp_path, "--list", course=course).code == 0
    page = course / "first.md"
    page.write_text(page.read_text().replace("    return a\n", "    return b\n"))
    done = practice(tmp_path, "--list", course=course)
    assert f"the course has changed the starter of {ADD}: your file is kept" in done.out
    assert (tmp_path / "mine" / ADD).read_text().endswith("return a\n")
    assert practice(tmp_path, "--reset", "add", course=course).code == 0
    assert (tmp_path / "mine" / ADD).read_text().endswith("return b\n")
    assert "has changed" not in practice(tmp_path, "--list", course=course).out


def test_a_course_that_grows_moves_no_file(tmp_path: Path, course: Path) -> None:
    """A file keeps its name when the course puts an exercise before it or takes one away, and so does its state."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "03_half.py").write_text("half = math.pi\n")
    assert practice(tmp_path, "--check", "half", course=course).code == 0
    toml = course / "course.toml"
    toml.write_text(toml.read_text().replace('"first.md", ', ""))
    done = practice(tmp_path, "--list", course=course)
    assert f"{ADD} belongs to no exercise of the course any more; it is left as it is" in done.out
    assert "done  03_half.py" in done.out
    toml.write_text(toml.read_text().replace('"second.md"', '"second.md", "first.md"'))
    assert f"open  {ADD}" in practice(tmp_path, "--list", course=course).out


def test_a_spoiled_progress_file_is_told_at_its_line(tmp_path: Path, mine: Path) -> None:
    """Progress that cannot be read gives its line and the cure, and nothing is written over it."""
    (mine / "practice.json").write_text('{\n  "course": oops\n')
    done = practice(tmp_path, "--list")
    assert done.code == 2
    assert "mine/practice.json:2: the progress cannot be read" in done.err
    assert "oops" in (mine / "practice.json").read_text()
    (mine / "practice.json").write_text('{"course": "Counting", "exercises": [1]}')
    assert practice(tmp_path, "--list").code == 2


def test_the_folder_of_another_course_is_refused(tmp_path: Path, mine: Path, course: Path) -> None:
    """A folder serves one course; the exercises of another are not mixed in."""
    (course / "course.toml").write_text('title = "Other"\ntorch = "2.13.0"\nlessons = ["third.md"]\n')
    (course / "first.md").rename(course / "third.md")
    (course / "second.md").unlink()
    done = practice(tmp_path, "--list", course=course)
    assert done.code == 2
    assert "holds the exercises of “Counting”" in done.err


def test_progress_is_written_whole(tmp_path: Path, mine: Path) -> None:
    """No half-written file is left beside the exercises."""
    practice(tmp_path, "--check", "add")
    assert not [name for name in os.listdir(mine) if name.startswith(".")]


@pytest.mark.parametrize("file", ["../outside.py", "/outside.py", ""])
def test_progress_that_names_a_file_elsewhere_is_refused(tmp_path: Path, mine: Path, file: str) -> None:
    """Nothing outside of the folder is written, whatever its progress file says."""
    kept = mine / "practice.json"
    found = json.loads(kept.read_text("utf-8"))
    next(iter(found["exercises"].values()))["file"] = file
    kept.write_text(json.dumps(found))
    done = practice(tmp_path, "--list")
    assert done.code == 2
    assert f"{file!r} is no file of this folder" in done.err
    assert not (tmp_path / "outside.py").exists()
