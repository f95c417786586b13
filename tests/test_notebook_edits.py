"""Edits made in Jupyter: what comes back into the lesson, and what is left as it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from command import runthrough
from desk import Cells, Desk, at, new_cell, replaced, without_our_words

COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"


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


def line_ends(cells: Cells) -> None:
    """As a tool writes cells that ends each with a line end, and each as one text."""
    for cell in cells:
        cell["source"] = "".join(cell["source"]) + "\n"


@pytest.mark.parametrize("edit", [without_our_words, line_ends])
def test_what_other_tools_change_is_no_edit(desk: Desk, edit: Callable[[Cells], None]) -> None:
    """A notebook without our metadata, or with other line ends in its cells, changes no byte of its lesson."""
    assert desk.after(edit) == []
    assert "nothing to change" in desk.out
