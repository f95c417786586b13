"""The text that came takes the place of one shown: line by line, so that a shown line that agrees stays as it is."""

from __future__ import annotations

from functools import cache

from runthrough.expect.compare import WILDCARD, Tolerance, agrees
from runthrough.expect.normal import settled

# Aligning takes a comparison for each pair of lines.
_MOST_PAIRS = 10_000
# A changed line is cheaper than one left out, so that a wildcard never swallows what a page shows.
_CHANGED, _ADDED, _LEFT_OUT = 1, 2, 3


def lines_that_came(text: str) -> list[str]:
    """What came as a page can show it: as a terminal leaves it, without blank lines at its ends."""
    text = settled(text).strip("\n")
    return text.split("\n") if text else []


def promoted(shown: list[str], came: list[str], tolerance: Tolerance) -> list[int | str]:
    """The lines that should be shown: the index of a shown line that stays, or a new line as it came.

    Wildcards, rounded numbers and what is within the tolerance stay wherever their line agrees.
    """
    if len(shown) * len(came) > _MOST_PAIRS:
        return list(came)
    lines = _aligned(shown, came, tolerance)
    text = "\n".join(shown[line] if isinstance(line, int) else line for line in lines)
    return lines if agrees(text, "\n".join(came), tolerance) else list(came)


def _aligned(shown: list[str], came: list[str], tolerance: Tolerance) -> list[int | str]:
    @cache
    def is_kept(i: int, j: int) -> bool:
        return shown[i].strip() != WILDCARD and agrees(shown[i], came[j], tolerance)

    rows, columns = len(shown), len(came)
    best = [[(0, "")] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            ways = []
            if i < rows and shown[i].strip() == WILDCARD:
                ways.append((best[i + 1][j][0], "close"))
                ways += [(best[i][j + 1][0], "swallow")] if j < columns else []
            elif i < rows:
                if j < columns:
                    kept = is_kept(i, j)
                    ways.append((best[i + 1][j + 1][0] + (0 if kept else _CHANGED), "keep" if kept else "change"))
                ways.append((best[i + 1][j][0] + _LEFT_OUT, "leave out"))
            if j < columns:
                ways.append((best[i][j + 1][0] + _ADDED, "add"))
            if ways:
                best[i][j] = min(ways, key=lambda way: way[0])
    return _walked(best, came)


def _walked(best: list[list[tuple[int, str]]], came: list[str]) -> list[int | str]:
    lines: list[int | str] = []
    i = j = 0
    while (way := best[i][j][1]) != "":
        if way in ("keep", "close"):
            lines.append(i)
        elif way in ("change", "add"):
            lines.append(came[j])
        i += way in ("keep", "close", "change", "leave out")
        j += way in ("keep", "change", "swallow", "add")
    return lines
