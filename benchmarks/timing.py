"""One run of one side: how long it took, and that it ran every fence."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.course import TRACES_VARIABLE, Course, require_every_fence, require_every_fence_told
from benchmarks.environments import Environment
from benchmarks.memory import PeakMemory
from benchmarks.sides import Side

PATIENCE = 3600  # seconds: many times what the slowest side takes


class FailedRunError(Exception):
    """A command that was to be timed did not end well."""


@dataclass(frozen=True)
class Run:
    """One finished run: wall and processor time in seconds, and the peak in MiB where it was watched."""

    seconds: float
    processor_seconds: float
    peak_mib: float | None = None


def run_side(side: Side, where: Environment, course: Course, *, threads: int = 1, watch_memory: bool = False) -> Run:
    """Run a side once and check that it ran every fence, or found each. Raises FailedRunError or MiscountError.

    `threads` is what OpenMP is told, 0 for nothing. Watching memory takes processor time of its own, so a watched run
    is not one to time.
    """
    traces, told = course.folder / "traces.txt", course.folder / "told.txt"
    traces.unlink(missing_ok=True)
    fed = "".join(f"{path}\n" for path in side.lines(course)).encode()
    with told.open("wb") as output:
        started = perf_counter()
        process = subprocess.Popen(
            side.words(where, course),
            cwd=course.folder,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_settings(side, course, traces, threads),
            start_new_session=True,
        )
        memory = PeakMemory(process.pid) if watch_memory else None
        before = os.times()
        _wait(process, fed, side)
        seconds, after = perf_counter() - started, os.times()
        peak = memory.stop() if memory else None
    if process.returncode != 0:
        end = told.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise FailedRunError(f"{side.name} ended with {process.returncode}:\n{end}")
    if side.only_reads:
        require_every_fence_told(course, told)
    else:
        require_every_fence(course, traces)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, spent, peak)


def _wait(process: subprocess.Popen[bytes], fed: bytes, side: Side) -> None:
    """Wait for the end of a run, and where nobody waits any longer, end all that it started."""
    try:
        process.communicate(fed, timeout=PATIENCE)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise FailedRunError(f"{side.name} had not ended after {PATIENCE} seconds") from error
        raise


# What would keep a side from the bytecode that it keeps on a user's machine, or lead it to other code.
_UNSET = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


def _settings(side: Side, course: Course, traces: Path, threads: int) -> dict[str, str]:
    settings = {
        TRACES_VARIABLE: str(traces),
        "PAGES": str(course.folder / side.pages),
        "JUPYTER_PREFER_ENV_PATH": "1",
        **({"OMP_NUM_THREADS": str(threads)} if threads else {}),
    }
    return {**{name: text for name, text in os.environ.items() if name not in _UNSET}, **settings}
