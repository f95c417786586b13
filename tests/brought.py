"""A notebook brought by the real command, and the fences of the lesson that it became."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from command import Done, runthrough
from runthrough.lesson.document import Course, Fence
from runthrough.lesson.read import read_text
from written_notebooks import Json, write

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
STRICT = Course(Path(), "", "", ())


@dataclass(frozen=True)
class Brought:
    """What one import left: how the command ended, and the lesson's text, "" where none was written."""

    done: Done
    lesson: str


def bring(folder: Path, content: Json) -> Brought:
    write(folder, content)
    done = runthrough("import", "lesson.ipynb", cwd=folder)
    lesson = folder / "lesson.md"
    return Brought(done, lesson.read_text(encoding="utf-8") if lesson.exists() else "")


def fences(page: str) -> list[Fence]:
    return list(read_text(page.encode(), Path("lesson.md"), "lesson.md", STRICT).fences)
