"""The road from paths to a report, as every door walks it: lessons are read, planned, chosen from and run."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from runthrough.command_line.arguments import Options
from runthrough.command_line.parsers import UsageError

if TYPE_CHECKING:
    from runthrough.job import Job
    from runthrough.lesson.document import Course, Lesson, Problem
    from runthrough.reports.terminal import Terminal
    from runthrough.result import LessonResult, Report
    from runthrough.running.server_process import ServerProcess

LARGEST_SEED = 2**32 - 1  # what numpy's generators take
_GLANCES = 100


class UnreadableError(Exception):
    """Nothing can be run; `problems` say where and what to do."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


def soon_imported(paths: Sequence[str]) -> tuple[str, ...]:
    """What is dear to import and seems to be needed, from a glance at files that are read in earnest later."""
    with contextlib.suppress(OSError):
        for file in islice(_pages_near(paths or (".",)), _GLANCES):
            if b"import torch" in file.read_bytes():
                return ("torch", "numpy")
    return ()


def _pages_near(paths: Sequence[str]) -> Iterator[Path]:
    """Markdown files at and not far below `paths`."""
    for path in paths:
        files = [Path(path)]
        for folder, below, names in islice(os.walk(path), _GLANCES):
            below[:] = [name for name in below if not name.startswith(".")]
            files += [Path(folder, name) for name in names if name.endswith(".md")]
        yield from (file for file in files if file.is_file())


def read(paths: Sequence[str]) -> Sequence[Lesson]:
    """The lessons at `paths`. Raises UnreadableError with every problem at once; warnings are only told."""
    from runthrough.lesson.discovery import discover
    from runthrough.lesson.document import Severity

    with _uncollected():
        found = discover(paths)
    problems = [*found.problems, *(problem for lesson in found.lessons for problem in problems_of(lesson))]
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise UnreadableError(problems)
    tell(problems)
    for course in found.courses:
        if said := other_torch(course):
            print(said, file=sys.stderr)
    return found.lessons


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage while lessons are made, nor among them later: they are in no cycles, and stay to the end."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def problems_of(lesson: Lesson) -> tuple[Problem, ...]:
    """What is wrong with a lesson and with its name."""
    return (*lesson.problems, *problems_of_name(lesson.name))


def problems_of_name(name: str) -> tuple[Problem, ...]:
    """What is wrong with a name that no report could hold, since its bytes are no text."""
    from runthrough.lesson.document import Problem

    is_text = not any("\ud800" <= char <= "\udfff" for char in name)
    return () if is_text else (Problem(name, 1, "the file's name is not UTF-8", "rename it"),)


def planned(lessons: Sequence[Lesson], options: Options) -> list[Job]:
    """A job for each lesson, all from one seed."""
    from runthrough.plan import DEFAULT_TIMEOUT, beside, plan

    seed = drawn_seed() if options.seed is None else options.seed
    return beside(
        [
            plan(
                lesson,
                seed=seed,
                timeout=options.timeout or DEFAULT_TIMEOUT,
                keep_going=options.keep_going,
                memory_mib=options.memory_mib,
            )
            for lesson in lessons
        ]
    )


def drawn_seed() -> int:
    """A seed for a run that was given none."""
    import secrets

    return secrets.randbelow(LARGEST_SEED)


def chosen(jobs: list[Job], expression: str) -> list[Job]:
    """What `-k` chooses. Raises UsageError where that is nothing."""
    from runthrough.selection import select

    if not expression:
        return jobs
    chosen = select(jobs, expression)
    if not chosen:
        raise UsageError(f"-k {expression!r} matches no fence; runthrough list names them all")
    return chosen


def run_told(jobs: Sequence[Job], options: Options, terminal: Terminal, server: ServerProcess | None = None) -> Report:
    """Run the jobs, telling each as it finishes; stop early where that was asked for."""
    from runthrough.reports.report import assemble
    from runthrough.running.pool import PoolSettings, run_jobs
    from runthrough.running.shared_folders import SharedFolders

    settings = PoolSettings(workers=options.jobs or cores(), spawn=options.spawn)
    folders = SharedFolders(jobs)
    done: list[LessonResult] = []
    started = time.monotonic()
    terminal.started()
    try:
        results = run_jobs(jobs, settings, lambda job, fence: terminal.fence_finished(job.name, fence), server)
        with closing(results):  # type: ignore[type-var]
            for result in results:
                done.append(result)
                terminal.lesson_finished(result)
                if options.exit_first and not result.holds:
                    break
    finally:
        terminal.ended()
    return assemble(
        done,
        order=[job.name for job in jobs],
        seed=jobs[0].seed,
        seconds=time.monotonic() - started,
        troubles=folders.unexplained(done),
        min_fences=options.min_fences,
    )


def run_quietly(jobs: Sequence[Job], options: Options) -> Report:
    """Run the jobs for a door that tells what came in its own way."""
    from runthrough.reports.pen import PlainPen
    from runthrough.reports.terminal import Terminal, Volume

    return run_told(jobs, options, Terminal(PlainPen(sys.stdout), len(jobs), volume=Volume.QUIET))


def other_torch(course: Course) -> str:
    """What is to be said where the torch that is here is not the one the course pins; "" where it is."""
    from runthrough.reports.report import installed_version

    installed = installed_version("torch")
    if not course.torch or installed.partition("+")[0] == course.torch:
        return ""
    there = f"torch {installed} is installed" if installed else "no torch is installed"
    file = os.path.relpath(course.folder / "course.toml")
    return f"{file} pins torch {course.torch}, and {there}: texts may differ"


def tell(problems: Iterable[Problem]) -> None:
    for problem in problems:
        print(problem, file=sys.stderr)


def cores() -> int:
    """Processors this process may use, which in a container is not all there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
