"""The run as a person reads it: a line a lesson as it finishes, then every failure, then the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import IntEnum
from itertools import chain
from typing import TextIO

from runthrough.reports.failure import WIDEST, claim_lines, failure_lines, trouble_lines
from runthrough.reports.pen import Line, Pen, Span, line, plural, visible
from runthrough.result import DRIFT, FenceResult, LessonResult, Outcome, Report

MARKS = ("✓", "✗")
MARKS_IN_ASCII = ("ok", "no")
ALWAYS_COUNTED = (Outcome.PASSED, Outcome.SKIPPED)
NOT_RUN = (Outcome.SKIPPED, Outcome.SHOWN)


class Volume(IntEnum):
    """How much is said. Failures and the closing line always are."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


class Terminal:
    """Tells a run of `lessons` lessons through a pen; it holds only what its live line needs."""

    def __init__(
        self, pen: Pen, lessons: int, *, volume: Volume = Volume.NORMAL, marks: tuple[str, str] = MARKS
    ) -> None:
        self._pen = pen
        self._lessons = lessons
        self._volume = volume
        self._marks = marks
        self._lessons_done = 0
        self._fences_done = 0

    def started(self) -> None:
        """Show the live line before anything has finished: loading torch takes a while."""
        self._progress("starting")

    def fence_finished(self, name: str, fence: FenceResult) -> None:
        """Move the live line on to the fence that has just finished."""
        self._fences_done += 1
        self._progress(f"{name}:{fence.line}")

    def lesson_finished(self, result: LessonResult) -> None:
        """Write the lesson's line, and with it what was not run where that was asked for."""
        self._lessons_done += 1
        if self._volume > Volume.QUIET:
            self._pen.write([lesson_line(result, self._marks)])
        if self._volume is Volume.VERBOSE:
            self._pen.write(chain(not_run_lines(result), drift_lines(result)))

    def ended(self) -> None:
        """Take the live line away, however the run ended."""
        self._pen.progress("")

    def closed(self, report: Report, texts: Mapping[str, str]) -> None:
        """Write every failure and the closing line. `texts` has the source of each lesson by its name."""
        failures = failures_of(report, texts, in_full=self._volume is Volume.VERBOSE)
        self._pen.write(chain(failures, [closing_line(report)]))

    def _progress(self, place: str) -> None:
        if self._volume is Volume.QUIET:
            return
        done = f"{self._lessons_done} of {self._lessons} lessons, {self._fences_done} fences"
        self._pen.progress(f"{done}  {visible(place)}")


def marks_for(stream: TextIO) -> tuple[str, str]:
    """The marks of lessons that hold and do not hold, in characters that `stream` can write."""
    try:
        "".join(MARKS).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return MARKS_IN_ASCII
    return MARKS


def lesson_line(result: LessonResult, marks: tuple[str, str] = MARKS) -> Line:
    """One lesson: a mark, its path, its fences by outcome, and seconds of wall time."""
    mark = Span(marks[0], "bold green") if result.holds else Span(marks[1], "bold red")
    counts = _counts({outcome: _count(result, outcome) for outcome in Outcome})
    return line(
        mark,
        " ",
        visible(result.path),
        f"  {counts or 'no fences'}  ",
        Span(f"{result.seconds:.2f} s", "dim"),
    )


def not_run_lines(result: LessonResult) -> Iterator[Line]:
    """Every fence that was skipped or only shown, with its reason."""
    for fence in result.fences:
        if fence.outcome in NOT_RUN:
            place = visible(f"{result.path}:{fence.line}")
            reason = visible(" ".join(fence.reason.split())) or "no reason given"
            yield line(f"    {fence.outcome.value} ", place, f"  {fence.id}: {reason}")


def drift_lines(result: LessonResult) -> Iterator[Line]:
    """Every text and claim that is not what came, where the release of torch is not the one the course pins."""
    for fence in result.fences:
        for drift in fence.drifts:
            yield line("    drifted ", visible(f"{result.path}:{drift.line}"), f"  {fence.id}:")
            yield from (line("        ", visible(row)[:WIDEST]) for row in drift.rows if not row.startswith(" "))
    for claim in result.claims:
        if claim.reason == DRIFT:
            place = visible(f"{result.path}:{claim.line}")
            yield line("    drifted ", place, f"  {visible(claim.expected)!r} is {visible(claim.found)!r} here")


def failures_of(report: Report, texts: Mapping[str, str], *, in_full: bool) -> Iterator[Line]:
    """Everything that makes the run red, in course order; blocked fences are counted, not shown."""
    for lesson in report.lessons:
        for fence in lesson.fences:
            if fence.outcome.is_red and fence.outcome is not Outcome.BLOCKED:
                yield ()
                source = texts.get(lesson.path, "")
                yield from failure_lines(lesson.path, fence, source, in_full=in_full)
        for claim in lesson.claims:
            if claim.outcome is Outcome.FAILED:
                yield ()
                yield from claim_lines(lesson.path, claim, texts.get(lesson.path, ""))
        for trouble in lesson.troubles:
            yield ()
            yield from trouble_lines(lesson.path, trouble)
    for trouble in report.troubles:
        yield ()
        yield from trouble_lines("", trouble)
    if report.not_run:
        yield ()
        yield line(Span("not run: ", "bold"), visible(", ".join(report.not_run)))
    if not report.holds:
        yield ()


def closing_line(report: Report, *, is_seeded: bool = True) -> Line:
    """The numbers of fences by outcome, the lessons, the wall time, and the seed that repeats a run that has one."""
    counts = _counts({outcome: report.totals[outcome] for outcome in Outcome}, ALWAYS_COUNTED)
    lessons = plural(report.totals["lessons"], "lesson")
    claims = _counts(Counter(claim.outcome for lesson in report.lessons for claim in lesson.claims))
    figures = _counts(Counter(figure.outcome for lesson in report.lessons for figure in lesson.figures))
    told_claims = (f"; claims: {claims}" if claims else "") + (f"; figures: {figures}" if figures else "")
    drifted = count_drifts(report)
    told_drifts = f"; {plural(drifted, 'text')} drifted from the pinned torch" if drifted else ""
    return line(
        Span("holds" if report.holds else "does not hold", "bold green" if report.holds else "bold red"),
        f": {plural(report.totals['fences'], 'fence')}: {counts}{told_claims}{told_drifts}; {lessons}",
        f" in {report.seconds:.1f} s",
        f"; seed {report.seed}: repeat with --seed {report.seed}" if is_seeded else "",
    )


def count_drifts(report: Report) -> int:
    """Texts and claims that are not what came, on a release other than the one the course pins."""
    texts = sum(len(fence.drifts) for lesson in report.lessons for fence in lesson.fences)
    return texts + sum(claim.reason == DRIFT for lesson in report.lessons for claim in lesson.claims)


def _counts(numbers: Mapping[Outcome, int], always: tuple[Outcome, ...] = ()) -> str:
    return ", ".join(f"{number} {outcome}" for outcome, number in numbers.items() if number or outcome in always)


def _count(result: LessonResult, outcome: Outcome) -> int:
    return sum(fence.outcome is outcome for fence in result.fences)
