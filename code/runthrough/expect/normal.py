"""What differs between two honest runs of the same code, taken out of a text before it is compared."""

from __future__ import annotations

import re

# Whole line erased, or the rest of it after the cursor went to its start: nothing before is seen any more.
_ERASED = re.compile(r"(?m)^[^\n]*(?:\x1b\[2K|\r\x1b\[0?K)")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\))")
# Shorter hexadecimal that nothing calls an address is a number of the lesson's own.
_ADDRESS = re.compile(r"\b(?<=at )0x(?:[0-9a-fA-F]{4,16}\b|[0-9a-fA-F]*\.\.\.)|\b0x[0-9a-fA-F]{9,16}\b")
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    rf"|\b[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d {_CLOCK} \d{{4}}\b"
    # `x[10:20:30]` is a slice.
    rf"|(?<![\w:.])(?<!\w\[){_CLOCK}(?:[.,]\d+)?(?![\w:])"
)
_TEMPORARY = re.compile(r"(?<![\w./~-])(?:/private)?(?:/tmp|/var/tmp|/var/folders)/[^\s'\",:;)\]>]+")


def normal(text: str) -> str:
    """The text with escapes taken out, `\\r` carried out, and addresses, clock times, temporary paths named alike."""
    text = _ADDRESS.sub("0xADDRESS", settled(text))
    text = _TIME.sub("TIME", text)
    return _TEMPORARY.sub("TEMPORARY-PATH", text)


def settled(text: str) -> str:
    """The text as a terminal leaves it: no escapes, `\\r` carried out, no spaces at the ends of lines."""
    text = _ESCAPES.sub("", _ERASED.sub("", text.replace("\r\n", "\n")))
    return "\n".join(_settled(line) for line in text.split("\n"))


def _settled(line: str) -> str:
    """A line as a terminal leaves it: what follows a carriage return is written over what stood there."""
    if "\r" not in line:
        return line.rstrip()
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()
