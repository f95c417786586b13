"""Shown text against text that came: words exactly, numbers to the digits shown, `...` as a wildcard."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal, InvalidOperation

from runthrough.expect.normal import normal

# Digits that belong to a name (float32, x1), to a version (2.13.0) or to hexadecimal are text, not numbers.
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>(?<![\w.)\]}])[-+])?"
    r"(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d{3})*)(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
    r"(?![\d]|\.\d|[xXbBoO][\da-fA-F])"
)
_WILDCARD = "..."


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be from the one shown, as in `numpy.isclose`; with neither, the shown digits decide."""

    rtol: float | None = None
    atol: float | None = None

    @property
    def is_given(self) -> bool:
        return self.rtol is not None or self.atol is not None

    def allows(self, shown: Decimal, came: Decimal) -> bool:
        margin = Decimal(self.atol or 0.0) + Decimal(self.rtol or 0.0) * abs(shown)
        return abs(came - shown) <= margin


@dataclass(frozen=True)
class _Token:
    """A stretch of shown text, or a number in it."""

    text: str
    is_number: bool


def agrees(shown: str, came: str, tolerance: Tolerance = Tolerance()) -> bool:
    """True where `came` is what `shown` says, apart from what two honest runs differ in and blank lines at the ends."""
    expected, found = normal(shown).strip("\n"), normal(came).strip("\n")
    if expected == found:
        return True
    pieces = [_tokens(piece) for piece in _pieces(expected)]
    return _match(pieces, found, tolerance)


def first_difference(shown: str, came: str, tolerance: Tolerance = Tolerance()) -> int:
    """Which line of `shown`, counted from 0, is the first that does not agree; wildcards let later lines agree."""
    lines = shown.strip("\n").split("\n")
    skipped = len(shown) - len(shown.lstrip("\n"))
    for count in range(1, len(lines) + 1):
        if not agrees("\n".join(lines[:count]) + "\n" + _WILDCARD, came + "\n", tolerance):
            return skipped + count - 1
    return skipped + len(lines) - 1


def lines_agree(shown: str, came: str, tolerance: Tolerance = Tolerance()) -> bool:
    """True where each shown line comes, in the order shown, whatever else stands between."""
    remaining = iter(normal(came).split("\n"))
    return all(
        any(agrees(line, found, tolerance) for found in remaining)
        for line in normal(shown).split("\n")
        if line.strip() and line.strip() != _WILDCARD
    )


def _pieces(text: str) -> list[str]:
    """The text between wildcards. A line that is nothing but `...` stands for any number of lines, also none."""
    text = re.sub(r"(?m)(?:\A|\n)[ \t]*\.\.\.[ \t]*(?:\n|\Z)", "\x00", text)
    return re.split("\x00|" + re.escape(_WILDCARD), text)


def _tokens(text: str) -> list[_Token]:
    tokens, end = [], 0
    for number in _NUMBER.finditer(text):
        if number.start() > end:
            tokens.append(_Token(text[end : number.start()], False))
        tokens.append(_Token(number[0], True))
        end = number.end()
    if end < len(text):
        tokens.append(_Token(text[end:], False))
    return tokens


def _match(pieces: list[list[_Token]], came: str, tolerance: Tolerance) -> bool:
    """Match the pieces in order: the first at the start, the last at the end, the others wherever they come first."""
    position = _end_of_match(pieces[0], came, 0, tolerance)
    if position is None or len(pieces) == 1:
        return position == len(came)
    for piece in pieces[1:-1]:
        ends = (_end_of_match(piece, came, start, tolerance) for start in range(position, len(came) + 1))
        position = next((end for end in ends if end is not None), None)
        if position is None:
            return False
    starts = range(position, len(came) + 1)
    return any(_end_of_match(pieces[-1], came, start, tolerance) == len(came) for start in starts)


def _end_of_match(tokens: list[_Token], came: str, position: int, tolerance: Tolerance) -> int | None:
    for token in tokens:
        if not token.is_number:
            if not came.startswith(token.text, position):
                return None
            position += len(token.text)
        else:
            number = _NUMBER.match(came, position)
            if number is None or not _same_number(token.text, number[0], tolerance):
                return None
            position = number.end()
    return position


def _same_number(shown: str, came: str, tolerance: Tolerance) -> bool:
    if shown == came:
        return True
    try:
        wanted, found = (Decimal(text.replace(",", "").replace("_", "")) for text in (shown, came))
    except InvalidOperation:
        return False
    if tolerance.is_given:
        return tolerance.allows(wanted, found)
    if ("," in shown) != ("," in came) or not _is_fraction(shown) or (shown[0] in "+-") != (came[0] in "+-"):
        return False
    if wanted.is_signed() != found.is_signed():
        return False
    return _rounds_to(found, wanted)


def _rounds_to(found: Decimal, wanted: Decimal) -> bool:
    unit = Decimal((0, (1,), int(wanted.as_tuple().exponent)))
    try:
        # A number printed with a last digit 5 may come from either side of it.
        return any(found.quantize(unit, rounding=mode) == wanted for mode in (ROUND_HALF_UP, ROUND_HALF_DOWN))
    except InvalidOperation:
        # So many digits lie between the two that they cannot be the same number.
        return False


def _is_fraction(text: str) -> bool:
    """A whole number on the page is exact; one with a point or an exponent shows some of its digits."""
    return any(mark in text for mark in ".eE")
