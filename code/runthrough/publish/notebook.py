"""Cells as the bytes of a notebook file: nbformat 4.5, the same for the same cells."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from .cells import Cell, Edition, Page, is_executed
from .pieces import Piece
from .raw import RawText

FORMAT = 1  # of what our metadata holds
SETUP = "torch-version"

_SETUP_CODE = """\
# This page was made with torch {torch}. This cell looks at what is here; it installs nothing.
def check_torch(wanted):
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("torch").partition("+")[0]
    except PackageNotFoundError:
        found = ""
    if found == wanted:
        print(f"torch {{wanted}} is here: every text and number below should come as shown.")
    elif found:
        print(f"torch {{found}} is here: texts and numbers may differ from those shown.")
    else:
        print("There is no torch here, and nothing below will run.")
    if found != wanted:
        print(f"For the same, type in a terminal and then restart the kernel: python -m pip install torch=={{wanted}}")


check_torch("{torch}")
del check_torch"""


def notebook_of(page: Page, raw: RawText) -> bytes:
    """The file's bytes; `raw` is the lesson's own. Raises nbformat's ValidationError where the fault is ours."""
    import nbformat

    lesson = page.source.lesson
    cells = [_cell(number, cell, raw, page) for number, cell in enumerate(page.cells)]
    if lesson.pinned_torch and is_executed(page):
        cells.insert(0, _setup(lesson.pinned_torch, {cell.id for cell in page.cells}))
    ours: dict[str, Any] = {
        "format": FORMAT,
        "edition": page.edition.value,
        "lesson": lesson.path.name,
        "digest": digest(raw.text),
        "torch": lesson.pinned_torch,
    }
    if page.edition is Edition.INSTRUCTOR:
        ours["markdown"] = "".join(lines_before(page, raw))
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
            "runthrough": ours,
            "title": lesson.title,
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    nbformat.validate(nbformat.from_dict(notebook))  # type: ignore[no-untyped-call]
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8", "surrogatepass")


def _cell(number: int, cell: Cell, raw: RawText, page: Page) -> dict[str, Any]:
    # `number` and `digest` are those of the cell as it was made: by them an import knows what was moved or edited.
    ours: dict[str, Any] = {
        "cell": cell.id,
        "kind": cell.kind.value,
        "number": number,
        "digest": digest(cell.source),
    }
    if cell.fence:
        ours["fence"] = cell.fence
    if page.edition is Edition.INSTRUCTOR:
        ours["markdown"] = _raw_text(cell.pieces, page, raw)
    metadata: dict[str, Any] = {"runthrough": ours}
    if cell.tags:
        metadata["tags"] = list(cell.tags)
    if cell.is_folded:
        metadata["jupyter"] = {"source_hidden": True}
    made: dict[str, Any] = {"id": cell.id, "metadata": metadata, "source": cell.source.splitlines(keepends=True)}
    if cell.is_code:
        return {**made, "cell_type": "code", "execution_count": None, "outputs": []}
    made["cell_type"] = "markdown"
    if cell.attachments:
        made["attachments"] = {
            each.name: {each.media_type: base64.b64encode(each.data).decode("ascii")} for each in cell.attachments
        }
    return made


def digest(text: str) -> str:
    """By which a text is known to be the one that it was."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _setup(torch: str, taken: set[str]) -> dict[str, Any]:
    name = SETUP
    while name in taken:
        name += "-"
    code = _SETUP_CODE.format(torch=torch)
    return {
        "id": name,
        "cell_type": "code",
        "execution_count": None,
        "metadata": {
            "jupyter": {"source_hidden": True},
            "runthrough": {"cell": name, "kind": "setup", "digest": digest(code)},
            "tags": ["hide-input"],
        },
        "outputs": [],
        "source": code.splitlines(keepends=True),
    }


def _raw_text(pieces: Sequence[Piece], page: Page, raw: RawText) -> str:
    return "".join(line for piece in pieces for line in raw_lines(piece, page, raw))


def lines_before(page: Page, raw: RawText) -> list[str]:
    """The lines of the file before the first cell; all of them where there is no cell."""
    if not page.cells:
        return raw.lines
    return [line for piece in page.before for line in raw_lines(piece, page, raw)]


def raw_lines(piece: Piece, page: Page, raw: RawText) -> list[str]:
    """The lines of the file that a piece stands for, with their own ends."""
    count = page.source.text.count("\n", piece.start, piece.end)
    return raw.lines[piece.line - 1 : piece.line - 1 + count]
