"""The command `practice`: a course's exercises as files, watched and checked, or one asked for by name."""

from __future__ import annotations

import os
import selectors
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from runthrough.command_line.arguments import Options
from runthrough.command_line.parsers import UsageError
from runthrough.road import UnreadableError, read

if TYPE_CHECKING:
    from runthrough.job import Job
    from runthrough.practice.exercises import Exercise
    from runthrough.practice.folder import PracticeFolder
    from runthrough.practice.verdict import Verdict
    from runthrough.reports.pen import Pen
    from runthrough.result import LessonResult
    from runthrough.running.pool import Pool

CURRENT = "current"
_LOOK_AGAIN_SECONDS = 0.1


def practise(options: Options) -> bool:
    """Do what was asked for; False where an answer that was to be checked does not pass.

    Raises UsageError and UnreadableError.
    """
    from runthrough.practice.folder import FolderError
    from runthrough.practice.progress import UnreadableProgressError
    from runthrough.reports.pen import line, pen_for

    pen = pen_for(sys.stdout, color=options.color)
    title, folder = _folder(options)
    try:
        pen.write(line(note) for note in folder.open())
        if options.is_one_thing:
            return _once(options, folder, pen)
        _watch(options, title, folder, pen)
    except FolderError as error:
        raise UsageError(str(error)) from error
    except UnreadableProgressError as error:
        raise UnreadableError([error.problem]) from error
    except OSError as error:
        if error.filename is None or not Path(error.filename).is_relative_to(folder.path):
            raise
        raise UsageError(f"{error.filename} cannot be written: {error.strerror}") from error
    return True


def _folder(options: Options) -> tuple[str, PracticeFolder]:
    """The course's title, and the folder that is meant, not opened yet."""
    from runthrough.lesson.course import FILE, read_course
    from runthrough.practice.exercises import exercises_of
    from runthrough.practice.folder import PracticeFolder

    if len(options.paths) != 1:
        raise UsageError("name one course, as in: runthrough practice COURSE --into DIR")
    if not options.into:
        raise UsageError("name the folder for the exercises with --into DIR; it is made where there is none")
    (named,) = options.paths
    course = Path(os.path.abspath(named if Path(named).name != FILE else Path(named).parent))
    if not (course / FILE).is_file():
        raise UsageError(f"{named} is no course: there is no {FILE} in it")
    lessons = read([named])
    found = read_course(course, os.path.join(named, FILE))
    exercises = exercises_of((lesson for lesson in lessons if lesson.path in found.lessons), course)
    if not exercises:
        raise UsageError(f"{named} has no exercises")
    into = Path(os.path.abspath(options.into))
    if into.resolve().is_relative_to(course.resolve()):
        raise UsageError(f"--into {options.into} is inside the course; name a folder outside {named}")
    return found.title, PracticeFolder(into, os.path.normpath(options.into), found.title, exercises)


def _once(options: Options, folder: PracticeFolder, pen: Pen) -> bool:
    """Do one thing for one exercise, and leave."""
    from runthrough.practice.listing import hint_lines, list_lines
    from runthrough.reports.pen import line, plural, visible

    if options.list_exercises:
        pen.write(list_lines(folder, folder.current))
        return True
    if options.hint:
        exercise = _named(options.hint, folder)
        for number in range(max(1, len(exercise.hints))):
            pen.write(hint_lines(exercise, number))
        return True
    if options.reset:
        exercise = _named(options.reset, folder)
        backup = folder.reset(exercise)
        kept = f"; your file is kept as {visible(backup)}" if backup else ""
        pen.write([line(f"{visible(folder.file(exercise).name)} is the starter again{kept}")])
        return True
    exercise = _named(options.check, folder)
    with _judge(options, folder, pen) as judge:
        verdict = judge(exercise)
    assert verdict is not None  # it is waited for
    if verdict.is_known:
        folder.mark(exercise, is_done=verdict.is_passed)
    pen.write(verdict.lines)
    if verdict.is_known and not verdict.is_passed and exercise.hints:
        pen.write([line(f"  stuck? --hint {exercise.name} shows {plural(len(exercise.hints), 'hint')}")])
    return verdict.is_passed


