"""Notebooks executed in a real kernel: each cell comes to what a check says of its fence."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest

from checked import check
from command import COMMAND, LESSONS, Done, runthrough
from runthrough.expect.normal import normal

EXECUTED = LESSONS / "executed"
COURSE = LESSONS.parents[1] / "content"
PAGES = sorted(path.stem for path in EXECUTED.glob("*.md") if path.stem != "never_ends")
NEVER_ENDS = EXECUTED / "never_ends.md"


@dataclass(frozen=True)
class Run:
    """One run of `runthrough notebooks --execute`: how it ended, its report, and where the notebooks are."""

    done: Done
    report: dict[str, Any]
    folder: Path

    def notebook(self, name: str) -> dict[str, Any]:
        """The notebook of a page."""
        found: dict[str, Any] = json.loads((self.folder / f"{name}.ipynb").read_text(encoding="utf-8"))
        return found

    def fences(self, name: str) -> list[dict[str, Any]]:
        """The results of the fences of a page."""
        return fences_of(self.report, name)


def fences_of(report: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found: list[list[dict[str, Any]]] = [
        lesson["fences"] for lesson in report["lessons"] if Path(lesson["path"]).stem == name
    ]
    return found[0]


def execute(folder: Path, *paths: str, edition: str = "instructor") -> Run:
    report = folder / "report.json"
    words = ["--to", str(folder), "--edition", edition, "--execute", "--json", str(report)]
    done = runthrough("notebooks", *paths, *words, cwd=EXECUTED)
    return Run(done, json.loads(report.read_text(encoding="utf-8")), folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All pages but the endless one, in the instructor edition."""
    return execute(tmp_path_factory.mktemp("executed"), *(f"{name}.md" for name in PAGES))


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The pages with exercises, in the student edition."""
    return execute(tmp_path_factory.mktemp("student"), "exercise.md", "starter_passes.md", edition="student")


@pytest.fixture(scope="module")
def checked() -> dict[str, Any]:
    """What a check says of the same pages."""
    return check(*(EXECUTED / f"{name}.md" for name in PAGES)).report


def hold_equal(executed: list[dict[str, Any]], checked: list[dict[str, Any]]) -> int:
    """Each executed cell is what the check says of its fence: outcome, text, value, error. How many there were."""
    by_id = {fence["id"]: fence for fence in checked}
    ran = [fence for fence in executed if fence["outcome"] != "shown"]
    for cell in ran:
        fence = by_id[cell["id"]]
        assert cell["outcome"] == fence["outcome"], cell["id"]
        if cell["outcome"] != "passed":
            continue
        for key in ("stdout", "value"):
            assert normal(str(cell[key])) == normal(str(fence[key])), (cell["id"], key)
        assert _error(cell) == _error(fence)
    return len(ran)


def _error(fence: dict[str, Any]) -> tuple[str, str, int] | None:
    error = fence["error"]
    return (error["type"], error["message"], error["line"]) if error else None


@pytest.mark.parametrize("name", [name for name in PAGES if name != "starter_passes"])
def test_a_cell_comes_to_what_a_check_says_of_its_fence(name: str, run: Run, checked: dict[str, Any]) -> None:
    """Outcome, printed text, value and error are the same in a kernel as in a check, expected errors included."""
    assert hold_equal(run.fences(name), fences_of(checked, name)) >= 3


@pytest.mark.parametrize(
    ("name", "outcome", "told"),
    [
        ("raised", "failed", "raised.md:9  a-page-2: raised an error"),
        ("clean", "failed", "clean.md:8  a-page-2: did not raise"),
        ("other_output", "failed", "other_output.md:12  a-page-2: printed something else"),
        ("exits", "failed", "exits.md:7  a-page-2: asked the interpreter to exit"),
        ("dies", "crashed", "dies.md:7  a-page-2: ended its process"),
        ("loops", "timeout", "loops.md:8  a-page-2: took too long"),
        ("magic", "failed", "magic.md:7  a-page-2: raised an error"),
        ("captured", "failed", "captured.md:7  a-page-2: is not valid Python"),
        ("shell", "failed", "shell.md:7  a-page-2: is not valid Python"),
        ("handler", "failed", "handler.md:7  a-page-2: raised an error"),
    ],
)
def test_no_failure_is_green_and_each_is_told_at_its_line(name: str, outcome: str, told: str, run: Run) -> None:
    """What hides its error, leaves, dies or hangs is red at the lesson's own line, and the rest waits for it."""
    assert [fence["outcome"] for fence in run.fences(name)] == ["passed", outcome, "blocked"]
    assert f"{outcome.upper()} {told}" in run.done.out
    assert run.done.code == 1


