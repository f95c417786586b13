"""A file becomes a `Lesson`, with all that is wrong with it at once."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .boxes import read_boxes
from .claims import read_claims
from .dialects import read_comment
from .directives import COMMENT, KEYS, suggestion
from .document import Box, Claim, Course, Fence, Lesson, Problem, Role, Severity
from .fences import Blocks, Comment, read_blocks
from .front_matter import read_front_matter
from .markdown import full_parser, parse_blocks, with_line_feeds
from .print_comments import print_comments
from .reading_fences import Draft, read_fence, with_foreign
from .slugs import Namer

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_NEARLY_A_DIRECTIVE = re.compile(r"\s*fences?\b\s*:?\s*(?P<key>[\w-]+)\s*(?:=|$|\s)", re.IGNORECASE)
_MENTIONS_FENCE = re.compile(r"<!--\s*fence", re.IGNORECASE)


def read_lesson(path: Path, name: str, course: Course | None) -> Lesson:
    """The lesson at `path`, called `name` in reports. Nothing in the file raises; what is wrong is in `problems`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = Problem(name, 1, f"the file cannot be read: {error.strerror}", "see that it is there and yours")
        return Lesson(path, name, "", path.stem, {}, (), (problem,), course is not None)
    return read_text(data, path, name, course)


def read_text(data: bytes, path: Path, name: str, course: Course | None) -> Lesson:
    """The same from bytes that have been read."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = with_line_feeds(data[: error.start].decode("utf-8", "replace")).count("\n") + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        problem = Problem(name, line, message, "save the file as UTF-8")
        return Lesson(path, name, "", path.stem, {}, (), (problem,), course is not None)
    problems = []
    if text.startswith("\ufeff"):
        text = text[1:]
        advice = "save it as UTF-8 without a byte order mark"
        problems.append(Problem(name, 1, "the file begins with a byte order mark", advice, Severity.WARNING))
    return _read(with_line_feeds(text), problems, path, name, course)


def _read(text: str, problems: list[Problem], path: Path, name: str, course: Course | None) -> Lesson:
    in_course = course is not None
    # A last line without an end trips rules that look one letter ahead.
    source = text if text.endswith("\n") else text + "\n"
    blocks = read_blocks(parse_blocks(source), source.split("\n"))
    front, wrong = read_front_matter(blocks.front_matter, name, in_course)
    problems += wrong
    drafts = [read_fence(raw, in_course) for raw in blocks.fences]
    problems += [
        Problem(name, complaint.line, complaint.message, complaint.advice, severity)
        for draft in drafts
        for complaint, severity in draft.complaints
    ]
    fences = _far_reaching(blocks, drafts)
    fences, wrong = _named(fences, name)
    problems += wrong
    fences, wrong = _outputs_checked(fences, name, in_course)
    problems += wrong
    problems += _unclosed(fences, name, in_course)
    problems += _misplaced_print_comments(fences, name)
    problems += _unknown_contracts(fences, name, course)
    problems += _stray_directives(blocks, name)
    problems += _false_openers(blocks, name)
    lines = source.split("\n")
    claims, wrong_claims = read_claims(blocks.prose, lines, _inline())
    boxes, wrong_boxes = read_boxes(blocks.boxes, lines)
    problems += [Problem(name, each.line, each.message, each.advice) for each in (*wrong_claims, *wrong_boxes)]
    problems += _too_early(fences, claims, boxes, name)
    title = front.get("title")
    return Lesson(
        path,
        name,
        text,
        title if isinstance(title, str) and title else blocks.title or path.stem,
        front,
        tuple(fences),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        in_course,
        course.torch if course is not None else "",
        tuple(claims),
        tuple(boxes),
    )


@cache
def _inline() -> MarkdownIt:
    return full_parser()


def _far_reaching(blocks: Blocks, drafts: list[Draft]) -> list[Fence]:
    """Peers' comments that skip the next Python fence, all up to another comment, or the whole file."""
    comments = [*blocks.stray, *(comment for raw in blocks.fences for comment in raw.comments)]
    far = []
    for comment in comments:
        peer = read_comment(comment.text)
        if peer is not None and peer.reach != "fence":
            far.append((comment.line, peer))
    if not far:
        return [draft.fence for draft in drafts]
    far.sort(key=lambda pair: pair[0])
    fences = []
    following = stretch = whole = None
    for draft in drafts:
        while far and far[0][0] < draft.fence.line:
            _, peer = far.pop(0)
            if peer.reach == "next":
                following = peer
            elif peer.reach == "file":
                whole = peer
            else:
                stretch = peer if peer.reach == "start" else None
        fence = draft.fence
        if fence.role is Role.CODE:
            for peer in (following, stretch, whole):
                if peer is not None:
                    fence = with_foreign(fence, peer.directives)
            following = None
        fences.append(fence)
    return fences


