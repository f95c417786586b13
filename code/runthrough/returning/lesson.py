"""A lesson after the edits that somebody made in its notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from runthrough.publish.cells import Cell, Page
from runthrough.publish.notebook import digest, lines_before, raw_lines
from runthrough.publish.pieces import Kind
from runthrough.publish.raw import RawText

from .code import code_back, fence_of
from .hunks import changes
from .notebook import EditedCell, EditedNotebook
from .prose import prose_back
from .splits import as_they_were

_NOTEBOOK_LINK = re.compile(r"(\]\((?!\w+:)[^()\s#]*)\.ipynb(?=[)#])")
_ATTACHMENT = re.compile(r"attachment:([^\s)\"']+)")
_BOM = "\ufeff"
_NEW, _BEFORE = -1, -2  # places of what was no cell


class CannotReturnError(Exception):
    """An edit has no place in a lesson; `number` is its cell's, counted from 1."""

    def __init__(self, number: int, message: str, advice: str) -> None:
        super().__init__(message)
        self.number, self.advice = number, advice


@dataclass(frozen=True)
class Returned:
    """The lesson's file after the edits, how many cells changed, and what to tell, each with its cell's number.

    `codes` are the texts of its code cells, and of the fences that text cells show as they were: the lesson is read as
    it is meant if each is the text of a fence.
    """

    raw: RawText
    changed: int
    told: tuple[tuple[int, str], ...] = ()
    codes: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class _Chunk:
    """Lines of the new file, and the cell's place among those that were made, _NEW for a new one."""

    lines: tuple[str, ...]
    place: int
    is_changed: bool = False
    told: tuple[tuple[int, str], ...] = ()
    code: tuple[int, str] | None = None


def bring_back(notebook: EditedNotebook, page: Page, raw: RawText) -> Returned:
    """The lesson with the notebook's edits; `page` are the cells it was made with, `raw` the file it was made from.

    Raises CannotReturnError.
    """
    cells = as_they_were(notebook.cells, page)
    matched = _matched(cells, page)
    if page.cells and not matched and (first := next((each for each in notebook.cells if each.source.strip()), None)):
        advice = "write the notebook anew, and make the edit there"
        raise CannotReturnError(first.number, "neither it nor another says which part of the lesson it is", advice)
    chunks = [_before(page, raw)]
    for at, cell in enumerate(cells):
        if cell.is_setup:
            continue
        place = matched.get(at)
        chunks.append(_new(cell, raw) if place is None else _known(cell, page, place, raw))
    there = {chunk.place for chunk in chunks}
    deleted = [place for place in range(len(page.cells)) if place not in there]
    for place in deleted:
        _keep_answers(chunks, place, page, raw)
    chunks = list(_without_orphans(chunks, deleted, page))
    order = [chunk.place for chunk in chunks if chunk.place >= 0]
    moved = sum(one > other for one, other in pairwise(order))
    edited = sum(chunk.is_changed for chunk in chunks)
    told = [each for chunk in chunks for each in chunk.told]
    setups = (cell for cell in notebook.cells if cell.is_setup and cell.is_edited)
    told += [(cell.number, "this cell is ours, and its change is left out") for cell in setups]
    return Returned(
        _joined(chunks, raw),
        edited + moved + len(deleted),
        tuple(told),
        tuple(chunk.code for chunk in chunks if chunk.code is not None),
    )


def _matched(cells: Sequence[EditedCell], page: Page) -> dict[int, int]:
    """For each cell that was there, by its place now, its place among those made. Of copies the first is the cell."""
    places = {cell.id: place for place, cell in enumerate(page.cells)}
    matched: dict[int, int] = {}
    for at, cell in enumerate(cells):
        place = places.get(cell.key)
        if place is None or place in matched.values() or cell.is_setup:
            continue
        if (cell.kind == "code") == page.cells[place].is_code:
            matched[at] = place
    return matched


def _before(page: Page, raw: RawText) -> _Chunk:
    return _Chunk(tuple(lines_before(page, raw)), _BEFORE)


def _known(cell: EditedCell, page: Page, place: int, raw: RawText) -> _Chunk:
    made = page.cells[place]
    cell = _without_last_line_ends(cell, made)
    rest = [line for piece in made.pieces[1:] for line in raw_lines(piece, page, raw)]
    old = raw_lines(made.pieces[0], page, raw)
    fence = made.pieces[0].fence
    if cell.source == made.source or digest(cell.source) == cell.made_digest:
        return _Chunk((*old, *rest), place, code=(cell.number, fence.code) if fence else None)
    code = None
    if made.is_code:
        lines, told = code_back(made, raw, cell.source)
        is_console = ">>>" in "".join(old)
        code = None if told or is_console else (cell.number, cell.source.removesuffix(made.addition))
    else:
        text, told = prose_back(
            made.rewritten, page.source.text, cell.source, lambda words: _as_written(words, cell, made, page)
        )
        lines = _with_ends(old, text, raw)
    return _Chunk((*lines, *rest), place, True, tuple((cell.number, each) for each in told), code)


