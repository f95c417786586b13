"""What `runthrough import` does not do: read what is no notebook, or replace what somebody has written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brought import PIXEL, bring
from command import runthrough
from written_notebooks import code, displayed, notebook, write


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "lesson.ipynb:1: this is broken JSON"),
        (b'{\n "cells": [\n', "lesson.ipynb:3: this is broken JSON"),
        (b"\xff\xfe", "lesson.ipynb:1: byte 0xff is not UTF-8"),
        (b"[1]", "lesson.ipynb:1: this JSON is no notebook"),
        (b"[" * 100_000, "lesson.ipynb:1: this JSON is nested too deep"),
        (b'{"a": 1}', "lesson.ipynb:1: this JSON is no notebook: it has no nbformat"),
        (b'{"nbformat": 9}', "lesson.ipynb:1: notebooks of nbformat 9 are not known"),
        (b'{"nbformat": 4, "cells": []}', "lesson.ipynb:1: this notebook is empty"),
        (b'{"nbformat": 4, "cells": 3}', "lesson.ipynb:1: this notebook has no list of cells"),
        (json.dumps(notebook(code("x"), language_info={"name": "R"})).encode(), "the cells of this notebook are R"),
        (json.dumps(notebook(code("x"), kernelspec={"language": "julia"})).encode(), "are julia"),
        (json.dumps(notebook(code("'\ud800'"))).encode(), "cell 1 holds U+D800"),
    ],
)
def test_what_is_no_notebook_in_python_is_refused_in_one_line(content: bytes, told: str, tmp_path: Path) -> None:
    """A file that cannot become a lesson is one line with its place and exit code 2, and nothing is written."""
    (tmp_path / "lesson.ipynb").write_bytes(content)
    done = runthrough("import", "lesson.ipynb", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["lesson.ipynb"]


def test_a_lesson_that_is_there_is_not_replaced_without_being_asked(tmp_path: Path) -> None:
    """An import replaces what it wrote itself from that notebook, and no page that a person wrote or changed."""
    file = write(tmp_path, notebook(code("x = 1")))
    lesson = tmp_path / "lesson.md"
    assert runthrough("import", "lesson.ipynb", cwd=tmp_path).code == 0
    write(tmp_path, notebook(code("x = 2")))
    assert runthrough("import", "lesson.ipynb", cwd=tmp_path).code == 0
    assert "x = 2" in lesson.read_text(encoding="utf-8")
    edited = lesson.read_text(encoding="utf-8").replace("x = 2", "x = 3")
    lesson.write_text(edited, encoding="utf-8")
    refused = runthrough("import", "lesson.ipynb", cwd=tmp_path)
    assert refused.code == 2
    assert "lesson.md:1: this lesson is there and holds other words" in refused.err
    assert lesson.read_text(encoding="utf-8") == edited
    assert runthrough("import", "lesson.ipynb", "--force", cwd=tmp_path).code == 0
    assert "x = 2" in lesson.read_text(encoding="utf-8")
    file.rename(tmp_path / "other.ipynb")
    assert runthrough("import", "other.ipynb", "lesson.md", cwd=tmp_path).code == 2


def test_a_figure_of_another_is_not_replaced(tmp_path: Path) -> None:
    """A file that stands where a figure would go stops the import before anything is written."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "lesson-cell-1-1.png").write_bytes(b"mine")
    brought = bring(tmp_path, notebook(code("plot()", displayed(image_png=PIXEL))))
    assert (brought.done.code, brought.lesson) == (2, "")
    assert "lesson-cell-1-1.png:1: this file is there and is another" in brought.done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["import"], "name a notebook"),
        (["import", "a.ipynb", "b.md", "c.md"], "name a notebook"),
        (["import", "a.md"], "a.md is a lesson"),
        (["import", "a.ipynb", "b.txt"], "b.txt is no name for a lesson"),
        (["import", "a.ipynb"], "a.ipynb:1: the file cannot be read: No such file"),
        (["import", "."], ". is a folder"),
    ],
)
def test_a_command_line_that_names_no_notebook_is_told_what_to_type(
    words: list[str], told: str, tmp_path: Path
) -> None:
    """A mistyped import is one line and exit code 2."""
    done = runthrough(*words, cwd=tmp_path)
    assert done.code == 2
    assert told in done.err
