"""An edit of a code cell, as an edit of the fence that it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runthrough.lesson.document import Fence
from runthrough.publish.cells import Cell
from runthrough.publish.raw import RawText

from .hunks import changes


def code_back(cell: Cell, raw: RawText, edited: str) -> tuple[list[str], tuple[str, ...]]:
    """The lines of the fence's part of the file, with their ends, after the edit, and what to tell of it.

    A line that was not touched keeps its bytes. What we had added below the code is no part of the fence.
    """
    piece = cell.pieces[0]
    fence = piece.fence
    assert fence is not None
    theirs = fence.code.count("\n")
    first = fence.code_line - 1
    old = raw.lines[first : first + theirs]
    made = cell.source.split("\n") if cell.source else []
    new = edited.split("\n") if edited else []
    rows: list[str] = []
    told: list[str] = []
    at = 0
    end = raw.lines[fence.line - 1][len(raw.lines[fence.line - 1].rstrip("\r\n")) :] or raw.line_end
    for start, stop, one, other in changes(made, new):
        rows += old[at:start]
        if start >= theirs and stop > start:
            told += [f"{made[-1]!r} is ours, and its change is left out"] if one < other else []
        else:
            rows += [_written(fence, line, end) for line in new[one:other]]
        at = stop
    rows += old[at:]
    if rows and not rows[-1].endswith(("\n", "\r")) and fence.is_closed:
        rows[-1] += end
    opening = raw.lines[piece.line - 1 : first]
    closing = raw.lines[first + theirs : fence.end_line]
    return [*_longer(opening, fence, rows), *rows, *_longer(closing, fence, rows)], tuple(told)


def _written(fence: Fence, line: str, end: str) -> str:
    if fence.code.lstrip().startswith(">>>"):
        line = line[3:] if line.startswith("#> ") else (f"... {line}" if line[:1].isspace() else f">>> {line}")
    return (fence.prefix + line if line else fence.prefix.rstrip()) + end


def _longer(lines: Sequence[str], fence: Fence, rows: Sequence[str]) -> list[str]:
    """The lines around the code, with a longer marker where a line of code would close the fence."""
    mark = fence.marker[0]
    runs = [re.match(rf"[ \t>]*({re.escape(mark)}+)[ \t]*$", row.rstrip("\r\n")) for row in rows]
    longest = max((len(run[1]) for run in runs if run), default=0)
    if longest < len(fence.marker) or not lines:
        return list(lines)
    return [line.replace(fence.marker, mark * (longest + 1), 1) if fence.marker in line else line for line in lines]


def fence_of(code: str, end: str) -> list[str]:
    """A new fence with this code."""
    runs = [len(run) for run in re.findall(r"^[ \t>]*(`{3,})", code, re.MULTILINE)]
    marker = "`" * max(3, max(runs, default=0) + 1)
    rows = code.split("\n") if code else []
    return [line + end for line in (f"{marker}python", *rows, marker)]
