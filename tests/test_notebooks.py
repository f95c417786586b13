"""The command `notebooks`: what students and instructors get, byte for byte the same each time."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from command import LESSONS, TELLING, runthrough
from runthrough.lesson.course import read_course
from runthrough.lesson.read import read_lesson

INPUTS = LESSONS / "notebooks"
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


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    """The cells of a page with everything on it, by edition and id."""
    return {
        edition: {
            cell["id"]: cell
            for cell in exported(tmp_path_factory.mktemp(edition), str(INPUTS / "course"), "--edition", edition)[
                "01_everything.ipynb"
            ]["cells"]
        }
        for edition in EDITIONS
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


def test_no_notebook_of_a_student_holds_an_answer(course: dict[str, Any]) -> None:
    """No line of a solution or a wrong answer is anywhere in a student's file, unless the page shows it elsewhere."""
    searched = 0
    for notebook in course["student"].values():
        lesson = read_lesson(
            COURSE / notebook["metadata"]["runthrough"]["lesson"], "", read_course(COURSE, "course.toml")
        )
        answers = [fence for fence in lesson.fences if fence.directives.solution or fence.directives.wrong]
        inside = {number for fence in answers for number in range(fence.line, fence.end_line + 1)}
        rest = "\n".join(line for number, line in enumerate(lesson.text.split("\n"), 1) if number not in inside)
        text = json.dumps(notebook, ensure_ascii=False) + "".join(map(source_of, notebook["cells"]))
        for fence in answers:
            for line in fence.code.split("\n"):
                if len(line.strip()) > 12 and line.strip() not in rest:
                    searched += 1
                    assert line.strip() not in text
                    assert json.dumps(line.strip(), ensure_ascii=False)[1:-1] not in text
    assert searched > 100


def test_the_words_around_an_answer_are_the_instructors(everything: dict[str, Any]) -> None:
    """A `<details>` with a solution is in the instructor's notebook as a whole, and in the student's not at all."""
    texts = {edition: json.dumps(cells) for edition, cells in everything.items()}
    for words in ("The secret explanation", "the secret way", "the secret mistake"):
        assert words in texts["instructor"]
        assert words not in texts["student"]
    for words in ("It is below fifty.", "nearly there", "The end."):
        assert words in texts["student"]


def test_no_notebook_tells_of_the_machine_or_the_time(course: dict[str, Any]) -> None:
    """No path of this machine and no time is in any notebook."""
    for edition in EDITIONS:
        for notebook in course[edition].values():
            text = json.dumps(notebook, ensure_ascii=False)
            assert str(COURSE.parents[2]) not in text
            assert str(Path.home()) not in text
            assert all(cell.get("execution_count") is None for cell in notebook["cells"])
            assert all(not cell.get("outputs") for cell in notebook["cells"])


@pytest.mark.parametrize("edition", EDITIONS)
def test_nothing_of_the_harness_is_seen(course: dict[str, Any], edition: str) -> None:
    """No Markdown cell shows a comment or a box's colons, and none shows half of a `<details>` or a box."""
    for notebook in course[edition].values():
        for cell in notebook["cells"]:
            if cell["cell_type"] != "markdown":
                continue
            text = re.sub(r"(?ms)^[ >]*```.*?^[ >]*```", "", source_of(cell))
            assert "<!--" not in text
            assert not re.search(r"(?m)^[ >]*:::", text)
            for tag in ("details", "summary", "div"):
                assert len(re.findall(f"<{tag}[ >]", text)) == text.count(f"</{tag}>"), cell["id"]


def test_code_comes_without_its_fence(everything: dict[str, Any]) -> None:
    """Code in a list or a quote is a code cell without what stands before its lines on the page."""
    cells = everything["student"]
    assert source_of(cells["in-list"]) == "for number in range(2):\n    print(number)\n\nafter = number"
    assert source_of(cells["everything-1"]) == 'quoted = "> a mark in a string"'
    assert source_of(cells["everything-output-2"]) == "It prints:\n\n```output\n0\n1\n```"


