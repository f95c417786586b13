"""Sides run in turns, and what comes of it: the ratio of each pair, their median and how far they spread."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.course import Course, MiscountError
from benchmarks.environments import TORCH, Environment, environment
from benchmarks.sides import OURS, Side
from benchmarks.timing import FailedRunError, Run, run_side

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Comparison:
    """The pairs of one side with ours, in the order they ran; `trouble` is why there are no more of them."""

    side: str
    name: str
    version: str
    isolates: str
    theirs: tuple[Run, ...] = ()
    ours: tuple[Run, ...] = ()
    peak_mib: float | None = None
    trouble: str = ""

    @property
    def ratios(self) -> list[float]:
        """How many times as long as ours each of their runs took in wall time."""
        return [their.seconds / our.seconds for their, our in zip(self.theirs, self.ours, strict=True)]

    @property
    def processor_ratios(self) -> list[float]:
        """The same in processor time."""
        return [a.processor_seconds / b.processor_seconds for a, b in zip(self.theirs, self.ours, strict=True)]

    @property
    def our_ratios(self) -> list[float]:
        """How many times as long as theirs each of our runs took in wall time."""
        return [1 / ratio for ratio in self.ratios]

    @property
    def our_processor_ratios(self) -> list[float]:
        """The same in processor time."""
        return [1 / ratio for ratio in self.processor_ratios]


@dataclass(frozen=True)
class Result:
    """All that was measured on one course, and where."""

    template: str
    lessons: int
    fences: int
    place: str
    when: str
    load: float
    our_peak_mib: float | None = None
    comparisons: tuple[Comparison, ...] = ()


def measure(
    template: str,
    course: Course,
    sides: dict[str, Side],
    pairs: int,
    threads: int,
    memory: bool,
    tell: Tell,
    ours: Side = OURS,
) -> Iterator[Result]:
    """What is known after each pair of runs, so that nothing is lost where a long measurement is ended."""
    lessons = len(course.pages)
    measured = {name: side for name, side in sides.items() if not side.largest or lessons <= side.largest}
    our_place = environment(ours.peer, tell, torch=True)
    places = {name: environment(side.peer, tell, torch=True) for name, side in measured.items()}
    run_side(ours, our_place, course, threads=threads)  # what is read from the disk first is read for all
    now = datetime.now(UTC).strftime("%Y-%m-%d")
    place = f"{_place()}, torch {environment(TORCH, tell).version('torch')}, OpenMP told {_threads(threads)}"
    peak = _peak(ours, our_place, course, threads) if memory else None
    done: tuple[Comparison, ...] = ()
    for name, side in measured.items():
        latest = None
        for latest in compare(name, side, (our_place, places[name]), course, pairs, threads, memory, ours):
            result = Result(
                template, lessons, len(course.traces), place, now, os.getloadavg()[0], peak, (*done, latest)
            )
            tell(f"{template}, {lessons} lessons, {_progress(latest, pairs)}")
            yield result
        done = (*done, latest) if latest else done


def compare(
    name: str,
    side: Side,
    places: tuple[Environment, Environment],
    course: Course,
    pairs: int,
    threads: int = 1,
    memory: bool = False,
    our_side: Side = OURS,
) -> Iterator[Comparison]:
    """Ours and the other in turns; which of the two goes first changes from pair to pair."""
    our_place, their_place = places
    theirs: list[Run] = []
    ours: list[Run] = []
    version = "" if side.peer == TORCH else their_place.version(side.distribution or side.peer.name)
    known = Comparison(name, side.name, version, side.isolates)
    try:
        known = replace(known, peak_mib=_peak(side, their_place, course, threads)) if memory else known
        for number in range(pairs):
            turns = [(our_side, our_place, ours), (side, their_place, theirs)]
            for turn, where, runs in turns if number % 2 == 0 else reversed(turns):
                runs.append(run_side(turn, where, course, threads=threads))
            known = replace(known, theirs=tuple(theirs), ours=tuple(ours))
            yield known
    except (FailedRunError, MiscountError) as error:
        yield replace(known, trouble=str(error))


def _peak(side: Side, where: Environment, course: Course, threads: int) -> float | None:
    return run_side(side, where, course, threads=threads, watch_memory=True).peak_mib


def _progress(latest: Comparison, pairs: int) -> str:
    if latest.trouble:
        return f"{latest.name} has no time: {latest.trouble[:500]}"
    done = len(latest.ratios)
    return f"{latest.name}, pair {done} of {pairs}: {median(latest.ratios):.2f} times ours"


def _threads(number: int) -> str:
    return f"{number} thread{'s' if number > 1 else ''}" if number else "nothing"


def _place() -> str:
    return f"{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def write_json(result: Result, path: Path) -> None:
    """Every single run, beside where it ran."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(asdict(result), indent=1) + "\n", encoding="utf-8")
    aside.replace(path)


def read_json(path: Path) -> Result:
    """What `write_json` wrote."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    comparisons = tuple(_comparison(one) for one in kept.pop("comparisons"))
    return Result(**{**kept, "comparisons": comparisons})


def _comparison(kept: dict[str, Any]) -> Comparison:
    runs: dict[str, Sequence[Run]] = {name: tuple(Run(**run) for run in kept[name]) for name in ("theirs", "ours")}
    return Comparison(**{**kept, **runs})
