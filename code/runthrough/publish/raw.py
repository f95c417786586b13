"""A lesson's file as it is on disk, line by line, so that what is not touched keeps its bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_BOM = "\ufeff"


@dataclass(frozen=True)
class RawText:
    """The text of a file with its byte order mark and its own line ends."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, each with its end; the first has the byte order mark."""
        return [match[0] for match in _LINE.finditer(self.text) if match[0]]

    @cached_property
    def line_end(self) -> str:
        """The line end that most of its lines have."""
        ends = [line[len(line.rstrip("\r\n")) :] for line in self.lines]
        return max(("\n", "\r\n", "\r"), key=ends.count)

    @property
    def has_mark(self) -> bool:
        """True where it begins with a byte order mark."""
        return self.text.startswith(_BOM)
