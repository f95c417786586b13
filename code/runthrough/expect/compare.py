"""Shown text against text that came: words exactly, numbers to the digits shown, `...` as a wildcard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal

from runthrough.expect.normal import normal

# Digits that belong to a name (float32, x1), to a version (2.13.0) or to hexadecimal are text, not numbers.
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>(?<![\w.)\]}])[-+])?"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:_[0-9]{3})*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
    r"|\.[0-9]+(?:[eE][-+]?[0-9]+)?)"
    r"(?![0-9]|\.[0-9]|[xXbBoO][0-9a-fA-F])"
)
# A shape is exact whatever the tolerance, so its lengths are text too.
_SHAPE_OR_NUMBER = re.compile(rf"(?P<shape>\b(?:Size\(\[|(?:size|shape)=[(\[])[0-9, ]*)|{_NUMBER.pattern}")
_SHOWS_WHOLE = re.compile(r"\.(?:[eE]|\Z)")
WILDCARD = "..."
_WILDCARD_LINE = re.compile(r"\n[ \t]*\.\.\.[ \t]*(?=\n)")
# What of a number may stand between its first digits and a wildcard: `1,23...`, `1.5e-...`, `0x...`.
_CUT = re.compile(r"(?:[,_][0-9]{1,2}|[eE][-+]?|[xX])?\Z")
# It begins at the start of a run of blanks, or many blanks would take for ever.
_PADDING = re.compile(r"(?:(?<=[\[(])|(?<=(?<! ) ))[ ]+(?=[-+]?[.0-9])")


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be from the one shown, as in `numpy.isclose`; with neither, the shown digits decide."""

    rtol: float | None = None
    atol: float | None = None

    @property
    def is_given(self) -> bool:
        return self.rtol is not None or self.atol is not None

    def allows(self, shown: Decimal, came: Decimal) -> bool:
        # Through `str`, so that 1.3 is within 0.3 of 1.0 as the page says, whatever 0.3 is in binary.
        rtol, atol = Decimal(str(self.rtol or 0.0)), Decimal(str(self.atol or 0.0))
        return abs(came - shown) <= atol + rtol * abs(shown)


EXACT = Tolerance()


@dataclass(frozen=True)
class _Token:
    """A stretch of shown text, or a number in it."""

    text: str
    is_number: bool


@dataclass(frozen=True)
class _Piece:
    """What stands between two wildcards; `overlap` is how far it may begin before the end of the piece above."""

    tokens: tuple[_Token, ...]
    overlap: int


def agrees(shown: str, came: str, tolerance: Tolerance = EXACT) -> bool:
    """True where `came` is what `shown` says, apart from what two honest runs differ in and blank lines at the ends."""
    return normal_agrees(normal(shown), normal(came), tolerance)


def normal_agrees(shown: str, came: str, tolerance: Tolerance = EXACT) -> bool:
    """`agrees` for two texts that are `normal` already."""
    expected, found = ("\n" + text.strip("\n") + "\n" for text in (shown, came))
    if expected == found:
        return True
    if tolerance.is_given:
        # Columns are padded to the widest number, and a tolerance may change a sign or a width.
        expected, found = _PADDING.sub("", expected), _PADDING.sub("", found)
    return _match(_pieces(expected), found, tolerance)


def _pieces(text: str) -> list[_Piece]:
    """The text between wildcards. A line that is nothing but `...` stands for any number of lines, also none.

    Such a line leaves its line ends to both neighbours, and one line end may serve both.
    """
    blocks = _WILDCARD_LINE.split(text)
    pieces = []
    for number, block in enumerate(blocks):
        parts = (block if number == len(blocks) - 1 else block + "\n").split(WILDCARD)
        for place, part in enumerate(parts):
            is_first, is_last = place == 0, place == len(parts) - 1
            tokens = _tokens(part, touches_before=not is_first, touches_after=not is_last)
            pieces.append(_Piece(tokens, overlap=1 if is_first and number else 0))
    return pieces


def _tokens(text: str, touches_before: bool, touches_after: bool) -> tuple[_Token, ...]:
    """Text and numbers. Digits that touch a wildcard (`0.666...`) are the part of a number that is spelled out."""
    tokens, end = [], 0
    for found in _SHAPE_OR_NUMBER.finditer(text):
        is_cut = (touches_before and found.start() == 0) or (touches_after and _CUT.match(text, found.end()))
        if found["shape"] or is_cut:
            continue
        if found.start() > end:
            tokens.append(_Token(text[end : found.start()], False))
        tokens.append(_Token(found[0], True))
        end = found.end()
    if end < len(text):
        tokens.append(_Token(text[end:], False))
    return tuple(tokens)


def _match(pieces: list[_Piece], came: str, tolerance: Tolerance) -> bool:
    """Match the pieces in order: the first at the start, the last at the end, the others wherever they come first."""
    position = _end_of_match(pieces[0], came, 0, tolerance)
    if position is None or len(pieces) == 1:
        return position == len(came)
    for piece in pieces[1:-1]:
        position = next(_ends(piece, came, position, tolerance), None)
        if position is None:
            return False
    last = pieces[-1]
    return not last.tokens or any(end == len(came) for end in _ends(last, came, position, tolerance))


def _ends(piece: _Piece, came: str, position: int, tolerance: Tolerance) -> Iterator[int]:
    """Where each match of a piece after a wildcard ends; it begins with text, so that text is looked for."""
    if not piece.tokens:
        yield position
        return
    start = came.find(piece.tokens[0].text, position - piece.overlap)
    while start >= 0:
        end = _end_of_match(piece, came, start, tolerance)
        if end is not None:
            yield end
        start = came.find(piece.tokens[0].text, start + 1)


def _end_of_match(piece: _Piece, came: str, position: int, tolerance: Tolerance) -> int | None:
    for token in piece.tokens:
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
    is_as_exact = _is_fraction(shown) == _is_fraction(came)
    try:
        wanted, found = (Decimal(text.replace(",", "").replace("_", "")) for text in (shown, came))
        if tolerance.is_given:
            # `1.` and `1` are tensors of two dtypes, and a tolerance is no leave to change that.
            return (is_as_exact or "." not in (shown[-1], came[-1])) and tolerance.allows(wanted, found)
        if not is_as_exact or not _is_fraction(shown):
            return False
        if ("," in shown) != ("," in came) or (shown[0] in "+-") != (came[0] in "+-"):
            return False
        if wanted.is_signed() != found.is_signed():
            return False
        if not wanted and not found and _exponent(shown) != _exponent(came):
            return False
        if _SHOWS_WHOLE.search(shown):
            # `1.` is how a whole float is printed; one with a fraction shows a digit of it.
            return wanted == found
        return _rounds_to(found, wanted)
    except ArithmeticError:
        # So many digits lie between the two that they cannot be the same number.
        return False


def _rounds_to(found: Decimal, wanted: Decimal) -> bool:
    unit = Decimal((0, (1,), int(wanted.as_tuple().exponent)))
    # A number printed with a last digit 5 may come from either side of it.
    return any(found.quantize(unit, rounding=mode) == wanted for mode in (ROUND_HALF_UP, ROUND_HALF_DOWN))


def _exponent(text: str) -> int:
    return int(text.lower().partition("e")[2] or 0)


def _is_fraction(text: str) -> bool:
    """A whole number on the page is exact; one with a point or an exponent shows some of its digits."""
    return any(mark in text for mark in ".eE")
