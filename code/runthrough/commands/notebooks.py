"""The command `notebooks`: lessons written as notebooks, with the files that they need beside them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from runthrough.command_line.arguments import Options
from runthrough.command_line.parsers import STDOUT, UsageError
from runthrough.commands.in_the_way import in_the_way
from runthrough.road import UnreadableError, read

if TYPE_CHECKING:
    from runthrough.lesson.document import Course, Lesson, Problem
    from runthrough.publish.cells import Edition, Page
    from runthrough.publish.readable import Surroundings, Wanted


@dataclass(frozen=True)
class Export:
    """A notebook to write: its lesson, its place below the folder asked for, and its bytes."""

    lesson: Lesson
    file: str
    data: bytes


@dataclass(frozen=True)
class _Place:
    """A lesson with its course and the folder that its notebook's place is counted from."""

    lesson: Lesson
    course: Course | None

    @property
    def root(self) -> Path:
        folder = self.lesson.path.parent
        return self.course.folder if self.course and folder.is_relative_to(self.course.folder) else folder

    def holds(self, path: Path) -> bool:
        """True for a file that keeps its place beside the notebook."""
        return path.is_relative_to(self.root) and path.is_file()

    @property
    def file(self) -> str:
        return self.lesson.path.relative_to(self.root).with_suffix(".ipynb").as_posix()


def write_notebooks(options: Options) -> int:
    """Write the notebooks of the lessons at the options' paths; the exit code."""
    from runthrough.publish.cells import Edition
    from runthrough.reports.writing import write_whole

    lessons = read(options.paths)
    folder = _folder(options.to)
    exports, beside = notebooks_of(lessons, options.paths, Edition(options.edition))
    if not options.force and (problems := [*in_the_way(folder, {each.file: each.data for each in exports}, beside)]):
        raise UnreadableError(problems)
    report = None
    stream = sys.stderr if options.json == STDOUT else sys.stdout
    if options.execute:
        from runthrough.commands.execution import executed

        exports, report = executed(exports, options)
    elif options.json:
        raise UsageError("--json writes what came of the cells; it needs --execute")
    files = beside | {export.file: export.data for export in exports}
    for name, data in files.items():
        try:
            write_whole(folder / name, data)
        except OSError as error:
            raise UsageError(f"--to {options.to}: {name} cannot be written: {error.strerror}") from error
    print(f"{_count(len(exports), 'notebook')} written to {options.to}" + _told(beside), file=stream)
    return 0 if report is None or report.holds else 1


def notebooks_of(
    lessons: Sequence[Lesson], paths: Sequence[str], edition: str
) -> tuple[list[Export], dict[str, bytes]]:
    """The notebooks of lessons that were read from `paths`, and the files beside them. Raises UnreadableError."""
    from runthrough.lesson.discovery import locate
    from runthrough.publish.cells import Edition
    from runthrough.publish.notebook import notebook_of
    from runthrough.publish.raw import RawText

    courses = {place.path: place.course for place in locate(paths).places}
    places = [_Place(lesson, courses.get(lesson.path)) for lesson in lessons]
    problems = list(_same_names(places))
    exports: list[Export] = []
    beside: dict[str, bytes] = {}
    for place in places:
        try:
            page, files = _page(place, Edition(edition), {other.lesson.path: other.file for other in places})
        except UnreadableError as error:
            problems += error.problems
            continue
        beside |= files
        raw = RawText(place.lesson.path.read_bytes().decode("utf-8"))
        exports.append(Export(place.lesson, place.file, notebook_of(page, raw)))
    if problems:
        raise UnreadableError(problems)
    return exports, beside


def page_for(lesson: Lesson, course: Course | None, edition: Edition) -> Page:
    """The cells of one lesson, also where its images are not at hand. Raises UnreadableError."""
    return _page(_Place(lesson, course), edition, {}, is_strict=False)[0]