def test_tags_are_those_that_jupyter_knows(everything: dict[str, Any]) -> None:
    """An expected error, hidden code, folded code and a check that must fail carry Jupyter's own tags."""
    cells = everything["student"]
    tags = {name: cell["metadata"].get("tags", []) for name, cell in cells.items()}
    assert "raises-exception" in tags["refused"]
    assert "remove-cell" in tags["unseen"]
    assert "hide-input" in tags["folded"]
    assert {name for name, found in tags.items() if "raises-exception" in found} == {"refused", "an-exercise-2"}
    instructors = everything["instructor"].values()
    assert [cell["id"] for cell in instructors if "raises-exception" in cell["metadata"].get("tags", [])] == ["refused"]


def test_an_exercise_is_really_checked(everything: dict[str, Any]) -> None:
    """The student's check cell calls the check on the answer, and the instructor's calls it on the solution."""
    student, instructor = everything["student"], everything["instructor"]
    assert source_of(student["an-exercise-2"]).endswith("\n\ncheck(answer)")
    assert "check(answer)" not in source_of(instructor["an-exercise-2"]).split("\n")
    assert source_of(instructor["an-exercise-3"]) == "answer = 6 * 7  # the secret way\n\ncheck(answer)"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("lonely = True", "a fresh Python"),
        ('two = "another two"', "a program of its own (`other`)"),
        ("raise SystemExit", "it takes an hour"),
        ("older = 1", "it is for `torch<2.9`"),
        ("elsewhere = 1", "it is for `colorama`"),
    ],
)
def test_code_that_is_not_executed_is_shown_with_the_reason(everything: dict[str, Any], code: str, reason: str) -> None:
    """What does not run in the notebook's one namespace is no code cell, and the sentence above it says why."""
    cells = everything["student"].values()
    assert all(code not in source_of(cell) for cell in cells if cell["cell_type"] == "code")
    (shown,) = [source_of(cell) for cell in cells if code in source_of(cell)]
    above = shown[: shown.index(code)].rpartition("*Not executed here:*")[2]
    assert reason in above


def test_a_condition_that_the_pinned_torch_meets_is_executed(everything: dict[str, Any]) -> None:
    """Code for torch>=2.9 is a code cell in the notebook of a course that pins torch 2.13.0."""
    assert everything["student"]["newer"]["cell_type"] == "code"


def test_formulas_are_written_out(everything: dict[str, Any]) -> None:
    """The course's macros are expanded in formulas, with their arguments, and nowhere else."""
    text = source_of(everything["student"]["everything"])
    assert r"$x \in \mathbb{R}^n$ and $\lVert x \rVert$" in text
    assert r"\lVert x + y \rVert \le \lVert x \rVert + \lVert y \rVert" in text
    assert r"a price of 5$ is no formula, and `$\R$` is code" in text


def test_links_lead_to_notebooks(everything: dict[str, Any]) -> None:
    """A link to a lesson is one to its notebook; a place of the page itself is there; what is nowhere is no link."""
    text = source_of(everything["student"]["everything"])
    assert "[the next page](02_next.ipynb#start)" in text
    assert "[further down](#a-quiz)" in text
    assert source_of(everything["student"]["a-quiz"]).startswith('## <a id="a-quiz"></a>A quiz')
    assert "and what is elsewhere." in text
    assert '<a href="02_next.ipynb">an anchor</a>' in text


def test_a_link_finds_its_target_in_its_own_cell(everything: dict[str, Any]) -> None:
    """Where a link's target stands at the end of the page, the cell with the link has it too."""
    assert source_of(everything["student"]["everything"]).endswith("\n\n[there]: 02_next.ipynb")


def test_images_are_inside_the_notebook(everything: dict[str, Any]) -> None:
    """A picture of pixels is an attachment; an SVG, which JupyterLab takes as none, is in the text."""
    cell = everything["student"]["everything"]
    assert "![a dot in pixels](attachment:figures-dot.png)" in source_of(cell)
    stored = cell["attachments"]["figures-dot.png"]["image/png"]
    assert base64.b64decode(stored) == (INPUTS / "course" / "figures" / "dot.png").read_bytes()
    drawn = re.search(r'<img alt="A dot, drawn" src="data:image/svg\+xml;base64,([^"]+)">', source_of(cell))
    assert drawn
    assert base64.b64decode(drawn[1]) == (INPUTS / "course" / "figures" / "dot.svg").read_bytes()


