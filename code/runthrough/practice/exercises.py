"""The exercises of a course, each with its task, its starter and its hints, as they stand on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runthrough.lesson.document import Fence, Lesson

_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_COMMENT = re.compile(r"[ \t]*<!--.*?-->", re.DOTALL)
_HINT = re.compile(r"<details>\s*<summary>\s*hints?\b[^<]*</summary>(?P<text>.*?)</details>", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"[ \t]*(?:</?details>|<summary>.*</summary>|:::.*)")


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson. `key` names it in its course, `line` is its starter's in the lesson.

    `task` is what the page says before it asks for an answer, in Markdown; `seconds` its own time limit, if it has one.
    """

    key: str
    name: str
    heading: str
    lesson: Lesson
    line: int
    task: str
    starter: str
    hints: tuple[str, ...]
    seconds: float | None = None

    @property
    def place(self) -> str:
        """Where the lesson asks for it, as an editor opens it."""
        return f"{self.lesson.name}:{self.line}"


def exercises_of(lessons: Iterable[Lesson], course: Path) -> tuple[Exercise, ...]:
    """The exercises of the lessons of the course in the folder `course`, in order."""
    return tuple(
        _exercise(lesson, fence, course) for lesson in lessons for fence in lesson.fences if fence.directives.exercise
    )


def _exercise(lesson: Lesson, starter: Fence, course: Path) -> Exercise:
    name = starter.directives.exercise
    lines = lesson.text.split("\n")
    check = next(fence for fence in lesson.fences if fence.directives.check == name)
    solution = next(fence for fence in lesson.fences if fence.directives.solution == name)
    first, heading = _beginning(lesson, starter, lines)
    after = _text(lesson, lines, starter.end_line + 1, check.line) if check.line > starter.line else ""
    return Exercise(
        key=f"{lesson.path.relative_to(course).with_suffix('').as_posix()}/{name}",
        name=name,
        heading=heading,
        lesson=lesson,
        line=starter.line,
        task="\n\n".join(text for text in (_text(lesson, lines, first, starter.line), after) if text),
        starter=starter.code,
        hints=tuple(_hints("\n".join(lines[starter.end_line : solution.line - 1]))),
        seconds=max((limit for limit in (starter.directives.timeout, check.directives.timeout) if limit), default=None),
    )


def _beginning(lesson: Lesson, starter: Fence, lines: list[str]) -> tuple[int, str]:
    """The first line of an exercise's own text, and its heading: below the heading, or the exercise before it."""
    in_fences = {line for fence in lesson.fences for line in range(fence.line, fence.end_line + 1)}
    for number in range(starter.line - 1, 0, -1):
        text = lines[number - 1]
        if number in in_fences:
            continue
        if heading := _HEADING.fullmatch(text):
            return number + 1, heading[1]
        if "</details>" in text:
            return number + 1, starter.heading
    return starter.line, starter.heading


def _text(lesson: Lesson, lines: list[str], first: int, end: int) -> str:
    """The page from line `first` up to `end`, without what is invisible, hidden, or an answer given away."""
    parts, number = [], first
    for fence in sorted(lesson.fences, key=lambda fence: fence.line):
        if first <= fence.line < end:
            parts.append(_prose(lines[number - 1 : fence.line - 1]))
            if not _is_secret(fence):
                parts.append("\n".join(f"    {row}".rstrip() for row in fence.code.rstrip("\n").split("\n")))
            number = fence.end_line + 1
    parts.append(_prose(lines[number - 1 : end - 1]))
    return "\n\n".join(part for part in parts if part)


def _is_secret(fence: Fence) -> bool:
    said = fence.directives
    return bool(said.hidden or said.exercise or said.check or said.solution or said.wrong)


def _prose(lines: Iterable[str]) -> str:
    text = _COMMENT.sub("", _HINT.sub("", "\n".join(lines)))
    shown = (line.rstrip() for line in text.split("\n") if not _MARKUP.fullmatch(line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(shown)).strip("\n")


def _hints(text: str) -> Iterator[str]:
    for match in _HINT.finditer(text):
        yield _COMMENT.sub("", match["text"]).strip()
