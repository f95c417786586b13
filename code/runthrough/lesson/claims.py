"""Words of prose that must equal a value: `TOKEN<!--= BODY -->`, where they stand and what is wrong with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from .directives import Complaint
from .document import Claim
from .prose import InlineComment

_SPANS = {"`": "`", "$": "$", "*": "**", "_": "__"}
_LEFT_OUT_BEFORE = "([{<\"'“‘*_~|"
_LEFT_OUT_AFTER = ".,;:!?)]}>\"'”’*_~|"
_PUNCTUATION_AFTER = ".,;:!?)]}\"'”’»"
_TARGET = r"\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+(?:\"[^\"]*\"|'[^']*'))?\)"
# A label that begins with a letter, since `[0][1]` may be a value's own brackets.
_LINK = re.compile(rf"\[(?P<words>[^][]*)\](?:{_TARGET}|\[[A-Za-z][\w -]*\])\Z")
# Quotes in which a body can stand as an f-string's inside.
_QUOTES = ('"', "'", '"""', "'''")


class ClaimError(Exception):
    """A claim cannot be read; `complaint` says where, why and what to do."""

    def __init__(self, line: int, message: str, advice: str) -> None:
        super().__init__(message)
        self.complaint = Complaint(line, message, advice)


def read_claims(comments: Iterable[InlineComment], lines: Sequence[str]) -> tuple[list[Claim], list[Complaint]]:
    """The claims among the comments of a page's sentences. `lines` are those of the text parsed."""
    claims: list[Claim] = []
    wrong: list[Complaint] = []
    meant = [comment for comment in comments if comment.text is None or comment.text.startswith("=")]
    starts = [0, *accumulate([len(line) + 1 for line in lines])] if meant else []
    for comment in meant:
        try:
            claims.append(_claim(comment, lines[comment.line - 1], starts[comment.line - 1]))
        except ClaimError as error:
            wrong.append(error.complaint)
    return claims, wrong


def _claim(comment: InlineComment, text: str, start: int) -> Claim:
    line = comment.line
    if comment.text is None:
        reason = "its expression may hold no |" if comment.is_cell else "close it with -->"
        raise ClaimError(line, "this claim has no end", reason)
    body = comment.text[1:].strip()
    if not body:
        raise ClaimError(line, "this claim has no expression", "write one, as in 1.7<!--= loss.item():.1f -->")
    if "\n" in body:
        raise ClaimError(line, "this claim has no end on its line", "close it with --> on the same line")
    if "--" in body:
        raise ClaimError(line, "a claim's expression holds no --", "give the value a name in a fence, and claim that")
    if comment.is_cell and "|" in body:
        raise ClaimError(line, "in a table a claim's expression holds no |", "give the value a name in a fence")
    problem = _syntax_problem(body)
    if problem:
        raise ClaimError(line, f"the claim {body!r} is not valid: {problem}", "write what an f-string's braces hold")
    first, last = _token(text, comment.column, text.rfind("|", 0, comment.column) + 1 if comment.is_cell else 0)
    if first == last:
        advice = "put it right behind a word, `code`, **bold** or $formula$, with no space between"
        raise ClaimError(line, "no word stands right before this claim", advice)
    if not text[first:last].strip("."):
        raise ClaimError(line, "dots alone hold for every value", "show some of the value, as in 1.70...")
    return Claim(line, first + 1, text[first:last], body, start + first, start + last)


def _token(text: str, end: int, start: int = 0) -> tuple[int, int]:
    """Where the claimed token begins and ends: inside of a closed span, or the run without spaces before `end`.

    A link is read for its words; what stands before `start`, the beginning of a table's cell, is not looked at.
    """
    if link := _LINK.search(text, start, end):
        return _token(text, link.end("words"), link.start("words"))
    for close, mark in _SPANS.items():
        if text[:end].endswith(mark if close in "*_" else close):
            size = len(text[:end]) - len(text[:end].rstrip(close))
            opener = text.rfind(close * size, start, end - size)
            if opener >= 0:
                first, last = opener + size, end - size
                return _token(text, last, first) if text[first:last][-1:] in "`$" else (first, last)
    outside = text[:end].rstrip(_PUNCTUATION_AFTER)
    if len(outside) < end and outside.endswith(("`", "$")):
        return _token(text, len(outside), start)
    first = max(start, *(text.rfind(mark, start, end) + 1 for mark in " \t\n>"))
    last = end
    while first < last and text[last - 1] in _LEFT_OUT_AFTER and not _is_balanced(text[first:last]):
        last -= 1
    while first < last and text[first] in _LEFT_OUT_BEFORE and not _is_balanced(text[first:last]):
        first += 1
    return first, last


def _is_balanced(token: str) -> bool:
    """True for a value that its own brackets enclose, such as `(1,2)`; those of `(1.7)` belong to the sentence."""
    brackets = token[0] + token[-1]
    return len(token) > 2 and (brackets in ("[]", "{}") or (brackets == "()" and "," in token))


def expression_of(body: str) -> str:
    """The f-string whose braces hold `body`: the Python that gives a claim's value as text."""
    quote = next((mark for mark in _QUOTES if mark not in body), _QUOTES[-1])
    # Two braces at the start of a field would be a brace of the text.
    space = " " if body.startswith("{") else ""
    return f"f{quote}{{{space}{body}}}{quote}"


def _syntax_problem(body: str) -> str:
    try:
        text = ast.parse(expression_of(body), mode="eval").body
    except SyntaxError as error:
        return str(error.msg)
    fields = [part for part in getattr(text, "values", ()) if isinstance(part, ast.FormattedValue)]
    return "" if len(fields) == 1 else "its braces close too early"
