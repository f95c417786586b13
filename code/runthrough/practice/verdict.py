"""What came of an answer, as its student reads it: the check's words, their own file's lines, the next step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runthrough.practice.answer import ANSWER
from runthrough.practice.exercises import Exercise
from runthrough.practice.handout import wrapped
from runthrough.reports.advice import signal_name
from runthrough.reports.failure import source_lines, tail_lines
from runthrough.reports.pen import Line, Span, line, visible
from runthrough.result import Cause, FenceResult, LessonResult, Outcome, RaisedError

SCREEN = 79  # letters in a row of the narrowest terminal in use


@dataclass(frozen=True)
class Answer:
    """A student's file as it was checked: what messages call it, and its text."""

    exercise: Exercise
    name: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """Whether an answer passes, and what is told of it; nothing is known of it where the lesson itself is broken."""

    is_passed: bool
    lines: tuple[Line, ...]
    is_known: bool = True


def has_passed(result: LessonResult) -> bool:
    """True where the answer holds, whatever the lesson around it does."""
    return _of_answer(result).outcome is Outcome.PASSED


def verdict_of(answer: Answer, result: LessonResult, mark: str) -> Verdict:
    """The verdict, in which `mark` stands before what passes."""
    passed = has_passed(result)
    is_known = passed or _broken_fence(result) is None
    return Verdict(passed, tuple(verdict_lines(answer, result, mark)), is_known)


def verdict_lines(answer: Answer, result: LessonResult, mark: str) -> Iterator[Line]:
    """The verdict: passed, or what is not right yet."""
    came = _of_answer(result)
    if came.outcome is Outcome.PASSED:
        yield line(Span(f"{mark} {visible(answer.name)} passes its check", "bold green"))
        yield from _printed(came)
        return
    if (broken := _broken_fence(result)) is not None:
        yield from _lesson_is_broken(answer.exercise, broken)
    if came.outcome is not Outcome.BLOCKED:
        yield from _said(answer, came)
        yield from _printed(came)


def _broken_fence(result: LessonResult) -> FenceResult | None:
    return next((fence for fence in result.fences if fence.id != ANSWER and fence.outcome.is_red), None)


def _of_answer(result: LessonResult) -> FenceResult:
    return next(fence for fence in result.fences if fence.id == ANSWER)


def _said(answer: Answer, came: FenceResult) -> Iterator[Line]:
    if came.cause is Cause.EXERCISE and came.answer_error is not None:
        yield from _check_says(answer, came.answer_error)
    elif came.error is not None:
        yield from _raised(answer, came, came.error)
    elif came.outcome is Outcome.TIMEOUT:
        yield from _not_yet(answer, came.stopped_line, came.reason.partition(", on line")[0])
        yield from _around(answer, came.stopped_line)
        yield _next("look for a loop that does not end; --timeout SECONDS allows more")
    elif came.outcome is Outcome.CRASHED:
        code = came.exit_code
        how = f"was killed by {signal_name(came.signal)}" if came.signal else f"left with exit code {code}"
        how = "is gone, and nobody knows how it ended" if code is None and not came.signal else how
        yield from _not_yet(answer, came.stopped_line, f"the process that ran your code {how}")
        yield from _around(answer, came.stopped_line)
        yield _next("take away what ends the process, such as os._exit")
    elif came.cause is Cause.LEFT_RUNNING:
        yield from _not_yet(answer, None, "a thread or process that your code has started is still running at its end")
        yield _next("join the thread, or wait for the process")
    elif came.cause is Cause.LEFT_FILES:
        yield from _not_yet(answer, None, came.reason)
        yield _next(f"delete it in {visible(str(answer.exercise.lesson.path.parent))}, and write to a temporary folder")
    else:
        yield from _not_yet(answer, None, came.reason)


def _check_says(answer: Answer, error: RaisedError) -> Iterator[Line]:
    """The check's own message. The values its assertion saw are not told: one of them is often the solution."""
    lesson = str(answer.exercise.lesson.path)
    asserted = error.type == "AssertionError" and bool(error.frames) and error.frames[-1].file == lesson
    at = None if asserted else error.line
    if asserted and error.message:
        said = error.message
    elif asserted:
        said = f"the check says: {error.frames[-1].text}"
    else:
        said = f"{error.type}: {error.message}" if error.message else error.type
    yield from _not_yet(answer, at, said)
    yield from _around(answer, at)
    inside = [frame for frame in error.frames if frame.file == lesson]
    if not asserted and inside:
        yield line(Span("  the check was here: ", "dim"), visible(inside[-1].text))


def _raised(answer: Answer, came: FenceResult, error: RaisedError) -> Iterator[Line]:
    if came.cause is Cause.SYNTAX:
        yield from _not_yet(answer, error.line, f"this is no Python: {error.message}")
        yield from _around(answer, error.line)
        yield _next(f"correct line {error.line}, or the one above it" if error.line else "correct the file")
    elif error.line is None and error.type == "NameError":
        name = answer.exercise.name
        yield from _not_yet(answer, None, f"nothing here is called {name}, and the check asks for it")
        yield _next(f"give your answer the name {name}; the starter shows how (r puts it back)")
    elif came.cause is Cause.EXITED:
        yield from _not_yet(answer, error.line, "this asks Python to exit, so the check never ran")
        yield from _around(answer, error.line)
        yield _next(f"take the call on line {error.line} away" if error.line else "take that call away")
    else:
        yield from _not_yet(answer, error.line, f"{error.type}: {error.message}" if error.message else error.type)
        yield from _around(answer, error.line)
        for note in error.notes:
            yield from (line("    ", visible(row)) for row in note.split("\n"))


def _lesson_is_broken(exercise: Exercise, fence: FenceResult) -> Iterator[Line]:
    at = fence.error.line if fence.error and fence.error.line else fence.line
    place = Span(visible(f"{exercise.lesson.name}:{at}"), "bold")
    yield line(Span("the lesson itself does not run here", "bold red"), ", which is no fault of your answer")
    yield line("  ", place, f" {visible(fence.reason)}")
    if fence.error and fence.error.type == "ModuleNotFoundError":
        yield _next("install what the lesson imports into the environment in which runthrough is")
    else:
        yield _next("see that the torch which the course names is installed; runthrough check runs the whole lesson")


def _not_yet(answer: Answer, at: int | None, said: str) -> Iterator[Line]:
    rows = _rows(said)
    place = visible(f"{answer.name}:{at}" if at else answer.name)
    fits = len(rows) == 1 and len(f"not yet  {place}  {rows[0]}") <= SCREEN
    yield line(Span("not yet", "bold red"), "  ", Span(place, "bold"), f"  {rows[0]}" if fits else "")
    if not fits:
        yield from (line("  ", part) for row in rows for part in wrapped(row, SCREEN - 2))


def _rows(text: str) -> list[str]:
    """The rows of a text, none of which can steer a terminal."""
    return [visible(row) for row in text.rstrip("\n").split("\n")]


def _around(answer: Answer, at: int | None) -> Iterator[Line]:
    if at:
        yield ()
        yield from source_lines(answer.text, at)


def _printed(came: FenceResult) -> Iterator[Line]:
    yield from tail_lines("printed", came.stdout)
    yield from tail_lines("value", came.value or "")
    yield from tail_lines("on stderr", came.stderr)


def _next(text: str) -> Line:
    return line(Span("  next: ", "bold green"), text)
