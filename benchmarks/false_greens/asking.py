"""One tool asked about one case: how it ended, what it said, and whether the page behind it was run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from benchmarks.environments import Environment
from benchmarks.false_greens.cases import FOLDER, GREEN, RED, Case
from benchmarks.false_greens.tools import HARNESSES, NOTEBOOKS, Tool
from benchmarks.notebooks import as_notebook

PATIENCE = 40  # seconds after which a tool is ended that would not end
NO_TESTS = 5  # what pytest ends with where it found nothing
RUNS_ON, NOTHING_FOUND = "runs on", "nothing found"
AFTER = "after.md"


@dataclass(frozen=True)
class Answer:
    """What a tool said of a case. `verdict` is red, green, or a word for what is neither."""

    tool: str
    case: str
    verdict: str
    exit_code: int | None
    seconds: float
    ran_the_next: bool
    said: str


def ask(tool: Tool, environment: Environment, case: Case) -> Answer:
    """Run the tool on the case's page and on one behind it, from another folder, and end all that it leaves."""
    with tempfile.TemporaryDirectory(prefix="case-") as name:
        work = Path(name)
        files = _laid_out(tool, case, work / "pages")
        started = monotonic()
        code, said = _run(tool.words(environment, files), work, files, case)
        seconds = monotonic() - started
        return Answer(tool.peer.name, case.name, _verdict(code), code, seconds, (work / "after-ran.txt").exists(), said)


def _laid_out(tool: Tool, case: Case, folder: Path) -> list[Path]:
    folder.mkdir()
    shutil.copy(FOLDER / "numbers.txt", folder)
    if tool.harness:
        shutil.copy(HARNESSES / tool.harness, folder / tool.lies_as)
    files = []
    for page in (case.page, FOLDER / AFTER) if tool.takes_many else (case.page,):
        text = page.read_text(encoding="utf-8")
        notebook = tool.form == NOTEBOOKS
        file = folder / page.with_suffix(".ipynb" if notebook else ".md").name
        file.write_text(as_notebook(text) if notebook else text, encoding="utf-8")
        files.append(file)
    return files


def _run(words: list[str], work: Path, files: list[Path], case: Case) -> tuple[int | None, str]:
    """The exit code, None for a tool that had to be ended, and the end of what it wrote."""
    told = work / "told.txt"
    settings = {
        "AFTER_RAN": str(work / "after-ran.txt"),
        "PAGES": os.pathsep.join(map(str, files)),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    if case.name == "beyond_ascii":
        settings |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with told.open("wb") as output:
        process = subprocess.Popen(
            words,
            cwd=work,
            env={**os.environ, **settings},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.communicate(b"somebody\n", timeout=PATIENCE)
            code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            code = None
        _end(process)
    with told.open("rb") as output:
        output.seek(max(0, told.stat().st_size - 4000))
        return code, output.read().decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def _verdict(code: int | None) -> str:
    return {None: RUNS_ON, 0: GREEN, NO_TESTS: NOTHING_FOUND}.get(code, RED)
