"""A figure that came, held against the file that holds it: whole, since each of its digits places something."""

from __future__ import annotations

from itertools import zip_longest

from runthrough.job import Expected, Shown
from runthrough.result import Mismatch

# A drawing may be one long line, of which this much around the difference is told.
_BEFORE, _WIDTH = 40, 160


def mismatch_of_figure(expected: Expected, came: str) -> Mismatch | None:
    """How SVG text that came differs from its file; None where it does not."""
    if expected.text.strip() == came.strip():
        return None
    rows = _rows(expected.text.strip(), came.strip())
    return Mismatch(Shown.FIGURE, expected.line, expected.text, came, expected.line, rows, expected.file)


def difference_in_words(mismatch: Mismatch) -> str:
    """A sentence that names the file, and the first line of it that is not what came."""
    if not mismatch.expected:
        return f"there is no {mismatch.file} yet"
    pairs = zip_longest(mismatch.expected.strip().split("\n"), mismatch.found.strip().split("\n"))
    number = next(n for n, (shown, came) in enumerate(pairs, 1) if shown != came)
    return f"line {number} of {mismatch.file} is not what this fence draws"


def _rows(shown: str, came: str) -> tuple[str, ...]:
    """The first line that differs as a diff, cut to what stands around the first other character."""
    pairs = zip_longest(shown.split("\n"), came.split("\n"), fillvalue="")
    one, other = next(pair for pair in pairs if pair[0] != pair[1])
    length = min(len(one), len(other))
    same = next((n for n in range(length) if one[n] != other[n]), length)
    start = max(0, same - _BEFORE)
    pieces = (("- ", one), ("+ ", other))
    return tuple(sign + text[start : start + _WIDTH] for sign, text in pieces if text[start:])
