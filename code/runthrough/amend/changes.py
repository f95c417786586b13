"""From what came of a lesson to the changes of its page, and the texts that are left for a person to mend."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from runthrough.amend.edits import CannotEditError, Edit, Source, edit_of_claim, edit_of_fence, edits_of_prints
from runthrough.expect.compare import Tolerance
from runthrough.expect.promise import matches, without_traceback
from runthrough.expect.promote import lines_that_came, promoted
from runthrough.job import Act, Job, Role, Shown, Step
from runthrough.lesson.document import Fence, Lesson
from runthrough.lesson.print_comments import print_comments
from runthrough.result import Cause, FenceResult, LessonResult, Mismatch, Outcome

_CUT = re.compile(r"^\[\.\.\. \d+ bytes cut here \.\.\.\]$", re.MULTILINE)


class Kind(StrEnum):
    """What is changed: the inside of an output or error fence, a fence's `#>` comments, a claimed word, or a figure."""

    FENCE = "fence"
    PRINTS = "prints"
    CLAIM = "claim"
    FIGURE = "figure"


@dataclass(frozen=True)
class Place:
    """A shown text by its kind and its number among the lesson's fences or claims, which no change moves."""

    kind: Kind
    number: int


@dataclass(frozen=True)
class Change:
    """The edits of one place, and the texts that must be read back from it. `owner` is the fence that ran.

    A figure is no part of the page: without edits, its one text is for `file`.
    """

    place: Place
    owner: int
    edits: tuple[Edit, ...]
    texts: tuple[str, ...]
    file: str = ""


@dataclass(frozen=True)
class Refusal:
    """A place that is not what came and is left as it is."""

    place: Place
    reason: str


class Standing(StrEnum):
    """What a result is good for: all of it, all but shown texts, nothing, or nothing since an earlier fence."""

    HOLDS = "holds"
    DIFFERS = "differs"
    BROKEN = "broken"
    DOUBTFUL = "doubtful"


def standings(
    job: Job, result: LessonResult, broken: frozenset[int]
) -> Iterator[tuple[int, Step, FenceResult, Standing]]:
    """Each step in the order it ran, with the number of its result. `broken` are known to fail beside their texts."""
    numbers = {fence.line: number for number, fence in enumerate(result.fences)}
    stopped: set[str] = set()
    for step in job.steps:
        number = numbers[step.line]
        fence = result.fences[number]
        if step.namespace in stopped and not step.alone:
            standing = Standing.DOUBTFUL
        elif not fence.outcome.is_red:
            standing = Standing.HOLDS
        elif number not in broken and _only_texts_differ(step, fence):
            standing = Standing.DIFFERS
        else:
            standing = Standing.BROKEN
            if not step.alone and (step.part is None or step.part.role is Role.SOLUTION):
                stopped.add(step.namespace)
        yield number, step, fence, standing


def wanted(
    lesson: Lesson, source: Source, job: Job, result: LessonResult, *, fill: bool, broken: frozenset[int]
) -> Iterator[Change | Refusal]:
    """What should change on the page. `fill` lets empty fences be filled."""
    for number, step, fence, standing in standings(job, result, broken):
        if standing is Standing.DIFFERS:
            tolerance = Tolerance(step.promise.rtol, step.promise.atol)
            yield from _of_texts(lesson, source, number, fence, tolerance, fill=fill)
        elif standing is Standing.HOLDS and step.act is Act.RUN:
            yield from _of_claims(lesson, source, number, step, result)


def _only_texts_differ(step: Step, fence: FenceResult) -> bool:
    """True for a fence that did what it promised, but for the texts shown. An assertion is never one of them."""
    if fence.cause not in (Cause.OTHER_OUTPUT, Cause.OTHER_MESSAGE, Cause.OTHER_FIGURE) or not fence.mismatches:
        return False
    if fence.also:
        return False
    if fence.error is None:
        return True
    if not matches(step.promise.match, fence.error.message):
        return False
    return all(_is_same_error(each, fence) for each in fence.mismatches if each.shown is Shown.ERROR)


def _is_same_error(mismatch: Mismatch, fence: FenceResult) -> bool:
    assert fence.error is not None
    shown = without_traceback(mismatch.expected)[1].strip()
    if "AssertionError" in fence.error.bases:
        return False
    return not shown or shown.partition(":")[0] in fence.error.bases


