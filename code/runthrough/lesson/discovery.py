"""Which files the paths on a command line mean, in which order, and to which course each belongs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .course import FILE, read_course
from .document import Course, Lesson, Problem, Role, Severity
from .read import read_lesson

SUFFIXES = (".md", ".markdown")
# A file of these kinds is read where it is named itself.
NAMED_SUFFIXES = (*SUFFIXES, ".mdx", ".qmd", ".myst", ".txt")
LEFT_OUT = {"build", "node_modules", "venv", "env", "site-packages", "__pycache__"}


@dataclass(frozen=True)
class Found:
    """The lessons in order, already read, the courses among them, and what is wrong with paths and courses."""

    lessons: tuple[Lesson, ...]
    courses: tuple[Course, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Place:
    """A lesson's absolute path, its name as the user would write it, and its course, if any."""

    path: Path
    name: str
    course: Course | None


def discover(paths: Sequence[str]) -> Found:
    """Find and read the lessons that `paths` name; without any, those of the courses below this folder."""
    found = locate(paths)
    lessons = tuple(read_lesson(place.path, place.name, place.course) for place in found.places)
    pairs = zip(lessons, found.places, strict=True)
    unlisted = (problem for lesson, place in pairs for problem in unlisted_in(place.course, lesson))
    return Found(lessons, found.courses, (*found.problems, *unlisted))


def unlisted_in(course: Course | None, lesson: Lesson) -> tuple[Problem, ...]:
    """The warning that a page with code lies in a course's folder and that its course does not list it."""
    if course is None or lesson.path in course.lessons or not _has_code(lesson):
        return ()
    message = "the course of this folder does not list this page"
    return (Problem(lesson.name, 1, message, f"add it to {FILE}", Severity.WARNING),)


def _has_code(lesson: Lesson) -> bool:
    return any(fence.role is Role.CODE for fence in lesson.fences)


@dataclass(frozen=True)
class Located:
    """What `discover` finds before any lesson is read."""

    places: tuple[Place, ...]
    courses: tuple[Course, ...]
    problems: tuple[Problem, ...]


def locate(paths: Sequence[str]) -> Located:
    """The lessons that `paths` mean, unread: course order first, then name order, each once."""
    finder = Finder()
    for path in paths:
        finder.add(path)
    if not paths:
        finder.add_courses_below(".")
    return Located(tuple(finder.places.values()), tuple(finder.courses.values()), tuple(finder.problems))


class Finder:
    """Gathers lessons and courses, each once, whatever path leads to them."""

    def __init__(self) -> None:
        self.places: dict[Path, Place] = {}
        self.courses: dict[Path, Course] = {}
        self.problems: list[Problem] = []
        self._no_course: set[Path] = set()

    def add(self, path: str) -> None:
        if os.path.isdir(path):
            before = len(self.places), len(self.problems)
            self._add_folder(path)
            if before == (len(self.places), len(self.problems)):
                self.problems.append(Problem(path, 1, "there is no lesson in this folder", "lessons end in .md"))
        elif os.path.isfile(path):
            self._add_file(path)
        else:
            self.problems.append(Problem(path or "''", 1, "there is no such file or folder", "see how it is spelt"))

    def place(self, file: str) -> Place:
        """The place of one lesson; a course that has been read is not read again."""
        course = self._course_around(Path(_absolute(file)).parent, os.path.dirname(file))
        return Place(Path(_absolute(file)), os.path.normpath(file), course)

    def add_courses_below(self, path: str) -> None:
        folders = [folder for folder, files in _folders(path) if FILE in files]
        for folder in folders:
            self._add_folder(folder)
        if not folders:
            advice = "name a lesson, a folder or a course"
            self.problems.append(Problem(path, 1, f"there is no {FILE} in this folder or below", advice))

    def _add_file(self, path: str) -> None:
        if Path(path).name == FILE:
            self._add_folder(str(Path(path).parent))
        elif not path.lower().endswith(NAMED_SUFFIXES):
            self.problems.append(Problem(path, 1, "this is no Markdown file", "lessons end in .md"))
        else:
            self._add_place(path, self._course_around(Path(_absolute(path)).parent, str(Path(path).parent)))

    def _add_folder(self, path: str) -> None:
        """Courses first, each in its own order, then everything else by name."""
        folders = list(_folders(path))
        for folder, files in folders:
            if FILE in files:
                course = self._course(folder)
                for lesson in course.lessons:
                    self._add_place(os.path.join(folder, lesson.relative_to(course.folder)), course)
        around = self._course_around(Path(_absolute(path)), path)
        for folder, files in folders:
            course_here = self._nearest(Path(_absolute(folder))) or around
            for file in sorted(files):
                if file.lower().endswith(SUFFIXES):
                    self._add_place(os.path.join(folder, file), course_here)

    def _add_place(self, path: str, course: Course | None) -> None:
        name, absolute = os.path.normpath(path), Path(_absolute(path))
        if absolute in self.places:
            return
        self.places[absolute] = Place(absolute, name, course)

    def _course(self, folder: str) -> Course:
        absolute = Path(_absolute(folder))
        if absolute not in self.courses:
            self.courses[absolute] = read_course(absolute, os.path.normpath(os.path.join(folder, FILE)))
            self.problems += self.courses[absolute].problems
        return self.courses[absolute]

    def _nearest(self, folder: Path) -> Course | None:
        return next((self.courses[each] for each in (folder, *folder.parents) if each in self.courses), None)

    def _course_around(self, absolute: Path, as_named: str) -> Course | None:
        """The course whose folder this is in, looked for upwards."""
        name = as_named or "."
        for folder in (absolute, *absolute.parents):
            if folder in self.courses or (folder not in self._no_course and (folder / FILE).is_file()):
                return self._course(os.path.normpath(name))
            self._no_course.add(folder)
            name = os.path.join(name, "..")
        return None


def _folders(path: str) -> Iterator[tuple[str, list[str]]]:
    """The folder and those below it in name order, with their files; what tools make or hide is left out."""
    for folder, below, files in os.walk(path):
        below[:] = sorted(
            name for name in below if not name.startswith(".") and name not in LEFT_OUT and not _is_venv(folder, name)
        )
        yield folder, [file for file in files if not file.startswith(".")]


def _is_venv(folder: str, name: str) -> bool:
    return os.path.isfile(os.path.join(folder, name, "pyvenv.cfg"))


def _absolute(path: str) -> str:
    return os.path.abspath(path)
