"""Sides run in turns, and what comes of it: the ratio of each pair, their median and how far they spread."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from statistics import median

from benchmarks.course import Course
from benchmarks.sides import OURS, Run, Side, run_side


@dataclass(frozen=True)
class Comparison:
    """The pairs of one side with ours, in the order they ran."""

    name: str
    isolates: str
    theirs: tuple[Run, ...]
    ours: tuple[Run, ...]

    @property
    def ratios(self) -> list[float]:
        """How many times as long as ours each of their runs took in wall time."""
        return [their.seconds / our.seconds for their, our in zip(self.theirs, self.ours, strict=True)]


@dataclass(frozen=True)
class Result:
    """All that was measured on one course. Memory is in MiB; `one_lesson_mib` is plain `python` with one lesson."""

    template: str
    lessons: int
    fences: int
    comparisons: tuple[Comparison, ...]
    peak_mib: dict[str, float]
    one_lesson_mib: float
    load: float


def compare(side: Side, course: Course, pairs: int, folder: Path) -> Comparison:
    """Run ours and the other in turns; which of the two goes first changes from pair to pair."""
    theirs: list[Run] = []
    ours: list[Run] = []
    for number in range(pairs):
        for turn in (OURS, side) if number % 2 == 0 else (side, OURS):
            (ours if turn is OURS else theirs).append(run_side(turn, course, folder))
    return Comparison(side.name, side.isolates, tuple(theirs), tuple(ours))


def largest(side: Side, course: Course, folder: Path, times: int) -> float:
    """The median of the peaks of some watched runs, in MiB."""
    return median(run_side(side, course, folder, watch_memory=True).peak_mib or 0.0 for _ in range(times))


def measure(
    template: str,
    course: Course,
    one_lesson: Course,
    sides: Sequence[Side],
    pairs: int,
    folder: Path,
    tell: Callable[[str], None],
) -> Result:
    """Everything on one course: pairs with each side, then memory, which is watched in runs of its own."""
    run_side(OURS, course, folder)  # what is read from the disk first is read for all
    load = os.getloadavg()[0]
    comparisons = []
    for side in sides:
        comparisons.append(compare(side, course, pairs, folder))
        tell(f"{template}, {len(course.pages)} lessons, {side.name}: {median(comparisons[-1].ratios):.2f} times ours")
    alone = Side("one lesson", "process", lambda some: [sys.executable, str(some.scripts[0])])
    peaks = {side.name: largest(side, course, folder, times=1) for side in sides}
    peaks[OURS.name] = largest(OURS, course, folder, times=3)
    return Result(
        template,
        len(course.pages),
        len(course.traces),
        tuple(comparisons),
        peaks,
        largest(alone, one_lesson, folder, times=3),
        load,
    )


def as_markdown(result: Result) -> Iterator[str]:
    """The result as a Markdown table and a line on memory and noise."""
    course = f"{result.lessons} lessons, {result.fences} fences, `{result.template}`"
    yield f"| {course} | isolates | wall, times ours (least to most) | s | ours, s | processor, times ours | peak |"
    yield "|---|---|---|---|---|---|---|"
    for one in result.comparisons:
        work = median(a.processor_seconds / b.processor_seconds for a, b in zip(one.theirs, one.ours, strict=True))
        yield (
            f"| {one.name} | {one.isolates} | {median(one.ratios):.2f} ({min(one.ratios):.2f} to {max(one.ratios):.2f})"
            f" | {_seconds(one.theirs)} | {_seconds(one.ours)} | {work:.2f} | {result.peak_mib[one.name]:.0f} MiB |"
        )
    own, every = result.peak_mib[OURS.name], [run.seconds for one in result.comparisons for run in one.ours]
    yield ""
    yield (
        f"Peak memory of {OURS.name}: {own:.0f} MiB, {own / result.one_lesson_mib:.2f} times one lesson in plain "
        f"`python` ({result.one_lesson_mib:.0f} MiB). "
        f"Our {len(every)} runs took {min(every):.1f} to {max(every):.1f} s; load before them {result.load:.1f}."
    )


def write_json(result: Result, path: Path) -> None:
    """Every single run, beside what it ran on."""
    versions = {name: metadata.version(name) for name in ("runthrough", "torch", "nbclient")}
    place = {"python": platform.python_version(), "platform": platform.platform(), "cores": os.cpu_count()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"versions": versions, **place, **asdict(result)}, indent=1) + "\n", encoding="utf-8")


def _seconds(runs: Sequence[Run]) -> str:
    return f"{median(run.seconds for run in runs):.1f}"