def test_files_that_a_lesson_needs_stand_beside_its_notebook(tmp_path: Path) -> None:
    """A file that a page links to or that its code reads is copied to the same place beside the notebook."""
    exported(tmp_path, str(INPUTS / "course"))
    assert (tmp_path / "data.txt").read_bytes() == (INPUTS / "course" / "data.txt").read_bytes()


def test_the_first_cell_looks_at_torch_and_installs_nothing(everything: dict[str, Any]) -> None:
    """The first cell names the torch of the course and how to get it, and leaves no name behind."""
    first = source_of(next(iter(everything["student"].values())))
    names: dict[str, Any] = {}
    exec(first, names)
    assert "pip install torch==" in first
    assert "2.13.0" in first
    assert "subprocess" not in first
    assert set(names) == {"__builtins__"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["broken/picture.md"], ["picture.md:3: there is no image figures/none.png", "picture.md:5: film.mp4 is no"]),
        (["broken/sub", "broken/other"], ["other/same.md:1: broken/sub/same.md would be written to same.ipynb too"]),
        (["macros"], ["macros/01.md:1: the macro \\loop is written out without end"]),
    ],
)
def test_what_cannot_be_written_is_told_and_nothing_is(tmp_path: Path, words: list[str], told: list[str]) -> None:
    """A missing image, two lessons for one notebook or an endless macro is one line each, and no file is written."""
    done = runthrough("notebooks", *words, "--to", str(tmp_path / "to"), cwd=INPUTS)
    assert done.code == 2
    assert len(done.err.splitlines()) == len(told)
    for line, words_of_line in zip(done.err.splitlines(), told, strict=True):
        assert words_of_line in line
    assert not list((tmp_path / "to").glob("*"))


def test_students_are_given_no_file_that_only_a_solution_names(tmp_path: Path) -> None:
    """What a solution links to or reads is for instructors; what the page names elsewhere too is for all."""
    files = {}
    for edition in EDITIONS:
        exported(tmp_path / edition, str(INPUTS / "hidden_files"), "--edition", edition)
        files[edition] = {path.name for path in (tmp_path / edition).iterdir()}
    assert files["student"] == {"01.ipynb", "numbers.txt"}
    assert files["instructor"] == {"01.ipynb", "numbers.txt", "whole.py", "more.txt"}


@pytest.mark.parametrize("name", ["01.ipynb", "numbers.txt"])
def test_what_somebody_has_edited_is_replaced_only_by_force(tmp_path: Path, name: str) -> None:
    """A second export into a folder keeps the answers in its notebooks and the files that were changed."""
    words = ("notebooks", str(INPUTS / "hidden_files"), "--to", str(tmp_path))
    assert runthrough(*words).code == 0
    file = tmp_path / name
    made = file.read_text("utf-8")
    assert runthrough(*words).code == 0  # nobody has edited anything
    edited = made.replace("four = None", "four = 2 + 2").replace("1 2", "1 2 3")
    file.write_text(edited, "utf-8")
    done = runthrough(*words)
    assert (done.code, file.read_text("utf-8")) == (2, edited)
    assert f"{file}:1" in done.err
    assert "--force" in done.err
    assert runthrough(*words, "--force").code == 0
    assert file.read_text("utf-8") == made


def test_an_edit_that_is_in_the_lesson_keeps_nobody_from_the_new_notebook(tmp_path: Path) -> None:
    """After an import the notebooks are written anew without a word, and a foreign notebook is never replaced."""
    course, to = tmp_path / "course", tmp_path / "to"
    shutil.copytree(INPUTS / "hidden_files", course)
    words = ("notebooks", str(course), "--to", str(to))
    assert runthrough(*words).code == 0
    file = to / "01.ipynb"
    file.write_text(file.read_text("utf-8").replace("Both read", "Both of us read"), "utf-8")
    assert runthrough("import", str(file), str(course / "01.md")).code == 0
    assert runthrough(*words).code == 0
    file.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    done = runthrough(*words)
    assert done.code == 2
    assert "not one of a lesson" in done.err