def _without_last_line_ends(cell: EditedCell, made: Cell) -> EditedCell:
    """Some tools end each cell with a line end, which Jupyter does not and which is no edit."""
    return cell if made.source.endswith("\n") else replace(cell, source=cell.source.rstrip("\n"))


def _with_ends(old: Sequence[str], text: str, raw: RawText) -> list[str]:
    """New text as lines of the file: those that were there keep their bytes."""
    new = text.removesuffix("\n").split("\n") if text else []
    before = [line.rstrip("\r\n").removeprefix(_BOM) for line in old]
    lines: list[str] = []
    at = position = 0
    for start, end, first, last in changes(before, new):
        lines += old[at:start]
        lines += [line + raw.line_end for line in new[first:last]]
        at, position = end, last
    lines += old[at:] if position <= len(new) else []
    return lines


def _as_written(words: str, cell: EditedCell, made: Cell, page: Page) -> str:
    """Words from a notebook as a lesson has them: links to notebooks are links to lessons. Raises CannotReturnError."""
    for name in _ATTACHMENT.findall(words):
        if name in cell.attachments and name not in {each.name for each in made.attachments}:
            advice = f"save it beside the lesson, as figures/{name}, and link to it there"
            raise CannotReturnError(cell.number, f"the image {name} was pasted into this cell", advice)
    return _NOTEBOOK_LINK.sub(r"\1.md", words)


def _new(cell: EditedCell, raw: RawText) -> _Chunk:
    if not cell.source.strip():
        return _Chunk((), _NEW)
    if cell.kind == "code":
        return _Chunk(
            tuple(fence_of(cell.source.rstrip("\n"), raw.line_end)), _NEW, True, (), (cell.number, cell.source)
        )
    if cell.kind != "markdown":
        raise CannotReturnError(cell.number, f"a lesson has no place for a {cell.kind} cell", "make it Markdown")
    if cell.attachments:
        advice = "save it beside the lesson and link to it there"
        raise CannotReturnError(cell.number, f"the image {cell.attachments[0]} was pasted into this cell", advice)
    text = _NOTEBOOK_LINK.sub(r"\1.md", cell.source)
    return _Chunk(tuple(line + raw.line_end for line in text.strip("\n").split("\n")), _NEW, True)


def _keep_answers(chunks: list[_Chunk], place: int, page: Page, raw: RawText) -> None:
    """Put back what a student's notebook never held, behind the cell before one that was deleted."""
    answers = [piece for piece in page.cells[place].pieces[1:] if piece.is_answer]
    if answers:
        lines = tuple(line for piece in answers for line in raw_lines(piece, page, raw))
        behind = max((at for at, chunk in enumerate(chunks) if 0 <= chunk.place < place), default=0)
        chunks.insert(behind + 1, _Chunk(lines, _NEW))


def _without_orphans(chunks: Sequence[_Chunk], deleted: Sequence[int], page: Page) -> Iterator[_Chunk]:
    """Without the outputs of code that was deleted."""
    gone = set(deleted)
    for place in range(1, len(page.cells)):
        if place - 1 in gone and page.cells[place].kind is Kind.OUTPUT and page.cells[place - 1].kind is not Kind.PROSE:
            gone.add(place)
    return (chunk for chunk in chunks if chunk.place not in gone)


def _joined(chunks: Sequence[_Chunk], raw: RawText) -> RawText:
    """The chunks one after the other, with an empty line between those that did not follow each other before."""
    lines: list[str] = []
    last = _BEFORE
    for chunk in chunks:
        if not chunk.lines:
            continue
        added = list(chunk.lines)
        follows = last != _NEW and chunk.place == (0 if last == _BEFORE else last + 1)
        if lines and not (follows and not chunk.is_changed):
            if not lines[-1].endswith(("\n", "\r")):
                lines[-1] += raw.line_end
            added = _apart(lines, added, raw, is_seam=not follows)
        lines += added
        last = chunk.place
    if raw.has_mark and lines:
        # The line that has the mark may be anywhere now, or gone.
        lines = [line.removeprefix(_BOM) if line == raw.lines[0] else line for line in lines]
        lines[0] = _BOM + lines[0].removeprefix(_BOM)
    return RawText("".join(lines))


def _apart(lines: Sequence[str], added: list[str], raw: RawText, *, is_seam: bool) -> list[str]:
    """Lines to add below others, with just one empty line between where the seam is new."""
    ends_blank = not lines[-1].strip()
    if is_seam and ends_blank:
        while added and not added[0].strip():
            added = added[1:]
    if is_seam and not ends_blank and added and added[0].strip():
        added = [raw.line_end, *added]
    return added
