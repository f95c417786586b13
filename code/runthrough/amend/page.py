"""A page on its way to the texts that came: run, changed, and run again until a run finds nothing to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runthrough.amend.changes import Change, Kind, Place, Refusal, Standing, standings, wanted
from runthrough.amend.edits import Source
from runthrough.job import Job, Shown, Step
from runthrough.lesson.document import Course, Fence, Lesson, Severity
from runthrough.lesson.print_comments import print_comments
from runthrough.lesson.read import read_text
from runthrough.result import LessonResult, Outcome

# Texts, then the claims that waited for them, then a text that shows a line number which these have moved.
MOST_CHANGING_RUNS = 4
# Characters of a value that are told.
_TOLD = 100


@dataclass(frozen=True)
class Run:
    """What came of a lesson whose job this was."""

    job: Job
    result: LessonResult


@dataclass(frozen=True)
class Page:
    """A lesson as it is on disk (`lesson`, `source`) and as it should be (`current`, `now`).

    `touched` are the places changed so far with the fence that owns each, `figures` the new texts of its figures'
    files, `broken` the numbers of fences that fail beside their texts, `first` and `last` the runs of the page as it is
    and as it should be.
    """

    lesson: Lesson
    source: Source
    course: Course | None
    current: Lesson
    now: Source
    runs: int = 0
    touched: frozenset[tuple[Place, int]] = frozenset()
    figures: tuple[tuple[str, str], ...] = ()
    refusals: tuple[Refusal, ...] = ()
    broken: frozenset[int] = frozenset()
    first: Run | None = None
    last: Run | None = None
    is_settled: bool = False

    @property
    def is_changed(self) -> bool:
        """True where the page should not be as it is."""
        return self.now.text != self.source.text or bool(self.figures)


def page_of(lesson: Lesson, data: bytes, course: Course | None) -> Page:
    """A page before its first run. `data` are the bytes of its file."""
    source = Source(data.decode("utf-8"))
    return Page(lesson, source, course, lesson, source)


def with_new_figures(job: Job, page: Page) -> Job:
    """The job of the page as it should be: the files of its figures hold what was drawn."""
    new = dict(page.figures)
    return replace(job, steps=tuple(_with_figure(step, new) for step in job.steps)) if new else job


def _with_figure(step: Step, new: dict[str, str]) -> Step:
    expected = tuple(
        replace(each, text=new[each.file]) if each.shown is Shown.FIGURE and each.file in new else each
        for each in step.promise.expected
    )
    return replace(step, promise=replace(step.promise, expected=expected))


def advance(page: Page, run: Run, *, fill: bool) -> Page:
    """The page after a run of its current text: changed and to be run again, or settled."""
    page = replace(page, first=page.first or run, last=run)
    refused = {each.place for each in page.refusals}
    changes, refusals = [], []
    for found in wanted(page.current, page.now, run.job, run.result, fill=fill, broken=page.broken):
        if found.place in refused:
            continue
        if isinstance(found, Change) and (reason := _unread(page, found)):
            found = Refusal(found.place, reason)
        changes += [found] if isinstance(found, Change) else []
        refusals += [found] if isinstance(found, Refusal) else []
    page = replace(page, refusals=(*page.refusals, *refusals))
    if changes and page.runs >= MOST_CHANGING_RUNS:
        unsteady = (Refusal(each.place, "it comes differently in each run; fix what makes it vary") for each in changes)
        return _again(replace(page, refusals=(*page.refusals, *unsteady)), fill=fill)
    if changes:
        return _changed(page, changes)
    owners = {owner for _, owner in page.touched}
    broken = {
        number for number, _, _, standing in standings(run.job, run.result, page.broken) if standing is Standing.BROKEN
    }
    if guilty := (owners & broken) - page.broken:
        return _again(replace(page, broken=page.broken | guilty), fill=fill)
    return replace(page, is_settled=True)


def result_of(page: Page, *, is_written: bool) -> LessonResult:
    """What `check` would tell of the page, at its lines on disk; without writing, changes count as made."""
    assert page.first is not None
    assert page.last is not None
    last = _with_followers_blocked(page.last, page.broken)
    if is_written:
        return last
    first = page.first.result
    fences = tuple(
        replace(now, line=was.line, end_line=was.end_line)
        if not now.outcome.is_red or now.outcome is Outcome.BLOCKED
        else was
        for was, now in zip(first.fences, last.fences, strict=True)
    )
    claims = tuple(replace(now, line=was.line) for was, now in zip(first.claims, last.claims, strict=True))
    return replace(last, fences=fences, claims=claims)


def line_of(lesson: Lesson, place: Place) -> int:
    """The line of a place in a lesson."""
    return lesson.claims[place.number].line if place.kind is Kind.CLAIM else lesson.fences[place.number].line


def _again(page: Page, *, fill: bool) -> Page:
    """Begin anew from the page as it is, with what has been learnt; its first run is still true."""
    assert page.first is not None
    fresh = replace(page, current=page.lesson, now=page.source, runs=0, touched=frozenset(), figures=())
    return advance(fresh, page.first, fill=fill)


def _changed(page: Page, changes: Sequence[Change]) -> Page:
    now = page.now.with_edits(edit for change in changes for edit in change.edits)
    touched = page.touched | {(change.place, change.owner) for change in changes}
    drawn = {change.file: change.texts[0] for change in changes if change.place.kind is Kind.FIGURE}
    figures = tuple((dict(page.figures) | drawn).items())
    current = _read(page, now)
    return replace(page, now=now, current=current, runs=page.runs + 1, touched=touched, figures=figures)


def _read(page: Page, source: Source) -> Lesson:
    lesson = page.lesson
    return read_text(source.data, lesson.path, lesson.name, page.course)


def _unread(page: Page, change: Change) -> str:
    """Why a change would not be read as it is meant, or ""."""
    if change.place.kind is Kind.FIGURE:
        return ""
    lesson = _read(page, page.now.with_edits(change.edits))
    before = page.current
    is_claim = change.place.kind is Kind.CLAIM
    same = (
        [_seen(fence, is_claim) for fence in lesson.fences] == [_seen(fence, is_claim) for fence in before.fences]
        and [claim.body for claim in lesson.claims] == [claim.body for claim in before.claims]
        and not any(problem.severity is Severity.ERROR for problem in lesson.problems)
    )
    if same and _texts_at(lesson, change.place) == change.texts:
        return ""
    if is_claim:
        value = change.texts[0] if len(change.texts[0]) <= _TOLD else f"{change.texts[0][:_TOLD]}…"
        return f"the value {value!r} is not one word there; put the word in `code`, or claim something shorter"
    return "what came cannot stand there as text; print something else"


def _seen(fence: Fence, is_claim: bool) -> tuple[str, ...]:
    """What a change leaves as it is in every fence; a claim in a heading may change the names below it."""
    return (fence.info, fence.code) if is_claim else (fence.info, fence.id)


def _texts_at(lesson: Lesson, place: Place) -> tuple[str, ...]:
    if place.kind is Kind.CLAIM:
        return (lesson.claims[place.number].token,)
    code = lesson.fences[place.number].code
    return (code,) if place.kind is Kind.FENCE else tuple(each.text for each in print_comments(code)[0])


def _with_followers_blocked(run: Run, broken: frozenset[int]) -> LessonResult:
    """The result as a run that stops at the first broken fence of a namespace has it."""
    fences = list(run.result.fences)
    waiting: set[int] = set()
    for number, step, fence, standing in standings(run.job, run.result, broken):
        if standing is Standing.DOUBTFUL and fence.outcome.is_red:
            fences[number] = replace(fence, outcome=Outcome.BLOCKED, mismatches=())
            waiting |= {claim.line for claim in step.claims} | {key.line for key in step.keys}
    claims = tuple(
        replace(claim, outcome=Outcome.BLOCKED) if claim.line in waiting else claim for claim in run.result.claims
    )
    return replace(run.result, fences=tuple(fences), claims=claims)
