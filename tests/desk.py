"""A copy of a course and its notebooks, which tests edit and bring back into their lessons."""

from __future__ import annotations

import atexit
import difflib
import json
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from command import LESSONS, runthrough

INPUTS = LESSONS / "notebooks" / "course"
NAME = "01_everything.md"
Cells = list[dict[str, Any]]


@lru_cache
def made(edition: str) -> Path:
    """A folder with the notebooks of the course, written once for all tests."""
    folder = Path(tempfile.mkdtemp(prefix="runthrough-notebooks-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = runthrough("notebooks", str(INPUTS), "--to", str(folder), "--edition", edition)
    assert done.code == 0, done.err
    return folder


class Desk:
    """A copy of a course, its notebooks, and what became of a lesson after an edit."""

    def __init__(self, folder: Path, edition: str) -> None:
        self.folder, self.edition = folder, edition
        shutil.copytree(INPUTS, folder / "course")
        shutil.copytree(made(edition), folder / "nb")
        self.lesson = folder / "course" / NAME
        self.before = self.lesson.read_text("utf-8")
        self.notebook = folder / "nb" / "01_everything.ipynb"
        self.out = self.err = ""

    def after(self, edit: Callable[[Cells], None], code: int = 0) -> list[str]:
        """The changed lines of the lesson, as a diff shows them, when somebody made this edit and it was imported."""
        found = json.loads(self.notebook.read_text("utf-8"))
        edit(found["cells"])
        self.notebook.write_text(json.dumps(found), "utf-8")
        done = runthrough("import", str(self.notebook), str(self.lesson))
        assert done.code == code, done.err
        self.out, self.err = done.out, done.err
        rows = difflib.unified_diff(self.before.split("\n"), self.lesson.read_text("utf-8").split("\n"), n=0)
        return [row for row in rows if row[:1] in "+-" and row[:3] not in ("+++", "---")]


def at(cells: Cells, name: str) -> int:
    """The place of the cell with this id."""
    return next(number for number, cell in enumerate(cells) if cell["id"] == name)


def replaced(name: str, old: str, new: str) -> Callable[[Cells], None]:
    """An edit of one cell's text."""

    def edit(cells: Cells) -> None:
        source = "".join(cells[at(cells, name)]["source"])
        assert old in source
        cells[at(cells, name)]["source"] = source.replace(old, new)

    return edit


def new_cell(kind: str, source: str) -> dict[str, Any]:
    """A cell as Jupyter adds one."""
    code: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": "new-cell", "metadata": {}, "source": source, **code}


def without_our_words(cells: Cells) -> None:
    """As a tool leaves cells that knows no metadata but its own."""
    for cell in cells:
        cell["metadata"] = {}
