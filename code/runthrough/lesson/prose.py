"""Comments inside sentences, headings and cells: where each stands in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .fences import Prose

# What may hold `<!--` without being a comment is read first: an escaped letter, a tag, and code from its backticks on.
_PARTS = re.compile(r"\\[!-/:-@\[-`{-~]|(?P<ticks>`+)|<!--(?P<text>.*?)-->|<[A-Za-z/][^<>]*>", re.DOTALL)
_UNCLOSED = re.compile(r"<!--=")


@dataclass(frozen=True)
class InlineComment:
    """A comment in a sentence: its 1-based line, the 0-based column of its `<` in that line, its text.

    `text` is None where the comment has no end in its paragraph or cell.
    """

    line: int
    column: int
    text: str | None
    is_cell: bool


def comments_in(prose: Iterable[Prose], lines: Sequence[str]) -> Iterator[InlineComment]:
    """The comments of a page's sentences in document order; what stands in code spans is text."""
    read: set[int] = set()
    for each in prose:
        block = each.token.map
        if block is None or block[0] in read:  # the cells of a row are read together
            continue
        read.add(block[0])
        text = "\n".join(lines[block[0] : block[1]])
        for start, body in _comments(text):
            line = text.count("\n", 0, start)
            yield InlineComment(block[0] + line + 1, start - text.rfind("\n", 0, start) - 1, body, each.is_cell)


def _comments(text: str) -> Iterator[tuple[int, str | None]]:
    position = 0
    while part := _PARTS.search(text, position):
        yield from _without_end(text, position, part.start())
        position = part.end()
        if part["text"] is not None:
            yield part.start(), part["text"]
        elif part["ticks"]:
            closing = re.compile(rf"(?<!`){part['ticks']}(?!`)").search(text, position)
            position = closing.end() if closing else position
    yield from _without_end(text, position, len(text))


def _without_end(text: str, start: int, end: int) -> Iterator[tuple[int, None]]:
    for match in _UNCLOSED.finditer(text, start, end):
        yield match.start(), None
