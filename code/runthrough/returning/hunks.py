"""Where two texts differ, as few characters as can be: lines first, then the words of lines that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 4000  # words of a stretch that are compared one by one


@dataclass(frozen=True)
class Hunk:
    """`text` in place of what stood from `start` to `end`."""

    start: int
    end: int
    text: str


def hunks_of(before: str, after: str) -> list[Hunk]:
    """What makes `after` of `before`, in order."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[Hunk] = []
    for start, end, first, last in changes(old, new):
        one, other = "".join(old[start:end]), "".join(new[first:last])
        at = sum(map(len, old[:start]))
        found += (Hunk(at + each.start, at + each.end, each.text) for each in _by_words(one, other))
    return found


def _by_words(before: str, after: str) -> Iterator[Hunk]:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > _LONGEST or not old or not new:
        yield Hunk(0, len(before), after)
        return
    for start, end, first, last in changes(old, new):
        at = sum(map(len, old[:start]))
        yield Hunk(at, at + sum(map(len, old[start:end])), "".join(new[first:last]))


def changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of two sequences that differ: start and end in the one, start and end in the other."""
    for tag, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start, end, first, last
