"""A lesson from any notebook: it says what the notebook says, and nothing is lost without a word."""

from __future__ import annotations

import re
from pathlib import Path

from brought import PIXEL, bring, fences
from command import runthrough
from runthrough.lesson.document import Role
from written_notebooks import code, displayed, notebook, printed, raised, raw, text, value, write


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
