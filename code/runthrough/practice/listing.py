"""What a student is shown beside verdicts: where they are, what is open, a hint."""

from __future__ import annotations

from collections.abc import Iterator

from runthrough.practice.exercises import Exercise
from runthrough.practice.folder import PracticeFolder
from runthrough.practice.handout import wrapped
from runthrough.practice.verdict import SCREEN
from runthrough.reports.pen import Line, Span, line, plural, visible


def welcome_lines(folder: PracticeFolder, course: str) -> Iterator[Line]:
    """The first lines of a watch."""
    done = sum(folder.is_done(exercise) for exercise in folder.exercises)
    yield line(Span(visible(course), "bold"), f": {plural(len(folder.exercises), 'exercise')}, {done} done")
    yield line(f"they are in {visible(folder.name)}: open one in your editor; each save is checked")


def turn_lines(folder: PracticeFolder, exercise: Exercise) -> Iterator[Line]:
    """The exercise in hand: its file, its name, and where the lesson asks for it."""
    number = folder.exercises.index(exercise) + 1
    path = Span(visible(f"{folder.name}/{folder.file(exercise).name}"), "bold")
    yield ()
    yield line(Span(f"[{number}/{len(folder.exercises)}] ", "bold"), path, f"  {visible(exercise.heading)}")
    yield line(Span("  the lesson: ", "dim"), visible(exercise.place))


def list_lines(folder: PracticeFolder, current: Exercise) -> Iterator[Line]:
    """Every exercise below its lesson's title, with what is done."""
    width = max(len(folder.file(exercise).name) for exercise in folder.exercises)
    title = ""
    for exercise in folder.exercises:
        if exercise.lesson.title != title:
            title = exercise.lesson.title
            yield line(Span(visible(title), "bold"))
        state = Span("done", "green") if folder.is_done(exercise) else "open"
        here = ">" if exercise == current else " "
        yield line(f"{here} ", state, f"  {visible(folder.file(exercise).name):{width}}  {visible(exercise.heading)}")
    done = sum(folder.is_done(exercise) for exercise in folder.exercises)
    yield line(f"{done} of {plural(len(folder.exercises), 'exercise')} done")


def hint_lines(exercise: Exercise, number: int) -> Iterator[Line]:
    """The hint of this number, counted from 0; past the last one, what else there is to read."""
    if not exercise.hints:
        yield line(f"this exercise has no hint; read the lesson above {visible(exercise.place)}")
        return
    at = min(number, len(exercise.hints) - 1)
    yield line(Span(f"hint {at + 1} of {len(exercise.hints)}", "bold"))
    for paragraph in exercise.hints[at].split("\n"):
        yield from (line("  ", visible(row)) for row in wrapped(paragraph, SCREEN - 2))
    if number >= len(exercise.hints):
        yield line(f"  there is no other; read the lesson above {visible(exercise.place)}")
