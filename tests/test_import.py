"""A lesson from any notebook: it says what the notebook says, and nothing is lost without a word."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import Done, runthrough
from runthrough.importing.notebook import read_notebook
from runthrough.importing.page import page_of
from runthrough.lesson.document import Course, Fence, Role, Severity
from runthrough.lesson.read import read_text
from written_notebooks import Json, code, displayed, notebook, printed, raised, raw, text, value, write

FOREIGN = Path(__file__).parent / "notebooks"
ALL_FOREIGN = sorted(FOREIGN.glob("*/*.ipynb"))
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
# What cannot become a lesson, and the line that says so.
REFUSED = {
    "no_min_version": "the cells of this notebook are plaintext (only notebooks in Python become lessons)",
    "test3_no_metadata": "this notebook of nbformat 3 cannot be upgraded",
    "test3_no_min_version": "this notebook is empty (write a cell first)",
    "test3_no_worksheets": "this notebook of nbformat 3 cannot be upgraded",
}
STRICT = Course(Path(), "", "", ())


@dataclass(frozen=True)
class Brought:
    """What one import left: how the command ended, and the lesson's text, "" where none was written."""

    done: Done
    lesson: str


def bring(folder: Path, content: Json) -> Brought:
    write(folder, content)
    done = runthrough("import", "lesson.ipynb", cwd=folder)
    lesson = folder / "lesson.md"
    return Brought(done, lesson.read_text(encoding="utf-8") if lesson.exists() else "")


def fences(page: str) -> list[Fence]:
    return list(read_text(page.encode(), Path("lesson.md"), "lesson.md", STRICT).fences)


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


def test_stored_outputs_are_compared_as_a_lesson_compares_them(tmp_path: Path) -> None:
    """The value stands after what was printed; a stored error is expected; IPython's layout becomes Python's repr."""
    long = [list(range(12)), list(range(12)), list(range(12))]
    brought = bring(
        tmp_path,
        notebook(
            code("print('one')\n1 + 1", printed("one\n"), value("2")),
            code("1 / 0", raised("ZeroDivisionError", "division by zero"), tags=("raises-exception",)),
            code("int('x')", raised("ValueError", "invalid literal for int() with base 10: 'x'")),
            code("[list(range(12))] * 3", value(",\n ".join(map(str, long)).join(["[", "]"]))),
            code("class A: pass\nA()", value("<__main__.A at 0x7f1234567890>")),
            code("def f(x): ...\nf", value("<function __main__.f(x)>")),
            code("print(end='a\\rb')", printed("a\rb")),
            code("x = ", raised("SyntaxError", "invalid syntax (123.py, line 1)"), tags=("raises-exception",)),
        ),
    )
    assert "```output\none\n2\n```" in brought.lesson
    assert "<!-- fence: raises=ZeroDivisionError -->" in brought.lesson
    assert "```error\nValueError: invalid literal" in brought.lesson
    assert "cell 3: the lesson expects the error that is stored: ValueError" in brought.done.err
    done = runthrough("check", "lesson.md", cwd=tmp_path)
    assert done.code == 0, done.out


def test_tags_become_directives(tmp_path: Path) -> None:
    """Tags of Jupyter, nbclient, nbmake and Jupyter Book are our directives; one that is none is told."""
    brought = bring(
        tmp_path,
        notebook(
            code("raise OSError", tags=("raises-exception",)),
            code("forever()", tags=("skip-execution",)),
            code("import os", printed("seen"), tags=("remove-cell", "important")),
            code("print(1)", printed("1\n"), tags=("remove-output",)),
            code("print(2)", tags=("hide-input",)),
        ),
    )
    said = [fence.directives for fence in fences(brought.lesson)]
    assert [each.raises for each in said] == ["Exception", "", "", "", ""]
    assert [bool(each.skip) for each in said] == [False, True, False, False, False]
    assert [each.hidden for each in said] == [False, False, True, False, False]
    assert "output" not in brought.lesson
    for told in ("the tag important is not kept (cell 3)", "the tag hide-input is not kept (cell 5)"):
        assert f"lesson.ipynb: {told}" in brought.done.err
    assert brought.done.err.count("its outputs are left out, as its tags say") == 2


