"""A student's folder of exercises, by the real command."""

from __future__ import annotations

from pathlib import Path

from command import LESSONS, Done, runthrough
from runthrough.lesson.document import Lesson
from runthrough.lesson.read import read_lesson

COURSE = LESSONS / "practice"
PYTORCH = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
ADD = "01_add.py"
RIGHT = "def add(a, b):\n    return a + b\n"


def practice(tmp_path: Path, *words: str, course: Path = COURSE) -> Done:
    """`runthrough practice` for the small course, in the folder `mine`."""
    return runthrough("practice", str(course), "--into", "mine", *words, cwd=tmp_path)


def read(course: Path) -> list[Lesson]:
    """The lessons of a course, in order of their names."""
    return [read_lesson(path, path.name, None) for path in sorted(course.glob("*.md"))]
