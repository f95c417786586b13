"""What holds of every notebook that becomes a lesson: foreign ones, and generated ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brought import STRICT, bring
from command import runthrough
from runthrough.importing.notebook import read_notebook
from runthrough.importing.page import page_of
from runthrough.lesson.document import Severity
from runthrough.lesson.read import read_text
from written_notebooks import Json, code, notebook, printed, raised, raw, text, value

FOREIGN = Path(__file__).parent / "notebooks"
ALL_FOREIGN = sorted(FOREIGN.glob("*/*.ipynb"))
# What cannot become a lesson, and the line that says so.
REFUSED = {
    "no_min_version": "the cells of this notebook are plaintext (only notebooks in Python become lessons)",
    "test3_no_metadata": "this notebook of nbformat 3 cannot be upgraded",
    "test3_no_min_version": "this notebook is empty (write a cell first)",
    "test3_no_worksheets": "this notebook of nbformat 3 cannot be upgraded",
}


def sources(path: Path, kind: str) -> list[str]:
    """The sources of a notebook's cells of one kind, whatever its version."""
    found = json.loads(path.read_text(encoding="utf-8"))
    cells = found.get("cells") or found["worksheets"][0]["cells"]
    wanted = [cell for cell in cells if cell["cell_type"] == kind]
    return ["".join(cell.get("source", cell.get("input", ""))) for cell in wanted]


@pytest.mark.parametrize("path", ALL_FOREIGN, ids=lambda path: path.stem)
def test_a_foreign_notebook_is_brought_whole_or_refused_in_one_line(path: Path, tmp_path: Path) -> None:
    """Every line of a foreign notebook is in its lesson, which reads without error; or one line says why not."""
    lesson = tmp_path / f"{path.stem}.md"
    done = runthrough("import", str(path), str(lesson))
    if path.stem in REFUSED:
        assert (done.code, done.out, lesson.exists()) == (2, "", False)
        assert done.err.count("\n") == 1
        assert f"{path}:1: {REFUSED[path.stem]}" in done.err
        return
    assert done.code == 0, done.err
    page = lesson.read_text(encoding="utf-8")
    listed = runthrough("list", str(lesson))
    assert (listed.code, listed.err) == (0, "")
    for source in (*sources(path, "code"), *sources(path, "markdown"), *sources(path, "raw")):
        assert {line.rstrip() for line in source.splitlines()} <= {line.rstrip() for line in page.splitlines()} | {""}


def test_there_are_enough_foreign_notebooks() -> None:
    """At least ten notebooks that others wrote become lessons."""
    assert len(ALL_FOREIGN) - len(REFUSED) >= 10


@pytest.mark.parametrize("name", ["nbclient/SVG", "nbclient/Skip_Exceptions_with_Cell_Tags", "nbclient/UnicodePy3"])
def test_a_foreign_notebook_holds_at_once(name: str, tmp_path: Path) -> None:
    """What Jupyter stored is what a check finds: value, output, the error that a tag allows."""
    assert runthrough("import", str(FOREIGN / f"{name}.ipynb"), "lesson.md", cwd=tmp_path).code == 0
    done = runthrough("check", "lesson.md", cwd=tmp_path)
    assert done.code == 0, done.out


LINES = st.sampled_from(
    [
        *("a word", "# heading", "> quote", "- item", "1. one", "    indented", "", "  ", "***", "---", "| a | b |"),
        *("|---|---|", "```", "```python", "~~~ py", "````", "```output", "```{code-cell}", ":::", "::: quiz a"),
        *("<pre>", "</pre>", "<!--", "-->", "<!-- fence: id=a -->", "<!-- skip: start -->", "<div>", "<?", "<![CDATA["),
        *(
            "2<!--= 3 -->",
            "<!-- key: 1 -->",
            "$$",
            "[a]: b",
            "\tx",
            "```python skip",
            "> ```py",
            "- ```python",
            "<style>",
        ),
        *(
            "\\begin{align}",
            "\\end{align}",
            "<!-- pytest.mark.skip -->",
            "`<!--= x -->`",
            "<!--= open",
            "::: not-run",
            "- [ ] a",
            "======",
            "$a$ \\",
        ),
    ]
)
PROSE = st.lists(LINES, max_size=8).map("\n".join)
CODE_LINES = st.sampled_from(
    [
        "x = 1",
        "print(x)  #> 1",
        "",
        "if x:",
        "    y",
        "```",
        "````python",
        "'''",
        "%matplotlib inline",
        "!ls",
        "x?",
        "#> a",
    ]
)
CODE = st.lists(CODE_LINES, max_size=6).map("\n".join)
OUTPUT_TEXT = st.text(alphabet="ab`~<!->.\n\r\x1b[0m\0 ", max_size=60)
OUTPUTS = st.one_of(
    OUTPUT_TEXT.map(printed),
    OUTPUT_TEXT.map(value),
    st.builds(raised, st.sampled_from(["ValueError", "", "no name"]), OUTPUT_TEXT),
)
TAGS = st.lists(st.sampled_from(["raises-exception", "skip-execution", "remove-cell", "x"]), max_size=2).map(tuple)
CODE_CELLS = st.builds(
    lambda source, outputs, tags: code(source, *outputs, tags=tags), CODE, st.lists(OUTPUTS, max_size=3), TAGS
)
CELLS = st.lists(st.one_of(PROSE.map(text), PROSE.map(text), CODE_CELLS, PROSE.map(raw)), min_size=1, max_size=7)


@settings(deadline=None, max_examples=300)
@given(cells=CELLS)
def test_the_lesson_holds_every_line_of_the_notebook(cells: list[Json]) -> None:
    """Whatever a notebook says, its lesson reads without error and holds each line of prose and of code, in order."""
    if not any(cell["source"].strip() for cell in cells):
        return
    page = page_of(read_notebook(json.dumps(notebook(*cells)).encode()), "lesson.ipynb", "lesson")
    lesson = read_text(page.text.encode(), Path("lesson.md"), "lesson.md", STRICT)
    assert not [problem for problem in lesson.problems if problem.severity is Severity.ERROR]
    assert not lesson.claims
    assert not lesson.boxes
    _hold_every_line(cells, page.text.split("\n"))


def _hold_every_line(cells: list[Json], lines: list[str]) -> None:
    """Each line is on the page below the one before, perhaps with more in it, and only what was told is missing."""
    at = 0
    for cell in cells:
        for line in cell["source"].split("\n"):
            if not line.strip() or _may_go(cell, line):
                continue
            at = next((n for n in range(at, len(lines)) if _is_within(line, lines[n])), len(lines)) + 1
            assert at <= len(lines), f"{line!r} is lost"


def _may_go(cell: Json, line: str) -> bool:
    """Magics that only format are left out with a word; words of a fence's opener that a lesson reads, too."""
    if cell["cell_type"] == "code":
        return line == "%matplotlib inline"
    return cell["cell_type"] == "markdown" and "```" in line


def _is_within(line: str, found: str) -> bool:
    """True where the letters of `line` are in `found` in their order."""
    letters = iter(found)
    return all(letter in letters for letter in line.strip())


def test_an_import_is_the_same_each_time(tmp_path: Path) -> None:
    """A lesson made twice from one notebook is the same bytes, and its title is that of the metadata."""
    content: dict[str, Any] = notebook(text("# A"), code("1", value("1")), title="A lesson")
    first, second = bring(tmp_path, content), bring(tmp_path, content)
    assert first.lesson == second.lesson
    assert first.lesson.startswith('---\ntitle: "A lesson"\n---\n')
