"""What a failed assertion saw, told after the error has left the fence: `operand = repr`, in its own words.

The values are a learner's, and so is the process: whatever goes wrong in the telling is left out, and nothing raises.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import linecache
import opcode
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, ModuleType, TracebackType
from typing import Any

# Line, column, last line and last column of an expression, as a syntax tree counts them.
Place = tuple[int, int, int, int]

ATTRIBUTE = "_runthrough_operands"
_SHOWN = 2000
_BEGINS = re.compile(r"\s*assert\b")
_LONGEST = 50  # lines of one assertion
_NOWHERE = object()
_RAISE = opcode.opmap["RAISE_VARARGS"]
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Operands:
    """The operands of an assertion in `file` that failed, in the order of evaluation."""

    file: str
    seen: tuple[tuple[Place, object], ...]

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """A copy of the error takes none along: the values may be of a kind that nothing can copy."""
        return tuple, ()


def notes_of(error: BaseException, files: tuple[str, str]) -> tuple[str, ...]:
    """A note for each operand that a failed assertion kept, or for each name in its condition if it is one in `files`
    that kept none. Of several notes that say the same there is one."""
    if type(error) is not AssertionError:
        return ()
    try:
        kept = error.__dict__.get(ATTRIBUTE)
        told = _operands(kept) if type(kept) is Operands else _names(error.__traceback__, files)
        return tuple(dict.fromkeys(f"{label} = {_short_repr(value)}" for label, value in told if _is_telling(value)))
    except BaseException:  # noqa: BLE001  # a lesson may have replaced anything that this uses
        return ()


def _operands(kept: Operands) -> Iterator[tuple[str, object]]:
    for place, value in kept.seen:
        try:
            # The brackets that let it go over several lines are no part of it.
            label = str.__str__(ast.unparse(_parsed(f"({_text(place, kept.file)})", "eval")))
        except BaseException:  # noqa: BLE001  # its source may be gone or overwritten, and `ast` replaced
            label = f"an operand on line {place[0]}"
        yield label, value


def _names(tb: TracebackType | None, files: tuple[str, str]) -> Iterator[tuple[str, object]]:
    """The plain names in the condition of the assertion at which the traceback ends, with their values there."""
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if tb is None or tb.tb_frame.f_code.co_filename not in files:
        return
    if tb.tb_frame.f_code.co_code[tb.tb_lasti] != _RAISE or (condition := _condition(tb)) is None:
        return
    for name in dict.fromkeys(_plain_names(condition)):
        if (value := _value(name, tb.tb_frame)) is not _NOWHERE:
            yield name, value


def _condition(tb: TracebackType) -> ast.expr | None:
    """The condition of the assertion that raised at this level; none where it was a `raise`.

    An assertion raises at its statement, its condition or a part of that, as the version of Python will have it.
    """
    code = tb.tb_frame.f_code
    line, end_line, column, end_column = next(itertools.islice(code.co_positions(), tb.tb_lasti // 2, None))
    if line is None or end_line is None or column is None or end_column is None:
        return None
    text = _text((line, column, end_line, end_column), code.co_filename)
    try:
        part = _parsed(f"({text})", "eval").body
    except SyntaxError:
        (statement,) = _parsed(text, "exec").body
        return statement.test if isinstance(statement, ast.Assert) else None
    return _condition_around(line, end_line, linecache.getlines(code.co_filename)) or part


def _condition_around(line: int, end_line: int, lines: list[str]) -> ast.expr | None:
    """The condition of the assertion that begins a line and goes over these, if there is one."""
    for start in range(line - 1, max(-1, line - _LONGEST), -1):
        if not _BEGINS.match(lines[start]):
            continue
        for end in range(end_line, min(len(lines), start + _LONGEST) + 1):
            with contextlib.suppress(SyntaxError):
                first, *more = _parsed("".join(lines[start:end]).lstrip(), "exec").body
                if isinstance(first, ast.Assert) and not more:
                    return first.test
        break
    return None


def _plain_names(condition: ast.expr) -> list[str]:
    """The names in a condition, in the order of the text, but for those that only a part of it knows."""
    inner = {
        name.id
        for part in ast.walk(condition)
        if isinstance(part, _COMPREHENSIONS)
        for loop in part.generators
        for name in ast.walk(loop.target)
        if isinstance(name, ast.Name)
    }
    inner |= {part.arg for part in ast.walk(condition) if isinstance(part, ast.arg)}
    names = [part for part in ast.walk(condition) if isinstance(part, ast.Name) and part.id not in inner]
    return [name.id for name in sorted(names, key=lambda name: (name.lineno, name.col_offset))]


def _value(name: str, frame: FrameType) -> object:
    """What a name means in a frame, found without running any code of the lesson."""
    # The body of a class may have a mapping of its metaclass for its names.
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED or type(frame.f_locals) is dict:
        local = frame.f_locals.get(name, _NOWHERE)
        if local is not _NOWHERE:
            return local
    return dict.get(frame.f_globals, name, _NOWHERE)


def _is_telling(value: object) -> bool:
    return not issubclass(type(value), ModuleType | type) and not callable(value)


def _text(place: Place, file: str) -> str:
    """The text at lines and columns of a file. Raises whatever comes of a source that is not there."""
    line, column, end_line, end_column = place
    taken = [text.encode() for text in linecache.getlines(file)[line - 1 : end_line]]
    taken[-1] = taken[-1][:end_column]
    taken[0] = taken[0][column:]
    return b"".join(taken).decode()


def _parsed(text: str, mode: str) -> Any:
    """A syntax tree of text of which Python has warned already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode=mode)


def _short_repr(value: object) -> str:
    try:
        text = str.__str__(repr(value))
    except BaseException as error:  # noqa: BLE001  # a learner's repr may raise anything, and the assertion matters more
        return f"<repr raised {type.__dict__['__name__'].__get__(type(error))}>"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"
