"""A lesson as the cells of a notebook, for students or for instructors."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

from runthrough.lesson.document import Fence, Lesson, Role
from runthrough.lesson.slugs import slug

from .boxes import Frame, frames_of
from .framing import frame_edits
from .pieces import Kind, Piece, Source, pieces_of
from .readable import Attachment, Definition, Surroundings, definitions_of, edits_of
from .rewriting import Edit, Rewrite, rewrite
from .standing import not_executed, note_on

_LONGEST_ID = 60
_CODE_INDENT = 4  # spaces that make code of a line
_ID = re.compile(r"[a-z0-9-]{1,60}")


class Edition(StrEnum):
    """For whom a notebook is: students find no solution in it, instructors find them all."""

    STUDENT = "student"
    INSTRUCTOR = "instructor"


@dataclass(frozen=True)
class Cell:
    """One cell. `pieces` are the parts of the lesson it stands for, of which it shows the first under `rewritten`.

    `addition` is code of ours below the code of the page. `fence` is the id of the fence it shows, or "".
    """

    id: str
    is_code: bool
    source: str
    pieces: tuple[Piece, ...]
    rewritten: Rewrite
    fence: str = ""
    tags: tuple[str, ...] = ()
    is_folded: bool = False
    addition: str = ""
    attachments: tuple[Attachment, ...] = ()

    @property
    def kind(self) -> Kind:
        """What it shows."""
        return self.pieces[0].kind


@dataclass(frozen=True)
class Page:
    """The cells of a lesson, and what stands before the first of them."""

    source: Source
    edition: Edition
    before: tuple[Piece, ...]
    cells: tuple[Cell, ...]


def page_of(lesson: Lesson, around: Surroundings, edition: Edition) -> Page:
    """The cells of a lesson that has no errors. Raises MacroError."""
    source = Source(lesson)
    pieces = pieces_of(source)
    markdown = _markdown(source, pieces, around)
    before: list[Piece] = []
    cells: list[Cell] = []
    for above, piece in zip([None, *pieces], pieces, strict=False):
        if piece.kind is Kind.FRONT or (piece.is_answer and edition is Edition.STUDENT):
            cell = None
        elif piece.kind is Kind.CODE and piece.fence is not None and not not_executed(piece.fence, lesson):
            cell = _code_cell(source, piece, edition)
        else:
            own = [*_unprefixed(source, piece), *_dedented(source, piece, above)]
            cell = _prose_cell(source, piece, replace(markdown, edits=(*own, *markdown.edits)))
        if cell is not None:
            cells.append(cell)
        elif cells:
            cells[-1] = replace(cells[-1], pieces=(*cells[-1].pieces, piece))
        else:
            before.append(piece)
    return Page(source, edition, tuple(before), tuple(_with_ids(cells)))


def _unprefixed(source: Source, piece: Piece) -> Iterator[Edit]:
    """A fence in a cell of its own without what stands before its lines, with a note where it is only shown."""
    fence = piece.fence
    if fence is None:
        return
    opener = source.lines[fence.line - 1].index(fence.marker)
    for number in range(fence.line, fence.end_line + 1):
        line = source.lines[number - 1]
        size = opener if number == fence.line else len(fence.prefix)
        before = line[:size] if number == fence.line or line.startswith(fence.prefix) else _margin(line)[:size]
        if before:
            yield Edit(source.starts[number - 1], source.starts[number - 1] + len(before), "")
    if note := note_on(fence, source.lesson):
        at = source.starts[fence.line - 1] + opener
        yield Edit(at, at, f"{note}\n\n")


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t>"))]


def _dedented(source: Source, piece: Piece, above: Piece | None) -> Iterator[Edit]:
    """Words that go on in a list below code, without an indentation that would make code of them."""
    prefix = above.fence.prefix if above is not None and above.fence is not None else ""
    if piece.kind is not Kind.PROSE or len(prefix) < _CODE_INDENT or prefix.strip():
        return
    for number in range(piece.line, source.text.count("\n", 0, piece.end) + 1):
        line = source.lines[number - 1]
        if line.strip() and not line.startswith(prefix):
            return
        if line.strip():
            yield Edit(source.starts[number - 1], source.starts[number - 1] + len(prefix), "")


def _code_cell(source: Source, piece: Piece, edition: Edition) -> Cell:
    fence = piece.fence
    assert fence is not None
    said = fence.directives
    edits, addition = list(_code_edits(source, piece, fence)), ""
    if (said.check and edition is Edition.STUDENT) or said.solution:
        addition = f"check({said.check or said.solution})"
    rewritten = Rewrite(piece.start, piece.end, tuple(edits))
    code = rewritten.shown(source.text)
    if addition:
        addition = "\n\n" + addition if code else addition
    elif said.figure and not said.of and _ends_with_expression(code):
        addition = ";"  # the page shows the drawing, and Jupyter would show its source
    fails = said.raises or _shows_error(fence, source.lesson) or (said.check and edition is Edition.STUDENT)
    inside_fold = any(fold.first_line < fence.line <= fold.last_line for fold in source.folds)
    tags = [*(["raises-exception"] if fails else []), *(["remove-cell"] if said.hidden else [])]
    if inside_fold and not said.hidden:
        tags.append("hide-input")
    return Cell(
        id=fence.id,
        is_code=True,
        source=code + addition,
        pieces=(piece,),
        rewritten=rewritten,
        fence=fence.id,
        tags=(*tags, *_role_tags(fence)),
        is_folded=inside_fold or said.hidden,
        addition=addition,
    )


def _ends_with_expression(code: str) -> bool:
    """True where the last characters of the code are those of an expression, so that a `;` may follow."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError):
        return False
    lines = code.split("\n")
    end = (len(lines), len(lines[-1].encode("utf-8")))
    return bool(body) and isinstance(body[-1], ast.Expr) and (body[-1].end_lineno, body[-1].end_col_offset) == end


