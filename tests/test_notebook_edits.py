"""Edits made in Jupyter: what comes back into the lesson, and what is left as it was."""

from __future__ import annotations

import atexit
import difflib
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import LESSONS, runthrough
from runthrough.commands.notebooks import page_for
from runthrough.lesson.course import read_course
from runthrough.lesson.document import Course
from runthrough.lesson.read import read_text
from runthrough.publish.cells import Edition, Page, page_of
from runthrough.publish.notebook import notebook_of
from runthrough.publish.raw import RawText
from runthrough.publish.readable import Surroundings
from runthrough.returning.lesson import bring_back
from runthrough.returning.notebook import EditedNotebook, edited_notebook

INPUTS = LESSONS / "notebooks" / "course"
COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
NAME = "01_everything.md"
# One of them is there for its bytes, which are no text.
PAGES = sorted({*LESSONS.rglob("*.md")} - {LESSONS / "unreadable" / "odd-bytes.md"})

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


@pytest.fixture(params=["student", "instructor"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """A copy of the course with the notebooks of one edition."""
    return Desk(tmp_path, request.param)


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


@pytest.mark.parametrize("edition", ["student", "instructor"])
def test_an_unedited_notebook_changes_no_byte(tmp_path: Path, edition: str) -> None:
    """Importing the notebook of any lesson as it was written leaves the lesson's file as it is."""
    shutil.copytree(COURSE, tmp_path / "course")
    assert runthrough("notebooks", str(tmp_path / "course"), "--to", str(tmp_path), "--edition", edition).code == 0
    for notebook in sorted(tmp_path.glob("*.ipynb")):
        lesson = tmp_path / "course" / f"{notebook.stem}.md"
        done = runthrough("import", str(notebook), str(lesson))
        assert (done.code, done.err) == (0, "")
        assert "nothing to change" in done.out
        assert lesson.read_bytes() == (COURSE / lesson.name).read_bytes()


def test_outputs_of_a_run_are_no_edits(desk: Desk) -> None:
    """A notebook that was executed and saved changes nothing."""

    def executed(cells: Cells) -> None:
        for cell in cells:
            if cell["cell_type"] == "code":
                cell["execution_count"] = 7
                cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "2\n"}]

    assert desk.after(executed) == []


def test_a_line_of_code_comes_back(desk: Desk) -> None:
    """An edited line of code changes that line of its fence, under what stands before it on the page."""
    assert desk.after(replaced("in-list", "    print(number)", "    print(number, end=' ')")) == [
        "-      print(number)",
        "+      print(number, end=' ')",
    ]


def test_new_lines_of_code_come_back_inside_their_quote(desk: Desk) -> None:
    """A line that was added to code in a quote stands in that quote."""
    edit = replaced("everything-1", 'a string"', 'a string"\n\nmore = 1')
    assert desk.after(edit) == ["+>", "+> more = 1"]


def test_words_beside_a_claim_come_back_and_the_claim_stays(desk: Desk) -> None:
    """An edited sentence keeps its claims and comments."""
    assert desk.after(replaced("after-everything-output-1", "The sum is 2, and no", "Their sum is 3, and not one")) == [
        "-The sum is 2<!--= two -->, and no comment <!-- of an author --> is shown.",
        "+Their sum is 3<!--= two -->, and not one comment <!-- of an author --> is shown.",
    ]


def test_a_claim_whose_word_is_gone_is_told(desk: Desk) -> None:
    """Where a claimed word was deleted its claim goes too, and a line says so."""
    assert desk.after(replaced("after-everything-output-1", "The sum is 2, and no", "No")) == [
        "-The sum is 2<!--= two -->, and no comment <!-- of an author --> is shown.",
        "+No comment <!-- of an author --> is shown.",
    ]
    assert "the claim two is left out" in desk.err


def test_what_is_shown_in_another_way_stays_as_it_is_written(desk: Desk) -> None:
    """Formulas, links and images beside an edit keep the words of the lesson."""
    edit = replaced("everything", "its length", "its size")
    assert desk.after(edit) == [
        r"-Let $x \in \R^n$ and $\norm{x}$ its length; a price of 5$ is no formula, and `$\R$` is code.",
        r"+Let $x \in \R^n$ and $\norm{x}$ its size; a price of 5$ is no formula, and `$\R$` is code.",
    ]


