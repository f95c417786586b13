"""Text cells that Jupyter has split in two or merged into one, as the cells they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from runthrough.publish.cells import Page

from .notebook import EditedCell

_GAP = "\n\n"


def as_they_were(cells: Sequence[EditedCell], page: Page) -> tuple[EditedCell, ...]:
    """The cells with the halves of split ones together again, and merged ones apart where they can be told apart."""
    joined: list[EditedCell] = []
    for cell in cells:
        last = joined[-1] if joined else None
        if last is not None and cell.kind == last.kind == "markdown" and cell.key == last.key != "":
            names = (*last.attachments, *cell.attachments)
            joined[-1] = replace(last, source=last.source + _GAP + cell.source, attachments=names)
        else:
            joined.append(cell)
    there = {cell.key for cell in joined}
    return tuple(part for cell in joined for part in _apart(cell, there, page))


def _apart(cell: EditedCell, there: set[str], page: Page) -> Iterator[EditedCell]:
    """A cell, and behind it those that were merged into it and whose text stands at its end as it was."""
    place = next((place for place, made in enumerate(page.cells) if made.id == cell.key), None)
    if cell.kind != "markdown" or place is None:
        yield cell
        return
    following = []
    for made in page.cells[place + 1 :]:
        if made.is_code or made.id in there:
            break
        following.append(made)
    parts: list[EditedCell] = []
    source = cell.source
    for made in reversed(following):
        before, gap, rest = source.rpartition(made.source)
        if gap and not rest and before.endswith("\n"):
            parts.append(replace(cell, source=made.source, key=made.id, made_digest="", markdown=None))
            source = before.rstrip("\n")
    yield replace(cell, source=source)
    yield from reversed(parts)
