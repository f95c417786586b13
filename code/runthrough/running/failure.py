"""An exception that left a fence, told as a value in the lesson's own lines."""

from __future__ import annotations

import contextlib
import linecache
import traceback
import warnings
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from runthrough.job import Job, Step
from runthrough.result import Frame, RaisedError
from runthrough.running.operands import notes_of

_TRACEBACK_LIMIT = 64_000
_VALUE_LIMIT = 1 << 20
# Of more levels than this, the outermost and the innermost half are told.
_FRAMES = 100


def printable(text: str) -> str:
    """Text that can be written as UTF-8: a lone surrogate becomes its escape."""
    # The text may be of a class of the lesson with an `encode` of its own.
    return str.encode(text, "utf-8", "backslashreplace").decode("utf-8")


def capped(text: str, limit: int = _VALUE_LIMIT) -> str:
    """The text, or where it is longer than `limit` characters, its beginning and its end."""
    half = limit // 2
    cut = f"[... {len(text) - limit} characters cut here ...]"
    return text if len(text) <= limit else f"{text[:half]}\n{cut}\n{text[-half:]}"


def describe(error: BaseException, path: str, name: str, beside: str = "") -> RaisedError:
    """What is told of `error`: `path` is the lesson's file, called `name` in reports.

    `beside` is a second file whose code may have led to it; the lines are those of `path`.
    """
    inside = _from_first_frame_of((path, beside), BaseException.__dict__["__traceback__"].__get__(error))
    frames = tuple(
        Frame(name if file == path else printable(file), line, _source_line(file, line), printable(function))
        for file, line, function in _levels(inside)
    )
    own = [frame.line for frame in frames if frame.file == name]
    line, call_line = (own[-1], own[0]) if own else (None, None)
    if (refused := _refused_line(error, path)) is not None:
        line, call_line = refused, call_line or refused
    seen = notes_of(error, (path, beside))
    return RaisedError(
        type=_name(type(error)),
        message=_message(error),
        line=line,
        call_line=call_line,
        frames=_outer_and_inner(frames),
        notes=(*(printable(note) for note in seen), *_own_notes(error)),
        bases=tuple(_names(type(error))),
        traceback=_text(error, inside, seen),
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
        yield code.co_filename, tb.tb_lineno or 0, code.co_name  # code that was made by hand may have no lines
        tb = tb.tb_next


def _from_first_frame_of(paths: tuple[str, str], tb: TracebackType | None) -> TracebackType | None:
    """The traceback below the runner's own frames; nothing where the lesson has no frame in it."""
    while tb is not None and tb.tb_frame.f_code.co_filename not in paths:
        tb = tb.tb_next
    return tb


def _source_line(file: str, line: int) -> str:
    try:
        return printable(linecache.getline(file, line)).strip()
    except BaseException:  # noqa: BLE001  # a lesson may have replaced what `linecache` does or holds
        return ""


def _refused_line(error: BaseException, path: str) -> int | None:
    """The line at which Python refused the lesson's code."""
    if not issubclass(type(error), SyntaxError):
        return None
    try:
        line = error.lineno if error.filename == path else None  # type: ignore[attr-defined]  # a SyntaxError has both
    except BaseException:  # noqa: BLE001  # a learner's property may raise anything
        return None
    return line if type(line) is int else None


def _own_notes(error: BaseException) -> list[str]:
    """The notes that the lesson itself added, but for those that cannot be told."""
    told: list[str] = []
    # A learner may have bound anything to the name, or made it a property that raises; and so may a note.
    with contextlib.suppress(BaseException):
        notes: Any = getattr(error, "__notes__", ())
        for note in list.__iter__(notes) if issubclass(type(notes), list) else tuple.__iter__(notes):
            with contextlib.suppress(BaseException):
                told.append(capped(printable(str(note))))
    return told


def _message(error: BaseException) -> str:
    try:
        text = str(error.msg if issubclass(type(error), SyntaxError) else error)  # type: ignore[attr-defined]  # a SyntaxError has it
        return capped(printable(text))
    except BaseException as fault:  # noqa: BLE001  # a learner's __str__ may raise anything
        return f"<str() of the {_name(type(error))} raised {_name(type(fault))}>"


def _name(kind: type) -> str:
    """The name of a class, whatever its metaclass calls it."""
    return printable(type.__dict__["__name__"].__get__(kind))


def _names(kind: type[BaseException]) -> Iterator[str]:
    for base in type.__dict__["__mro__"].__get__(kind)[:-1]:
        qualified = printable(type.__dict__["__qualname__"].__get__(base))
        yield _name(base)
        yield qualified
        yield f"{_module(base)}.{qualified}"


def _module(kind: type) -> str:
    try:
        return printable(type.__dict__["__module__"].__get__(kind))
    except (AttributeError, TypeError):  # a class may have deleted its own, or bound what is no text
        return "?"


def _text(error: BaseException, tb: TracebackType | None, seen: tuple[str, ...]) -> str:
    try:
        # To point into a line, Python parses it again, and would warn again of what is in it.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = traceback.TracebackException(type(error), error, tb)
            if seen:
                told.__notes__ = [*seen, *_own_notes(error)]
            text = printable("".join(told.format()))
    except BaseException as fault:  # noqa: BLE001  # the same: printing a learner's exception may raise
        return f"<the traceback could not be printed: {_name(type(fault))}>"
    return capped(text, _TRACEBACK_LIMIT)