def test_what_is_ours_is_left_out_and_told(desk: Desk) -> None:
    """A change of a label that the notebook adds changes nothing, and a line says so."""
    assert desk.after(replaced("everything-output-1", "It prints:", "Here it prints:")) == []
    assert "is left out: it is ours" in desk.err
    assert desk.after(replaced("a-quiz", "**No.**", "**Wrong.**")) == []
    assert "is left out: it is ours" in desk.err


def test_a_new_link_to_a_notebook_leads_to_its_lesson(desk: Desk) -> None:
    """A link to a notebook that was written in Jupyter is one to the lesson on the page."""
    assert desk.after(replaced("a-quiz", "What is one", "See [there](02_next.ipynb). What is one")) == [
        "-What is one and one?",
        "+See [there](02_next.md). What is one and one?",
    ]


def test_words_in_a_fold_come_back(desk: Desk) -> None:
    """A fold that is shown in two cells is one fold of the page still."""
    assert desk.after(replaced("after-folded", "Words after.", "Other words after.")) == [
        "-Words after.",
        "+Other words after.",
    ]


def test_the_call_of_a_check_is_no_part_of_the_page(tmp_path: Path) -> None:
    """An edit of a check comes back without the call below it."""
    desk = Desk(tmp_path, "student")
    assert desk.after(replaced("an-exercise-2", "that is not it", "that is not the answer")) == [
        '-    assert answer == 42, "that is not it"',
        '+    assert answer == 42, "that is not the answer"',
    ]


def test_a_new_cell_comes_back_in_its_place(desk: Desk) -> None:
    """New code is a fence and new words are words, with an empty line around them."""

    def edit(cells: Cells) -> None:
        place = at(cells, "refused")
        cells[place:place] = [new_cell("markdown", "New words."), new_cell("code", "new = 1\nnewer = 2")]

    rows = ["+New words.", "+", "+```python", "+new = 1", "+newer = 2", "+```", "+"]
    assert sorted(desk.after(edit)) == sorted(rows)
    assert "> ```\n\nNew words.\n\n```python\nnew = 1\nnewer = 2\n```\n\n<!--" in desk.lesson.read_text("utf-8")


def test_a_deleted_cell_takes_its_directives_and_its_output_along(desk: Desk) -> None:
    """Code that was deleted goes with the comment above it and the output below it, and with nothing else."""

    def edit(cells: Cells) -> None:
        del cells[at(cells, "guess")]

    assert sorted(row for row in desk.after(edit) if row != "-") == sorted(
        [
            "-<!-- fence: id=guess predict -->",
            "-```python",
            "-print(two ** 10)",
            "-```",
            "-```output",
            "-1024",
            "-```",
        ]
    )
    assert "```\n\n<!-- fence: id=by-itself" in desk.lesson.read_text("utf-8")


def test_a_moved_cell_moves_with_its_directives(desk: Desk) -> None:
    """A cell that was moved is at its new place with every byte of its own."""

    def edit(cells: Cells) -> None:
        cell = cells.pop(at(cells, "unseen"))
        cells.insert(at(cells, "refused"), cell)

    changed = [row for row in desk.after(edit) if len(row) > 1]
    rows = ["<!-- fence: id=unseen hidden -->", "```python", "unseen = 3", "```"]
    assert sorted(changed) == sorted([f"-{row}" for row in rows] + [f"+{row}" for row in rows])


def test_a_cell_that_was_split_is_no_edit(desk: Desk) -> None:
    """Text that Jupyter has split between two paragraphs is in the lesson as it was, with its comments."""

    def edit(cells: Cells) -> None:
        place = at(cells, "everything")
        first, second = "".join(cells[place]["source"]).split("\n\nSee [the next page]")
        cells.insert(place + 1, {**cells[place], "id": "split", "source": f"See [the next page]{second}"})
        cells[place]["source"] = first

    assert desk.after(edit) == []