def test_only_ids_that_a_person_chose_are_kept(tmp_path: Path) -> None:
    """A cell's id becomes the fence's where it has a meaning; random and repeated ones do not."""
    ids = ("leaf-accumulates", "8f3ab01c", "b1a7c2de-1234-4abc-9def-001122334455", "aB3dE5fG7hI9", "leaf-accumulates")
    brought = bring(tmp_path, notebook(*(code(f"x = {n}", id=each) for n, each in enumerate(ids))))
    assert brought.lesson.count("id=") == 1
    assert fences(brought.lesson)[0].id == "leaf-accumulates"
    assert "cell 5: the id leaf-accumulates is that of another cell" in brought.done.err


def test_magics_are_left_out_where_nothing_is_lost_and_else_shown_with_the_reason(tmp_path: Path) -> None:
    """What only formats or measures goes with a word; any other magic or shell command is shown, and does not run."""
    brought = bring(
        tmp_path,
        notebook(
            code("%matplotlib inline\nx = 1"),
            code("%load_ext autoreload\n%autoreload 2"),
            code("%%time\ny = 2", printed("Wall time: 1 s\n")),
            code("%time z = 3"),
            code("!pip install torch"),
            code("files = !ls"),
            code("%%bash\necho a"),
            code("len?"),
            code("a = '''\n%matplotlib inline\n!ls\n'''"),
        ),
    )
    found = fences(brought.lesson)
    assert [fence.code for fence in found if fence.role is Role.CODE] == [
        "x = 1\n",
        "y = 2\n",
        "z = 3\n",
        "!pip install torch\n",
        "files = !ls\n",
        "%%bash\necho a\n",
        "len?\n",
        "a = '''\n%matplotlib inline\n!ls\n'''\n",
    ]
    reasons = [fence.directives.show for fence in found if fence.directives.show]
    shell = "a shell command of Jupyter"
    assert reasons == [shell, shell, "%%bash works in Jupyter only", "? asks Jupyter for help"]
    for told in ("cell 1: %matplotlib inline", "cell 2: %load_ext autoreload", "cell 3: %%time"):
        assert f"{told} is left out" in brought.done.err
    assert f"cell 5: it is shown and does not run: {shell}" in brought.done.err


def test_a_shell_command_above_python_is_shown_and_the_python_runs(tmp_path: Path) -> None:
    """Lines of Jupyter's own in a cell of Python become fences of their own, and hold up nothing."""
    brought = bring(
        tmp_path,
        notebook(
            code("!pip install --quiet \\\n  torch\nx = 1\n%ls\nprint(x)", printed("done\n1\n"), id="set-up"),
            code("print(x + 1)", printed("2\n")),
            code("for n in range(2):\n    !echo {n}"),
            code("%%writefile table.py\nrows = 3"),
        ),
    )
    found = [fence for fence in fences(brought.lesson) if fence.role is Role.CODE]
    assert [(fence.code, fence.directives.show) for fence in found] == [
        ("!pip install --quiet \\\n  torch\n", "a shell command of Jupyter"),
        ("x = 1\n", ""),
        ("%ls\n", "%ls works in Jupyter only"),
        ("print(x)\n", ""),
        ("print(x + 1)\n", ""),
        ("for n in range(2):\n    !echo {n}\n", "a shell command of Jupyter"),
        ("%%writefile table.py\nrows = 3\n", "%%writefile works in Jupyter only"),
    ]
    assert found[3].id == "set-up"
    assert "cell 1: its output is shown and not compared" in brought.done.err
    assert "3 passed" in runthrough("check", "lesson.md", cwd=tmp_path).out


def test_formulas_and_links_are_what_they_were(tmp_path: Path) -> None:
    """Bare environments become formulas; links that two cells define, or that lead beside the notebook, are told."""
    (tmp_path / "data.csv").write_text("a", encoding="utf-8")
    write(
        tmp_path,
        notebook(
            text("\\begin{align}\na &= b\n\\end{align}"),
            text("[here][1]\n\n[1]: https://one.example"),
            text("[there][1]\n\n[1]: https://two.example"),
            text("[the data](data.csv), [the web](https://example.org)"),
        ),
    )
    done = runthrough("import", "lesson.ipynb", "below/page.md", cwd=tmp_path)
    page = (tmp_path / "below" / "page.md").read_text(encoding="utf-8")
    assert "$$\n\\begin{align}\na &= b\n\\end{align}\n$$" in page
    assert "[1] is defined in two cells and leads to https://one.example on one page" in done.err
    assert "the page links to data.csv, which is beside the notebook" in done.err
    assert "example.org" not in done.err


