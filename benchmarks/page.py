"""Results as Markdown: the page docs/benchmarks.md, and of it the table that the README shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks import reading
from benchmarks.comparison import Comparison, Result
from benchmarks.sides import OTHERS, OURS
from benchmarks.targets import TEMPLATE, targets_table

BEGIN, END = "<!-- benchmarks: made by `nox -s benchmarks` -->", "<!-- end of benchmarks -->"

HEAD = """\
# How long it takes

Generated courses of six fences a lesson, run by this harness and by other tools. The page is written by the run that
it shows:

```console
python3 -m nox -s benchmarks -- --write
```

- Each side is a whole process, as a user types it, in an environment of its own. All read one installed torch, and
  every side is told the same number of threads.
- A side and ours run in turns, and which goes first changes from pair to pair. A ratio is that of one pair; told are
  the median of the ratios and, in brackets, the least and the most.
- Every fence leaves a trace as it runs. A run in which a fence is missing or ran twice has no time.
- A fence of these lessons stands on its own, since not every tool lets fences share names.
- What takes seconds a lesson is measured on the small courses only.
- Reading is measured apart: `runthrough list` of 3,000 lessons in turns with a block parsing of the same files that
  does nothing else, and of 200 lessons in turns with their run. Both that only read tell how many fences they found in
  how many lessons, and a run in which one is missing has no time.
"""

AIMS = f"""\
## What is meant

Medians of the ratios on the `{TEMPLATE}` courses below: our wall time in that of the other side, or for "times as fast"
theirs in ours. What is missed stays here until it is reached. A lesson in a process of its own costs a fork, a copy of
each page of memory that it writes to, and the first call of all that it uses; in one process, all lessons pay once.
"""

READING = """\
## Reading

What stands before every run: finding the fences of each page, and all that is said of them. `runthrough list` does that
and no more. Beside it, markdown-it-py finds the same fences and reads nothing else of a page; and the same lessons are
run by `runthrough check`, of whose time reading is a part.
"""

TEMPLATES = {
    "autograd": "Lessons that need `import torch` and nothing that torch imports later.",
    "training": "Lessons with an optimizer and `assert_close`, for which torch imports as much again.",
}


def as_page(results: Sequence[Result]) -> str:
    """The whole page, a table a course, the smaller first."""
    parts = [HEAD, f"{AIMS}\n{targets_table(results)}"]
    for template, told in TEMPLATES.items():
        found = sorted((one for one in results if one.template == template), key=lambda one: one.lessons)
        if found:
            parts.append(f"## `{template}`\n\n{told}\n")
        parts += [f"### {one.lessons} lessons\n\n{table(one)}" for one in found]
    if found := [one for one in results if one.template == reading.TEMPLATE]:
        parts.append(f"{READING}\n{reading_table(found)}")
    return "\n".join(parts)


def reading_table(results: Sequence[Result]) -> str:
    """A row for each course that was listed, the larger first, then what they were listed on."""
    lines = ["| `runthrough list` of | in | wall | processor | our seconds | theirs |", "|---|---|--:|--:|--:|--:|"]
    ordered = sorted(results, key=lambda one: -one.lessons)
    lines += [_reading_row(result, one) for result in ordered for one in result.comparisons]
    places = dict.fromkeys(_ran_on(result, len(one.ratios)) for result in ordered for one in result.comparisons)
    return "\n".join([*lines, "", *places]) + "\n"


def _reading_row(result: Result, one: Comparison) -> str:
    course, name = f"{result.lessons} lessons, {result.fences} fences", f"{one.name} {one.version}".strip()
    if not one.ratios:
        return f"| {course} | {name} | {_first_line(one.trouble)} | | | |"
    seconds = " | ".join(f"{median(run.seconds for run in runs):.2f}" for runs in (one.ours, one.theirs))
    return f"| {course} | {name} | {_spread(one.our_ratios)} | {_spread(one.our_processor_ratios)} | {seconds} |"


def table(result: Result) -> str:
    """One course: a row a side, the slowest last, then what it ran on."""
    return "\n".join(_lines(result)) + "\n"


def into_readme(readme: str, results: Sequence[Result]) -> str:
    """The README with the table of its course in place of the one before. Raises ValueError where it has no place."""
    shown = readme_result(results)
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table(shown)}\n{END}{after}"


def readme_result(results: Sequence[Result]) -> Result:
    """The course that the README shows: the smallest of the first template, which every side has run."""
    order = list(TEMPLATES)
    ran = [one for one in results if one.template in order]
    return min(ran, key=lambda one: (order.index(one.template), one.lessons))


def _lines(result: Result) -> Iterator[str]:
    course = f"{result.lessons} lessons, {result.fences} fences"
    yield f"| {course} | a lesson has to itself | wall, times ours | seconds | processor, times ours | peak |"
    yield "|---|---|--:|--:|--:|--:|"
    every = [run.seconds for one in result.comparisons for run in one.ours]
    if every:
        yield f"| **{OURS.name}** | {OURS.isolates} | 1 | {median(every):.1f} | 1 | {_mib(result.our_peak_mib)} |"
    for one in sorted(result.comparisons, key=lambda one: median(one.ratios or [float("inf")])):
        yield _row(one)
    yield ""
    runs = f" Our {len(every)} runs took {min(every):.1f} to {max(every):.1f} s." if every else ""
    yield _ran_on(result, max((len(one.ratios) for one in result.comparisons), default=0)) + runs
    measured = {one.side for one in result.comparisons}
    if left_out := [side.name for name, side in OTHERS.items() if name not in measured]:
        yield f"Not measured on this course: {', '.join(left_out)}."


def _ran_on(result: Result, pairs: int) -> str:
    of_runs = f" {pairs} pairs a side." if pairs else ""
    return f"{result.when}, {result.place}; load {result.load:.1f} at the end.{of_runs}"


def _spread(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def _row(one: Comparison) -> str:
    name = f"{one.name} {one.version}".strip()
    if not one.ratios:
        return f"| {name} | {one.isolates} | {_first_line(one.trouble)} | | | {_mib(one.peak_mib)} |"
    seconds = median(run.seconds for run in one.theirs)
    work = median(one.processor_ratios)
    return f"| {name} | {one.isolates} | {_spread(one.ratios)} | {seconds:.1f} | {work:.2f} | {_mib(one.peak_mib)} |"


def _mib(peak: float | None) -> str:
    return f"{peak:.0f} MiB" if peak else ""


def _first_line(text: str) -> str:
    return text.partition("\n")[0].replace("|", "\\|")