def test_cells_that_were_merged_are_no_edit(desk: Desk) -> None:
    """Text cells that Jupyter has merged are in the lesson as they were, with their claims."""

    def edit(cells: Cells) -> None:
        place = at(cells, "everything-output-1")
        merged = cells.pop(place + 1)
        cells[place]["source"] = "\n\n".join("".join(cell["source"]) for cell in (cells[place], merged))

    assert desk.after(edit) == []


def test_what_students_never_saw_is_left(tmp_path: Path) -> None:
    """Solutions stay in the lesson when a student's notebook comes back, even if the cell above them was deleted."""
    desk = Desk(tmp_path, "student")

    def edit(cells: Cells) -> None:
        del cells[at(cells, "after-an-exercise-2")]

    changed = desk.after(edit)
    assert {row[1:] for row in changed if len(row) > 1} == {
        "<details><summary>A hint</summary>",
        "It is below fifty.",
        "</details>",
    }
    assert all(row[0] == "-" for row in changed)


def test_a_lesson_that_changed_elsewhere_keeps_both(tmp_path: Path) -> None:
    """An instructor's edit is put into a lesson that has changed in other lines since."""
    desk = Desk(tmp_path, "instructor")
    desk.lesson.write_text(desk.before.replace("The end.", "The very end."), "utf-8")
    assert desk.after(replaced("two", "two = 1 + 1", "two = 2")) == [
        "-two = 1 + 1",
        "+two = 2",
        "-The end.",
        "+The very end.",
    ]


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


def test_the_byte_order_mark_stays_at_the_head_of_the_file(tmp_path: Path) -> None:
    """Above a lesson's first line there may be a new cell; the mark is before that then, and nowhere else."""
    lesson = tmp_path / "marked.md"
    lesson.write_bytes("\ufeff# Marked\r\n\r\nWords.\r\n".encode())
    assert runthrough("notebooks", str(lesson), "--to", str(tmp_path)).code == 0
    notebook = lesson.with_suffix(".ipynb")
    found = json.loads(notebook.read_text("utf-8"))
    found["cells"].insert(0, new_cell("code", "first = 1"))
    notebook.write_text(json.dumps(found), "utf-8")
    assert runthrough("import", str(notebook), str(lesson)).code == 0
    expected = "\ufeff```python\r\nfirst = 1\r\n```\r\n\r\n# Marked\r\n\r\nWords.\r\n"
    assert lesson.read_bytes().decode() == expected


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


def without_our_words(cells: Cells) -> None:
    """As a tool leaves cells that knows no metadata but its own."""
    for cell in cells:
        cell["metadata"] = {}


def line_ends(cells: Cells) -> None:
    """As a tool writes cells that ends each with a line end, and each as one text."""
    for cell in cells:
        cell["source"] = "".join(cell["source"]) + "\n"


@pytest.mark.parametrize("edit", [without_our_words, line_ends])
def test_what_other_tools_change_is_no_edit(desk: Desk, edit: Callable[[Cells], None]) -> None:
    """A notebook without our metadata, or with other line ends in its cells, changes no byte of its lesson."""
    assert desk.after(edit) == []
    assert "nothing to change" in desk.out


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


