"""An exception that left a fence, told as a value in the lesson's own lines."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Iterator
from types import TracebackType

from runthrough.job import Job, Step
from runthrough.result import Frame, RaisedError

_TRACEBACK_LIMIT = 64_000
_VALUE_LIMIT = 1 << 20
# Of more levels than this, the outermost and the innermost half are told.
_FRAMES = 100


def printable(text: str) -> str:
    """Text that can be written as UTF-8: a lone surrogate becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def capped(text: str, limit: int = _VALUE_LIMIT) -> str:
    """The text, or where it is longer than `limit` characters, its beginning and its end."""
    half = limit // 2
    cut = f"[... {len(text) - limit} characters cut here ...]"
    return text if len(text) <= limit else f"{text[:half]}\n{cut}\n{text[-half:]}"


def describe(error: BaseException, path: str, name: str, beside: str = "") -> RaisedError:
    """What is told of `error`: `path` is the lesson's file, called `name` in reports.

    `beside` is a second file whose code may have led to it; the lines are those of `path`.
    """
    inside = _from_first_frame_of((path, beside), error.__traceback__)
    frames = tuple(
        Frame(name if file == path else file, line, linecache.getline(file, line).strip(), function)
        for file, line, function in _levels(inside)
    )
    own = [frame.line for frame in frames if frame.file == name]
    line, call_line = (own[-1], own[0]) if own else (None, None)
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
        call_line = call_line or line
    return RaisedError(
        type=type(error).__name__,
        message=printable(_message(error)),
        line=line,
        call_line=call_line,
        frames=tuple(
            Frame(frame.file, frame.line, printable(frame.text), frame.function) for frame in _outer_and_inner(frames)
        ),
        notes=tuple(printable(str(note)) for note in getattr(error, "__notes__", ())),
        bases=tuple(_names(type(error))),
        traceback=printable(_text(error, inside)),
    )


def describe_in(step: Step, error: BaseException, job: Job) -> RaisedError:
    """What is told of an error of one step, in the lines of the file that its code is from."""
    if step.file:
        return describe(error, step.file, step.file, beside=job.path)
    return describe(error, job.path, job.name)


def _outer_and_inner(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    return frames if len(frames) <= _FRAMES else frames[: _FRAMES // 2] + frames[-_FRAMES // 2 :]


def _levels(tb: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    while tb is not None:
        code = tb.tb_frame.f_code
        yield code.co_filename, tb.tb_lineno, code.co_name
        tb = tb.tb_next


def _from_first_frame_of(paths: tuple[str, str], tb: TracebackType | None) -> TracebackType | None:
    """The traceback below the runner's own frames; nothing where the lesson has no frame in it."""
    while tb is not None and tb.tb_frame.f_code.co_filename not in paths:
        tb = tb.tb_next
    return tb


def _message(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return str(error.msg)
    try:
        return str(error)
    except BaseException as fault:  # noqa: BLE001  # a learner's __str__ may raise anything
        return f"<str() of the {type(error).__name__} raised {type(fault).__name__}>"


def _names(kind: type[BaseException]) -> Iterator[str]:
    for base in kind.__mro__[:-1]:
        yield base.__name__
        yield base.__qualname__
        yield f"{base.__module__}.{base.__qualname__}"


def _text(error: BaseException, tb: TracebackType | None) -> str:
    try:
        text = "".join(traceback.TracebackException(type(error), error, tb).format())
    except BaseException as fault:  # noqa: BLE001  # the same: printing a learner's exception may raise
        return f"<the traceback could not be printed: {type(fault).__name__}>"
    return capped(text, _TRACEBACK_LIMIT)
