"""What a page promises of a fence, held against what came: the error, the printed text, an exercise's part."""

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

from runthrough.expect.compare import Tolerance, agrees
from runthrough.expect.difference import first_difference, first_missing, rows_of_difference
from runthrough.expect.figures import difference_in_words, mismatch_of_figure
from runthrough.job import Comparing, Part, Promise, Role, Shown
from runthrough.result import Cause, Mismatch, Outcome, RaisedError


@dataclass(frozen=True)
class Came:
    """What came of a fence: its error, all its output with its value last, and what single print calls printed.

    `answer_error` is what an exercise's check raised at the answer that the fence gives, `figure` the SVG text of its
    figure, `no_figure` why there is none.
    """

    error: RaisedError | None = None
    output: str = ""
    prints: dict[int, str] = field(default_factory=dict)
    answer_error: RaisedError | None = None
    figure: str = ""
    no_figure: str = ""


@dataclass(frozen=True)
class Verdict:
    """An outcome, and where it is red, why; `mismatches` are the texts on the page that are not what came."""

    outcome: Outcome
    reason: str = ""
    cause: Cause | None = None
    mismatches: tuple[Mismatch, ...] = ()


PASSED = Verdict(Outcome.PASSED)
_REGEX_SECONDS = 2.0


def judge(promise: Promise, came: Came, part: Part | None = None, is_pinned: bool = True) -> Verdict:
    """Hold a fence's promises against what came of it.

    Away from the pinned release a text that differs is told but makes nothing red.
    """
    verdict = _judge_error(promise, came.error)
    if verdict.outcome is Outcome.PASSED and part is not None:
        verdict = _judge_part(part, came.answer_error)
    if verdict.outcome is not Outcome.PASSED:
        # What a broken fence printed or not follows from its break.
        return verdict
    mismatches = tuple(_mismatches(promise, came))
    if came.no_figure:
        return Verdict(Outcome.FAILED, f"this fence draws no figure: {came.no_figure}", Cause.NO_FIGURE, mismatches)
    if not mismatches or not is_pinned:
        return Verdict(Outcome.PASSED, mismatches=mismatches)
    return Verdict(Outcome.FAILED, _difference(mismatches[0]), _CAUSES[mismatches[0].shown], mismatches)


_CAUSES = {
    Shown.OUTPUT: Cause.OTHER_OUTPUT,
    Shown.PRINT: Cause.OTHER_OUTPUT,
    Shown.ERROR: Cause.OTHER_MESSAGE,
    Shown.FIGURE: Cause.OTHER_FIGURE,
}


def _difference(first: Mismatch) -> str:
    if first.shown is Shown.FIGURE:
        return difference_in_words(first)
    what = "error" if first.shown is Shown.ERROR else "output"
    return f"the {what} shown on line {first.line} is not what came"


def matches(pattern: str, message: str) -> bool:
    """True where `pattern`, a substring or a `/regex/`, is found in `message`; an empty one always is."""
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return _is_found(pattern[1:-1], message)
    return pattern in message


def _is_found(regex: str, message: str) -> bool:
    """True where a regex is found; one that takes too long over a message is not."""
    try:
        with _time_limit(_REGEX_SECONDS):
            return re.search(regex, message) is not None
    except _TooLongError:
        return False


class _TooLongError(Exception):
    """A regex has not ended in time."""


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_TooLongError` in the main thread after `seconds`; a search looks for signals as it goes."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise _TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _judge_error(promise: Promise, error: RaisedError | None) -> Verdict:
    shows_error = any(expected.shown is Shown.ERROR for expected in promise.expected)
    if error is None:
        if promise.raises or shows_error:
            return _failed(Cause.DID_NOT_RAISE, f"expected {promise.raises or 'the error shown'}, none raised")
        return PASSED
    came = f"{error.type}: {error.message}" if error.message else error.type
    if not promise.raises and not shows_error:
        return _failed(_cause_of(error), came)
    if promise.raises and promise.raises not in error.bases:
        return _failed(Cause.OTHER_CLASS, f"expected {promise.raises}, but it raised {came}")
    if not matches(promise.match, error.message):
        return _failed(Cause.OTHER_MESSAGE, f"the message does not hold {promise.match!r}: {came}")
    return PASSED


def _judge_part(part: Part, said: RaisedError | None) -> Verdict:
    heard = f"{said.type}: {said.message}" if said else ""
    match part.role:
        case Role.STARTER if said is None:
            return _failed(Cause.EXERCISE, f"the starter of {part.name} already passes its check")
        case Role.WRONG if said is None:
            return _failed(Cause.EXERCISE, f"this wrong answer to {part.name} passes its check")
        case Role.STARTER | Role.WRONG if said is not None and "AssertionError" not in said.bases:
            return _failed(Cause.EXERCISE, f"the check of {part.name} stops where it should assert: {heard}")
        case Role.WRONG if said is not None and not matches(part.match, said.message):
            return _failed(Cause.EXERCISE, f"the check of {part.name} should say {part.match!r}, but says {heard}")
        case Role.SOLUTION if said is not None:
            return _failed(Cause.EXERCISE, f"the solution of {part.name} does not pass its check: {heard}")
    return PASSED


def _mismatches(promise: Promise, came: Came) -> Iterator[Mismatch]:
    tolerance = Tolerance(promise.rtol, promise.atol)
    for expected in promise.expected:
        if expected.shown is Shown.FIGURE:
            if not came.no_figure and (differs := mismatch_of_figure(expected, came.figure)):
                yield differs
            continue
        if promise.comparing is Comparing.IGNORE and expected.shown is not Shown.ERROR:
            continue
        above, shown = (0, expected.text)
        if expected.shown is Shown.ERROR:
            above, shown = without_traceback(expected.text)
        found = _found(expected.shown, expected.call_line, shown, came)
        if found is None:
            continue
        top = expected.line + above
        if promise.comparing is Comparing.LINES and expected.shown is Shown.OUTPUT:
            missing = first_missing(shown, found, tolerance)
            if missing is not None:
                yield Mismatch(expected.shown, top + missing, expected.text, found, expected.line)
        elif not agrees(shown, found, tolerance):
            line = top + first_difference(shown, found, tolerance)
            rows = rows_of_difference(shown, found, tolerance)
            yield Mismatch(expected.shown, line, expected.text, found, expected.line, rows)


def without_traceback(text: str) -> tuple[int, str]:
    """A shown error from its `Type: message` on, and how many lines of a traceback stand above that."""
    if not text.lstrip("\n").startswith("Traceback (most recent"):
        return 0, text
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if n and line.strip() and line == line.lstrip()), len(lines))
    return first, "\n".join(lines[first:])


def _found(shown: Shown, call_line: int, text: str, came: Came) -> str | None:
    """What came in the place of a shown text; `None` where there is nothing to compare it with."""
    if shown is Shown.PRINT:
        return came.prints.get(call_line, "")
    if shown is Shown.OUTPUT:
        return came.output
    if came.error is None:
        return None
    called = text.strip().partition(":")[0]
    # Its own names only, plain and dotted: those of a base are not what a reader sees.
    name = called if called in came.error.bases[:3] else came.error.type
    return f"{name}: {came.error.message}" if came.error.message else name


def _cause_of(error: RaisedError) -> Cause:
    if "SyntaxError" in error.bases and error.frames == ():
        return Cause.SYNTAX
    return Cause.EXITED if error.type == "SystemExit" else Cause.RAISED


def _failed(cause: Cause, reason: str) -> Verdict:
    return Verdict(Outcome.FAILED, reason, cause)