LINES = st.sampled_from(
    [
        "Words with 2<!--= two --> in them.",
        "# A heading",
        "## <code>Another</code> heading",
        "",
        "<!-- a comment -->",
        "<!-- fence: id=named -->",
        "- an item",
        "1. a number",
        "> a quote",
        "$$",
        r"$\R$ and `code`, [a link](other.md) and ![a picture](there.png)",
        "```python",
        "```",
        "~~~",
        "```output",
        "x = 1",
        "\tx = '\ttab'",
        "    indented = True",
        "if x:",
        "  y = 2",
        ">>> 1 + 1",
        "<details><summary>Fold</summary>",
        "</details>",
        "::: tip",
        "::: quiz q",
        "- [x] yes <!-- key: True -->",
        "- [ ] no",
        ":::",
        "| a | b |",
        "|---|---|",
        "---",
        "title: T",
        "trailing spaces  ",
        "\u2028 odd \x0c letters é",
    ]
)
PREFIXES = st.sampled_from(["", "", "", "> ", "  ", "    ", "\t", ">   ", "- "])
LESSON = st.lists(st.tuples(PREFIXES, LINES), max_size=30)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(LESSON, ENDS, st.booleans(), st.booleans(), st.sampled_from(list(Edition)))
@settings(max_examples=200, deadline=None)
def test_any_page_comes_back_as_it_was(
    rows: list[tuple[str, str]], end: str, has_mark: bool, has_end: bool, edition: Edition
) -> None:
    """Whatever a page holds, its notebook is valid, an instructor's rebuilds it, and no edit changes no byte."""
    text = end.join(prefix + line for prefix, line in rows) + (end if has_end else "")
    assert_comes_back(("\ufeff" if has_mark else "") + text, None, edition)


@pytest.mark.parametrize("edition", list(Edition))
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(LESSONS)))
def test_every_lesson_among_the_tests_comes_back(path: Path, edition: Edition) -> None:
    """The same for every page that the other tests are about."""
    assert_comes_back(path.read_bytes().decode("utf-8"), read_course(INPUTS, "course.toml"), edition)


def assert_comes_back(text: str, course: Course | None, edition: Edition) -> None:
    """The page's notebook holds it or leads back to it, byte for byte."""
    lesson = read_text(text.encode("utf-8"), Path("/lessons/page.md"), "page.md", course)
    raw = RawText(text)
    page = page_of(lesson, Surroundings(macros={"R": r"\mathbb{R}"}, links={"other.md": "other.ipynb"}), edition)
    data = notebook_of(page, raw)
    edited = edited_notebook(data)
    assert edited is not None
    assert bring_back(edited, page, raw).raw.text == text
    if edition is Edition.INSTRUCTOR:
        assert edited.carried is not None
        assert edited.carried.text == text


@lru_cache
def made_in_memory(name: str, edition: Edition) -> tuple[Page, RawText, EditedNotebook]:
    """A lesson of the course as cells, as its file, and as a notebook that nobody has edited yet."""
    path = COURSE / name
    raw = RawText(path.read_bytes().decode("utf-8"))
    page = page_of_text(raw.text, path, edition)
    edited = edited_notebook(notebook_of(page, raw))
    assert edited is not None
    return page, raw, edited


def page_of_text(text: str, path: Path, edition: Edition) -> Page:
    """The cells of a lesson with this text."""
    course = read_course(COURSE, "course.toml")
    return page_for(read_text(text.encode("utf-8"), path, path.name, course), course, edition)


@given(
    st.sampled_from(sorted(path.name for path in COURSE.glob("0*.md"))),
    st.sampled_from(list(Edition)),
    st.integers(min_value=0),
)
@settings(max_examples=30, deadline=None)
def test_a_word_that_was_written_in_a_sentence_comes_back(name: str, edition: Edition, number: int) -> None:
    """Wherever a word is written into the words of a cell, the lesson has it there, and nothing else is changed."""
    page, raw, notebook = made_in_memory(name, edition)
    cells = [cell for cell in notebook.cells if cell.kind == "markdown" and not cell.source.startswith(("It ", "<"))]
    words = [(cell, match.end()) for cell in cells for match in re.finditer(r"(?m)^[A-Z][^<`$\[\n]*? ", cell.source)]
    cell, at = words[number % len(words)]
    edited = replace(cell, source=f"{cell.source[:at]}newly {cell.source[at:]}")
    changed = replace(notebook, cells=tuple(edited if each is cell else each for each in notebook.cells))
    returned = bring_back(changed, page, raw)
    assert (returned.told, returned.changed) == ((), 1)
    now = page_of_text(returned.raw.text, COURSE / name, edition)
    assert [each.source for each in now.cells] == [each.source for each in changed.cells if not each.is_setup]
    rows = zip(raw.lines, returned.raw.lines, strict=True)
    (row,) = [(old, new) for old, new in rows if old != new]
    assert row[1].replace("newly ", "") == row[0]
