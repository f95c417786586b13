"""The file of a notebook, of any version, as cells that can be relied on."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# Written by kernels and front ends: how a cell looked or when it ran.
_ABOUT_LAYOUT = {
    *("tags", "collapsed", "scrolled", "trusted", "editable", "deletable", "execution", "jupyter", "format"),
    *("id", "colab", "colab_type", "outputId", "executionInfo", "ExecuteTime"),
}
_PYTHON = ("python", "python3", "ipython", "ipython3")
_NEWEST = 4


class NotebookError(Exception):
    """The file cannot become a lesson: `line` is 1-based, `message` says what is wrong, `advice` what to do."""

    def __init__(self, message: str, advice: str, line: int = 1) -> None:
        super().__init__(message)
        self.message, self.advice, self.line = message, advice, line


class Kind(StrEnum):
    """The three kinds of cells."""

    MARKDOWN = "markdown"
    CODE = "code"
    RAW = "raw"


@dataclass(frozen=True)
class Cell:
    """One cell; `number` counts all cells of the notebook from 1, and `source` has LF line ends.

    `outputs` are those of nbformat 4, `attachments` the media of each attached file by its name. `format` is a raw
    cell's media type, `unkept` the keys of metadata that mean something to other tools.
    """

    number: int
    kind: Kind
    source: str
    id: str = ""
    tags: tuple[str, ...] = ()
    format: str = ""
    outputs: tuple[Mapping[str, Any], ...] = ()
    attachments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unkept: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notebook:
    """All cells of a notebook in order, and the title that its metadata gives it, or ""."""

    cells: tuple[Cell, ...]
    title: str = ""


def read_notebook(data: bytes) -> Notebook:
    """The notebook in a file's bytes; older versions are upgraded.

    Raises NotebookError where it is none, holds no cell, or is written in another language than Python.
    """
    found = _parsed(data)
    version = found.get("nbformat")
    if not isinstance(version, int) or isinstance(version, bool):
        raise NotebookError("this JSON is no notebook: it has no nbformat", "name a file that Jupyter has saved")
    if version > _NEWEST:
        raise NotebookError(f"notebooks of nbformat {version} are not known", f"save it as nbformat {_NEWEST}")
    if version < _NEWEST:
        found = _upgraded(found)
    metadata = _mapping(found.get("metadata"))
    _check_language(metadata)
    cells = found.get("cells")
    if not isinstance(cells, list):
        raise NotebookError("this notebook has no list of cells", "open it in Jupyter and save it again")
    read = tuple(_cell(number, _mapping(cell)) for number, cell in enumerate(cells, start=1))
    if not any(cell.source.strip() or cell.outputs or cell.attachments for cell in read):
        raise NotebookError("this notebook is empty", "write a cell first")
    title = metadata.get("title")
    return Notebook(read, " ".join(title.split()) if isinstance(title, str) else "")


def _parsed(data: bytes) -> Mapping[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        text.encode("utf-8")
        found = json.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotebookError(f"byte 0x{data[error.start]:02x} is not UTF-8", "save it as UTF-8", line) from None
    except json.JSONDecodeError as error:
        advice = "open it in Jupyter and save it again, or mend it there"
        raise NotebookError(f"this is broken JSON: {error.msg}", advice, error.lineno) from None
    except RecursionError:
        raise NotebookError("this JSON is nested too deeply", "name a file that Jupyter has saved") from None
    if not isinstance(found, dict):
        raise NotebookError("this JSON is no notebook", "name a file that Jupyter has saved")
    return found


def _upgraded(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """A notebook of an older version as one of version 4."""
    library: Any = importlib.import_module("nbformat")  # its older readers carry no types
    try:
        return dict(library.convert(library.reader.reads(json.dumps(found)), _NEWEST))
    except Exception as error:  # noqa: BLE001  # its converters raise whatever a malformed cell leads to
        what = str(error).split(". ")[0].splitlines()[0] if str(error) else type(error).__name__
        message = f"this notebook of nbformat {found['nbformat']} cannot be upgraded: {what}"
        raise NotebookError(message, "open it in Jupyter and save it again") from None


def _check_language(metadata: Mapping[str, Any]) -> None:
    kernel, language = _mapping(metadata.get("kernelspec")), _mapping(metadata.get("language_info"))
    name = str(language.get("name") or kernel.get("language") or "python")
    if name.lower() not in _PYTHON:
        raise NotebookError(f"the cells of this notebook are {name}", "only notebooks in Python become lessons")


def _cell(number: int, cell: Mapping[str, Any]) -> Cell:
    metadata = _mapping(cell.get("metadata"))
    kind = str(cell.get("cell_type", ""))
    source = joined(cell.get("source")).replace("\r\n", "\n").replace("\r", "\n")
    if kind == "heading":  # left over in files that an old converter wrote
        level = cell.get("level")
        source = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + " ".join(source.split())
    known = {"code": Kind.CODE, "raw": Kind.RAW}
    tags, outputs = metadata.get("tags"), cell.get("outputs")
    return Cell(
        number=number,
        kind=known.get(kind, Kind.MARKDOWN),
        source=_encodable(source, number),
        id=str(cell.get("id", "")),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        format=str(metadata.get("format") or metadata.get("raw_mimetype") or ""),
        outputs=tuple(_mapping(output) for output in outputs) if isinstance(outputs, list) else (),
        attachments={
            str(name): _mapping(media)
            for name, media in (
                *_mapping(cell.get("attachments")).items(),
                *_mapping(metadata.get("attachments")).items(),
            )
        },
        unkept=tuple(sorted(key for key in metadata if key not in _ABOUT_LAYOUT | {"attachments", "raw_mimetype"})),
    )


def _encodable(source: str, number: int) -> str:
    try:
        source.encode("utf-8")
    except UnicodeEncodeError as error:
        char = f"U+{ord(source[error.start]):04X}"
        raise NotebookError(f"cell {number} holds {char}, half of a character", "take it out in Jupyter") from None
    return source


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def joined(value: Any) -> str:
    """A text that the format also allows to be stored as a list of its lines."""
    return "".join(str(part) for part in value) if isinstance(value, list) else str(value or "")
