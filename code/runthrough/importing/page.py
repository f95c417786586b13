"""All cells of a notebook, one below the other, as the page of a lesson that says where it comes from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runthrough.lesson.document import Course, Lesson, Role, Severity
from runthrough.lesson.markdown import full_parser
from runthrough.lesson.read import read_text
from runthrough.lesson.slugs import slug

from .cells import File, Piece, has_meaning, piece_of
from .notebook import Kind, Notebook
from .prose import APART, IN_TEXT, are_apart

_MARK = re.compile(r"\n<!-- imported from (?P<name>.*), (?P<digest>[0-9a-f]{16}) -->\n\Z")


@dataclass(frozen=True)
class Page:
    """A lesson made of a notebook: its text, the files it links to, what to tell, and how many fences it has."""

    text: str
    files: tuple[File, ...]
    told: tuple[str, ...]
    running: int
    shown: int


def page_of(notebook: Notebook, name: str, stem: str) -> Page:
    """The lesson for a notebook. `name` is that of its file, `stem` begins the names of the lesson's figures."""
    taken: set[str] = set()
    pieces = [piece_of(cell, slug(stem), taken) for cell in notebook.cells]
    body = "\n".join(_blocks(notebook, pieces)) + "\n"
    _hold(body, pieces)
    shown = sum(piece.shown for piece in pieces)
    return Page(
        text=_marked(body, name),
        files=tuple(file for piece in pieces for file in piece.files),
        told=(*_told(pieces), *_links_that_meet(body)),
        running=sum(len(piece.codes) for piece in pieces) - shown,
        shown=shown,
    )


def comes_from(text: str, name: str) -> bool:
    """True for a page that an import of the notebook `name` has written and nobody has changed."""
    mark = _MARK.search(text)
    if mark is None:
        return False
    body = text[: mark.start()]
    return _marked(body, name) == text


def _marked(body: str, name: str) -> str:
    digest = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    plain = re.sub(r"-{2,}", "-", " ".join(name.encode("utf-8", "replace").decode().split())).rstrip("-")
    return f"{body}\n<!-- imported from {plain}, {digest} -->\n"


def _blocks(notebook: Notebook, pieces: Iterable[Piece]) -> Iterator[str]:
    """The texts of the page with a blank line between; nothing of one cell runs on into the next."""
    written = [piece for piece in pieces if piece.text]
    if notebook.title:
        yield f"---\ntitle: {json.dumps(notebook.title, ensure_ascii=False)}\n---\n"
    elif written and written[0].text.startswith("---"):
        yield ""  # front matter stands in the first line or nowhere
    above: Piece | None = None
    for piece in written:
        if above is not None:
            yield ""
            if above.cell.kind is piece.cell.kind is Kind.MARKDOWN and not are_apart(above.text, piece.text):
                yield f"{APART}\n"
        yield piece.text
        above = piece


def _told(pieces: Iterable[Piece]) -> Iterator[str]:
    tags: dict[str, list[int]] = {}
    keys: dict[str, list[int]] = {}
    for piece in pieces:
        number = piece.cell.number
        yield from (f"cell {number}: {what}" for what in dict.fromkeys(piece.told))
        for tag in piece.cell.tags:
            if not has_meaning(tag):
                tags.setdefault(tag, []).append(number)
        for key in piece.cell.unkept:
            keys.setdefault(key, []).append(number)
    for what, found in (("the tag", tags), ("the metadata", keys)):
        for word, numbers in found.items():
            yield f"{what} {word} is not kept ({_cells(numbers)})"


def _links_that_meet(body: str) -> Iterator[str]:
    """Links defined under one name in two cells, which on one page all lead to the first."""
    found: dict[str, Any] = {}
    full_parser().parse(body, found)
    for twice in found.get("duplicate_refs", []):
        if (first := found["references"][twice["label"]]["href"]) != twice["href"]:
            name = twice["label"].lower()
            yield f"[{name}] is defined in two cells and leads to {first} on one page, not to {twice['href']}"


def _cells(numbers: list[int]) -> str:
    listed = ", ".join(str(number) for number in numbers[:5]) + (", ..." if len(numbers) > 5 else "")
    return f"cell {listed}" if len(numbers) == 1 else f"cells {listed}"


def _hold(body: str, pieces: Iterable[Piece]) -> None:
    """Hold that a lesson is read as meant: the fences of the cells, and no other that runs.

    Raises RuntimeError where it is not, since a page that says something else must not be written.
    """
    lesson = read_text(body.encode(), Path("page.md"), "page", Course(Path(), "", "", ()))
    errors = [problem for problem in lesson.problems if problem.severity is Severity.ERROR]
    wanted = [code for piece in pieces for code in piece.codes]
    if errors or lesson.claims or lesson.boxes or _codes(lesson) != wanted:
        raise RuntimeError(f"the lesson would not say what the notebook says: {errors}")


def _codes(lesson: Lesson) -> list[str]:
    return [
        fence.code
        for fence in lesson.fences
        if fence.role is Role.CODE and fence.directives.show not in (IN_TEXT, "a raw cell")
    ]