def _shows_error(fence: Fence, lesson: Lesson) -> bool:
    """True where an error fence below it says that the code raises."""
    below = lesson.fences[lesson.fences.index(fence) + 1 :]
    return any(
        each.role is Role.ERROR for each in takewhile(lambda each: each.role in (Role.OUTPUT, Role.ERROR), below)
    )


def _role_tags(fence: Fence) -> Iterator[str]:
    for role in ("exercise", "check", "solution"):
        if getattr(fence.directives, role):
            yield role


def _code_edits(source: Source, piece: Piece, fence: Fence) -> Iterator[Edit]:
    """The code alone: without its comments, its markers and what stands before each line."""
    starts, lines = source.starts, source.lines
    is_console = fence.code.lstrip().startswith(">>>")
    rows = fence.code.split("\n")[:-1] if fence.code else []
    yield Edit(piece.start, starts[fence.code_line - 1], "")
    for number, row in enumerate(rows, start=fence.code_line):
        start, line = starts[number - 1], lines[number - 1]
        shown = _from_console(row) if is_console else row
        if line.endswith(shown):
            yield Edit(start, start + len(line) - len(shown), "")
        elif shown.endswith(row) and line.endswith(row):
            yield Edit(start, start + len(line) - len(row), shown[: len(shown) - len(row)])
        else:
            yield Edit(start, start + len(line), shown)
    after = starts[fence.code_line - 1 + len(rows)]
    last = after - 1 if rows else after
    yield Edit(min(last, piece.end), piece.end, "")


def _from_console(row: str) -> str:
    """A line of a `>>>` session as a line of a script; what it printed becomes a comment."""
    match = re.match(r"[ \t]*(?:>>>|\.\.\.)(?: |$)", row)
    if match:
        return row[match.end() :]
    return f"#> {row}" if row.strip() else row


@dataclass(frozen=True)
class _Markdown:
    """What is done with the prose of a page: its edits, its frames, its images, and its definitions of links."""

    edits: tuple[Edit, ...]
    frames: tuple[Frame, ...]
    attachments: tuple[Attachment, ...]
    definitions: tuple[Definition, ...]


def _markdown(source: Source, pieces: Sequence[Piece], around: Surroundings) -> _Markdown:
    edits, attachments = edits_of(source, around)
    hidden = [Edit(piece.start, piece.end, "") for piece in pieces if piece.fence and piece.fence.directives.hidden]
    return _Markdown(
        (*hidden, *edits), frames_of(source), tuple(attachments), tuple(definitions_of(source, tuple(edits)))
    )


def _prose_cell(source: Source, piece: Piece, markdown: _Markdown) -> Cell | None:
    start, end = piece.start, piece.end
    is_mistake = piece.fence is not None and piece.fence.directives.wrong
    framed = [] if is_mistake else list(frame_edits(source, piece, markdown.edits, markdown.frames))
    before = [edit for edit in framed if edit.start == edit.end == start and edit.text.endswith("\n\n")]
    after = [edit for edit in framed if edit.start == edit.end == end]
    inner = [edit for edit in framed if edit not in before and edit not in after]
    edits = [*inner, *markdown.edits]
    used = list(_used(rewrite(start, end, edits, source.text).shown(source.text), piece, markdown.definitions))
    if used:
        after.append(Edit(end, end, "\n\n" + "\n".join(each.text for each in used)))
    rewritten = rewrite(start, end, edits, source.text, before=before, after=after)
    shown = rewritten.shown(source.text)
    if not shown.strip():
        return None
    fence = piece.fence.id if piece.fence is not None else ""
    spans = [(start, end), *((each.start, each.end) for each in used)]
    carried = {each.name: each for each in markdown.attachments if any(one <= each.at < two for one, two in spans)}
    tags = ("expected-output",) if piece.kind is Kind.OUTPUT else ()
    return Cell(fence, False, shown, (piece,), rewritten, fence, tags, attachments=tuple(carried.values()))


def _used(shown: str, piece: Piece, definitions: Sequence[Definition]) -> Iterator[Definition]:
    """The definitions of links that a cell uses and that stand in another one."""
    for each in definitions:
        if not piece.start <= each.start < piece.end and f"[{each.label}]".lower() in shown.lower():
            yield each


def _with_ids(cells: Sequence[Cell]) -> Iterator[Cell]:
    """Every cell under an id of its own; those of fences come first, so that prose moves none of them."""
    taken: set[str] = set()
    of_fences = {cell.fence: _unique(cell.fence, taken) for cell in cells if cell.fence}
    before = "page"
    for cell in cells:
        if cell.fence:
            before = of_fences[cell.fence]
            yield replace(cell, id=before)
        else:
            heading = re.match(r"#{1,6}[ \t]+(.*)", re.sub(r"<a [^>]*></a>", "", cell.source))
            stem = slug(heading[1]) if heading else f"after-{before}"
            yield replace(cell, id=_unique(stem, taken))


def _unique(name: str, taken: set[str]) -> str:
    """A valid id of a cell: the name as it is, or as much of it as can be with a hash of the rest."""
    found = name
    count = 1
    while not _ID.fullmatch(found) or found in taken:
        mark = hashlib.sha256(f"{name} {count}".encode()).hexdigest()[:8]
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[: _LONGEST_ID - 9].strip("-")
        found = f"{stem}-{mark}".lstrip("-")
        count += 1
    taken.add(found)
    return found


def is_executed(page: Page) -> bool:
    """True for a notebook with code to execute."""
    return any(cell.is_code and cell.pieces[0].fence is not None for cell in page.cells)
