"""The command `runthrough`: each subcommand is the list of stages from files to an exit code."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from runthrough.ci import deliver, deliver_problems, unread_by_runner, without_old_commands
from runthrough.command_line.arguments import Options, parse
from runthrough.command_line.parsers import STDOUT, UsageError
from runthrough.road import UnreadableError, chosen, planned, read, run_told, soon_imported, tell

if TYPE_CHECKING:
    from runthrough.lesson.document import Lesson
    from runthrough.reports.listing import Listed
    from runthrough.reports.terminal import Terminal
    from runthrough.result import Report

HOLDS, DOES_NOT_HOLD, UNREADABLE, INTERRUPTED = 0, 1, 2, 130
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


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
            return _run(options)
    except UsageError as error:
        print(f"runthrough: {error}", file=sys.stderr)
        return UNREADABLE
    except KeyboardInterrupt:
        print("interrupted: everything that was started has been ended", file=sys.stderr)
        return INTERRUPTED


def _run(options: Options) -> int:
    try:
        commands = {
            "check": check,
            "list": list_fences,
            "update": update,
            "notebooks": notebooks,
            "import": bring_in,
            "practice": practice,
        }
        return commands[options.command](options)
    except UnreadableError as error:
        with unread_by_runner(options):
            tell(error.problems)
        deliver_problems(error.problems, options)
        return UNREADABLE


def check(options: Options) -> int:
    """Read, plan, run and tell; what is red makes the exit code 1."""
    report_file = _report_file("--json", options.json)
    junit_file = _report_file("--junit", options.junit)
    with unread_by_runner(options):
        report, lessons = _checked(options, report_file)
    deliver(report, lessons, junit_file, options)
    return HOLDS if report.holds else DOES_NOT_HOLD


def _checked(options: Options, report_file: Path | None) -> tuple[Report, Sequence[Lesson]]:
    from runthrough.running.server_process import server_under_way

    # The server's interpreter starts on another core while this one reads.
    with server_under_way(options.spawn, soon_imported(options.paths)) as server:
        from runthrough.reports.json_report import as_data, as_json
        from runthrough.reports.writing import write_whole

        lessons = read(options.paths)
        jobs = chosen(planned(lessons, options), options.expression)
        terminal = _terminal(options, len(jobs))
        report = run_told(jobs, options, terminal, server)
    terminal.closed(report, {lesson.name: lesson.text for lesson in lessons})
    if options.json == STDOUT:
        written = as_json(as_data(report))
        sys.stdout.write(without_old_commands(written) if options.github else written)
    elif report_file:
        write_whole(report_file, as_json(as_data(report)).encode("ascii"))
    return report, lessons


def list_fences(options: Options) -> int:
    """Read and print every fence; nothing runs."""
    from runthrough.reports.listing import as_data, as_json_rows, table
    from runthrough.reports.pen import pen_for

    report_file = _report_file("--json", options.json)
    rows = list(_listed(read(options.paths)))
    if options.json == STDOUT:
        sys.stdout.write(as_json_rows(as_data(row) for row in rows))
        return HOLDS
    pen_for(sys.stdout, color=options.color).write(table(rows))
    if report_file:
        from runthrough.reports.writing import write_whole

        write_whole(report_file, as_json_rows(as_data(row) for row in rows).encode("ascii"))
    return HOLDS


def _listed(lessons: Sequence[Lesson]) -> Iterator[Listed]:
    from runthrough.lesson.directives import said_words
    from runthrough.lesson.document import Role
    from runthrough.plan import what_is_done
    from runthrough.reports.listing import Listed

    for lesson in lessons:
        for fence in lesson.fences:
            act, reason = what_is_done(fence.directives) if fence.role is Role.CODE else (None, "")
            yield Listed(lesson.name, fence, said_words(fence.directives), act, reason)


def update(options: Options) -> int:
    """Run the lessons and show or write the texts that are not what came."""
    from runthrough.commands.update import update_lessons

    lessons = read(options.paths)
    return HOLDS if update_lessons(lessons, options) else DOES_NOT_HOLD


def notebooks(options: Options) -> int:
    """Write the lessons as notebooks; nothing runs."""
    from runthrough.commands.notebooks import write_notebooks

    return write_notebooks(options)


def bring_in(options: Options) -> int:
    """Write a lesson from a notebook; nothing runs."""
    from runthrough.commands.importing import import_notebook

    import_notebook(options)
    return HOLDS


def practice(options: Options) -> int:
    """Hand out the exercises of a course and check the answers as they are saved, or do one thing asked for."""
    from runthrough.commands.practice import practise

    return HOLDS if practise(options) else DOES_NOT_HOLD


def _terminal(options: Options, lessons: int) -> Terminal:
    from runthrough.reports.pen import pen_for
    from runthrough.reports.terminal import Terminal, Volume, marks_for

    stream = sys.stderr if options.json == STDOUT else sys.stdout
    volume = Volume.QUIET if options.quiet else Volume.VERBOSE if options.verbose else Volume.NORMAL
    return Terminal(pen_for(stream, color=options.color), lessons, volume=volume, marks=marks_for(stream))


def _report_file(option: str, name: str) -> Path | None:
    """The file for the report, checked before anything runs. Raises UsageError where it cannot be written."""
    if name in ("", STDOUT):
        return None
    file = Path(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{option} {name}: {error.strerror}; name a file in a folder that can be written") from error
    if file.is_dir() or not _takes_files(file.parent):
        raise UsageError(f"{option} {name}: no file can be written there; name one in a folder that can be written")
    return file


def _takes_files(folder: Path) -> bool:
    """Tried, since what root may do in a folder is more than what the folder's file system can."""
    import tempfile

    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


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
