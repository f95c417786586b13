"""`<details>` of a page: where each opens and closes, so that no cell shows half of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_TAGS = re.compile(
    r"<!--.*?-->|(?P<ticks>`+)|(?P<open><details\b[^<>]*>)(?:[\s>]*<summary[^<>]*>(?P<summary>.*?)</summary>)?"
    r"|(?P<close></details[ \t]*>)",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True)
class Fold:
    """A `<details>`: its opening from `start` to `inside` (with the summary), its closing from `close` to `end`.

    Places are characters of the text, lines are counted from 1. One that is never closed ends with the text.
    """

    start: int
    inside: int
    close: int
    end: int
    summary: str
    first_line: int
    last_line: int


def folds_of(tokens: Sequence[Token], lines: Sequence[str], starts: Sequence[int]) -> tuple[Fold, ...]:
    """All of them, in the order in which they open."""
    opened: list[tuple[int, int, str, int]] = []
    folds: list[Fold] = []
    for match, at, line in _tags(tokens, lines, starts):
        if match["open"]:
            opened.append((at, at + len(match[0]), " ".join((match["summary"] or "More").split()), line))
        elif opened:
            start, inside, summary, first = opened.pop()
            folds.append(Fold(start, inside, at, at + len(match[0]), summary, first, line))
    end = starts[-1]
    folds += [Fold(start, inside, end, end, summary, line, len(lines) - 1) for start, inside, summary, line in opened]
    return tuple(sorted(folds, key=lambda fold: fold.start))


def _tags(
    tokens: Sequence[Token], lines: Sequence[str], starts: Sequence[int]
) -> Iterator[tuple[re.Match[str], int, int]]:
    """Opening and closing tags, each with its place and its line."""
    read: set[int] = set()
    for token in tokens:
        if token.type not in ("html_block", "inline") or token.map is None or token.map[0] in read:
            continue
        first, last = token.map
        read.add(first)  # the cells of a row are read together
        text = "\n".join(lines[first:last])
        if "details" not in text.lower():
            continue
        at = 0
        while match := _TAGS.search(text, at):
            at = match.end()
            if match["ticks"] and token.type == "inline":
                closing = re.compile(rf"(?<!`){match['ticks']}(?!`)").search(text, at)
                at = closing.end() if closing else at
            elif match["open"] or match["close"]:
                yield match, starts[first] + match.start(), first + text.count("\n", 0, match.start()) + 1
