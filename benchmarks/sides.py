"""The ways of running a course that are compared, each as the command that a user would type."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.course import TRACES_VARIABLE, Course, require_every_fence
from benchmarks.memory import PeakMemory

_IN_ONE_PROCESS = Path(__file__).with_name("in_one_process.py")


class FailedRunError(Exception):
    """A command that was to be timed did not end well."""


@dataclass(frozen=True)
class Side:
    """One way to run a course: `command` gives its words, `lines` what stands on its standard input."""

    name: str
    isolates: str
    command: Callable[[Course], list[str]]
    lines: Callable[[Course], tuple[Path, ...]] = lambda course: ()


@dataclass(frozen=True)
class Run:
    """One finished run: wall and processor time in seconds, and the peak in MiB where it was watched."""

    seconds: float
    processor_seconds: float
    peak_mib: float | None = None


def _check(*words: str) -> Callable[[Course], list[str]]:
    return lambda course: [sys.executable, "-m", "runthrough", "check", "-q", *words, str(course.pages[0].parent)]


def _python_each(at_once: int) -> Callable[[Course], list[str]]:
    return lambda course: ["xargs", "-P", str(at_once), "-n", "1", sys.executable]


def _in_one_process(course: Course) -> list[str]:
    return [sys.executable, str(_IN_ONE_PROCESS), *map(str, course.scripts)]


def _nbclient(course: Course) -> list[str]:
    return [str(Path(sys.executable).with_name("jupyter-execute")), *map(str, course.notebooks)]


OURS = Side("`runthrough check`", "fork", _check())
OTHERS = {
    "spawn": Side("`runthrough check --spawn`", "process", _check("--spawn")),
    "python-1": Side("`python` a lesson, one at a time", "process", _python_each(1), lambda course: course.scripts),
    "python-2": Side("`python` a lesson, two at a time", "process", _python_each(2), lambda course: course.scripts),
    "limit": Side("all bodies in one process, no harness", "no", _in_one_process),
    "nbclient": Side("`jupyter execute` (nbclient)", "kernel", _nbclient),
}


def run_side(side: Side, course: Course, folder: Path, *, watch_memory: bool = False) -> Run:
    """Run a side once and check that every fence ran. Raises FailedRunError or MiscountError.

    Watching memory takes processor time of its own, so a watched run is not one to time.
    """
    traces, told = folder / "traces.txt", folder / "told.txt"
    traces.unlink(missing_ok=True)
    fed = "".join(f"{path}\n" for path in side.lines(course)).encode()
    with told.open("wb") as output:
        started = perf_counter()
        process = subprocess.Popen(
            side.command(course),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, TRACES_VARIABLE: str(traces)},
        )
        memory = PeakMemory(process.pid) if watch_memory else None
        before = os.times()
        process.communicate(fed)
        seconds, after = perf_counter() - started, os.times()
    if process.returncode != 0:
        end = told.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise FailedRunError(f"{side.name} ended with {process.returncode}:\n{end}")
    require_every_fence(course, traces)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, spent, memory.stop() if memory else None)
