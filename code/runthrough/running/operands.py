"""What a failed assertion saw, told after the error has left the fence: `operand = repr`, in its own words.

The values are a learner's, and so is the process: whatever goes wrong in the telling is left out, and nothing raises.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import opcode
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, ModuleType, TracebackType

# Line, column, last line and last column of an expression, as a syntax tree counts them.
Place = tuple[int, int, int, int]

ATTRIBUTE = "_runthrough_operands"
_SHOWN = 2000
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
            label = str.__str__(ast.unparse(_expression(place, kept.file)))
        except BaseException:  # noqa: BLE001  # its source may be gone or overwritten, and `ast` replaced
            label = f"an operand on line {place[0]}"
        yield label, value


def _names(tb: TracebackType | None, files: tuple[str, str]) -> Iterator[tuple[str, object]]:
    """The plain names in the condition of the assertion at which the traceback ends, with their values there."""
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if tb is None or tb.tb_frame.f_code.co_filename not in files:
        return
    code = tb.tb_frame.f_code
    line, end_line, column, end_column = next(itertools.islice(code.co_positions(), tb.tb_lasti // 2, None))
    if code.co_code[tb.tb_lasti] != _RAISE or None in (line, end_line, column, end_column):
        return
    # An assertion raises at its condition. A `raise` does at the whole statement, which is no expression.
    condition = _expression((line, column, end_line, end_column), code.co_filename)  # type: ignore[arg-type]  # none is None
    for name in dict.fromkeys(_plain_names(condition)):
        if (value := _value(name, tb.tb_frame)) is not _NOWHERE:
            yield name, value


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


def _expression(place: Place, file: str) -> ast.expr:
    """The expression at lines and columns of a file. Raises whatever comes of a source that is not there."""
    line, column, end_line, end_column = place
    taken = [text.encode() for text in linecache.getlines(file)[line - 1 : end_line]]
    taken[-1] = taken[-1][:end_column]
    taken[0] = taken[0][column:]
    # The brackets that let it go over several lines are no part of it.
    return ast.parse(f"({b''.join(taken).decode()})", mode="eval").body


def _short_repr(value: object) -> str:
    try:
        text = str.__str__(repr(value))
    except BaseException as error:  # noqa: BLE001  # a learner's repr may raise anything, and the assertion matters more
        return f"<repr raised {type.__dict__['__name__'].__get__(type(error))}>"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"
