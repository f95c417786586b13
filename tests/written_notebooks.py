"""Notebooks as Jupyter writes them, cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def text(source: str, **more: Any) -> Json:
    """A Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def raw(source: str, **more: Any) -> Json:
    """A raw cell."""
    return {"cell_type": "raw", "metadata": {}, "source": source, **more}


def code(source: str, *outputs: Json, tags: tuple[str, ...] = (), **more: Any) -> Json:
    """A code cell with what is stored below it."""
    metadata = {"tags": list(tags)} if tags else {}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": metadata, "outputs": [*outputs], "source": source}
    return {**cell, **more}


def printed(what: str, name: str = "stdout") -> Json:
    """What a cell printed."""
    return {"output_type": "stream", "name": name, "text": what}


def value(plain: str, **media: Any) -> Json:
    """The value of a cell's last expression."""
    data = {"text/plain": plain, **media}
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}


def displayed(**media: Any) -> Json:
    """What a cell displayed beside its value; `_` in a name stands for `/`."""
    data = {media_type.replace("_", "/"): content for media_type, content in media.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def raised(name: str, message: str) -> Json:
    """The error that ended a cell."""
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": ["..."]}


def notebook(*cells: Json, **metadata: Any) -> Json:
    """The notebook of these cells."""
    return {"cells": [*cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def write(folder: Path, content: Json, name: str = "lesson.ipynb") -> Path:
    """Save a notebook in a folder."""
    file = folder / name
    file.write_text(json.dumps(content), encoding="utf-8")
    return file
