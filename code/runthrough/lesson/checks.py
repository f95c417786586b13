"""What is wrong with a page as a whole: outputs without code, fences never closed, comments that speak of nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from .directives import COMMENT, KEYS, suggestion
from .document import Box, Claim, Course, Fence, Problem, Role, Severity
from .fences import Blocks
from .print_comments import print_comments
from .prose import InlineComment

_NEARLY_A_DIRECTIVE = re.compile(
    r"\s*(?:fen[cs]es?\b\s*:?\s*(?P<key>[\w-]+)\s*(?:=|$|\s)|(?P<bare>[\w-]+)=)", re.IGNORECASE
)


def check_outputs(fences: Iterable[Fence], name: str, in_course: bool) -> tuple[list[Fence], list[Problem]]:
    """Output and error fences that follow no code have nothing to be compared with."""
    checked: list[Fence] = []
    problems = []
    above: Fence | None = None
    for fence in fences:
        if fence.role not in (Role.OUTPUT, Role.ERROR):
            above = fence
        elif above is None or above.role is not Role.CODE:
            what = f"this {fence.role.value} fence has no python fence right before it"
            advice = "move it below the code that prints it, or use a text fence"
            if above is None or in_course or fence.directives.output:
                problems.append(Problem(name, fence.line, what, advice))
            else:
                # Other tools' pages show what a shell printed this way.
                problems.append(Problem(name, fence.line, what + " and is only shown", advice, Severity.WARNING))
                checked.append(replace(fence, role=Role.SHOWN))
                continue
        checked.append(fence)
    return checked, problems


def incomplete_exercises(fences: Sequence[Fence], name: str) -> Iterator[Problem]:
    """Exercises of which a part is missing or there twice, so that something in them is proved by nothing."""
    parts: dict[str, dict[str, int]] = {}
    for fence in fences:
        for role in ("exercise", "check", "solution", "wrong"):
            if exercise := getattr(fence.directives, role):
                first = parts.setdefault(exercise, {}).setdefault(role, fence.line)
                if first != fence.line and role in ("exercise", "check"):
                    message = f"{role}={exercise} is on line {first} too"
                    yield Problem(name, fence.line, message, "give each exercise a name of its own")
    for exercise, lines in parts.items():
        for role, what in (("exercise", "starter"), ("check", "check"), ("solution", "solution")):
            if role not in lines:
                message = f"the exercise {exercise} has no {what}"
                yield Problem(name, min(lines.values()), message, f"mark one with {role}={exercise}")


def repeated_figures(fences: Iterable[Fence], name: str) -> Iterator[Problem]:
    """Figures that two fences draw into one file."""
    drawn: dict[str, int] = {}
    for fence in fences:
        if (figure := fence.directives.figure) and drawn.setdefault(figure, fence.line) != fence.line:
            message = f"figure={figure} is drawn by the fence on line {drawn[figure]} too"
            yield Problem(name, fence.line, message, "give each its own name")


def unclosed(fences: Iterable[Fence], name: str, in_course: bool) -> Iterator[Problem]:
    """Fences without a closing line: an error in a course."""
    for fence in fences:
        if not fence.is_closed:
            severity = Severity.ERROR if in_course else Severity.WARNING
            message = f"the fence is never closed; it runs to line {fence.end_line}"
            yield Problem(name, fence.line, message, f"close it with {fence.marker}", severity)


def unknown_contracts(fences: Iterable[Fence], name: str, course: Course | None) -> Iterator[Problem]:
    """Contracts that the course's own file does not hold."""
    if course is None or course.contracts is None:
        return
    for fence in fences:
        for contract in fence.directives.proves:
            if contract not in course.contracts:
                advice = suggestion(contract, sorted(course.contracts))
                yield Problem(name, fence.line, f"proves={contract!r} is no contract of the course", advice)


def lost_claims(blocks: Blocks, name: str) -> Iterator[Problem]:
    """Claims where nothing reads them, so that they hold nothing."""
    for line in blocks.lost_claims:
        what = "a claim in a formula, a box's title, a link's target or a surplus cell is not read"
        yield Problem(name, line, what, "put it right behind the word it speaks of, in a sentence")


