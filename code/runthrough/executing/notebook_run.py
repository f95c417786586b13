"""One notebook from its first cell to its last: executed, judged, and written anew with its outputs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runthrough.job import Act, Job, Role, Step
from runthrough.result import FenceResult, LessonResult, Outcome, Trouble
from runthrough.running.footprints import is_everybodys, names_in, not_allowed

from .kernel import End, Kernel, kernel_for
from .outputs import Scrubber
from .verdicts import blocked, not_executed, result_of

EXPECTS_ERROR = "raises-exception"
_SETUP_SECONDS = 120.0


@dataclass(frozen=True)
class Executed:
    """A notebook's bytes with its outputs, and what came of the lesson's fences in its cells."""

    data: bytes
    result: LessonResult


def execute(data: bytes, job: Job, tell: Callable[[FenceResult], None]) -> Executed:
    """Execute a notebook of `runthrough notebooks` in the folder of its lesson, whose job this is.

    Raises KernelMissingError. `tell` is called with each result as it comes.
    """
    import nbformat

    started = time.monotonic()
    content: dict[str, Any] = json.loads(data)
    notebook = nbformat.reads(data.decode("utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    steps = {step.id: step for step in job.steps}
    numbers = [number for number, cell in enumerate(content["cells"]) if cell["cell_type"] == "code"]
    own = {number: steps.get(_fence(content["cells"][number])) for number in numbers}
    folder = Path(job.path).parent
    results: dict[str, FenceResult] = {}
    troubles: tuple[Trouble, ...] = ()
    if any(own.values()):
        timeouts = {number: step.timeout if step else _SETUP_SECONDS for number, step in own.items()}
        with kernel_for(notebook, folder, timeouts) as kernel:
            results, troubles = _Run(kernel, job, notebook, tell).cells(own)
    scrubber = Scrubber(folder)
    for number in numbers:
        cell, made = content["cells"][number], notebook.cells[number]
        cell["outputs"] = scrubber.stored(made.outputs)
        cell["execution_count"] = made.execution_count
    nbformat.validate(nbformat.from_dict(content))  # type: ignore[no-untyped-call]
    fences = tuple(results.get(step.id) or not_executed(step) for step in sorted(job.steps, key=lambda each: each.line))
    result = LessonResult(
        path=job.name,
        title=job.title,
        seconds=time.monotonic() - started,
        peak_rss_mib=0.0,
        fences=fences,
        troubles=troubles,
    )
    text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return Executed(text.encode("utf-8", "surrogatepass"), result)


class _Run:
    """The cells of one notebook, given to its kernel one after another."""

    def __init__(self, kernel: Kernel, job: Job, notebook: Any, tell: Callable[[FenceResult], None]) -> None:
        self._kernel = kernel
        self._job = job
        self._notebook = notebook
        self._tell = tell
        self._places: dict[int, int] = {}
        self._executed = 0
        self._red: dict[str, FenceResult] = {}
        self._folder = Path(job.path).parent
        self._names = names_in(str(self._folder))
        self._came: dict[str, int] = {}

    def cells(self, own: Mapping[int, Step | None]) -> tuple[dict[str, FenceResult], tuple[Trouble, ...]]:
        """The results by the ids of fences, and what is wrong with the notebook beside them."""
        results: dict[str, FenceResult] = {}
        for number, step in own.items():
            if step is None:
                if trouble := self._setup(number):
                    return results, (trouble,)
                continue
            result = self._result(number, step)
            results[step.id] = result
            if result.outcome.is_red:
                for key in _keys_it_blocks(step, result):
                    self._red.setdefault(key, result)
            self._tell(result)
        return results, tuple(self._left())

    def _see_files(self, line: int) -> None:
        """Keep which files came to the lesson's folder with the fence on this line."""
        if is_everybodys(str(self._folder)):
            return
        came = names_in(str(self._folder)) - self._names
        self._names |= came
        self._came |= dict.fromkeys(sorted(came), line)

    def _left(self) -> Iterator[Trouble]:
        """What cells made in the lesson's folder, that is still there, and that no `writes=` of the lesson allows."""
        allowed = [pattern for step in self._job.steps for pattern in step.writes]
        left = [name for name in self._came if (self._folder / name).exists()]
        for name in not_allowed(self._folder, left, allowed):
            advice = "write to a temporary folder, or name the files in writes= above the fence"
            yield Trouble(f"left in the lesson's folder: {name}", advice, self._came[name])

    def _result(self, number: int, step: Step) -> FenceResult:
        if step.act is not Act.RUN:
            return not_executed(step)
        if red := self._red.get("") or (self._red.get(step.part.name) if step.part else None):
            return blocked(step, red)
        cell = self._notebook.cells[number]
        self._executed += 1
        self._places[self._executed] = step.code_line - 1 + _blank_lines_above(cell.source)
        run = self._kernel.execute(number)
        self._see_files(step.line)
        return result_of(
            step,
            run,
            cell.source,
            expects_error=EXPECTS_ERROR in cell.metadata.get("tags", []),
            places=self._places,
            name=self._job.name,
            pinned=self._job.is_pinned,
        )

    def _setup(self, number: int) -> Trouble | None:
        """What is wrong where a cell that stands for no fence does not run."""
        if "" in self._red:
            return None
        self._executed += 1
        run = self._kernel.execute(number)
        if run.end is End.OK and not run.has_error_output:
            return None
        what = f"{run.error.type}: {run.error.message}" if run.error else f"the kernel {run.end}"
        return Trouble(f"the cell that looks at torch does not run: {what}", "see that torch can be imported here")


def _keys_it_blocks(step: Step, result: FenceResult) -> tuple[str, ...]:
    """Whose followers wait when this step is red: all, or only the answers that a check is for."""
    if result.outcome in (Outcome.TIMEOUT, Outcome.CRASHED) or step.part is None or step.part.role is Role.SOLUTION:
        return ("",)
    return (step.part.name,) if step.part.role is Role.CHECK else ()


def _fence(cell: Mapping[str, Any]) -> str:
    ours = cell["metadata"].get("runthrough") or {}
    return str(ours.get("fence", ""))


def _blank_lines_above(source: str) -> int:
    """IPython counts lines from the first that is not blank."""
    return len(source) - len(source.lstrip("\n"))
