"""Names for fences that their author gave none."""

from __future__ import annotations

from collections.abc import Iterable


def slug(text: str) -> str:
    """The words of a heading joined by hyphens, in lower case; "fence" where there are none."""
    letters = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return "-".join(letters.split()) or "fence"


class Namer:
    """Gives each fence of a lesson an id that no other has, the same from read to read."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def name(self, heading: str, kind: str = "") -> str:
        """The heading's slug, a kind other than code, and a counter of their own."""
        stem = "-".join(part for part in (slug(heading), kind) if part)
        while True:
            self._counts[stem] = count = self._counts.get(stem, 0) + 1
            name = f"{stem}-{count}"
            if name not in self._taken:
                self._taken.add(name)
                return name