def stray_comments(blocks: Blocks, name: str) -> Iterator[Problem]:
    """Directives that no fence follows or that are misspelt, claims and keys that stand alone."""
    for comment in blocks.stray:
        if COMMENT.match(comment.text):
            advice = "put it right above the fence it speaks of, with the same indentation"
            yield Problem(name, comment.line, "this directive has no fence below it", advice)
    for comment in (*blocks.stray, *(each for raw in blocks.fences for each in raw.comments)):
        match = _NEARLY_A_DIRECTIVE.match(comment.text)
        if match and not COMMENT.match(comment.text) and (match["key"] or match["bare"]) in KEYS:
            yield Problem(name, comment.line, "this looks like a directive and is none", "begin it with 'fence:'")
        elif comment.text.startswith("="):
            advice = "put it right behind the word it speaks of"
            yield Problem(name, comment.line, "a claim may not begin a line or stand in HTML", advice)
        elif _is_key(comment.text):
            yield Problem(name, comment.line, *_LOST_KEY)


def inline_comments(inline: Iterable[InlineComment], boxes: Iterable[Box], name: str) -> Iterator[Problem]:
    """Directives and keys in sentences, where nothing reads them."""
    keys = {option.line for box in boxes for option in box.options if option.key is not None}
    for comment in inline:
        if comment.text is None:
            continue
        if COMMENT.match(comment.text):
            advice = "put it on a line of its own, with a blank line above it"
            yield Problem(name, comment.line, "a directive inside a sentence is not read", advice)
        elif _is_key(comment.text) and comment.line not in keys:
            yield Problem(name, comment.line, *_LOST_KEY)
        elif comment.text.lstrip().startswith("=") and not comment.text.startswith("="):
            advice = "write <!--= without a space before the ="
            yield Problem(name, comment.line, "this looks like a claim and is none", advice)


_LOST_KEY = ("this key belongs to no option of a quiz", "end the first line of an option with <!-- key: EXPR -->")


def _is_key(comment: str) -> bool:
    return re.match(r"\s*keys?\s*:", comment, re.IGNORECASE) is not None


def misplaced_print_comments(fences: Sequence[Fence], name: str, in_course: bool) -> Iterator[Problem]:
    """`#>` beside no print call, or besides an output fence."""
    for number, fence in enumerate(fences):
        if fence.role is not Role.CODE or "#>" not in fence.code:
            continue
        comments, lost = print_comments(fence.code)
        for line in lost:
            message = "this #> stands beside no print call"
            advice = "put it behind the call or on the lines below it"
            severity = Severity.ERROR if in_course else Severity.WARNING
            yield Problem(name, fence.code_line - 1 + line, message, advice, severity)
        below = fences[number + 1].role if number + 1 < len(fences) else Role.SHOWN
        if comments and below is Role.OUTPUT:
            message = "this fence shows its output twice, by #> and by an output fence"
            yield Problem(name, fence.line, message, "keep one of the two")


def too_early(fences: Iterable[Fence], claims: Sequence[Claim], boxes: Sequence[Box], name: str) -> Iterator[Problem]:
    """Claims and quiz keys above the first fence whose names they could use."""
    if not claims and not boxes:
        return
    first = min((fence.end_line for fence in fences if fence.leaves_names), default=sys.maxsize)
    keys = [option.line for box in boxes for option in box.options if option.key is not None]
    for line in [*(claim.line for claim in claims), *keys]:
        if line < first:
            advice = "move it below the fence that computes its value"
            yield Problem(name, line, "nothing has run before this claim", advice)


def false_openers(blocks: Blocks, name: str) -> Iterator[Problem]:
    """Lines that look like fences and are none, and Python fences that another fence has swallowed."""
    for line in blocks.false_openers:
        message = "this looks like a fence and is none"
        advice = "put a blank line above it and indent it by less than four spaces"
        yield Problem(name, line, message, advice, Severity.WARNING)
    for raw in blocks.fences:
        if raw.lost_opener:
            message = f"line {raw.lost_opener} looks like a python fence inside the fence opened here"
            advice = f"close this one with {raw.marker} alone on a line"
            yield Problem(name, raw.line, message, advice, Severity.WARNING)