def test_outputs_are_stored_without_a_trace_of_the_machine(run: Run) -> None:
    """A written notebook is valid and holds counts and outputs, and no path, time or process of the machine."""
    notebook = run.notebook("holds")
    nbformat.validate(nbformat.from_dict(notebook))  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    first = cells[0]["outputs"]
    assert first[0] == {"name": "stdout", "output_type": "stream", "text": ["one\n"]}
    assert "".join(first[1]["data"]["text/plain"]) == repr({"a": list(range(40)), "b": None})
    errors = [output["ename"] for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
    assert errors == ["KeyError", "ValueError", "SyntaxError"]
    text = json.dumps(notebook)
    assert "mind the gap" in text
    for trace in (str(Path.home()), str(EXECUTED), os.path.dirname(nbformat.__path__[0]), "ipykernel_", "iopub", "T0"):
        assert trace not in text


def test_the_stored_bytes_are_the_same_each_time(run: Run, tmp_path: Path) -> None:
    """Executing twice writes the same files, addresses of objects included."""
    again = execute(tmp_path, "holds.md")
    assert again.done.code == 0, again.done.out
    assert (again.folder / "holds.ipynb").read_bytes() == (run.folder / "holds.ipynb").read_bytes()


def test_in_the_student_edition_exactly_the_checks_fail(student: Run) -> None:
    """Without the solution the check of an exercise raises, as its tag says, and every other cell runs clean."""
    notebook = student.notebook("exercise")
    failing = [
        cell["metadata"]["tags"]
        for cell in notebook["cells"]
        if any(output["output_type"] == "error" for output in cell.get("outputs", []))
    ]
    assert failing == [["raises-exception", "check"]]
    outcomes = [fence["outcome"] for fence in student.fences("exercise")]
    assert outcomes == ["passed", "passed", "shown", "shown", "passed"]


def test_a_check_that_a_starter_passes_is_a_failure(student: Run) -> None:
    """A cell that is tagged to fail and runs clean is red."""
    assert [fence["outcome"] for fence in student.fences("starter_passes")] == ["passed", "failed", "shown"]
    assert "starter_passes.md:10" in student.done.out
    assert student.done.code == 1


def test_an_interrupted_run_writes_nothing_and_leaves_nothing_running(tmp_path: Path) -> None:
    """Ctrl-C while a cell runs ends the kernel and what it started, writes no notebook, and exits with 130."""
    mark = uuid.uuid4().hex
    words = [*COMMAND, "notebooks", str(NEVER_ENDS), "--to", str(tmp_path), "--execute", "--timeout", "900"]
    process = subprocess.Popen(words, env={**os.environ, "MARK": mark}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _wait_for(lambda: any("sleep" in each.name() for each in _marked(mark)))
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert list(tmp_path.glob("*.ipynb")) == []
    assert list(_marked(mark)) == []


def _marked(mark: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        try:
            if process.environ().get("MARK") == mark:
                yield process
        except psutil.Error:
            continue


def _wait_for(is_there: Any) -> None:
    deadline = time.monotonic() + 60
    while not is_there() and time.monotonic() < deadline:
        time.sleep(0.1)


def test_nothing_is_left_running_after_a_run(tmp_path: Path) -> None:
    """A cell out of time and a kernel that died leave no process behind."""
    mark = uuid.uuid4().hex
    done = runthrough("notebooks", str(NEVER_ENDS), "--to", str(tmp_path), "--execute", "--timeout", "3", MARK=mark)
    assert done.code == 1
    assert "TIMEOUT" in done.out
    assert list(_marked(mark)) == []


def test_a_missing_kernel_is_told_in_one_line(tmp_path: Path) -> None:
    """Where what executes notebooks is not installed, one line says what to install, and nothing is written."""
    (tmp_path / "nbclient.py").write_text("raise ModuleNotFoundError('no', name='nbclient')", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    words = ("notebooks", "holds.md", "--to", str(tmp_path / "to"), "--execute")
    done = runthrough(*words, cwd=EXECUTED, PYTHONPATH=path)
    assert done.code == 2
    assert done.err == (
        "runthrough: --execute: notebooks are executed with nbclient, which is not installed; "
        "pip install 'runthrough[notebooks]'\n"
    )
    assert list((tmp_path / "to").iterdir()) == []


def test_a_report_needs_an_execution(tmp_path: Path) -> None:
    """There is no report of notebooks that are only written."""
    done = runthrough("notebooks", "holds.md", "--to", str(tmp_path), "--json", "a.json", cwd=EXECUTED)
    assert done.code == 2
    assert "it needs --execute" in done.err


def test_every_cell_of_the_course_is_what_a_check_says(tmp_path: Path) -> None:
    """Over the whole course, each cell of the instructor edition comes to the outcome, text and value of its fence."""
    report = tmp_path / "report.json"
    words = [*COMMAND, "notebooks", str(COURSE), "--to", str(tmp_path), "--edition", "instructor"]
    done = subprocess.run([*words, "--execute", "--json", str(report)], capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout.decode()
    executed = json.loads(report.read_text(encoding="utf-8"))
    checked = check(COURSE, seconds=600).report
    equal = sum(
        hold_equal(one["fences"], other["fences"])
        for one, other in zip(executed["lessons"], checked["lessons"], strict=True)
    )
    assert equal > 300


def test_a_drawing_is_not_shown_as_its_source(tmp_path: Path) -> None:
    """A fence whose value is its figure shows no value in Jupyter: the page has the picture."""
    words = ("--to", str(tmp_path), "--execute")
    assert runthrough("notebooks", str(LESSONS / "figures" / "drawn.md"), *words).code == 0
    cells = json.loads((tmp_path / "drawn.ipynb").read_text(encoding="utf-8"))["cells"]
    drawing = next(cell for cell in cells if cell["metadata"].get("runthrough", {}).get("fence") == "text")
    assert "".join(drawing["source"]).endswith(";")
    assert drawing["outputs"] == [{"name": "stdout", "output_type": "stream", "text": ["a dot\n"]}]


def test_a_notebook_may_lie_where_temporary_files_are(tmp_path: Path) -> None:
    """A temporary file that a cell keeps is no fault of it, as in a check."""
    lesson = shutil.copy(LESSONS / "among_temporary" / "keeps.md", tmp_path)
    done = runthrough("notebooks", str(lesson), "--to", str(tmp_path / "to"), "--execute", TMPDIR=str(tmp_path))
    assert (done.code, "2 passed" in done.out) == (0, True)


def test_files_that_a_cell_leaves_are_told_as_a_check_tells_them(tmp_path: Path) -> None:
    """A file in the lesson's folder that no `writes=` allows is red at its fence, and one that is allowed is not."""
    lesson = tmp_path / "leaves.md"
    code = 'with open("{0}.txt", "w") as file:\n    file.write("x")\n'
    fences = ["<!-- fence: writes=kept.txt -->\n```python\n" + code.format("kept") + "```"]
    fences += ["```python\n" + code.format("left") + "```"]
    lesson.write_text("# Files\n\n" + "\n\n".join(fences) + "\n", "utf-8")
    done = runthrough("notebooks", str(lesson), "--to", str(tmp_path / "to"), "--execute")
    assert done.code == 1
    assert "leaves.md:9" in done.out
    assert "left in the lesson's folder: left.txt" in done.out
    assert "kept.txt" not in done.out
