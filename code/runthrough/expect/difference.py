"""Where a shown text first differs from the one that came, and the two side by side around that place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from runthrough.expect.compare import EXACT, WILDCARD, Tolerance, normal_agrees
from runthrough.expect.normal import normal
from runthrough.expect.promote import lines_that_came, promoted

# Lines of either text that are aligned around the first difference.
_WINDOW = 60
_CONTEXT = 2
_MOST_ROWS = 20


def first_difference(shown: str, came: str, tolerance: Tolerance = EXACT) -> int:
    """Which line of `shown`, counted from 0, is the first that does not agree; wildcards let later lines agree."""
    lines, found = normal(shown).rstrip().split("\n"), normal(came).strip("\n").split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    same = _lines_alike(lines[start:], found)
    # A line above what is compared, so that a blank line below it counts.
    start, rest = start + same, "\n".join(["|", *found[same:]])

    def differs(count: int) -> bool:
        part = "\n".join(["|", *lines[start:count], WILDCARD])
        return not normal_agrees(part, rest, tolerance)

    # Once a line differs, so does every longer part.
    first = start + bisect_left(range(start + 1, len(lines) + 1), True, key=differs)
    return min(first, len(lines) - 1)


def first_missing(shown: str, came: str, tolerance: Tolerance = EXACT) -> int | None:
    """Which line of `shown` is the first that did not come after those above it; other lines may stand between."""
    remaining = iter(normal(came).split("\n"))
    for number, line in enumerate(normal(shown).split("\n")):
        is_shown = line.strip() and line.strip() != WILDCARD
        if is_shown and not any(normal_agrees(line, found, tolerance) for found in remaining):
            return number
    return None


def rows_of_difference(shown: str, came: str, tolerance: Tolerance = EXACT) -> tuple[str, ...]:
    """A diff from the page to what came, as `update` would write it: rows begin with `- `, `+ ` or two spaces.

    A line that agrees by its wildcards or its digits is no difference. The rows are those around the first that is
    one, and a last row says so where there is more.
    """
    lines, found = lines_that_came(shown), lines_that_came(came)
    same = max(0, _lines_alike(lines, found) - _CONTEXT)
    lines, found = lines[same:], found[same:]
    rows = list(_rows(lines[:_WINDOW], promoted(lines[:_WINDOW], found[:_WINDOW], tolerance)))
    differing = [number for number, row in enumerate(rows) if not row.startswith(" ")] or [0]
    start = max(0, differing[0] - _CONTEXT)
    end = min(differing[-1] + 1 + _CONTEXT, start + _MOST_ROWS)
    is_all = differing[-1] < end and max(len(lines), len(found)) <= _WINDOW
    return tuple(rows[start:end]) if is_all else (*rows[start:end], "  [further lines are left out]")


def _lines_alike(shown: list[str], came: list[str]) -> int:
    """How many lines at the start of two texts are the same letter for letter."""
    pairs = zip(shown, came, strict=False)
    return next((number for number, (line, other) in enumerate(pairs) if line != other), min(len(shown), len(came)))


def _rows(shown: list[str], wanted: list[int | str]) -> Iterator[str]:
    """The rows of the diff; what is taken out stands before what comes in its place."""
    kept = 0
    added: list[str] = []
    for line in [*wanted, len(shown)]:
        if isinstance(line, str):
            added.append(f"+ {line}")
            continue
        yield from (f"- {left_out}" for left_out in shown[kept:line])
        yield from added
        yield from (f"  {same}" for same in shown[line : line + 1])
        kept, added = line + 1, []
