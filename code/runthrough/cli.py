"""The command `runthrough`: each subcommand is the list of stages from files to an exit code."""

from __future__ import annotations

import errno
import io
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from runthrough.arguments import STDOUT, Options, UsageError, parse

if TYPE_CHECKING:
    from runthrough.job import Job, LessonResult, Report
    from runthrough.lesson.document import Course, Lesson, Problem
    from runthrough.reports.terminal import Terminal
    from runthrough.running.server_process import ServerProcess

HOLDS, DOES_NOT_HOLD, UNREADABLE, INTERRUPTED = 0, 1, 2, 130
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
LARGEST_SEED = 2**32 - 1  # what numpy's generators take


class UnreadableError(Exception):
    """Nothing can be run; `problems` say where and what to do."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


def main() -> NoReturn:
    """The console script. It leaves without the interpreter's own teardown, which is slow once torch is near."""
    _ensure_utf8_names()
    _prepare_streams()
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        code = DOES_NOT_HOLD  # the reader has gone, as in `| head`; what nobody was told is not green
    except OSError as error:
        if error.errno not in _FULL:
            raise
        print(f"runthrough: what came could not be written: {error.strerror}", file=sys.stderr)
        os._exit(DOES_NOT_HOLD)
    except SystemExit as left:  # argparse, after --help and --version
        code = left.code if isinstance(left.code, int) else HOLDS
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(words: Sequence[str]) -> int:
    """Do what the words ask for and give the exit code."""
    try:
        options = parse(words)
        with _interruptible():
            return {"check": check, "list": list_fences, "update": update}[options.command](options)
    except UsageError as error:
        print(f"runthrough: {error}", file=sys.stderr)
        return UNREADABLE
    except UnreadableError as error:
        _tell(error.problems)
        return UNREADABLE
    except KeyboardInterrupt:
        print("interrupted: everything that was started has been ended", file=sys.stderr)
        return INTERRUPTED


def check(options: Options) -> int:
    """Read, plan, run and tell; what is red makes the exit code 1."""
    from runthrough.running.server_process import server_under_way

    report_file = _report_file(options.json)
    # The server's interpreter starts on another core while this one reads.
    with server_under_way(options.spawn) as server:
        from runthrough.reports.json_report import as_data, as_json
        from runthrough.reports.writing import write_whole

        lessons = _read(options.paths)
        jobs = _chosen(_planned(lessons, options), options.expression)
        terminal = _terminal(options, len(jobs))
        report = _run(jobs, options, terminal, server)
    terminal.closed(report, {lesson.name: lesson.text for lesson in lessons})
    if options.json == STDOUT:
        sys.stdout.write(as_json(as_data(report)))
    elif report_file:
        write_whole(report_file, as_json(as_data(report)).encode("ascii"))
    return HOLDS if report.holds else DOES_NOT_HOLD


def list_fences(options: Options) -> int:
    """Read, plan and print every fence; nothing runs."""
    from runthrough.lesson.directives import said_words
    from runthrough.reports.json_report import as_json_rows
    from runthrough.reports.listing import Listed, as_data, table
    from runthrough.reports.pen import pen_for
    from runthrough.reports.writing import write_whole

    report_file = _report_file(options.json)
    lessons = _read(options.paths)
    rows = []
    for lesson, job in zip(lessons, _planned(lessons, options), strict=True):
        steps = {step.line: step for step in job.steps}
        rows += [
            Listed(lesson.name, fence, said_words(fence.directives), steps.get(fence.line)) for fence in lesson.fences
        ]
    if options.json == STDOUT:
        sys.stdout.write(as_json_rows(as_data(row) for row in rows))
        return HOLDS
    pen_for(sys.stdout, color=options.color).write(table(rows))
    if report_file:
        write_whole(report_file, as_json_rows(as_data(row) for row in rows).encode("ascii"))
    return HOLDS


def update(options: Options) -> int:
    """Run the lessons and show or write the texts that are not what came."""
    from runthrough.reports.pen import PlainPen
    from runthrough.reports.terminal import Terminal, Volume
    from runthrough.updating import update_lessons

    def run_quietly(jobs: Sequence[Job], options: Options) -> Report:
        return _run(jobs, options, Terminal(PlainPen(sys.stdout), len(jobs), volume=Volume.QUIET))

    lessons = _read(options.paths)
    return HOLDS if update_lessons(lessons, options, _planned, run_quietly) else DOES_NOT_HOLD


