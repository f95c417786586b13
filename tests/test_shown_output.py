"""Texts that a page shows of its code, from the lesson to the exit code: what holds, and what is red where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checked import Checked, check
from command import LESSONS, runthrough

SHOWN = LESSONS / "shown"
# The row of each fence's text that is not what came, and the words of the failure that name what came.
DIFFERING = {
    "a-digit": ("loss 0.26", "+ loss 0.25"),
    "the-value": ("'third'", "+ 'second'"),
    "a-line-too-many": ("two", "- two"),
    "a-line-missing": ("three", "+ two"),
    "below-a-wildcard": ("the end", "+ end"),
    "lines": ("found", "| lost"),
    "a-message": ("ZeroDivisionError: division by nothing", "+ ZeroDivisionError: division by zero"),
    "another-class": ("KeyError: list index out of range", "+ IndexError: list index out of range"),
    "output-before-an-error": ("after", "+ before"),
    "beside-a-call": ('print("two")  #> three', "+ two"),
    "a-repeat": ("    #> 3", "+ 2"),
    "nothing-printed": ("something", "- something"),
    "a-bar": ("1/2", "+ 2/2"),
}


@pytest.fixture(scope="module")
def checked() -> Checked:
    """One run of every lesson here."""
    return check(SHOWN, "--keep-going")


def test_holds_every_text_that_is_what_came(checked: Checked) -> None:
    """Outputs, values, messages and print comments hold in every form and place a page may give them."""
    assert [fence["id"] for fence in checked.fences("holds.md") if fence["outcome"] != "passed"] == []


def test_holds_claims_wherever_they_stand(checked: Checked) -> None:
    """A claim is held in sentences, lists, quotes, tables, headings and links, by its own token alone."""
    lesson = checked.lesson("claims.md")
    assert [claim for claim in lesson["claims"] if claim["outcome"] != "passed"] == []
    assert [claim["expected"] for claim in lesson["claims"]] == [
        *("1.7022", "1.7", "1.70", "1.702", "0.5", "2.25", "(2, 3)", "0.5", "2.25", "1.70", "2.25", "4", "2"),
        "invalid literal for int() with base 10: 'x'",
    ]


@pytest.mark.parametrize("name", DIFFERING)
def test_is_red_at_the_row_that_differs(name: str, checked: Checked) -> None:
    """A text that is not what came is red at the first of its rows that differs."""
    fence = fence_called(name, checked)
    assert fence["outcome"] == "failed"
    assert [each["line"] for each in fence["mismatches"]] == [line_of(name)]


@pytest.mark.parametrize("name", DIFFERING)
def test_shows_what_came_beside_what_the_page_shows(name: str, told: str) -> None:
    """The terminal names the row and shows what came in its place."""
    head = f"FAILED differs.md:{line_of(name)}  {name}:"
    assert head in told
    failure = told.partition(head)[2].partition("FAILED ")[0]
    assert f"    {DIFFERING[name][1]}\n" in failure
    assert "  next: " in failure


def test_tries_every_fence_of_the_lesson(checked: Checked) -> None:
    """No fence of the lesson goes without its row here."""
    assert {fence["id"] for fence in checked.fences("differs.md")} == set(DIFFERING)


def test_marks_the_first_letter_that_differs(told: str) -> None:
    """Below a lone pair of rows a mark stands under the first letter that is another."""
    assert "    - loss 0.26\n    + loss 0.25\n              ^\n" in told


@pytest.fixture(scope="module")
def told() -> str:
    """What the terminal says of the lesson whose texts differ."""
    return runthrough("check", "differs.md", "--keep-going", cwd=SHOWN).out


def fence_called(name: str, checked: Checked) -> dict[str, Any]:
    (found,) = [fence for fence in checked.fences("differs.md") if fence["id"] == name]
    return found


def line_of(name: str, lesson: Path = SHOWN / "differs.md") -> int:
    """The line, below the fence with this id, of the row that differs."""
    rows = lesson.read_text(encoding="utf-8").split("\n")
    start = next(number for number, row in enumerate(rows) if f"id={name} " in row)
    closing = rows.index("```", start)
    row = DIFFERING[name][0]
    inside = row in rows[start:closing]
    return rows.index(row, start if inside else closing) + 1


def test_makes_each_print_call_once_whatever_print_is(checked: Checked) -> None:
    """A call beside `#>` is the one the page shows: once, by the name `print` as it is there, where it writes."""
    fences = checked.fences("own_print.md")
    assert [fence["outcome"] for fence in fences[:3]] == ["passed"] * 3


def test_takes_a_tolerance_said_at_the_output(checked: Checked) -> None:
    """A tolerance above an output fence holds as one above its code does; of two the code's comes first."""
    assert [fence["outcome"] for fence in checked.fences("own_print.md")[3:]] == ["passed"] * 2
