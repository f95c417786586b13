"""The command `import`: a notebook becomes a new lesson, with its figures beside it."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from runthrough.command_line.arguments import Options
from runthrough.command_line.parsers import UsageError
from runthrough.road import UnreadableError

if TYPE_CHECKING:
    from runthrough.importing.page import Page

_SUFFIXES = (".md", ".markdown")
# A link or an image to a file, as Markdown and as HTML write it.
_LINK = re.compile(r"""(?:\]\(<?|(?:src|href)=["'])(?![\w+.-]+:|[#/])([^\s)#>"']+)""")


def import_notebook(options: Options) -> None:
    """Read the notebook, write the lesson, tell what is not kept; a notebook of ours goes back into its lesson.

    Raises UsageError or UnreadableError where nothing was written.
    """
    from runthrough.commands.bringing_back import bring_back
    from runthrough.importing.notebook import NotebookError, read_notebook
    from runthrough.importing.page import page_of
    from runthrough.lesson.document import Problem

    notebook, lesson = _named(options.paths)
    if bring_back(notebook, lesson):
        return
    try:
        page = page_of(read_notebook(notebook.read_bytes()), notebook.name, lesson.stem)
    except OSError as error:
        problem = Problem(str(notebook), 1, f"the file cannot be read: {error.strerror}", "see how it is spelt")
        raise UnreadableError([problem]) from None
    except NotebookError as error:
        raise UnreadableError([Problem(str(notebook), error.line, error.message, error.advice)]) from None
    _check_free(lesson, page, notebook.name, force=options.force)
    _write(lesson, page)
    for what in (*page.told, *_left_behind(page, notebook.parent, lesson.parent)):
        print(f"{notebook}: {what}", file=sys.stderr)
    print(f"{lesson}: {_counted(page)}; next: runthrough check {shlex.quote(str(lesson))}")


def _named(paths: tuple[str, ...]) -> tuple[Path, Path]:
    """The notebook and the lesson that the command line names."""
    if not 1 <= len(paths) <= 2:
        raise UsageError("name a notebook, and the lesson to write if it is not beside it under the same name")
    notebook = Path(paths[0])
    if notebook.is_dir():
        raise UsageError(f"{notebook} is a folder; name one notebook")
    if notebook.suffix.lower() in _SUFFIXES:
        raise UsageError(f"{notebook} is a lesson; name the notebook first")
    lesson = Path(paths[1]) if len(paths) == 2 else notebook.with_suffix(".md")
    if lesson.is_dir():
        lesson = lesson / f"{notebook.stem}.md"
    if lesson.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"{lesson} is no name for a lesson; lessons end in .md")
    return notebook, lesson


def _check_free(lesson: Path, page: Page, name: str, *, force: bool) -> None:
    """Raise UnreadableError where something stands there that this notebook has not brought, or that was edited."""
    from runthrough.importing.page import comes_from
    from runthrough.lesson.document import Problem

    if force:
        return
    advice = "name another lesson, or replace it with --force"
    try:
        there = lesson.read_bytes() if lesson.exists() else None
        if there is not None:
            if there == page.text.encode() or comes_from(there.decode("utf-8", "replace"), name):
                return
            raise UnreadableError([Problem(str(lesson), 1, "this lesson is there and holds other words", advice)])
        for file in page.files:
            target = lesson.parent / file.path
            if target.exists() and target.read_bytes() != file.data:
                raise UnreadableError([Problem(str(target), 1, "this file is there and is another", advice)])
    except OSError as error:
        problem = Problem(str(lesson), 1, f"the file there cannot be read: {error.strerror}", "name another lesson")
        raise UnreadableError([problem]) from None


def _write(lesson: Path, page: Page) -> None:
    from runthrough.lesson.document import Problem
    from runthrough.reports.writing import write_whole

    try:
        for file in page.files:
            write_whole(lesson.parent / file.path, file.data)
        write_whole(lesson, page.text.encode())
    except OSError as error:
        problem = Problem(str(lesson), 1, f"the lesson cannot be written: {error.strerror}", "name another folder")
        raise UnreadableError([problem]) from None


def _left_behind(page: Page, there: Path, here: Path) -> Iterator[str]:
    """Files beside the notebook that the page links to, and that are not beside the lesson."""
    for target in dict.fromkeys(_LINK.findall(page.text)):
        name = unquote(target)
        if not (here / name).exists() and (there / name).exists():
            yield f"the page links to {name}, which is beside the notebook and not beside the lesson; copy it"


def _counted(page: Page) -> str:
    from runthrough.reports.pen import plural

    shown = f", {page.shown} of them only shown" if page.shown else ""
    fences = plural(page.running + page.shown, "fence") + shown
    return f"{fences}, {plural(len(page.files), 'figure')}"
