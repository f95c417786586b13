"""The run as Markdown for the page of a GitHub job. Nothing that a lesson says can leave its cell or its block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from runthrough.lesson.document import Problem
from runthrough.reports.failure import claim_lines, failure_lines, trouble_lines
from runthrough.reports.pen import Line, plain, visible
from runthrough.reports.terminal import closing_line
from runthrough.result import LessonResult, Outcome, Report

LARGEST = 1024 * 1024  # bytes that GitHub takes for a step; a larger file is refused as a whole
ROOM_TO_CLOSE = 1024  # bytes kept for the words on what is left out
MOST_LESSONS_THAT_HOLD = 50
COLUMNS = (Outcome.PASSED, Outcome.FAILED, Outcome.TIMEOUT, Outcome.CRASHED, Outcome.BLOCKED, Outcome.SKIPPED)
_PLAIN = re.compile(r"[A-Za-z0-9 /-]")


def as_summary(report: Report, texts: Mapping[str, str], room: int = LARGEST) -> str:
    """A table of lessons, then every failure, in at most `room` bytes; what has no room is counted.

    `texts` has the source of each lesson by its name.
    """
    head = ["## Lessons\n\n", f"{in_text(plain([closing_line(report)]).strip())}\n\n"]
    return _within(room, head, [*_table(report), "\n", *_failures(report, texts), *_not_run(report)])


def as_summary_of_problems(problems: Iterable[Problem], room: int = LARGEST) -> str:
    """What keeps the lessons from being read, as a list."""
    head = ["## Lessons\n\n", "Nothing has run: these cannot be read.\n\n"]
    return _within(room, head, [f"- {in_text(str(problem))}\n" for problem in problems])


def in_text(text: str) -> str:
    """`text` on one line, in which no character means anything to Markdown, HTML or GitHub."""
    return "".join(
        char if ord(char) > 127 or _PLAIN.match(char) else f"&#{ord(char)};" for char in visible(" ".join(text.split()))
    )


def in_block(text: str) -> str:
    """`text` as a code block whose fence is longer than any run of backticks in it."""
    runs = re.findall(r"`+", text)
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def _within(room: int, head: list[str], pieces: Iterable[str]) -> str:
    """Whole pieces as long as they fit, then how many did not."""
    kept, left_out = list(head), 0
    size = sum(len(_bytes(piece)) for piece in kept)
    for piece in pieces:
        size += len(_bytes(piece))
        if left_out or size > room - ROOM_TO_CLOSE:
            left_out += 1
        else:
            kept.append(piece)
    if left_out:
        kept.append(f"\n{left_out} more parts have no room here: the step's log has all.\n")
    text = "".join(kept)
    return text if len(_bytes(text)) <= room else ""


def _table(report: Report) -> Iterator[str]:
    holding = [lesson for lesson in report.lessons if lesson.holds]
    shown = report.lessons
    if len(holding) > MOST_LESSONS_THAT_HOLD:
        shown = tuple(lesson for lesson in report.lessons if not lesson.holds)
    yield "| lesson | | " + " | ".join(COLUMNS) + " | seconds |\n" + "|---|---" + "|--:" * (len(COLUMNS) + 1) + "|\n"
    for lesson in shown:
        yield _row(lesson)
    if shown is not report.lessons:
        yield f"\n{len(holding)} lessons hold.\n"


def _row(lesson: LessonResult) -> str:
    counts = (sum(fence.outcome is outcome for fence in lesson.fences) for outcome in COLUMNS)
    cells = [in_text(lesson.path), "holds" if lesson.holds else "**does not hold**", *(str(n or "") for n in counts)]
    return f"| {' | '.join(cells)} | {lesson.seconds:.1f} |\n"


def _failures(report: Report, texts: Mapping[str, str]) -> Iterator[str]:
    for lesson in report.lessons:
        source = texts.get(lesson.path, "")
        for fence in lesson.fences:
            if fence.outcome.is_red and fence.outcome is not Outcome.BLOCKED:
                yield _failure(failure_lines(lesson.path, fence, source))
        for claim in lesson.claims:
            if claim.outcome is Outcome.FAILED:
                yield _failure(claim_lines(lesson.path, claim, source))
        for trouble in lesson.troubles:
            yield _failure(trouble_lines(lesson.path, trouble))
    for trouble in report.troubles:
        yield _failure(trouble_lines("", trouble))


def _failure(lines: Iterable[Line]) -> str:
    head, _, rest = plain(lines).partition("\n")
    return f"<details><summary>{in_text(head)}</summary>\n\n{in_block(rest.strip(chr(10)))}\n</details>\n\n"


def _not_run(report: Report) -> Iterator[str]:
    """Lessons that were not reached, and every fence that was left out, with its reason."""
    for name in report.not_run:
        yield f"- not run: {in_text(name)}\n"
    for lesson in report.lessons:
        for fence in lesson.fences:
            if fence.outcome in (Outcome.SKIPPED, Outcome.SHOWN):
                yield f"- {fence.outcome} {in_text(f'{lesson.path}:{fence.line} {fence.id}: {fence.reason}')}\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
