"""Edits made in Jupyter that have no place in the lesson: what is told, and that nothing is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from command import runthrough
from desk import NAME, Cells, Desk, at, new_cell, replaced, without_our_words

COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"


def test_a_lesson_that_changed_in_the_same_line_is_told(tmp_path: Path) -> None:
    """Where both have changed the same line, that line is named and nothing is written."""
    desk = Desk(tmp_path, "instructor")
    line = desk.before.split("\n").index("two = 1 + 1") + 1
    desk.lesson.write_text(desk.before.replace("two = 1 + 1", "two = 3 - 1"), "utf-8")
    assert desk.after(replaced("two", "two = 1 + 1", "two = 2"), code=2) == ["-two = 1 + 1", "+two = 3 - 1"]
    assert f"{NAME}:{line}: these lines changed in the lesson and in the notebook" in desk.err


def test_a_students_notebook_of_an_older_lesson_is_told(tmp_path: Path) -> None:
    """A student's notebook, which holds only a part, comes back only into the lesson it was made from."""
    desk = Desk(tmp_path, "student")
    desk.lesson.write_text(desk.before.replace("The end.", "The very end."), "utf-8")
    assert desk.after(replaced("two", "two = 1 + 1", "two = 2"), code=2) == ["-The end.", "+The very end."]
    assert "the lesson changed after 01_everything.ipynb was made" in desk.err


def test_an_instructors_notebook_is_enough_for_its_lesson(tmp_path: Path) -> None:
    """Without the lesson at hand, an instructor's notebook gives it back byte for byte; a student's says it cannot."""
    for edition, code in (("instructor", 0), ("student", 2)):
        desk = Desk(tmp_path / edition, edition)
        elsewhere = desk.folder / "elsewhere.md"
        done = runthrough("import", str(desk.notebook), str(elsewhere))
        assert done.code == code
        if code:
            assert "a student's notebook holds only a part of its lesson" in done.err
            assert not elsewhere.exists()
        else:
            assert elsewhere.read_text("utf-8") == desk.before


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (replaced("after-everything-output-2", "> In a", "```python\nnever closed"), "would be read as something else"),
        (replaced("a-quiz", "What is", "![new](attachment:new.png) What is"), "the image new.png was pasted"),
        (lambda cells: cells.append(new_cell("raw", "raw words")), "a lesson has no place for a raw cell"),
        (lambda cells: cells.pop(at(cells, "an-exercise-1")), "exercise"),
    ],
    ids=["unclosed", "pasted image", "raw cell", "exercise without a starter"],
)
def test_an_edit_without_a_place_is_told_and_nothing_is_written(
    desk: Desk, edit: Callable[[Cells], None], told: str
) -> None:
    """What a lesson cannot hold is one clear line, and the lesson stays as it was."""

    def with_image(cells: Cells) -> None:
        edit(cells)
        cells[at(cells, "a-quiz")]["attachments"] = {"new.png": {"image/png": "AAAA"}}

    assert desk.after(with_image, code=2) == []
    assert told in desk.err


def test_a_wrong_answer_left_open_does_not_swallow_the_next(tmp_path: Path) -> None:
    """Where an edit opens a fence that is shown, and would lose the one below it, a line says so."""
    lesson = tmp_path / "course" / "05_by_hand_and_by_autograd.md"
    shutil.copytree(COURSE, lesson.parent)
    words = ("notebooks", str(lesson), "--to", str(tmp_path), "--edition", "instructor")
    assert runthrough(*words).code == 0
    notebook, before = tmp_path / f"{lesson.stem}.ipynb", lesson.read_bytes()
    found = json.loads(notebook.read_text("utf-8"))
    wrong = [cell for cell in found["cells"] if "a typical wrong answer" in cell["source"][0]]
    wrong[0]["source"] = [*wrong[0]["source"][:-1], "``` open"]
    notebook.write_text(json.dumps(found), "utf-8")
    done = runthrough("import", str(notebook), str(lesson))
    assert (done.code, lesson.read_bytes() == before) == (2, True)
    assert "its code would be read as something else" in done.err


def nameless(cells: Cells) -> None:
    """Cells of which nothing says any more which part of the lesson they are."""
    without_our_words(cells)
    for cell in cells:
        del cell["id"]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (nameless, "which part of the lesson"),
        (lambda cells: cells[3].update(source=None), "cell 4 is damaged"),
        (lambda cells: cells[3].pop("source"), "cell 4 is damaged"),
        (lambda cells: cells.__setitem__(3, "words"), "cell 4 is damaged"),
        (lambda cells: cells[3].update(source="half \ud800 of it"), "U+D800"),
    ],
    ids=["nameless", "null", "no source", "no cell", "surrogate"],
)
def test_a_damaged_notebook_is_told_and_deletes_nothing(desk: Desk, edit: Callable[[Cells], None], told: str) -> None:
    """Cells that cannot be read or known again are one clear line, and the lesson stays as it was."""
    assert desk.after(edit, code=2) == []
    assert told in desk.err
    assert len(desk.err.splitlines()) == 1
