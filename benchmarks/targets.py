"""What the harness means to reach, each as a ratio of two sides in one run, held against what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NoReturn

from benchmarks import reading
from benchmarks.comparison import Comparison, Result

TEMPLATE = "autograd"  # its bodies are short, so that what a harness adds shows most
_LIMITS = ("limit", "limit-leaving")


class UnmeasuredError(Exception):
    """A side that a target speaks of was not measured, or has no time."""


@dataclass(frozen=True)
class Measured:
    """The results of one template by their number of lessons, and those of reading by theirs.

    Each ratio raises UnmeasuredError where it has none.
    """

    results: dict[int, Result]
    of_reading: dict[int, Result]

    def theirs(self, lessons: int, side: str) -> float:
        """The wall time of a side, in ours."""
        return next((median(one.ratios) for one in self._timed(lessons) if one.side == side), None) or _unmeasured()

    def ours(self, lessons: int, side: str) -> float:
        """Our wall time, in that of a side."""
        return 1 / self.theirs(lessons, side)

    def ours_in_fastest(self, lessons: int) -> float:
        """Our wall time, in that of the fastest tool that isolates nothing."""
        ratios = [
            median(one.ratios) for one in self._timed(lessons) if one.isolates == "nothing" and one.side not in _LIMITS
        ]
        return 1 / min(ratios) if ratios else _unmeasured()

    def a_lesson(self, lessons: int, fewer: int) -> float:
        """Our wall time a lesson, in that of a course of fewer lessons."""
        return self._seconds(lessons) / lessons / (self._seconds(fewer) / fewer)

    def reading(self, lessons: int, side: str) -> Comparison:
        """The pairs of `runthrough list` with a side."""
        found = self.of_reading[lessons].comparisons if lessons in self.of_reading else ()
        return next((one for one in found if one.side == side and one.ratios), None) or _unmeasured()

    def _seconds(self, lessons: int) -> float:
        runs = [run.seconds for one in self._timed(lessons) for run in one.ours]
        return median(runs) if runs else _unmeasured()

    def _timed(self, lessons: int) -> list[Comparison]:
        return [one for one in self.results[lessons].comparisons if one.ratios] if lessons in self.results else []


def _unmeasured() -> NoReturn:
    raise UnmeasuredError


@dataclass(frozen=True)
class Target:
    """The `ratio` is to be `bound` at most, or at least that where `is_floor` says so."""

    lessons: int
    aim: str
    ratio: Callable[[Measured], float]
    bound: float
    is_floor: bool = False


TARGETS = (
    Target(20, "at most 1.0 times all bodies in one process", lambda known: known.ours(20, "limit"), 1.0),
    Target(20, "the same where that process skips its teardown", lambda known: known.ours(20, "limit-leaving"), 1.0),
    Target(
        20, "8 times as fast as `python` a lesson, two at a time", lambda known: known.theirs(20, "python-2"), 8, True
    ),
    Target(20, "18 times as fast as nbmake", lambda known: known.theirs(20, "nbmake"), 18, True),
    Target(20, "18 times as fast as `jupyter execute`", lambda known: known.theirs(20, "nbclient"), 18, True),
    Target(
        20, "at most 0.8 times the fastest tool that isolates nothing", lambda known: known.ours_in_fastest(20), 0.8
    ),
    Target(200, "at most 1.2 times all bodies in one process", lambda known: known.ours(200, "limit"), 1.2),
    Target(200, "no slower than pytest-codeblocks", lambda known: known.ours(200, "pytest-codeblocks"), 1.0),
    Target(200, "at most 0.65 times pytest-markdown-docs", lambda known: known.ours(200, "pytest-markdown-docs"), 0.65),
    Target(1000, "at most 1.25 times all bodies in one process", lambda known: known.ours(1000, "limit"), 1.25),
    Target(1000, "a lesson at most 1.1 times as long as with 200", lambda known: known.a_lesson(1000, 200), 1.1),
    Target(
        reading.PAGES,
        "`runthrough list` at most 1.5 times their block parsing alone",
        lambda known: median(known.reading(reading.PAGES, reading.BLOCKS_SIDE).our_ratios),
        1.5,
    ),
    Target(
        reading.RUN,
        "`runthrough list` at most 0.05 times `runthrough check` in processor time",
        lambda known: median(known.reading(reading.RUN, reading.CHECK_SIDE).our_processor_ratios),
        0.05,
    ),
)


def targets_table(results: Sequence[Result]) -> str:
    """A row a target: what is meant, what came, and whether that is reached."""
    known = Measured(
        {one.lessons: one for one in results if one.template == TEMPLATE},
        {one.lessons: one for one in results if one.template == reading.TEMPLATE},
    )
    return "\n".join(_rows(known)) + "\n"


def _rows(known: Measured) -> Iterator[str]:
    yield "| lessons | meant | measured | |"
    yield "|--:|---|--:|---|"
    for target in TARGETS:
        try:
            ratio = target.ratio(known)
        except UnmeasuredError:
            yield f"| {target.lessons} | {target.aim} | | not measured |"
            continue
        is_reached = ratio >= target.bound if target.is_floor else ratio <= target.bound
        yield f"| {target.lessons} | {target.aim} | {ratio:.2f} | {'reached' if is_reached else '**missed**'} |"
