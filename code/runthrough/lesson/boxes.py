"""`:::` boxes with a meaning: quizzes, whose keys may be proved, and what is said without having been run."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

from .directives import Complaint
from .document import Box, Option
from .words import split_words

_KINDS = ("quiz", "not-run")
_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_ITEM = re.compile(r"(?P<indent>[ \t>]*)[-*+][ \t]+(?P<rest>.*)")
_MARKED = re.compile(r"\[(?P<mark>[ xX])\][ \t]+(?P<text>.*)")
_LINK = re.compile(r"https?://\S")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Where a page is written it may be tomorrow already.
_ONE_DAY = timedelta(days=1)
_KEY = re.compile(r"<!--\s*key:(?P<body>.*?)-->\s*$")


def read_boxes(
    containers: Iterable[Box], lines: list[str], in_fences: Collection[int]
) -> tuple[list[Box], list[Complaint]]:
    """The boxes with their options, and what is wrong with them. `in_fences` are the lines that are code."""
    boxes: list[Box] = []
    wrong: list[Complaint] = []
    names: dict[str, int] = {}
    for container in containers:
        box, unmarked = _with_options(container, lines, in_fences)
        boxes.append(box)
        wrong += [*unmarked, *_wrong(box)]
        if box.kind == "quiz" and names.setdefault(box.name, box.line) != box.line:
            wrong.append(Complaint(box.line, f"the quiz {box.name} is on line {names[box.name]} too", "rename one"))
    return boxes, wrong


def _with_options(box: Box, lines: list[str], in_fences: Collection[int]) -> tuple[Box, list[Complaint]]:
    if box.kind != "quiz":
        return box, []
    options = []
    unmarked = []
    margin = None
    for number in range(box.line + 1, box.end_line):
        item = _ITEM.match(lines[number - 1])
        if item is None or number in in_fences:
            continue
        indent = len(item["indent"].expandtabs(4))
        margin = indent if margin is None else margin
        # An item one column aside is still of the same list; farther in it belongs to an explanation.
        if abs(indent - margin) > 1:
            continue
        if marked := _MARKED.match(item["rest"]):
            key = _KEY.search(marked["text"])
            text = _KEY.sub("", marked["text"]).strip()
            options.append(Option(number, text, marked["mark"] != " ", key["body"].strip() if key else None))
        else:
            unmarked.append(Complaint(number, "this option of a quiz has no mark", "begin it with [x] or [ ]"))
    return Box(box.kind, box.words, box.line, box.end_line, box.is_closed, tuple(options)), unmarked


def _wrong(box: Box) -> Iterator[Complaint]:
    if not box.is_closed and box.kind in _KINDS:
        yield Complaint(box.line, f"the box ::: {box.kind} is never closed", "close it with ::: on a line of its own")
    if box.kind == "quiz":
        yield from _wrong_quiz(box)
    elif box.kind == "not-run":
        yield from _wrong_source(box)
    elif close := _nearly_a_kind(box.kind):
        yield Complaint(box.line, f"::: {box.kind} is no box with a meaning", f"did you mean {close[0]!r}?")


def _nearly_a_kind(kind: str) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(kind.lower(), _KINDS, n=1, cutoff=0.75)


def _wrong_quiz(box: Box) -> Iterator[Complaint]:
    if not _NAME.fullmatch(box.words):
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
        except (SyntaxError, ValueError) as error:
            told = getattr(error, "msg", str(error))
            advice = "write one Python expression after key:"
            yield Complaint(option.line, f"the key {option.key!r} is not valid: {told}", advice)


def _wrong_source(box: Box) -> Iterator[Complaint]:
    said: dict[str, str] = {}
    for word in split_words(box.words):
        if word.key in said:
            yield Complaint(box.line, f"{word.key} is said twice", "keep one")
        said[word.key] = word.value or ""
    for key in said.keys() - {"source", "checked"}:
        yield Complaint(box.line, f"a not-run box takes no {key}", "it takes source= and checked=")
    if not _LINK.match(said.get("source", "")):
        yield Complaint(box.line, "this not-run box names no source", 'write source="https://..."')
    checked = _day(said.get("checked", ""))
    if checked is None:
        yield Complaint(box.line, "this not-run box has no date", "write checked=YYYY-MM-DD, the day it was looked up")
    elif checked > datetime.now(UTC).date() + _ONE_DAY:
        yield Complaint(box.line, f"checked={checked} is still to come", "write the day it was looked up")


def _day(text: str) -> date | None:
    """The day that YYYY-MM-DD names; Python reads other forms of ISO 8601 too."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None
