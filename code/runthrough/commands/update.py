"""The command `update`: texts of pages that are not what came, shown as a diff and written where that is asked for."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from runthrough.command_line.arguments import Options
from runthrough.road import planned, run_quietly

if TYPE_CHECKING:
    from runthrough.amend.page import Page
    from runthrough.lesson.document import Lesson
    from runthrough.reports.pen import Line
    from runthrough.result import Report

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def update_lessons(lessons: Sequence[Lesson], options: Options) -> bool:
    """Run the lessons, show what should change, write it where asked; True where all is then well."""
    from runthrough.reports.pen import line, pen_for
    from runthrough.reports.terminal import failures_of

    pages, report = _settled(lessons, options)
    pen = pen_for(sys.stdout, color=options.color)
    written = []
    for page in pages:
        if page.is_changed:
            pen.write(_diff(page))
            if options.write:
                written += [page] if _write(page) else []
    report = _report(report, pages, is_written=options.write)
    current = {page.lesson.name: (page.current if options.write else page.lesson).text for page in pages}
    pen.write(failures_of(report, current, in_full=False))
    pen.write(_left(pages, is_written=options.write))
    changed = [page for page in pages if page.is_changed]
    pen.write([line(_closing(changed, written if options.write else None, report))])
    return report.holds and len(written) == len(changed)


def _settled(lessons: Sequence[Lesson], options: Options) -> tuple[list[Page], Report]:
    """The pages after as many runs as they need, and the report of the first."""
    from runthrough.amend.page import Run, advance, page_of, with_new_figures
    from runthrough.lesson.discovery import locate

    # One broken text must not hide those below it.
    options = replace(options, keep_going=True)
    courses = {place.path: place.course for place in locate(options.paths).places}
    pages = [page_of(lesson, lesson.path.read_bytes(), courses.get(lesson.path)) for lesson in lessons]
    first: Report | None = None
    while unsettled := [page for page in pages if not page.is_settled]:
        jobs = planned([page.current for page in unsettled], options)
        jobs = [with_new_figures(job, page) for job, page in zip(jobs, unsettled, strict=True)]
        # A lesson run again keeps its seed, or its random numbers would be others.
        options = replace(options, seed=jobs[0].seed)
        report = run_quietly(jobs, options)
        first = first or report
        results = {result.path: result for result in report.lessons}
        runs = {job.name: Run(job, results[job.name]) for job in jobs}
        pages = [page if page.is_settled else advance(page, runs[page.lesson.name], fill=options.new) for page in pages]
    assert first is not None
    return pages, first


def _report(report: Report, pages: Sequence[Page], *, is_written: bool) -> Report:
    from runthrough.amend.page import result_of
    from runthrough.reports.report import count_outcomes

    lessons = tuple(result_of(page, is_written=is_written) for page in pages)
    return replace(report, lessons=lessons, totals=count_outcomes(lessons))


def _diff(page: Page) -> Iterator[Line]:
    from runthrough.reports.pen import Span, line, plural, visible

    name = page.lesson.name
    before, after = page.lesson.text.split("\n"), page.current.text.split("\n")
    for row in difflib.unified_diff(before, after, name, f"{name} (updated)", lineterm=""):
        yield line(Span(visible(row), _STYLES.get(row[:1], "")))
    for file, text in page.figures:
        there = (page.lesson.path.parent / file).exists()
        size = plural(len(text.encode()), "byte")
        yield line(Span("figure", "bold"), f" {visible(file)}  {'drawn anew' if there else 'is new'}, {size}")


def _write(page: Page) -> bool:
    """Write the page and its figures, unless its file is no longer the one that was run."""
    from runthrough.reports.writing import write_whole

    try:
        if page.lesson.path.read_bytes() != page.source.data:
            print(f"{page.lesson.name}:1: the file changed while it was run (update it again)", file=sys.stderr)
            return False
        for file, text in page.figures:
            write_whole(page.lesson.path.parent / file, text.encode())
        if page.now.data != page.source.data:
            write_whole(page.lesson.path, page.now.data)
    except OSError as error:
        print(f"{page.lesson.name}:1: the file cannot be written: {error.strerror}", file=sys.stderr)
        return False
    return True


def _left(pages: Sequence[Page], *, is_written: bool) -> Iterator[Line]:
    from runthrough.amend.page import line_of
    from runthrough.reports.pen import Span, line, visible

    for page in pages:
        lesson = page.current if is_written else page.lesson
        for refusal in page.refusals:
            place = visible(f"{page.lesson.name}:{line_of(lesson, refusal.place)}")
            yield line(Span("left as it is", "bold"), f" {place}  {visible(refusal.reason)}")


def _closing(changed: Sequence[Page], written: Sequence[Page] | None, report: Report) -> str:
    from runthrough.reports.pen import plural

    count = plural(sum(len(page.touched) for page in changed), "text")
    if not changed:
        said = "nothing to change"
    elif written is not None:
        count = plural(sum(len(page.touched) for page in written), "text")
        said = f"{count} written in {plural(len(written), 'lesson')}"
        said += f", {plural(len(changed) - len(written), 'lesson')} not written" if written != changed else ""
    else:
        said = f"{count} to change in {plural(len(changed), 'lesson')}; --write writes them"
    return said if report.holds else f"{said}; what is shown above does not hold and is left as it is"
