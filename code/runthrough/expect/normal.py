"""What differs between two honest runs of the same code, taken out of a text before it is compared."""

from __future__ import annotations

import re

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d([.,]\d+)?\b")
_TEMPORARY = re.compile(r"(?:/private)?(?:/tmp|/var/tmp|/var/folders)/[^\s'\",:;)\]>]+")


def normal(text: str) -> str:
    """The text with escapes taken out, `\\r` carried out, and addresses, clock times, temporary paths named alike."""
    text = _ADDRESS.sub("0xADDRESS", settled(text))
    text = _TIME.sub("TIME", text)
    return _TEMPORARY.sub("TEMPORARY-PATH", text)


def settled(text: str) -> str:
    """The text as a terminal leaves it: no escapes, `\\r` carried out, no spaces at the ends of lines."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return "\n".join(_settled(line) for line in text.split("\n"))


def _settled(line: str) -> str:
    """A line as a terminal leaves it: what follows a carriage return is written over what stood there."""
    if "\r" not in line:
        return line.rstrip()
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()