def _named(word: str, folder: PracticeFolder) -> Exercise:
    """The exercise that a word names: its name, its file, its number, or `current`."""
    exercises = folder.exercises
    for number, exercise in enumerate(exercises, 1):
        file = folder.file(exercise).name
        if word in (exercise.name, exercise.key, file, Path(file).stem, str(number), f"{number:02}"):
            return exercise
    if word == CURRENT:
        return folder.current
    names = ", ".join(exercise.name for exercise in exercises)
    raise UsageError(f"there is no exercise {word!r}; there are {names}")


def _watch(options: Options, title: str, folder: PracticeFolder, pen: Pen) -> None:
    from runthrough.practice.listing import welcome_lines
    from runthrough.practice.session import Session
    from runthrough.practice.watching import desk_at

    typing = sys.stdin.fileno() if sys.stdin is not None else -1
    with folder.watched_alone(), desk_at(folder.path, typing) as desk, _judge(options, folder, pen) as judge:
        pen.write(welcome_lines(folder, title))
        judge.prepare_for_all()
        Session(folder, pen, judge).run(desk)


@contextmanager
def _judge(options: Options, folder: PracticeFolder, pen: Pen) -> Iterator[_Judge]:
    """A judge whose server stays warm from one answer to the next."""
    from runthrough.running.pool import Pool, PoolSettings

    with selectors.DefaultSelector() as selector, Pool(PoolSettings(1, options.spawn), selector) as pool:
        yield _Judge(options, folder, pen, pool)


class _Judge:
    """Runs answers and tells what came of them."""

    def __init__(self, options: Options, folder: PracticeFolder, pen: Pen, pool: Pool) -> None:
        self._options = options
        self._folder = folder
        self._pen = pen
        self._pool = pool
        self._modules: tuple[str, ...] = ()

    def prepare_for_all(self) -> None:
        """Have the server import what any lesson with an exercise uses, and not the first one's alone."""
        from runthrough.plan import plan

        lessons = {exercise.lesson.path: exercise.lesson for exercise in self._folder.exercises}
        self._modules = tuple(dict.fromkeys(name for each in lessons.values() for name in plan(each).modules))

    def __call__(self, exercise: Exercise, until: Callable[[], bool] = lambda: False) -> Verdict | None:
        """Check an answer; `None` where `until` came first."""
        from runthrough.practice.answer import job_for
        from runthrough.practice.verdict import Answer, verdict_of
        from runthrough.reports.terminal import marks_for

        file = self._folder.file(exercise)
        try:
            text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except OSError as error:
            return _unread(f"{file.name} cannot be read: {error.strerror}")
        except UnicodeDecodeError:
            return _unread(f"{file.name} is not UTF-8 text; save it as UTF-8")
        job = job_for(exercise, file, text, seconds=self._options.timeout, memory_mib=self._options.memory_mib)
        self._pen.progress(f"checking {file.name}")
        try:
            result = self._run(replace(job, modules=self._modules or job.modules), until)
        finally:
            self._pen.progress("")
        if result is None:
            return None
        name = f"{self._folder.name}/{file.name}"
        return verdict_of(Answer(exercise, name, text), result, marks_for(sys.stdout)[0])

    def _run(self, job: Job, until: Callable[[], bool]) -> LessonResult | None:
        self._pool.add([job])
        while self._pool.is_busy:
            for place in self._pool.places_with_news(_LOOK_AGAIN_SECONDS):
                for _, result in self._pool.hear(place):
                    return result
            if until():
                self._pool.drop()
        return None


def _unread(said: str) -> Verdict:
    from runthrough.practice.verdict import Verdict
    from runthrough.reports.pen import Span, line, visible

    return Verdict(False, (line(Span(visible(said), "bold red")),))
