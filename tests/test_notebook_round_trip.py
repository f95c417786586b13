"""Any page as a notebook and back: not a byte is lost, and a word that is written in comes back in its place."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import LESSONS
from desk import INPUTS
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

COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
# One of them is there for its bytes, which are no text.
PAGES = sorted({*LESSONS.rglob("*.md")} - {LESSONS / "unreadable" / "odd-bytes.md"})
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
