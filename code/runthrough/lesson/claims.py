"""Words of prose that must equal a value: `TOKEN<!--= BODY -->`, where they stand and what is wrong with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .directives import Complaint
from .document import Claim

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_CLAIM = re.compile(r"<!--=(?P<body>.*?)-->")
_OPENS = "<!--="
_SPANS = {"`": "`", "$": "$", "*": "**", "_": "__"}
_LEFT_OUT_BEFORE = "([{<\"'“‘*_~|"
_LEFT_OUT_AFTER = ".,;:!?)]}>\"'”’*_~|"
# Quotes in which a body can stand as an f-string's inside.
_QUOTES = ('"', "'", '"""', "'''")


class ClaimError(Exception):
    """A claim cannot be read; `complaint` says where, why and what to do."""

    def __init__(self, line: int, message: str, advice: str) -> None:
        super().__init__(message)
        self.complaint = Complaint(line, message, advice)


def read_claims(prose: Iterable[Token], lines: list[str], inline: MarkdownIt) -> tuple[list[Claim], list[Complaint]]:
    """The claims in the inline tokens of a page, in document order. `lines` are those of the text parsed."""
    numbers = {number for token in prose if token.map and _OPENS in token.content for number in range(*token.map)}
    claims: list[Claim] = []
    wrong: list[Complaint] = []
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for number in sorted(numbers):
        if _OPENS not in lines[number]:
            continue
        for found in _claims_of_line(lines[number], number + 1, starts[number], inline):
            if isinstance(found, Claim):
                claims.append(found)
            else:
                wrong.append(found)
    return claims, wrong


def _claims_of_line(text: str, line: int, start: int, inline: MarkdownIt) -> Iterator[Claim | Complaint]:
    is_comment = list(_occurrences(text, inline))
    found = [match.start() for match in re.finditer(re.escape(_OPENS), text)]
    for position, is_read in zip(found, is_comment, strict=False):
        if not is_read:
            continue
        match = _CLAIM.match(text, position)
        if match is None:
            yield Complaint(line, "this claim has no end on its line", "close it with --> on the same line")
            continue
        try:
            yield _claim(text, match, line, start)
        except ClaimError as error:
            yield error.complaint


def _occurrences(text: str, inline: MarkdownIt) -> Iterator[bool]:
    """For each `<!--=` of a line, whether it opens a comment, or is text inside of code."""
    for child in inline.parseInline(text)[0].children or ():
        for _ in range(child.content.count(_OPENS)):
            yield child.type not in ("code_inline", "math_inline", "math_inline_double")


def _claim(text: str, match: re.Match[str], line: int, start: int) -> Claim:
    body = match["body"].strip()
    if not body:
        raise ClaimError(line, "this claim has no expression", "write one, as in 1.7<!--= loss.item():.1f -->")
    if "--" in body:
        raise ClaimError(line, "a claim's expression holds no --", "give the value a name in a fence, and claim that")
    if text.lstrip(" \t>").startswith("|") and "|" in body:
        raise ClaimError(line, "in a table a claim's expression holds no |", "give the value a name in a fence")
    problem = _syntax_problem(body)
    if problem:
        raise ClaimError(line, f"the claim {body!r} is not valid: {problem}", "write what an f-string's braces hold")
    first, last = _token(text, match.start())
    if first == last:
        advice = "put it right behind a word, `code`, **bold** or $formula$, with no space between"
        raise ClaimError(line, "no word stands right before this claim", advice)
    return Claim(line, first + 1, text[first:last], body, start + first, start + last)


def _token(text: str, end: int) -> tuple[int, int]:
    """Where the claimed token begins and ends: inside of a closed span, or the run without spaces before `end`."""
    for close, mark in _SPANS.items():
        if text[:end].endswith(mark if close in "*_" else close):
            size = len(text[:end]) - len(text[:end].rstrip(close))
            opener = text.rfind(close * size, 0, end - size)
            if opener >= 0:
                first, last = opener + size, end - size
                return _token(text, last) if text[first:last][-1:] in "`$" else (first, last)
    run = text[:end]
    first = max(run.rfind(" "), run.rfind("\t"), run.rfind("\n"), run.rfind(">") if ">" in run else -1) + 1
    last = end
    while first < last and text[last - 1] in _LEFT_OUT_AFTER and not _is_balanced(text[first:last]):
        last -= 1
    while first < last and text[first] in _LEFT_OUT_BEFORE and not _is_balanced(text[first:last]):
        first += 1
    return first, last


def _is_balanced(token: str) -> bool:
    """True for a token that its own brackets enclose, such as `(1,2)`."""
    return len(token) > 2 and token[0] + token[-1] in ("()", "[]", "{}")


def _syntax_problem(body: str) -> str:
    quote = next((mark for mark in _QUOTES if mark not in body), _QUOTES[-1])
    try:
        ast.parse(f"f{quote}{{{body}}}{quote}", mode="eval")
    except SyntaxError as error:
        return str(error.msg)
    return ""
