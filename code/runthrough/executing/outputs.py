"""Outputs as they are stored: the same bytes for the same outputs, whichever machine and moment they come from."""

from __future__ import annotations

import re
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# The file that a kernel makes of a cell has its process's number in its name.
_CELL_FILE = re.compile(r"[^\s'\"(]*[/\\]ipykernel_\d+[/\\](\d+\.py)")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{9,16}\b")
# Lines of a traceback that are stored from each end of a deep one.
_LINES_KEPT = 30
_FIRST_ADDRESS, _ADDRESS_STEP = 0x7F0000000000, 0x10


class Scrubber:
    """Takes out what belongs to one machine and one run. The same address stays the same within a notebook."""

    def __init__(self, folder: Path) -> None:
        self._addresses: dict[str, str] = {}
        self._folders = sorted(_folders(folder), key=lambda pair: -len(pair[0]))

    def stored(self, outputs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The outputs of a cell as the file holds them, texts as lists of their lines."""
        return [self._output(output) for output in outputs]

    def _output(self, output: Mapping[str, Any]) -> dict[str, Any]:
        made = {key: value for key, value in output.items() if key != "transient"}
        if output["output_type"] == "stream":
            return {**made, "text": _lines(self._plain(output["text"]))}
        if output["output_type"] == "error":
            traceback = [_cut(self._plain(part)) for part in output["traceback"]]
            return {**made, "evalue": self._plain(output["evalue"]), "traceback": traceback}
        return {**made, "data": {media: self._media(media, content) for media, content in output["data"].items()}}

    def _media(self, media: str, content: Any) -> Any:
        if not isinstance(content, str):
            return content
        is_binary = media.startswith("image/") and media != "image/svg+xml"
        return content if is_binary else _lines(self._plain(content))

    def _plain(self, text: str) -> str:
        text = _CELL_FILE.sub(r"ipykernel/\1", text)
        for folder, name in self._folders:
            text = re.sub(rf"{re.escape(folder)}(?![\w.-])", name, text)
        return _ADDRESS.sub(lambda match: self._address(match[0]), text)

    def _address(self, found: str) -> str:
        number = _FIRST_ADDRESS + _ADDRESS_STEP * len(self._addresses)
        return self._addresses.setdefault(found, f"0x{number:x}")


def _folders(folder: Path) -> list[tuple[str, str]]:
    """Folders of this machine, and what is written for each."""
    paths = sysconfig.get_paths()
    named = {
        str(folder): ".",
        paths["purelib"]: "site-packages",
        paths["platlib"]: "site-packages",
        paths["stdlib"]: "python",
        tempfile.gettempdir(): "/tmp",
        str(Path.home()): "~",
    }
    found = dict(named)
    for path, name in named.items():
        # IPython writes a path below the home folder from there on.
        if path.startswith(f"{Path.home()}/"):
            found[f"~{path.removeprefix(str(Path.home()))}"] = name
    return [(path, name) for path, name in found.items() if len(path) > 1]


def _cut(text: str) -> str:
    lines = text.split("\n")
    left_out = len(lines) - 2 * _LINES_KEPT
    if left_out <= 0:
        return text
    return "\n".join([*lines[:_LINES_KEPT], f"... {left_out} lines ...", *lines[-_LINES_KEPT:]])


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
