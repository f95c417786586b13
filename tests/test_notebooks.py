"""The command `notebooks`: what students and instructors get, byte for byte the same each time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from command import TELLING, runthrough

COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
EDITIONS = ("student", "instructor")


def exported(folder: Path, *words: str) -> dict[str, dict[str, Any]]:
    """The notebooks that the command writes to a folder, by file name."""
    done = runthrough("notebooks", *words, "--to", str(folder))
    assert done.code == 0, done.err
    return {path.name: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.ipynb"))}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    """The notebooks of the course, by edition and file name."""
    return {
        edition: exported(tmp_path_factory.mktemp(edition), str(COURSE), "--edition", edition) for edition in EDITIONS
    }


def source_of(cell: dict[str, Any]) -> str:
    """A cell's text."""
    return "".join(cell["source"])


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_notebook_of_the_course_is_valid(course: dict[str, Any], edition: str) -> None:
    """Every lesson becomes a notebook of format 4.5 in which each cell has an id of its own."""
    assert set(course[edition]) >= {f"{lesson.stem}.ipynb" for lesson in COURSE.glob("0*.md")}
    for notebook in course[edition].values():
        nbformat.validate(nbformat.from_dict(notebook))  # type: ignore[no-untyped-call]
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        ids = [cell["id"] for cell in notebook["cells"]]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch("[a-z0-9-]{1,60}", name) for name in ids)


def test_the_same_lessons_give_the_same_bytes(tmp_path: Path) -> None:
    """Two exports are byte-identical, wherever they are started and written."""
    one, other = tmp_path / "one", tmp_path / "deep" / "other"
    assert runthrough("notebooks", str(COURSE), "--to", str(one), PYTHONHASHSEED="1").code == 0
    assert runthrough("notebooks", "pytorch", "--to", str(other), cwd=COURSE.parent, PYTHONHASHSEED="2").code == 0
    files = {path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()}
    assert files == {path.relative_to(other): path.read_bytes() for path in other.rglob("*") if path.is_file()}


def test_the_instructor_edition_holds_the_whole_lesson(course: dict[str, Any]) -> None:
    """What the cells of an instructor's notebook carry, put together, is the lesson's file byte for byte."""
    for notebook in course["instructor"].values():
        ours = notebook["metadata"]["runthrough"]
        parts = [cell["metadata"]["runthrough"].get("markdown", "") for cell in notebook["cells"]]
        assert (ours["markdown"] + "".join(parts)).encode() == (COURSE / ours["lesson"]).read_bytes()


def test_a_folder_that_takes_no_files_is_told(tmp_path: Path) -> None:
    """Where the notebooks cannot be written, one line says so and the exit code is 2."""
    file = tmp_path / "file"
    file.write_text("")
    done = runthrough("notebooks", str(TELLING / "holds.md"), "--to", str(file / "below"))
    assert done.code == 2
    assert "name a folder that can be written" in done.err
