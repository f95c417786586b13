"""`:::` boxes with a meaning: quizzes, whose keys may be proved, and what is said without having been run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from datetime import date

from .directives import Complaint
from .document import Box, Option
from .words import split_words

_OPTION = re.compile(r"[ \t]*[-*+][ \t]+\[(?P<mark>[ xX])\][ \t]+(?P<text>.*)")
_KEY = re.compile(r"<!--\s*key:(?P<body>.*?)-->\s*$")


def read_boxes(containers: Iterable[Box], lines: list[str]) -> tuple[list[Box], list[Complaint]]:
    """The boxes with their options, and what is wrong with them."""
    boxes = [_with_options(box, lines) for box in containers]
    return boxes, [error for box in boxes for error in _wrong(box)]


def _with_options(box: Box, lines: list[str]) -> Box:
    if box.kind != "quiz":
        return box
    options = []
    for number in range(box.line, box.end_line):
        match = _OPTION.match(lines[number].lstrip("> "))
        if match:
            key = _KEY.search(match["text"])
            text = _KEY.sub("", match["text"]).strip()
            body = key["body"].strip() if key else None
            options.append(Option(number + 1, text, match["mark"] != " ", body))
    return Box(box.kind, box.words, box.line, box.end_line, box.is_closed, tuple(options))


def _wrong(box: Box) -> Iterator[Complaint]:
    if not box.is_closed and box.kind in ("quiz", "not-run"):
        yield Complaint(box.line, f"the box ::: {box.kind} is never closed", "close it with ::: on a line of its own")
    if box.kind == "quiz":
        yield from _wrong_quiz(box)
    elif box.kind == "not-run":
        yield from _wrong_source(box)


def _wrong_quiz(box: Box) -> Iterator[Complaint]:
    if not box.name:
        yield Complaint(box.line, "this quiz has no name", "write ::: quiz NAME")
    if len(box.options) < 2:
        yield Complaint(box.line, "this quiz has fewer than two options", "write each as - [ ] or - [x] and its text")
    elif not any(option.is_marked for option in box.options):
        yield Complaint(box.line, "no option of this quiz is marked right", "mark it with - [x]")
    for option in box.options:
        if option.key is None:
            continue
        try:
            ast.parse(option.key, mode="eval")
        except SyntaxError as error:
            advice = "write one Python expression after key:"
            yield Complaint(option.line, f"the key {option.key!r} is not valid: {error.msg}", advice)


def _wrong_source(box: Box) -> Iterator[Complaint]:
    said = {word.key: word.value or "" for word in split_words(box.words)}
    if not said.get("source"):
        yield Complaint(box.line, "this not-run box names no source", 'write source="https://..."')
    try:
        date.fromisoformat(said.get("checked", ""))
    except ValueError:
        yield Complaint(box.line, "this not-run box has no date", "write checked=YYYY-MM-DD, the day it was looked up")
