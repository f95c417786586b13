"""A notebook that we made, as somebody has edited it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runthrough.publish.cells import Edition
from runthrough.publish.notebook import FORMAT, SETUP, digest
from runthrough.publish.raw import RawText


class DamagedError(Exception):
    """A cell that no Jupyter writes; `number` counts the cells of the file from 1."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number


@dataclass(frozen=True)
class EditedCell:
    """One cell. `number` counts the cells of the file from 1, `key` is the cell that it was, or "" for a new one.

    `place` is its place among the cells as they were made, `made_digest` that of the text it had then, and `markdown`
    the part of the lesson that it carries, if any.
    """

    number: int
    kind: str
    source: str
    key: str = ""
    place: int = 0
    made_digest: str = ""
    is_setup: bool = False
    markdown: str | None = None
    attachments: tuple[str, ...] = ()

    @property
    def is_edited(self) -> bool:
        """True where its text is not the one it was made with."""
        return digest(self.source) != self.made_digest


@dataclass(frozen=True)
class EditedNotebook:
    """All cells in their order now, the name, digest and torch of the lesson they were made from, and for whom."""

    cells: tuple[EditedCell, ...]
    lesson: str
    lesson_digest: str
    edition: Edition
    torch: str = ""
    before: str | None = None

    @property
    def carried(self) -> RawText | None:
        """The lesson that an instructor's notebook carries, without the parts whose cells were deleted."""
        if self.before is None:
            return None
        parts = {cell.place: cell.markdown for cell in self.cells if cell.key and cell.markdown is not None}
        return RawText(self.before + "".join(text for _, text in sorted(parts.items()) if text))


def edited_notebook(data: bytes) -> EditedNotebook | None:
    """The notebook in a file's bytes, None where it is none of ours. Raises DamagedError."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    ours = _mapping(_mapping(_mapping(found).get("metadata")).get("runthrough"))
    cells = _mapping(found).get("cells")
    if ours.get("format") != FORMAT or not isinstance(cells, list):
        return None
    before = ours.get("markdown")
    return EditedNotebook(
        cells=tuple(_cell(number, cell) for number, cell in enumerate(cells, start=1)),
        lesson=str(ours.get("lesson", "")),
        lesson_digest=str(ours.get("digest", "")),
        edition=Edition.INSTRUCTOR if ours.get("edition") == Edition.INSTRUCTOR.value else Edition.STUDENT,
        torch=str(ours.get("torch", "")),
        before=before if isinstance(before, str) else None,
    )


def _cell(number: int, found: object) -> EditedCell:
    cell = _mapping(found)
    ours = _mapping(_mapping(cell.get("metadata")).get("runthrough"))
    # Where a tool has taken our words out of a cell, its id still says which one it is.
    key = str(ours.get("cell") or cell.get("id") or "")
    text = _text(number, cell.get("source"))
    place, markdown = ours.get("number"), ours.get("markdown")
    return EditedCell(
        number=number,
        kind=str(cell.get("cell_type", "")),
        source=text.replace("\r\n", "\n").replace("\r", "\n"),
        key=key,
        place=place if isinstance(place, int) else 0,
        made_digest=str(ours.get("digest", "")),
        is_setup=ours.get("kind") == "setup" or (not ours and key == SETUP),
        markdown=markdown if isinstance(markdown, str) else None,
        attachments=tuple(_mapping(cell.get("attachments"))),
    )


def _text(number: int, source: object) -> str:
    """The text of a cell. Raises DamagedError."""
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise DamagedError(number, "it has no text, which no Jupyter writes")
    text = "".join(lines)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DamagedError(number, f"it holds U+{ord(text[error.start]):04X}, half a character") from None
    return text


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
