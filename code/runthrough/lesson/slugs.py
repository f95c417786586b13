"""Names for fences that their author gave none."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .document import Problem, Role
from .reading_fences import Draft

_APART = re.compile(r"[\W_]+")


def slug(text: str) -> str:
    """The words of a heading joined by hyphens, in lower case; "fence" where there are none."""
    return _APART.sub("-", text.lower()).strip("-") or "fence"


def ids_of(drafts: Iterable[Draft], name: str) -> tuple[list[str], list[Problem]]:
    """An id for each fence that no other of the page has: its own, or its heading's slug with a counter.

    Code is counted by itself, so that an output shown or taken away renames no test.
    """
    drafts = list(drafts)
    problems = []
    lines: dict[str, int] = {}
    for draft in drafts:
        own, line = draft.directives.id, draft.raw.line
        if own and lines.setdefault(own, line) != line:
            message = f"id={own} is on line {lines[own]} too"
            problems.append(Problem(name, line, message, "ids are unique in a lesson; rename one"))
    namer = _Namer(lines)
    ids = []
    for draft in drafts:
        own = draft.directives.id
        if own and lines[own] == draft.raw.line:
            ids.append(own)
        else:
            ids.append(namer.name(draft.raw.heading, "" if draft.role is Role.CODE else draft.role.value))
    return ids, problems


class _Namer:
    """Counts the fences below each heading, passing over names that are taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}
        self._slugs: dict[str, str] = {}

    def name(self, heading: str, kind: str) -> str:
        if heading not in self._slugs:
            self._slugs[heading] = slug(heading)
        stem = f"{self._slugs[heading]}-{kind}" if kind else self._slugs[heading]
        while True:
            self._counts[stem] = count = self._counts.get(stem, 0) + 1
            name = f"{stem}-{count}"
            if name not in self._taken:
                self._taken.add(name)
                return name