def _named(fences: list[Fence], name: str) -> tuple[list[Fence], list[Problem]]:
    """Every fence with an id of its own."""
    problems = []
    lines: dict[str, int] = {}
    for fence in fences:
        if fence.id and fence.id in lines:
            message = f"id={fence.id} is on line {lines[fence.id]} too"
            problems.append(Problem(name, fence.line, message, "ids are unique in a lesson; rename one"))
        elif fence.id:
            lines[fence.id] = fence.line
    namer = Namer(lines)
    named = []
    for fence in fences:
        if not fence.id or lines[fence.id] != fence.line:
            kind = "" if fence.role is Role.CODE else fence.role.value
            fence = replace(fence, id=namer.name(fence.heading, kind))
        named.append(fence)
    return named, problems


def _outputs_checked(fences: list[Fence], name: str, in_course: bool) -> tuple[list[Fence], list[Problem]]:
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


def _unclosed(fences: Iterable[Fence], name: str, in_course: bool) -> Iterator[Problem]:
    for fence in fences:
        if not fence.is_closed:
            severity = Severity.ERROR if in_course else Severity.WARNING
            message = f"the fence is never closed; it runs to line {fence.end_line}"
            yield Problem(name, fence.line, message, f"close it with {fence.marker}", severity)


def _unknown_contracts(fences: Iterable[Fence], name: str, course: Course | None) -> Iterator[Problem]:
    if course is None or course.contracts is None:
        return
    for fence in fences:
        for contract in fence.directives.proves:
            if contract not in course.contracts:
                advice = suggestion(contract, sorted(course.contracts))
                yield Problem(name, fence.line, f"proves={contract!r} is no contract of the course", advice)


def _stray_directives(blocks: Blocks, name: str) -> Iterator[Problem]:
    """Directives that no fence follows, that stand in a sentence, or that are misspelt."""
    for comment in blocks.stray:
        if COMMENT.match(comment.text):
            advice = "put it right above the fence it speaks of, with the same indentation"
            yield Problem(name, comment.line, "this directive has no fence below it", advice)
    for comment in (*blocks.stray, *(each for raw in blocks.fences for each in raw.comments)):
        match = _NEARLY_A_DIRECTIVE.match(comment.text)
        if match and not COMMENT.match(comment.text) and match["key"] in KEYS:
            yield Problem(name, comment.line, "this looks like a directive and is none", "begin it with 'fence:'")
        if comment.text.startswith("="):
            advice = "put it right behind the word it speaks of"
            yield Problem(name, comment.line, "a claim may not begin a line", advice)
    for comment in _comments_in_prose(blocks):
        if COMMENT.match(comment.text):
            advice = "put it on a line of its own, with a blank line above it"
            yield Problem(name, comment.line, "a directive inside a sentence is not read", advice)


def _comments_in_prose(blocks: Blocks) -> Iterator[Comment]:
    for token in blocks.prose:
        if not _MENTIONS_FENCE.search(token.content) or token.map is None:
            continue
        line = token.map[0] + 1
        for child in _inline().parseInline(token.content)[0].children or ():
            if child.type == "html_inline" and child.content.startswith("<!--"):
                yield Comment(line, child.content[4:-3])
            if child.type in ("softbreak", "hardbreak"):
                line += 1


def _misplaced_print_comments(fences: list[Fence], name: str) -> Iterator[Problem]:
    for number, fence in enumerate(fences):
        if fence.role is not Role.CODE or "#>" not in fence.code:
            continue
        comments, lost = print_comments(fence.code)
        for line in lost:
            message = "this #> stands beside no print call"
            advice = "put it behind the call or on the lines below it"
            yield Problem(name, fence.code_line - 1 + line, message, advice, Severity.WARNING)
        below = fences[number + 1].role if number + 1 < len(fences) else Role.SHOWN
        if comments and below is Role.OUTPUT:
            message = "this fence shows its output twice, by #> and by an output fence"
            yield Problem(name, fence.line, message, "keep one of the two")


def _too_early(fences: list[Fence], claims: list[Claim], boxes: list[Box], name: str) -> Iterator[Problem]:
    """Claims and quiz keys above the first fence whose names they could use."""
    first = min((fence.end_line for fence in fences if fence.leaves_names), default=sys.maxsize)
    keys = [option.line for box in boxes for option in box.options if option.key is not None]
    for line in [*(claim.line for claim in claims), *keys]:
        if line < first:
            advice = "move it below the fence that computes its value"
            yield Problem(name, line, "nothing has run before this claim", advice)


def _false_openers(blocks: Blocks, name: str) -> Iterator[Problem]:
    for line in blocks.false_openers:
        message = "this looks like a fence and is none"
        advice = "put a blank line above it and indent it by less than four spaces"
        yield Problem(name, line, message, advice, Severity.WARNING)
    for raw in blocks.fences:
        if raw.lost_opener:
            message = f"line {raw.lost_opener} looks like a python fence inside the fence opened here"
            advice = f"close this one with {raw.marker} alone on a line"
            yield Problem(name, raw.line, message, advice, Severity.WARNING)