def _of_texts(
    lesson: Lesson, source: Source, owner: int, result: FenceResult, tolerance: Tolerance, *, fill: bool
) -> Iterator[Change | Refusal]:
    by_line = {fence.code_line: number for number, fence in enumerate(lesson.fences)}
    code = next(number for number, fence in enumerate(lesson.fences) if fence.line == result.line)
    prints = [each for each in result.mismatches if each.shown is Shown.PRINT]
    if prints:
        yield _of_prints(lesson.fences[code], source, Place(Kind.PRINTS, code), owner, prints, tolerance)
    for mismatch in result.mismatches:
        if mismatch.shown is Shown.FIGURE:
            yield Change(Place(Kind.FIGURE, code), owner, (), (mismatch.found,), mismatch.file)
        elif mismatch.shown is not Shown.PRINT:
            number = by_line[mismatch.text_line]
            place = Place(Kind.FENCE, number)
            if not mismatch.expected.strip() and not fill:
                yield Refusal(place, f"the {mismatch.shown} fence is empty; --new fills it")
            else:
                yield _of_fence(lesson.fences[number], source, place, owner, mismatch, tolerance)


def _of_fence(
    fence: Fence, source: Source, place: Place, owner: int, mismatch: Mismatch, tolerance: Tolerance
) -> Change | Refusal:
    if _CUT.search(mismatch.found):
        return Refusal(place, "the output is too long to be shown whole; print less of it")
    above, _ = without_traceback(fence.code) if mismatch.shown is Shown.ERROR else (0, "")
    rows = fence.code.split("\n")[:-1]
    shown = list(range(above, len(rows)))
    # Blank lines at the ends are no part of what is compared.
    while shown and not rows[shown[0]].strip():
        del shown[0]
    while shown and not rows[shown[-1]].strip():
        del shown[-1]
    first, last = (shown[0], shown[-1] + 1) if shown else (len(rows), len(rows))
    found = promoted(rows[first:last], lines_that_came(mismatch.found), tolerance)
    lines = [*range(first), *(first + line if isinstance(line, int) else line for line in found)]
    lines += range(last, len(rows)) if first < last else ()
    try:
        edit = edit_of_fence(source, fence, lines)
    except CannotEditError as error:
        return Refusal(place, str(error))
    text = "".join((rows[line] if isinstance(line, int) else line) + "\n" for line in lines)
    return Change(place, owner, (edit,), (text,))


def _of_prints(
    fence: Fence, source: Source, place: Place, owner: int, mismatches: list[Mismatch], tolerance: Tolerance
) -> Change | Refusal:
    texts = {each.line + fence.code_line - 1: each.text for each in print_comments(fence.code)[0]}
    edits: list[Edit] = []
    for mismatch in mismatches:
        if _CUT.search(mismatch.found):
            return Refusal(place, "the output is too long to be shown whole; print less of it")
        rows = mismatch.expected.split("\n")[:-1]
        found = promoted(rows, lines_that_came(mismatch.found), tolerance)
        new = [rows[line] if isinstance(line, int) else line for line in found]
        try:
            edits += edits_of_prints(source, fence, mismatch.text_line, len(rows), new)
        except CannotEditError as error:
            return Refusal(place, str(error))
        texts[mismatch.text_line] = "".join(f"{line}\n" for line in new or [""])
    return Change(place, owner, tuple(edits), tuple(texts.values()))


def _of_claims(
    lesson: Lesson, source: Source, owner: int, step: Step, result: LessonResult
) -> Iterator[Change | Refusal]:
    lines = {claim.line for claim in step.claims}
    for line in sorted(lines):
        claims = [(number, claim) for number, claim in enumerate(lesson.claims) if claim.line == line]
        # Keys of a quiz on the same line come after its claims.
        results = [each for each in result.claims if each.line == line]
        for (number, claim), came in zip(claims, results, strict=False):
            if came.outcome is not Outcome.FAILED or came.cause is Cause.RAISED:
                continue
            place = Place(Kind.CLAIM, number)
            if not came.found.strip():
                yield Refusal(place, "the value is empty, and no word can show it")
            else:
                yield Change(place, owner, (edit_of_claim(source, claim, came.found),), (came.found,))
