"""Laws of reading: lines and code are exact, however a fence is nested and whatever ends the lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from runthrough.lesson.document import Fence, Lesson
from runthrough.lesson.markdown import Lines, full_parser
from runthrough.lesson.read import read_text


@dataclass(frozen=True)
class Written:
    """Lines of a page, and the fences in them: 0-based opener, last line, and code."""

    lines: tuple[str, ...]
    fences: tuple[tuple[int, int, str], ...] = ()


def read(text: str) -> Lesson:
    return read_text(text.encode("utf-8"), Path("page.md"), "page.md", None)


def joined(parts: list[Written]) -> Written:
    lines: list[str] = []
    fences: list[tuple[int, int, str]] = []
    for part in parts:
        fences += [(first + len(lines), last + len(lines), code) for first, last, code in part.fences]
        lines += [*part.lines, ""]
    return Written(tuple(lines), tuple(fences))


def inside(part: Written, first: str, rest: str) -> Written:
    lines = [first + part.lines[0], *(rest + line if line else rest.rstrip() for line in part.lines[1:])]
    return replace(part, lines=tuple(lines))


CODE_LINES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\t\0`~\ufeff"), max_size=12)
PARAGRAPH = st.sampled_from(["A sentence.", "*Two* words", "`code` and <b>tags</b>", "x \u2028 y \x0b z \x0c."])


@st.composite
def fences(draw: st.DrawFn) -> Written:
    marker = draw(st.sampled_from("`~")) * draw(st.integers(3, 5))
    indent = " " * draw(st.integers(0, 3))
    code = draw(st.lists(CODE_LINES, max_size=4))
    info = draw(st.sampled_from(["python", " python", "text", "", "py  "]))
    lines = (indent + marker + info, *(indent + line if line else "" for line in code), indent + marker)
    return Written(lines, ((0, len(lines) - 1, "".join(line + "\n" for line in code)),))


def blocks(children: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    several = st.lists(children, min_size=1, max_size=3).map(joined)
    # An item that began with an indented fence would move the item's own margin.
    items = several.map(lambda part: joined([Written(("An item.",)), part]))
    return st.one_of(
        several.map(lambda part: inside(part, "> ", "> ")),
        items.map(lambda part: inside(part, "- ", "  ")),
        items.map(lambda part: inside(part, "12. ", "    ")),
        several.map(lambda part: joined([Written(("::: note",)), part, Written((":::",))])),
        several.map(lambda part: joined([Written(("<details>",)), part, Written(("</details>",))])),
    )


PAGES = st.recursive(st.one_of(fences(), PARAGRAPH.map(lambda text: Written((text,)))), blocks, max_leaves=8)


@settings(deadline=None)
@given(PAGES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_fence_has_its_own_lines_and_code(page: Written, line_end: str) -> None:
    """A fence in lists, quotes, containers and details keeps its lines and its code, under every line end."""
    lesson = read(line_end.join(page.lines))
    assert [(fence.line - 1, fence.end_line - 1, fence.code) for fence in lesson.fences] == list(page.fences)
    for fence in lesson.fences:
        assert fence.is_closed
        assert fence.code_line == fence.line + 1


@settings(deadline=None)
@given(PAGES)
def test_a_fence_can_be_written_back_behind_its_prefix(page: Written) -> None:
    """The prefix and the code, put back in place of a fence's body, read as the same page."""
    lesson = read("\n".join(page.lines))
    lines = lesson.text.split("\n")
    for fence in lesson.fences:
        body = fence.code.split("\n")[:-1]
        lines[fence.line : fence.end_line - 1] = [fence.prefix + line for line in body]
    again = read("\n".join(lines))
    assert [without_id(fence) for fence in again.fences] == [without_id(fence) for fence in lesson.fences]


def without_id(fence: Fence) -> Fence:
    return replace(fence, id="")


PLAIN_LINES = ["", "    ", "text", "- item", "  more", "> quote", "1. one", "# title", "---", "$$", "x = 1"]
FENCE_LINES = ["```python", "```", "~~~", "````", "    ```py"]
HTML_LINES = ["<details>", "</details>", "<!-- note -->", "| a | b |", "|---|---|"]
RAW_LINES = st.sampled_from([*PLAIN_LINES, *FENCE_LINES, *HTML_LINES])
BOX_LINES = st.sampled_from(["::: note", ":::", ":::: quiz a", "::::"])


@settings(deadline=None, max_examples=300)
@given(st.lists(st.one_of(RAW_LINES, BOX_LINES), max_size=14))
def test_fences_are_those_of_commonmark(lines: list[str]) -> None:
    """A page without front matter and formulas holds just CommonMark's fences, between boxes too."""
    apart = [f"\n{line}\n" if line.startswith(":::") else line for line in lines if line != "$$"]
    text = "".join(line + "\n" for line in apart).lstrip("-\n")
    plain = MarkdownIt("commonmark").enable("table")
    expected = [(t.map, t.content) for t in plain.parse(text) if t.type == "fence"]
    found = [([fence.line - 1, fence.end_line], fence.code) for fence in read(text).fences]
    assert found == expected


@settings(deadline=None, max_examples=300)
@given(st.lists(st.one_of(RAW_LINES, BOX_LINES), max_size=14))
def test_reading_never_raises_and_stays_in_the_page(lines: list[str]) -> None:
    """Whatever stands on a page, reading gives fences in order, each within it and none inside another."""
    lesson = read("\n".join(lines))
    last = 0
    for fence in lesson.fences:
        assert last < fence.line <= fence.end_line <= max(len(lines), 1)
        last = fence.end_line
    assert len({fence.id for fence in lesson.fences}) == len(lesson.fences)


@settings(deadline=None, max_examples=500)
@given(st.text(" \t\n>`a\x0b\x1c\xa0\u2028", max_size=30))
def test_the_table_of_lines_is_the_one_of_the_parser(text: str) -> None:
    """Where lines begin and end and how far each is indented is what markdown-it-py makes of the same text."""
    parser = full_parser()
    assert vars(Lines(text, parser, {}, [])) == vars(StateBlock(text, parser, {}, []))
