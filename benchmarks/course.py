"""A generated course: the same lessons as Markdown, as scripts and as notebooks, whose fences tell that they ran."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.notebooks import as_notebook, fences

TEMPLATES = Path(__file__).parent / "lessons"
HARNESSES = Path(__file__).parent / "harnesses"
LIES_AS = {
    "with_sybil": "conftest.py",
    "with_mktestdocs": "test_pages.py",
    "with_pytest_examples": "test_pages.py",
}
TRACES_VARIABLE = "FENCES_RAN"


class MiscountError(Exception):
    """A run did not run every fence of the course exactly once, so its time says nothing."""


@dataclass(frozen=True)
class Course:
    """Where the lessons lie in each form, in the order of their numbers, and the traces their fences leave.

    `folder` holds the folders `pages`, `scripts` and `notebooks`, and one for each harness, with it and the pages.
    """

    folder: Path
    pages: tuple[Path, ...]
    scripts: tuple[Path, ...]
    notebooks: tuple[Path, ...]
    traces: tuple[str, ...]


def make_course(template: str, lessons: int, folder: Path) -> Course:
    """Write so many lessons made from `lessons/TEMPLATE.md`; the same words give the same bytes."""
    text = (TEMPLATES / f"{template}.md").read_text(encoding="utf-8")
    pages, scripts, notebooks, traces = [], [], [], []
    for number in range(1, lessons + 1):
        page = text.replace("LESSON", str(number))
        codes = fences(page)
        name = f"lesson_{number:04}"
        pages.append(_write(folder / "pages" / f"{name}.md", page))
        scripts.append(_write(folder / "scripts" / f"{name}.py", "\n\n".join(codes)))
        for harness, lies_as in LIES_AS.items():
            _write(folder / harness / f"{name}.md", page)
            shutil.copy(HARNESSES / f"{harness}.py", folder / harness / lies_as)
        notebooks.append(_write(folder / "notebooks" / f"{name}.ipynb", as_notebook(page)))
        traces += [f"{number}.{fence}" for fence in range(1, len(codes) + 1)]
    return Course(folder, tuple(pages), tuple(scripts), tuple(notebooks), tuple(traces))


def require_every_fence(course: Course, traces: Path) -> None:
    """Hold the traces of a run against the course. Raises MiscountError where they differ."""
    left = Counter(traces.read_text(encoding="utf-8").split() if traces.exists() else ())
    due = Counter(course.traces)
    missing, surplus = sorted((due - left).elements()), sorted((left - due).elements())
    if missing or surplus:
        raise MiscountError(
            f"{left.total()} fences ran where {due.total()} were due; missing: {missing[:5]}, too many: {surplus[:5]}"
        )


def require_every_fence_told(course: Course, told: Path) -> None:
    """Hold what a run told in its last line, so many fences in so many lessons, against the course.

    Raises MiscountError where that is another number.
    """
    last = told.read_text(encoding="utf-8", errors="replace").splitlines()[-1:] or [""]
    found, due = re.findall(r"\d+", last[0])[:2], [str(len(course.traces)), str(len(course.pages))]
    if found != due:
        raise MiscountError(f"{due[0]} fences in {due[1]} lessons were due, and it told: {last[0]}")


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
