"""A lesson cut into pieces that follow each other without a gap: front matter, prose, code, and what code prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from runthrough.lesson.document import Fence, Lesson, Role
from runthrough.lesson.markdown import parse_blocks

from .folds import Fold, folds_of
from .standing import not_executed

if TYPE_CHECKING:
    from markdown_it.token import Token

_COMMENTS = re.compile(r"(?:<!--(?:(?!-->).)*-->\s*)+\Z", re.DOTALL)


class Kind(StrEnum):
    """What a piece is: the front matter, prose, a fence of code, or the output or error fence below one."""

    FRONT = "front"
    PROSE = "prose"
    CODE = "code"
    OUTPUT = "output"


@dataclass(frozen=True)
class Piece:
    """Whole lines of a lesson, from character `start` to `end`. A fence has its comments with it.

    `line` is the number of its first line. `is_answer` is true for what only instructors are given.
    """

    kind: Kind
    start: int
    end: int
    line: int
    fence: Fence | None = None
    is_answer: bool = False


@dataclass(frozen=True)
class Source:
    """A lesson's text with a line end at its end, its lines and blocks, and where each line begins."""

    lesson: Lesson

    @cached_property
    def text(self) -> str:
        """The text that was parsed."""
        text = self.lesson.text
        return text if text.endswith("\n") or not text else text + "\n"

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return self.text.split("\n")

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, counted from 0, and where the text ends."""
        starts = [0]
        for line in self.lines:
            starts.append(min(starts[-1] + len(line) + 1, len(self.text)))
        return starts

    @cached_property
    def tokens(self) -> list[Token]:
        """Its blocks."""
        return parse_blocks(self.text)

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """Its `<details>`."""
        return folds_of(self.tokens, self.lines, self.starts)


def pieces_of(source: Source) -> tuple[Piece, ...]:
    """The pieces, in order. They cover the whole text."""
    fences = {fence.line: fence for fence in _in_cells(source.lesson)}
    answers = answers_of(source)
    spans = [span for number in range(len(source.tokens)) if (span := _own(source, number, fences)) is not None]
    cuts = {0, len(source.lines) - 1, *_headings(source), *(line for answer in answers for line in answer)}
    pieces: list[Piece] = []
    at = 0
    for first, last, kind, fence in [*spans, (len(source.lines) - 1, len(source.lines) - 1, Kind.PROSE, None)]:
        for one, other in _between(at, first, cuts):
            pieces.append(_piece(source, Kind.PROSE, one, other, None, answers))
        if first < last:
            pieces.append(_piece(source, kind, first, last, fence, answers))
        at = last
    return tuple(pieces)


def _in_cells(lesson: Lesson) -> Iterator[Fence]:
    """The fences with a cell of their own: code that is executed or a wrong answer, and what such code prints."""
    is_own = False
    for fence in lesson.fences:
        if fence.role is Role.CODE:
            is_own = bool(fence.directives.wrong) or not not_executed(fence, lesson)
        if is_own and fence.role is not Role.SHOWN:
            yield fence


def _piece(
    source: Source, kind: Kind, first: int, last: int, fence: Fence | None, answers: Sequence[tuple[int, int]]
) -> Piece:
    is_answer = any(start <= first < end for start, end in answers)
    return Piece(kind, source.starts[first], source.starts[last], first + 1, fence, is_answer)


def answers_of(source: Source) -> list[tuple[int, int]]:
    """The lines, counted from 0, that hold solutions and wrong answers, with the `<details>` around them."""
    found = []
    for number, token in enumerate(source.tokens):
        fence = next((each for each in source.lesson.fences if token.map and each.line == token.map[0] + 1), None)
        if token.type != "fence" or fence is None or not (fence.directives.solution or fence.directives.wrong):
            continue
        around = [fold for fold in source.folds if fold.first_line < fence.line <= fold.last_line]
        if around:
            inner = max(around, key=lambda fold: fold.start)
            found.append((inner.first_line - 1, inner.last_line))
        else:
            found.append((_with_comments(source, number), fence.end_line))
    return found


def _own(source: Source, number: int, fences: dict[int, Fence]) -> tuple[int, int, Kind, Fence | None] | None:
    """The lines of a token that is a piece of its own."""
    token = source.tokens[number]
    if token.map is None:
        return None
    if token.type == "front_matter":
        return token.map[0], token.map[1], Kind.FRONT, None
    if token.type != "fence" or token.map[0] + 1 not in fences:
        return None
    fence = fences[token.map[0] + 1]
    kind = Kind.CODE if fence.role is Role.CODE else Kind.OUTPUT
    return _with_comments(source, number), min(fence.end_line, len(source.lines) - 1), kind, fence


def _with_comments(source: Source, number: int) -> int:
    """The first line of a fence with the comments above it, counted from 0."""
    token = source.tokens[number]
    assert token.map is not None
    first = token.map[0]
    for above in reversed(source.tokens[:number]):
        if above.type != "html_block" or above.map is None:
            break
        comments = _COMMENTS.search(above.content)
        if comments is None:
            break
        begin = above.map[0] + above.content.count("\n", 0, comments.start())
        before = above.content[: comments.start()]
        if before.strip() and not before.endswith("\n"):
            break
        first = begin
        if before.strip():
            break
    return first


def _headings(source: Source) -> Iterator[int]:
    """Lines, counted from 0, of headings that begin a piece: those that stand in nothing else."""
    for token in source.tokens:
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            inside = any(fold.first_line <= token.map[0] + 1 <= fold.last_line for fold in source.folds)
            if not inside:
                yield token.map[0]


def _between(first: int, last: int, cuts: set[int]) -> Iterator[tuple[int, int]]:
    at = first
    for cut in sorted(cut for cut in cuts if first < cut < last):
        yield at, cut
        at = cut
    if at < last:
        yield at, last
