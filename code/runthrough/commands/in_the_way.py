"""What a person has in a folder that notebooks are to be written to: it is told, and not written over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runthrough.lesson.document import Problem

_ADVICE = "name another folder, or replace it with --force"


def in_the_way(folder: Path, notebooks: Mapping[str, bytes], beside: Mapping[str, bytes]) -> Iterator[Problem]:
    """A problem for each file in `folder` that would lose what somebody has put there."""
    from runthrough.lesson.document import Problem

    for name, data in (*notebooks.items(), *beside.items()):
        path = folder / name
        try:
            there = path.read_bytes() if path.exists() else b""
        except OSError as error:
            yield Problem(str(path), 1, f"what is there cannot be read: {error.strerror}", "name another folder")
            continue
        if not there or there == data:
            continue
        if name in beside:
            yield Problem(str(path), 1, "this file is there and is another", _ADVICE)
        elif message := _lost(there, data):
            yield Problem(str(path), 1, message, _ADVICE)


def _lost(there: bytes, data: bytes) -> str:
    """What would be lost with the notebook that is there, or "". Outputs are made again, and texts may be in both."""
    from runthrough.returning.notebook import DamagedError, edited_notebook

    try:
        old, new = edited_notebook(there), edited_notebook(data)
    except DamagedError as error:
        return f"this notebook is there, and its cell {error.number} is damaged"
    if old is None:
        return "this notebook is there and is not one of a lesson"
    kept = {cell.source.strip() for cell in new.cells} if new else set()
    for cell in old.cells:
        if cell.is_edited and cell.source.strip() and cell.source.strip() not in kept:
            return f"somebody has edited this notebook, as in cell {cell.number}"
    return ""
