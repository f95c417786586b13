"""The file that a student gets for an exercise: the task as comments, then the starter as code."""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Iterator

from runthrough.practice.exercises import Exercise

_WIDTH = 98
_ABOUT = (
    "The lesson's code above the exercise has run before this file does, so its names are here.",
    "Change the code below and save: it is then checked.",
)


def file_name(number: int, of: int, exercise: Exercise) -> str:
    """The name of the file of the exercise that stands at `number` of `of`, counted from 1."""
    return f"{number:0{max(2, len(str(of)))}}_{exercise.name}.py"


def file_text(exercise: Exercise) -> str:
    """What the file holds when it is handed out."""
    head = [exercise.heading, f"Lesson: {exercise.lesson.title} ({exercise.lesson.path.name})"]
    blocks = ["\n".join(head), exercise.task, "\n".join(_ABOUT)]
    comments = "\n#\n".join("\n".join(_commented(block)) for block in blocks if block)
    return f"{comments}\n\n{exercise.starter.rstrip()}\n"


def digest(text: str) -> str:
    """What tells whether a starter has changed since it was handed out."""
    return hashlib.blake2b(text.strip().encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _commented(text: str) -> Iterator[str]:
    for row in text.split("\n"):
        yield from (f"# {part}".rstrip() for part in wrapped(row))


def wrapped(row: str, width: int = _WIDTH) -> list[str]:
    """A row of prose in rows of `width` letters at most; code keeps its rows."""
    if row.startswith("    ") or len(row) <= width:
        return [row]
    return textwrap.wrap(row, width, break_long_words=False, break_on_hyphens=False)
