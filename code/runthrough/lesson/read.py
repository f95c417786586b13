"""A file becomes a `Lesson`, with all that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from . import checks
from .boxes import read_boxes
from .claims import read_claims
from .directives import NONE_SAID
from .document import Course, Fence, Lesson, Problem, Severity
from .fences import Blocks, read_blocks
from .front_matter import read_front_matter
from .markdown import parse_blocks, with_line_feeds
from .prose import comments_in
from .reading_fences import Draft, build_fence, read_drafts
from .slugs import ids_of


def read_lesson(path: Path, name: str, course: Course | None) -> Lesson:
    """The lesson at `path`, called `name` in reports. Nothing in the file raises; what is wrong is in `problems`."""
    if not path.is_file() and path.exists():
        problem = Problem(name, 1, "this is no ordinary file", "lessons are text files; move it away")
        return Lesson(path, name, "", path.stem, {}, (), (problem,), course is not None)
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
    lines = source.split("\n")
    blocks = read_blocks(parse_blocks(source), lines, with_claims="<!--=" in source)
    front, wrong = read_front_matter(blocks.front_matter, name, in_course)
    fences, unclear = _fences(blocks, name, in_course)
    inline = list(comments_in(blocks.prose, lines))
    claims, unread = read_claims(inline, lines)
    boxes, amiss = read_boxes(blocks.boxes, lines, _lines_of(fences)) if blocks.boxes else ([], [])
    said = [fence for fence in fences if fence.directives is not NONE_SAID]
    problems += [
        *wrong,
        *unclear,
        *(Problem(name, each.line, each.message, each.advice) for each in (*unread, *amiss)),
        *checks.incomplete_exercises(said, name),
        *checks.repeated_figures(said, name),
        *checks.unclosed(fences, name, in_course),
        *checks.misplaced_print_comments(fences, name, in_course),
        *checks.unknown_contracts(said, name, course),
        *checks.lost_claims(blocks, name),
        *checks.stray_comments(blocks, name),
        *checks.inline_comments(inline, boxes, name),
        *checks.too_early(fences, claims, boxes, name),
        *checks.false_openers(blocks, name),
    ]
    title = front.get("title")
    return Lesson(
        path=path,
        name=name,
        text=text,
        title=title if isinstance(title, str) and title else blocks.title or path.stem,
        front=front,
        fences=tuple(fences),
        problems=tuple(sorted(problems, key=lambda problem: problem.line)),
        in_course=in_course,
        pinned_torch=course.torch if course is not None else "",
        claims=tuple(claims),
        boxes=tuple(boxes),
    )


def _fences(blocks: Blocks, name: str, in_course: bool) -> tuple[list[Fence], list[Problem]]:
    drafts = read_drafts(blocks, in_course)
    ids, repeated = ids_of(drafts, name)
    fences = [build_fence(draft, its_id) for draft, its_id in zip(drafts, ids, strict=True)]
    fences, without_code = checks.check_outputs(fences, name, in_course)
    return fences, [*_told(drafts, name), *repeated, *without_code]


def _told(drafts: Iterable[Draft], name: str) -> Iterator[Problem]:
    for draft in drafts:
        for complaint, severity in draft.told:
            yield Problem(name, complaint.line, complaint.message, complaint.advice, severity)


def _lines_of(fences: Iterable[Fence]) -> set[int]:
    return {line for fence in fences for line in range(fence.line, fence.end_line + 1)}