def test_pictures_and_attachments_are_files_beside_the_lesson(tmp_path: Path) -> None:
    """Images below code and attached to text are files that the page links to, whatever their names try."""
    attached = {"a b.png": {"image/png": PIXEL}, "../../evil.png": {"image/png": PIXEL}, "bad.png": {"image/png": "%"}}
    brought = bring(
        tmp_path,
        notebook(
            text("![an image](attachment:a%20b.png)", attachments=attached),
            code("plot()", displayed(image_png=PIXEL, text_plain="<Figure size 640x480 with 1 Axes>"), id="the-plot"),
        ),
    )
    links = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", brought.lesson)
    assert links == ["figures/lesson-cell-1-1-a-b.png", "figures/lesson-the-plot-1.png"]
    assert all((tmp_path / link).read_bytes().startswith(b"\x89PNG") for link in links)
    assert not (tmp_path.parent / "evil.png").exists()
    assert "cell 1: the attachment ../../evil.png is linked nowhere in its cell" in brought.done.err
    assert "cell 1: the attachment bad.png cannot be read and is left out" in brought.done.err


def test_what_a_page_cannot_show_is_told_in_one_line_each(tmp_path: Path) -> None:
    """Widgets, HTML and huge outputs are named on standard error; of a huge text both ends stay and are compared."""
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "0"}}
    brought = bring(
        tmp_path,
        notebook(
            code("w", value("IntSlider(value=0)", **widget)),
            code("t", value("   a\n0  1", **{"text/html": "<table></table>"})),
            code("for n in range(5000): print(n)", printed("".join(f"{n}\n" for n in range(5000)))),
            code("'x' * 90_000", value(repr("x" * 90_000))),
            code("import sys; print('w', file=sys.stderr)", printed("w\n", "stderr")),
            code("pass", metadata={"slideshow": {"slide_type": "slide"}}),
        ),
    )
    for told in (
        "cell 1: its widget is left out",
        "cell 2: its text/html of 15 letters is left out",
        "cell 3: 4,960 of its 5,000 lines of output are left out; ... stands for them",
        "cell 4: lines of output longer than 1,000 letters are cut",
        "cell 5: what it wrote to standard error or displayed is shown and not compared",
        "the metadata slideshow is not kept (cell 6)",
    ):
        assert brought.done.err.count(f"lesson.ipynb: {told}") == 1
    assert "19\n...\n4980\n" in brought.lesson
    assert len(brought.lesson) < 5000
    assert (
        runthrough("check", "lesson.md", "-k", "fence-3 or fence-4 or fence-5", "--keep-going", cwd=tmp_path).code == 1
    )
    lines = brought.lesson.split("```python\n")
    for number in (3, 4, 5):
        (tmp_path / f"{number}.md").write_text("```python\n" + lines[number], encoding="utf-8")
        assert runthrough("check", f"{number}.md", cwd=tmp_path).code == 0


def test_prose_that_a_lesson_would_read_as_something_else_is_made_safe(tmp_path: Path) -> None:
    """Boxes, directives, claims, fences and open HTML in text cells mean in the lesson what they mean in Jupyter."""
    brought = bring(
        tmp_path,
        notebook(
            text("---\nnot: front matter\n---"),
            text("::: note\nin a box\n:::"),
            text("<!-- fence: skip=why -->\n```python\nnever_run\n```"),
            text("one 1.0<!--= 1 / 0 -->"),
            text("```output\nof nothing\n```"),
            text("- item\n\n  ```python\n  open"),
            text("<pre>\nopen\n\n    and more"),
            text("- a list"),
            text("    code that is no part of the list"),
            code("print('only this')"),
            raw("\\section{Raw}", metadata={"format": "text/latex"}),
        ),
    )
    assert brought.done.code == 0, brought.done.err
    assert "\\::: note\nin a box\n:::" in brought.lesson
    assert "```latex\n\\section{Raw}\n```" in brought.lesson
    running = [fence.code for fence in fences(brought.lesson) if fence.leaves_names]
    assert running == ["print('only this')\n"]
    assert "- a list\n\n<!-- -->\n\n    code that is no part" in brought.lesson
    for told in ("cell 2: a line that begins with :::", "cell 3: a python fence in a text cell is shown"):
        assert told in brought.done.err
    assert "1 passed" in runthrough("check", "lesson.md", cwd=tmp_path).out


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
