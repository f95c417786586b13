"""The command `import` for a notebook of ours: edits made in Jupyter go back into the lesson."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from runthrough.commands.notebooks import page_for
from runthrough.road import UnreadableError, read

if TYPE_CHECKING:
    from runthrough.lesson.document import Course, Lesson
    from runthrough.publish.cells import Page
    from runthrough.publish.raw import RawText
    from runthrough.returning.lesson import Returned
    from runthrough.returning.notebook import EditedNotebook


def bring_back(notebook: Path, lesson: Path) -> bool:
    """Write the edits in `notebook` to `lesson`, where it is one that we made; False where it is another's.

    A lesson that is not there is made from an instructor's notebook. Raises UnreadableError, and nothing is written.
    """
    from runthrough.reports.writing import write_whole
    from runthrough.returning.notebook import DamagedError, edited_notebook

    try:
        edited = edited_notebook(notebook.read_bytes())
    except OSError:
        return False  # whoever reads other notebooks tells of it
    except DamagedError as error:
        advice = "mend the file there, or write the notebook anew"
        raise _unreadable(notebook, f"cell {error.number} is damaged: {error}", advice) from None
    if edited is None:
        return False
    now = _now(lesson)
    base = _base(edited, now, notebook, lesson)
    returned = _returned(edited, base, notebook, lesson)
    text = _merged(base, returned.raw, now, lesson)
    if now is None or text != now.text:
        _check(text, returned, notebook, lesson)
    for number, what in returned.told:
        print(f"{notebook}: cell {number}: {what}", file=sys.stderr)
    if now is not None and text == now.text:
        print(f"{lesson}: nothing to change")
        return True
    try:
        write_whole(lesson, text.encode("utf-8"))
    except OSError as error:
        raise _unreadable(lesson, f"the lesson cannot be written: {error.strerror}", "name another folder") from None
    print(f"{lesson}: {_told(returned, is_new=now is None)}")
    return True


def _now(lesson: Path) -> RawText | None:
    """The lesson's file as it is, None where there is none. Raises UnreadableError where it is no good lesson."""
    from runthrough.publish.raw import RawText

    if not lesson.exists():
        return None
    read([str(lesson)])
    return RawText(lesson.read_bytes().decode("utf-8"))


def _base(edited: EditedNotebook, now: RawText | None, notebook: Path, lesson: Path) -> RawText:
    """The lesson as the notebook was made from it. Raises UnreadableError where it is not to be had."""
    from runthrough.publish.notebook import digest

    if now is not None and digest(now.text) == edited.lesson_digest:
        return now
    carried = edited.carried
    if carried is not None and (now is None or digest(carried.text) == edited.lesson_digest):
        return carried
    if now is None:
        advice = f"name its lesson: runthrough import {notebook} path/to/{edited.lesson}"
        raise _unreadable(notebook, "a student's notebook holds only a part of its lesson", advice)
    message = f"the lesson changed after {notebook.name} was made"
    raise _unreadable(lesson, message, "write the notebook anew and make the edit there")


def _returned(edited: EditedNotebook, base: RawText, notebook: Path, lesson: Path) -> Returned:
    from runthrough.returning.lesson import CannotReturnError
    from runthrough.returning.lesson import bring_back as returned

    try:
        return returned(edited, _page(base, edited, lesson), base)
    except CannotReturnError as error:
        raise _unreadable(notebook, f"cell {error.number}: {error}", error.advice) from None


def _page(base: RawText, edited: EditedNotebook, lesson: Path) -> Page:
    # What is code and what only shown must be as it was, wherever the lesson is now.
    read_then = replace(_lesson(base.text, lesson), pinned_torch=edited.torch)
    return page_for(read_then, _course(lesson), edited.edition)


def _lesson(text: str, lesson: Path) -> Lesson:
    from runthrough.lesson.read import read_text

    return read_text(text.encode("utf-8"), lesson.absolute(), str(lesson), _course(lesson))


def _course(lesson: Path) -> Course | None:
    from runthrough.lesson.course import FILE, read_course

    for folder in lesson.absolute().parents:
        if (folder / FILE).is_file():
            return read_course(folder, str(folder / FILE))
    return None


def _merged(base: RawText, one: RawText, now: RawText | None, lesson: Path) -> str:
    from runthrough.returning.merge import ConflictError, merged

    if now is None or now.text == base.text:
        return one.text
    try:
        return "".join(merged(base.lines, one.lines, now.lines))
    except ConflictError as error:
        message = "these lines changed in the lesson and in the notebook"
        raise _unreadable(lesson, message, "make one of the two edits by hand", error.line) from None


def _check(text: str, returned: Returned, notebook: Path, lesson: Path) -> None:
    """Raises UnreadableError where the lesson would not be read as the notebook has it."""
    from runthrough.lesson.document import Severity

    read_again = _lesson(text, lesson)
    problems = [each for each in read_again.problems if each.severity is Severity.ERROR]
    if problems:
        raise UnreadableError(problems)
    fences = [fence.code.rstrip("\n") for fence in read_again.fences]
    for number, code in returned.codes:
        if code.rstrip("\n") not in fences:
            message = f"cell {number}: its code would be read as something else in the lesson"
            advice = "see that every fence in a Markdown cell above is closed, or make the edit in the lesson"
            raise _unreadable(notebook, message, advice)


def _told(returned: Returned, *, is_new: bool) -> str:
    if is_new:
        return "written from its notebook"
    return f"{returned.changed} {'cell' if returned.changed == 1 else 'cells'} brought back"


def _unreadable(path: Path, message: str, advice: str, line: int = 1) -> UnreadableError:
    from runthrough.lesson.document import Problem

    return UnreadableError([Problem(str(path), line, message, advice)])


__all__: Sequence[str] = ("bring_back",)
