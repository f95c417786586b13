"""Pages as notebooks: a cell a Python fence, with the output that the page shows stored as the cell's."""

from __future__ import annotations

import json
import re
from textwrap import dedent

_FENCE = re.compile(
    r"^( *)```python\n(.*?)^\1```$"  # a fence, and right behind it the output it shows, if any
    r"(?:\n\s*(?:<!--.*?-->\s*)?```output\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


def fences(page: str) -> list[str]:
    """The code of each Python fence of a generated page or a case: these are written plainly, so that words will do."""
    return [dedent(code) for _, code, _ in _FENCE.findall(page)]


def as_notebook(page: str) -> str:
    """The page's fences as a notebook of the format 4.5."""
    cells = [_cell(number, dedent(code), shown) for number, (_, code, shown) in enumerate(_FENCE.findall(page), 1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


def _cell(number: int, code: str, shown: str) -> dict[str, object]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": shown}] if shown else []
    return {
        "cell_type": "code",
        "execution_count": number if shown else None,
        "id": str(number),
        "metadata": {},
        "outputs": outputs,
        "source": code,
    }