def _terminal(options: Options, lessons: int) -> Terminal:
    from runthrough.reports.pen import pen_for
    from runthrough.reports.terminal import Terminal, Volume, marks_for

    stream = sys.stderr if options.json == STDOUT else sys.stdout
    volume = Volume.QUIET if options.quiet else Volume.VERBOSE if options.verbose else Volume.NORMAL
    return Terminal(pen_for(stream, color=options.color), lessons, volume=volume, marks=marks_for(stream))


def _run(jobs: Sequence[Job], options: Options, terminal: Terminal, server: ServerProcess | None = None) -> Report:
    """Run the jobs, telling each as it finishes; stop early where that was asked for."""
    from runthrough.reports.report import assemble
    from runthrough.running.pool import PoolSettings, run_jobs
    from runthrough.running.shared_folders import SharedFolders

    settings = PoolSettings(workers=options.jobs or _cores(), spawn=options.spawn)
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


def _read(paths: Sequence[str]) -> Sequence[Lesson]:
    """The lessons at `paths`. Raises UnreadableError with every problem at once; warnings are only told."""
    from runthrough.lesson.discovery import discover
    from runthrough.lesson.document import Problem, Severity

    found = discover(paths)
    problems = [*found.problems, *(problem for lesson in found.lessons for problem in lesson.problems)]
    problems += [Problem(name, 1, "the file's name is not UTF-8", "rename it") for name in _odd_names(found.lessons)]
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise UnreadableError(problems)
    _tell(problems)
    for course in found.courses:
        _tell_of_other_torch(course)
    return found.lessons


def _odd_names(lessons: Iterable[Lesson]) -> list[str]:
    """Names that no report could hold, since their bytes are no text."""
    return [lesson.name for lesson in lessons if any("\ud800" <= char <= "\udfff" for char in lesson.name)]


def _planned(lessons: Sequence[Lesson], options: Options) -> list[Job]:
    """A job for each lesson, all from one seed."""
    from runthrough.plan import DEFAULT_TIMEOUT, beside, plan

    seed = secrets.randbelow(LARGEST_SEED) if options.seed is None else options.seed
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


def _chosen(jobs: list[Job], expression: str) -> list[Job]:
    """What `-k` chooses. Raises UsageError where that is nothing."""
    from runthrough.selection import select

    if not expression:
        return jobs
    chosen = select(jobs, expression)
    if not chosen:
        raise UsageError(f"-k {expression!r} matches no fence; runthrough list names them all")
    return chosen


def _tell_of_other_torch(course: Course) -> None:
    from runthrough.reports.report import installed_version

    installed = installed_version("torch")
    if course.torch and installed.partition("+")[0] != course.torch:
        there = f"torch {installed} is installed" if installed else "no torch is installed"
        file = os.path.relpath(course.folder / "course.toml")
        print(f"{file} pins torch {course.torch}, and {there}: texts may differ", file=sys.stderr)


def _report_file(name: str) -> Path | None:
    """The file for the report, checked before anything runs. Raises UsageError where it cannot be written."""
    if name in ("", STDOUT):
        return None
    file = Path(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--json {name}: {error.strerror}; name a file in a folder that can be written") from error
    if file.is_dir() or not _takes_files(file.parent):
        raise UsageError(f"--json {name}: no file can be written there; name one in a folder that can be written")
    return file


def _takes_files(folder: Path) -> bool:
    """Tried, since what root may do in a folder is more than what the folder's file system can."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _cores() -> int:
    """Processors this process may use, which in a container is not all there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tell(problems: Iterable[Problem]) -> None:
    for problem in problems:
        print(problem, file=sys.stderr)


def _ensure_utf8_names() -> None:
    """Start again in UTF-8 mode under a locale in which Python would read file names as something else.

    Lessons run in UTF-8 whatever the locale, and a name must be the same there as here.
    """
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _prepare_streams() -> None:
    """Let no character raise, whatever the locale, and let a closed stream be as silent as it was meant."""
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _interruptible() -> Iterator[None]:
    """One SIGINT or SIGTERM unwinds the run, and no second one disturbs the ending of what it started."""
    watched = [name for name in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(name) is not signal.SIG_IGN]

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        for name in watched:
            signal.signal(name, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {name: signal.signal(name, interrupt) for name in watched}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