def _page(
    place: _Place, edition: Edition, exported: Mapping[Path, str], *, is_strict: bool = True
) -> tuple[Page, dict[str, bytes]]:
    """The cells of a lesson and the files that it needs. Raises UnreadableError."""
    from runthrough.publish.cells import page_of
    from runthrough.publish.macros import MacroError

    around, files, wrong = _surroundings(place, exported, edition)
    wrong = wrong if is_strict else []
    try:
        page = page_of(place.lesson, around, edition)
    except MacroError as error:
        wrong.append(_macro_problem(place, error))
    if wrong:
        raise UnreadableError(wrong)
    return page, files


def _same_names(places: Sequence[_Place]) -> Iterator[Problem]:
    from runthrough.lesson.document import Problem

    first: dict[str, _Place] = {}
    for place in places:
        other = first.setdefault(place.file, place)
        if other is not place:
            message = f"{other.lesson.name} would be written to {place.file} too"
            yield Problem(place.lesson.name, 1, message, "rename one, or write them to two folders")


def _surroundings(
    place: _Place, exported: Mapping[Path, str], edition: Edition
) -> tuple[Surroundings, dict[str, bytes], list[Problem]]:
    """What the lesson's links and images are in the notebook, the files to put beside it, and what is missing."""
    from runthrough.publish.cells import Edition
    from runthrough.publish.pieces import Source, answers_of
    from runthrough.publish.readable import Surroundings, wanted

    links: dict[str, str | None] = {}
    images: dict[str, bytes] = {}
    source = Source(place.lesson)
    # A file that only a solution names is a part of it.
    answers = answers_of(source) if edition is Edition.STUDENT else []
    hidden = {number for first, last in answers for number in range(first + 1, last + 1)}
    needed = [file for fence in place.lesson.fences if fence.line not in hidden for file in fence.directives.files]
    problems: list[Problem] = []
    for want in wanted(source):
        path = _beside(place, want.target)
        if want.is_image:
            problem = _image_problem(place, want, path)
            problems += [problem] if problem else []
            images[want.target] = b"" if problem else path.read_bytes()
        elif path in exported and not place.holds(path):
            links[want.target] = os.path.relpath(exported[path], os.path.dirname(place.file) or ".")
        elif path in exported or (place.holds(path) and path.suffix.lower() in (".md", ".markdown")):
            links[want.target] = os.path.splitext(want.target)[0] + ".ipynb"
        elif place.holds(path):
            needed += [want.target] if want.line not in hidden else []
        else:
            links[want.target] = None
    paths = [path for path in (_beside(place, file) for file in needed) if place.holds(path)]
    beside = {path.relative_to(place.root).as_posix(): path.read_bytes() for path in paths}
    macros = place.course.macros if place.course is not None else {}
    return Surroundings(macros, links, images), beside, problems


def _beside(place: _Place, target: str) -> Path:
    return Path(os.path.normpath(place.lesson.path.parent / unquote(target)))


def _image_problem(place: _Place, want: Wanted, path: Path) -> Problem | None:
    from runthrough.lesson.document import Problem
    from runthrough.publish.readable import IMAGE_TYPES

    name = place.lesson.name
    if path.suffix.lower() not in IMAGE_TYPES:
        known = ", ".join(sorted(IMAGE_TYPES))
        return Problem(name, want.line, f"{want.target} is no image that a notebook can hold", f"known: {known}")
    if not path.is_file():
        return Problem(name, want.line, f"there is no image {want.target}", "see how it is spelt")
    return None


def _macro_problem(place: _Place, error: Exception) -> Problem:
    from runthrough.lesson.document import Problem

    return Problem(place.lesson.name, 1, str(error), "mend it under [macros] in course.toml")


def _folder(name: str) -> Path:
    """The folder to write to, made and tried. Raises UsageError."""
    import tempfile

    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        told = f"--to {name}: {error.strerror}; name a folder that can be written"
        raise UsageError(told) from error
    return folder


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")


def _told(beside: dict[str, bytes]) -> str:
    return f", with {_count(len(beside), 'file')} that they need or link to" if beside else ""
