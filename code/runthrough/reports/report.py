"""A whole run as one value: the lessons in order, where they ran, and the numbers of fences by outcome."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import metadata

from runthrough import __version__
from runthrough.result import Environment, LessonResult, Outcome, Report, Trouble

SCHEMA = 1
RAN = (Outcome.PASSED, Outcome.FAILED, Outcome.TIMEOUT, Outcome.CRASHED)


def assemble(
    results: Iterable[LessonResult],
    *,
    order: Sequence[str],
    seed: int,
    seconds: float,
    troubles: Sequence[Trouble] = (),
    min_fences: int = 0,
) -> Report:
    """The report of a run whose lessons were to be `order` (by name); what has no result is `not_run`.

    `seconds` is the wall time of the run, `troubles` are those of the whole run. Fewer than `min_fences` fences
    run is one more.
    """
    by_name = {result.path: result for result in results}
    lessons = tuple(by_name[name] for name in order if name in by_name)
    totals = count_outcomes(lessons)
    return Report(
        schema=SCHEMA,
        runthrough=__version__,
        environment=environment(),
        seed=seed,
        seconds=seconds,
        lessons=lessons,
        totals=totals,
        troubles=(*troubles, *_floor(totals, min_fences)),
        not_run=tuple(name for name in order if name not in by_name),
    )


def count_outcomes(lessons: Iterable[LessonResult]) -> dict[str, int]:
    """How many fences came to each outcome, every outcome named, and `lessons` and `fences` in all."""
    lessons = tuple(lessons)
    counted = Counter(fence.outcome for lesson in lessons for fence in lesson.fences)
    totals = {outcome.value: counted[outcome] for outcome in Outcome}
    return {**totals, "fences": counted.total(), "lessons": len(lessons)}


def environment() -> Environment:
    """Where this process runs, read from what is installed and not by importing it."""
    return Environment(
        python=platform.python_version(),
        torch=installed_version("torch"),
        numpy=installed_version("numpy"),
        platform=platform.platform(),
    )


def installed_version(distribution: str) -> str:
    """The version of an installed distribution, or "" where there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _floor(totals: dict[str, int], min_fences: int) -> tuple[Trouble, ...]:
    ran = sum(totals[outcome] for outcome in RAN)
    if ran >= min_fences:
        return ()
    message = f"fences that ran: {ran}; --min-fences asks for at least {min_fences}"
    return (Trouble(message, "Find the fences that no longer run, or lower --min-fences."),)
