"""Two changes of one text made one, where they touch different lines."""

from __future__ import annotations

from collections.abc import Sequence

from .hunks import changes


class ConflictError(Exception):
    """Both have changed the same lines; `line` is the first of them in the second text, counted from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def merged(base: Sequence[str], one: Sequence[str], other: Sequence[str]) -> list[str]:
    """The lines of `other` with what was changed from `base` to `one`. Raises ConflictError."""
    theirs = list(changes(base, other))
    lines: list[str] = list(other)
    for start, end, first, last in reversed(list(changes(base, one))):
        shift = 0
        for begin, stop, there, until in theirs:
            if (begin, stop) == (start, end) and other[there:until] == one[first:last]:
                break
            if begin <= end and stop >= start:
                raise ConflictError(there + 1)
            if stop < start:
                shift = until - stop
        else:
            lines[start + shift : end + shift] = one[first:last]
    return lines
