"""A course's own LaTeX commands written out, since no notebook knows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .rewriting import Edit

_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
_PARAMETER = re.compile(r"#([1-9])")
_SPACE = re.compile(r"\s*")
_DEEPEST = 32


class MacroError(Exception):
    """A command cannot be written out; `name` is its name, the text says why."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def expansions(text: str, start: int, end: int, macros: Mapping[str, str]) -> Iterator[Edit]:
    """An edit for each use of a command of `macros` in the formula from `start` to `end`. Raises MacroError."""
    known = _named(macros)
    for first, last, written in _uses(text, start, end, known, 0):
        yield Edit(first, last, written)


def _named(macros: Mapping[str, str]) -> dict[str, str]:
    """Their names as they are written in a formula, with the backslash."""
    return {name if name.startswith("\\") else f"\\{name}": body for name, body in macros.items()}


def _uses(text: str, start: int, end: int, macros: Mapping[str, str], depth: int) -> Iterator[tuple[int, int, str]]:
    at = start
    while (command := _COMMAND.search(text, at, end)) is not None:
        at = command.end()
        name = command[0]
        if name not in macros:
            continue
        if depth >= _DEEPEST:
            raise MacroError(name, f"the macro {name} is written out without end")
        words, at = _arguments(text, at, end, name, macros[name])
        body = macros[name]
        for number, word in enumerate(words, start=1):
            body = body.replace(f"#{number}", word)
        written = _written_out(body, macros, depth + 1)
        last_command = re.search(r"\\[A-Za-z]+\Z", written)
        gap = " " if last_command and text[at:end][:1].isalpha() else ""
        yield command.start(), at, written + gap


def _written_out(text: str, macros: Mapping[str, str], depth: int) -> str:
    parts, at = [], 0
    for first, last, written in _uses(text, 0, len(text), macros, depth):
        parts += [text[at:first], written]
        at = last
    return "".join([*parts, text[at:]])


def _arguments(text: str, at: int, end: int, name: str, body: str) -> tuple[list[str], int]:
    count = max((int(number) for number in _PARAMETER.findall(body)), default=0)
    words: list[str] = []
    for _ in range(count):
        space = _SPACE.match(text, at, end)
        first = space.end() if space else at
        if first >= end:
            raise MacroError(name, f"the macro {name} takes {count} arguments and has {len(words)}")
        last = _argument_end(text, first, end)
        words.append(text[first + 1 : last - 1] if text[first] == "{" else text[first:last])
        at = last
    return words, at


def _argument_end(text: str, first: int, end: int) -> int:
    """Where a group in braces, a command or a single character ends."""
    if text[first] == "\\":
        command = _COMMAND.match(text, first, end)
        return command.end() if command else first + 1
    if text[first] != "{":
        return first + 1
    depth = 0
    for part in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, first, end):
        depth += {"{": 1, "}": -1}.get(part[0], 0)
        if depth == 0:
            return part.end()
    return end
