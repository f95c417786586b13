"""What servers of CI are given: JUnit XML, and in a step of GitHub's the annotations and the summary."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from runthrough.command_line.arguments import Options
from runthrough.command_line.parsers import STDOUT

if TYPE_CHECKING:
    from runthrough.lesson.document import Lesson, Problem
    from runthrough.reports.github import Annotation
    from runthrough.result import Report


@contextmanager
def unread_by_runner(options: Options) -> Iterator[None]:
    """With --github, keep the runner from obeying what lessons print, and write to one stream, whose order it keeps."""
    if not options.github:
        yield
        return
    import secrets

    from runthrough.reports.github import resuming, stopping

    log, token = _log(options), secrets.token_hex(16)
    with redirect_stderr(log) if log is sys.stdout else nullcontext():
        print(stopping(token), file=log, flush=True)
        try:
            yield
        finally:
            print(resuming(token), file=log, flush=True)


def without_old_commands(json: str) -> str:
    """The same JSON without `##[`, which the runner obeys anywhere in a line, and on a stream that nothing stops."""
    return json.replace("##[", "#\\u0023[")


def deliver(report: Report, lessons: Iterable[Lesson], junit_file: Path | None, options: Options) -> None:
    """Write what was asked for of a finished run."""
    lessons = tuple(lessons)
    texts = {lesson.name: lesson.text for lesson in lessons}
    if junit_file:
        from datetime import UTC, datetime

        from runthrough.reports.junit import as_junit
        from runthrough.reports.writing import write_whole

        write_whole(junit_file, as_junit(report, texts, datetime.now(UTC)))
    if options.github:
        from runthrough.reports.github import annotations_of, annotations_of_problems
        from runthrough.reports.summary import as_summary

        warnings = annotations_of_problems(problem for lesson in lessons for problem in lesson.problems)
        _annotate([*annotations_of(report), *warnings], options)
        _append_summary(lambda room: as_summary(report, texts, room))


def deliver_problems(problems: Iterable[Problem], options: Options) -> None:
    """Write what was asked for of a run that could not begin; only annotations tell of its warnings."""
    from runthrough.lesson.document import Severity

    problems = tuple(problems)
    unreadable = [problem for problem in problems if problem.severity is Severity.ERROR]
    if options.junit:
        from datetime import UTC, datetime

        from runthrough.reports.junit import as_junit_of_problems
        from runthrough.reports.writing import write_whole

        write_whole(Path(options.junit), as_junit_of_problems(unreadable, datetime.now(UTC)))
    if options.github:
        from runthrough.reports.github import annotations_of_problems
        from runthrough.reports.summary import as_summary_of_problems

        _annotate(annotations_of_problems(problems), options)
        _append_summary(lambda room: as_summary_of_problems(unreadable, room))


def _annotate(annotations: Iterable[Annotation], options: Options) -> None:
    from runthrough.reports.github import as_command, within_limits

    for annotation in within_limits(annotations):
        print(as_command(annotation, _from_the_root), file=_log(options))


def _from_the_root(name: str) -> str:
    """A report's path as one from the folder that the runner checked the repository out into."""
    path, root = os.path.abspath(name), os.environ.get("GITHUB_WORKSPACE") or "."
    # The working directory is told without links, the workspace may be named by one; a lesson may be a link itself.
    for above, below in (
        (root, path),
        (os.path.realpath(root), path),
        (os.path.realpath(root), os.path.realpath(path)),
    ):
        from_root = os.path.relpath(below, above)
        if from_root.partition(os.sep)[0] != os.pardir:
            return from_root
    return path


def _append_summary(text_in: Callable[[int], str]) -> None:
    """Add to the step's summary, if there is one. `text_in` gives the text in so many bytes.

    What cannot be written there is told and changes no exit code: the log has it all.
    """
    from runthrough.reports.summary import LARGEST

    name = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not name:
        return
    try:
        with open(name, "ab") as file:
            file.write(text_in(LARGEST - file.tell()).encode("utf-8", "backslashreplace"))
    except OSError as error:
        print(f"runthrough: no summary at {name}: {error.strerror}", file=sys.stderr)


def _log(options: Options) -> TextIO:
    """Where lines for people go; JSON has standard output for itself."""
    return sys.stderr if options.json == STDOUT else sys.stdout
