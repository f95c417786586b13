"""What came of a cell, held against what the lesson promises of its fence: the same outcomes as of a check."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from runthrough.expect.difference import first_missing
from runthrough.expect.promise import Came, Verdict, judge
from runthrough.job import Act, Promise, Shown, Step
from runthrough.result import Cause, FenceResult, Frame, Outcome, RaisedError

from .kernel import CellRun, End, KernelError

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_PLACE_IN_CELL = re.compile(r"Cell In\s?\[(?P<count>\d+)\], line (?P<line>\d+)")
_PLACE_OF_SYNTAX = re.compile(r" \((?:<[^<>\n]*>|[^\s()]+\.py), line \d+\)\Z")
NOT_EXECUTED = "a notebook shows it and does not execute it"


def result_of(
    step: Step, run: CellRun, source: str, *, expects_error: bool, places: Mapping[int, int], name: str, pinned: bool
) -> FenceResult:
    """The result of a cell that was executed.

    `source` is its code, `expects_error` its tag `raises-exception`, `places` the line of the lesson above the first
    of each executed cell by its count, `name` the lesson's.
    """
    error = _raised(run.error, places, name) if run.error else None
    verdict = _verdict(step, run, source, error, expects_error=expects_error, pinned=pinned)
    return replace(
        _plain(step, verdict),
        seconds=run.seconds,
        stdout=run.stdout,
        stderr=run.stderr,
        stdout_bytes=len(run.stdout.encode("utf-8", "replace")),
        stderr_bytes=len(run.stderr.encode("utf-8", "replace")),
        value=run.value,
        error=error,
        mismatches=verdict.mismatches if pinned else (),
        drifts=() if pinned else verdict.mismatches,
    )


def not_executed(step: Step) -> FenceResult:
    """The result of a fence whose code a notebook only shows, or whose condition does not hold here."""
    outcome = Outcome.SHOWN if step.act in (Act.SHOW, Act.RUN) else Outcome.SKIPPED
    return _plain(step, Verdict(outcome, step.reason or NOT_EXECUTED))


def blocked(step: Step, by: FenceResult) -> FenceResult:
    """The result of a cell that is not executed, since one above it is red."""
    return _plain(step, Verdict(Outcome.BLOCKED, f"waits for {by.id} on line {by.line}", Cause.EARLIER))


def is_python(source: str) -> bool:
    """True for code that runs outside of Jupyter too; a magic is none, whatever a kernel makes of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _verdict(
    step: Step, run: CellRun, source: str, error: RaisedError | None, *, expects_error: bool, pinned: bool
) -> Verdict:
    if run.end is End.TIMED_OUT:
        return Verdict(Outcome.TIMEOUT, f"still running after {step.timeout:g} s", Cause.TIME)
    if run.end is End.DIED:
        return Verdict(Outcome.CRASHED, "the kernel died", Cause.DIED)
    if error is None and (run.has_error_output or not is_python(source)):
        what = "an error was shown and not told" if run.has_error_output else "this is not Python"
        return Verdict(Outcome.FAILED, f"{what}: only Jupyter takes this cell for done", Cause.SYNTAX)
    promise = _promise(step, expects_error=expects_error)
    return judge(promise, Came(error, _all_output(run), _prints(promise, run)), None, pinned)


def _promise(step: Step, *, expects_error: bool) -> Promise:
    """What the fence promises, as far as a cell can keep it; a check at the end of a student's cell must fail."""
    texts = tuple(each for each in step.promise.expected if each.shown is not Shown.FIGURE)
    promise = replace(step.promise, expected=texts)
    shows_error = any(each.shown is Shown.ERROR for each in texts)
    if expects_error and not promise.raises and not shows_error:
        return replace(promise, raises="AssertionError")
    return promise


def _prints(promise: Promise, run: CellRun) -> dict[int, str]:
    """A kernel does not tell which call printed what, so each text is looked for among all that was printed."""
    texts = {each.call_line: each.text for each in promise.expected if each.shown is Shown.PRINT}
    return {line: text if first_missing(text, run.stdout) is None else run.stdout for line, text in texts.items()}


def _all_output(run: CellRun) -> str:
    if run.value is None:
        return run.stdout
    return f"{run.stdout}{'' if not run.stdout or run.stdout.endswith(chr(10)) else chr(10)}{run.value}\n"


def _raised(error: KernelError, places: Mapping[int, int], name: str) -> RaisedError:
    text = _ESCAPE.sub("", error.traceback)
    frames = tuple(_frames(text, places, name))
    is_syntax = "SyntaxError" in error.bases
    message = _PLACE_OF_SYNTAX.sub("", error.message) if is_syntax else error.message
    own = [frame.line for frame in frames]
    return RaisedError(
        type=error.type,
        message=message,
        line=own[-1] if own else None,
        call_line=own[0] if own else None,
        frames=() if is_syntax else frames,
        bases=error.bases,
        traceback=text,
    )


def _frames(traceback: str, places: Mapping[int, int], name: str) -> Iterator[Frame]:
    """The places in cells that a traceback names, as lines of the lesson."""
    for match in _PLACE_IN_CELL.finditer(traceback):
        if (above := places.get(int(match["count"]))) is not None:
            yield Frame(name, above + int(match["line"]), "")


def _plain(step: Step, verdict: Verdict) -> FenceResult:
    told: dict[str, Any] = {
        name: getattr(step, name) for name in ("id", "line", "end_line", "namespace", "proves", "not_proves", "hint")
    }
    return FenceResult(outcome=verdict.outcome, reason=verdict.reason, cause=verdict.cause, **told)
