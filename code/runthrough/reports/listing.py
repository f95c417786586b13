"""Every fence of the lessons before anything runs: what it is, whether it will run, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from runthrough.job import Act
from runthrough.lesson.document import Fence, Role
from runthrough.reports.pen import Line, Span, line, plural, visible

SAID_OF_ROLE = {
    Role.OUTPUT: "expected output, compared",
    Role.ERROR: "expected error, compared",
    Role.SHOWN: "shown, never run",
}
SAID_OF_ACT = {
    Act.RUN: "runs",
    Act.COMPILE: "compiled, not run",
    Act.SKIP: "skipped",
    Act.SHOW: "shown, never run",
}


class Listed(NamedTuple):
    """A fence of the lesson that is called `path`, and its directives in the author's words.

    `act` is what is done with it, None for a fence that is no code; `reason` is the author's, or "".
    """

    path: str
    fence: Fence
    directives: dict[str, Any]
    act: Act | None
    reason: str = ""

    @property
    def runs(self) -> bool:
        """True where the fence's code is to be executed."""
        return self.act is Act.RUN

    @property
    def why(self) -> str:
        """Why it runs or does not: the author's reason where there is one."""
        if self.act is None:
            return SAID_OF_ROLE.get(self.fence.role, SAID_OF_ROLE[Role.SHOWN])
        return self.reason or SAID_OF_ACT[self.act]


def as_data(listed: Listed) -> dict[str, Any]:
    """The fence as `list --json` prints it."""
    fence = listed.fence
    return {
        "path": listed.path,
        "line": fence.line,
        "end_line": fence.end_line,
        "code_line": fence.code_line,
        "language": fence.language,
        "info": fence.info,
        "id": fence.id,
        "runs": listed.runs,
        "why": listed.why,
        "code": fence.code,
        "directives": listed.directives,
    }


def as_json_rows(rows: Iterable[object]) -> str:
    """A JSON array with a line for each row: as quick to write as to search."""
    encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
    return "[\n" + ",\n".join(encode(row) for row in rows) + "\n]\n"


def table(rows: Iterable[Listed]) -> Iterator[Line]:
    """A line a fence: where it is, its language, whether it runs, its id and why."""
    rows = list(rows)
    places = [visible(f"{row.path}:{row.fence.line}") for row in rows]
    widest = max(map(len, places), default=0)
    languages = max((len(row.fence.language) for row in rows), default=0)
    runs, idle = Span("run", "green"), Span("-  ", "dim")
    for row, place in zip(rows, places, strict=True):
        language = visible(row.fence.language).ljust(languages)
        before, after = f"{place.ljust(widest)}  {language}  ", f"  {visible(row.fence.id)}  {visible(row.why)}"
        yield line(before, runs if row.runs else idle, after)
    running = sum(row.runs for row in rows)
    lessons = plural(len({row.path for row in rows}), "lesson")
    yield line(f"{plural(len(rows), 'fence')} in {lessons}, {running} to run")
