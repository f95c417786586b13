"""Workflow commands: what GitHub's runner reads in a step's log and shows beside the lines of a change.

A step shows ten annotations of each level and a job fifty, so that the first are chosen to tell most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from runthrough.lesson.document import Problem, Severity
from runthrough.reports.advice import failing_line, in_words, next_for_claim, next_step, said_on_page
from runthrough.reports.pen import plural, visible
from runthrough.result import ClaimResult, FenceResult, LessonResult, Outcome, Report, Trouble

ERROR, WARNING, NOTICE = "error", "warning", "notice"
MOST_OF_A_LEVEL = 10
LONGEST_MESSAGE = 4000  # characters; the runner cuts at 4,096, and the next step stands last
LONGEST_TITLE = 250


@dataclass(frozen=True)
class Annotation:
    """One message at a line of a file. `path` is the file's as the report names it, "" for the run as a whole."""

    level: str
    path: str
    line: int
    title: str
    message: str


def annotations_of(report: Report) -> Iterator[Annotation]:
    """All that is red, the first of each lesson before the second of any; then what drifted, as notices."""
    by_lesson = [list(_of_lesson(lesson)) for lesson in report.lessons]
    yield from (one for turn in zip_longest(*by_lesson) for one in turn if one)
    for trouble in report.troubles:
        yield _of_trouble("", trouble)
    if report.not_run:
        yield Annotation(ERROR, "", 1, "not run", f"{plural(len(report.not_run), 'lesson')}: {report.not_run[0]} ...")
    for lesson in report.lessons:
        for fence in lesson.fences:
            for drift in fence.drifts:
                came = "\n".join(drift.rows) if drift.file else drift.found
                message = f"On this torch it is:\n{came}"
                yield Annotation(NOTICE, lesson.path, drift.line, f"{fence.id}: another text", message)


def annotations_of_problems(problems: Iterable[Problem]) -> Iterator[Annotation]:
    """What cannot be read as meant: errors as errors, warnings as warnings."""
    for problem in problems:
        level = ERROR if problem.severity is Severity.ERROR else WARNING
        message = problem.message + (f"\nnext: {problem.advice}" if problem.advice else "")
        yield Annotation(level, problem.path, problem.line, "cannot be read as meant", message)


def within_limits(annotations: Iterable[Annotation]) -> list[Annotation]:
    """What the runner will show: of a level with more than ten, nine and how many more there are."""
    kept: list[Annotation] = []
    by_level: dict[str, list[Annotation]] = {ERROR: [], WARNING: [], NOTICE: []}
    for one in annotations:
        by_level[one.level].append(one)
    for level, found in by_level.items():
        if len(found) <= MOST_OF_A_LEVEL:
            kept += found
            continue
        kept += found[: MOST_OF_A_LEVEL - 1]
        more = len(found) - MOST_OF_A_LEVEL + 1
        said = plural(more, f"more {level}")
        kept.append(Annotation(level, "", 1, f"{more} more", f"{said}: this step's log has all."))
    return kept


def as_command(annotation: Annotation, file_of: Callable[[str], str]) -> str:
    """The line that the runner reads. `file_of` gives a report's path as one from the root of the repository."""
    title = visible(annotation.title)[:LONGEST_TITLE]
    message = "\n".join(map(visible, annotation.message.strip().split("\n")))[:LONGEST_MESSAGE]
    line = str(annotation.line)
    place = {"file": file_of(annotation.path), "line": line, "endLine": line} if annotation.path else {}
    said = ",".join(f"{name}={escaped_property(value)}" for name, value in {**place, "title": title}.items())
    return f"::{annotation.level} {said}::{escaped_data(message)}"


def escaped_data(text: str) -> str:
    """What stands after the second `::`, as GitHub's toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """A value before the second `::`, as GitHub's toolkit escapes it."""
    return escaped_data(text).replace(":", "%3A").replace(",", "%2C")


def stopping(token: str) -> str:
    """The line after which the runner reads no command until `resuming(token)`: a lesson's output may hold some."""
    return f"::stop-commands::{token}"


def resuming(token: str) -> str:
    """The line that ends what `stopping(token)` began. `token` must be one that no lesson can know."""
    return f"::{token}::"


def _of_lesson(lesson: LessonResult) -> Iterator[Annotation]:
    red = (fence for fence in lesson.fences if fence.outcome.is_red and fence.outcome is not Outcome.BLOCKED)
    wrong = (claim for claim in lesson.claims if claim.outcome is Outcome.FAILED)
    yield from chain(
        (_of_fence(lesson.path, fence) for fence in red),
        (_of_claim(lesson.path, claim) for claim in wrong),
        (_of_trouble(lesson.path, trouble) for trouble in lesson.troubles),
    )


def _of_fence(path: str, fence: FenceResult) -> Annotation:
    rows: Sequence[str] = [fence.reason or in_words(fence)]
    if fence.error:
        rows = [*rows, *fence.error.notes]
    for mismatch in fence.mismatches[:1]:
        rows = [*rows, f"the page shows: {mismatch.expected.rstrip()}", f"what came: {mismatch.found.rstrip()}"]
    if fence.hint:
        rows = [*rows, f"hint: {fence.hint}"]
    message = "\n".join(rows)[: LONGEST_MESSAGE - 300] + f"\nnext: {next_step(fence)}"
    return Annotation(ERROR, path, failing_line(fence), f"{fence.id}: {in_words(fence)}", message)


def _of_claim(path: str, claim: ClaimResult) -> Annotation:
    return Annotation(ERROR, path, claim.line, said_on_page(claim), f"{claim.reason}\nnext: {next_for_claim(claim)}")


def _of_trouble(path: str, trouble: Trouble) -> Annotation:
    message = trouble.message + (f"\nnext: {trouble.advice}" if trouble.advice else "")
    return Annotation(ERROR, path, trouble.line, "the lesson as a whole" if path else "the run as a whole", message)
