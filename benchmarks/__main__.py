"""`python -m benchmarks`: generate courses, run every side in turns with ours, and keep each run as it comes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.comparison import Result, measure, read_json, write_json
from benchmarks.course import TEMPLATES, make_course
from benchmarks.environments import ROOT
from benchmarks.page import as_page, into_readme, reading_table, table
from benchmarks.reading import PAGES, measure_reading
from benchmarks.sides import OTHERS, Side

BUILD = ROOT / "build" / "benchmarks"
PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"
SIZES = (20, 200, 1000)


def main() -> None:
    """Measure what the words ask for, or all. A side that misses a fence has its trouble in place of a time."""
    words = _parser().parse_args()
    courses = bool(words.lessons or words.template or words.side)
    everything = not courses and words.reading is None
    if words.pairs and (courses or everything):
        _measure_courses(words)
    if words.pairs and (words.reading or everything):
        _measure_reading(words.reading or PAGES, words)
    if words.write:
        results = [read_json(path) for path in sorted(BUILD.glob("*.json"))]
        PAGE.write_text(as_page(results), encoding="utf-8")
        README.write_text(into_readme(README.read_text(encoding="utf-8"), results), encoding="utf-8")
        _tell("written: docs/benchmarks.md and the table in README.md")


def _measure_courses(words: argparse.Namespace) -> None:
    sides = {name: OTHERS[name] for name in words.side or OTHERS}
    for lessons in sorted(words.lessons or SIZES):
        for template in words.template or sorted(path.stem for path in TEMPLATES.glob("*.md")):
            _measure(template, lessons, sides, words)


def _measure_reading(pages: int, words: argparse.Namespace) -> None:
    results: dict[int, Result] = {}
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        for result in measure_reading(pages, words.pairs, words.threads, Path(name), _tell):
            results[result.lessons] = result
            _keep(result)
    print(reading_table(list(results.values())), flush=True)


def _keep(result: Result) -> None:
    write_json(result, BUILD / f"{result.template}-{result.lessons:04}.json")


def _measure(template: str, lessons: int, sides: dict[str, Side], words: argparse.Namespace) -> None:
    result = None
    memory = not words.no_memory and lessons == min(words.lessons or SIZES)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        course = make_course(template, lessons, Path(name))
        for result in measure(template, course, sides, words.pairs, words.threads, memory, _tell):
            _keep(result)
    if result:
        print(table(result), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("--lessons", type=int, action="append", metavar="N", help="lessons of a course, once a course (20, 200, 1000)")
    add("--template", action="append", choices=sorted(path.stem for path in TEMPLATES.glob("*.md")), help="(all)")
    add("--side", action="append", choices=OTHERS, help="what to compare with (all)")
    add("--reading", type=int, metavar="N", help="pages to list in turns with their block parsing alone (3000)")
    add("--pairs", type=int, default=5, help="runs of each side, in turns with ours (5); 0 measures nothing")
    add("--threads", type=int, default=1, help="what OpenMP is told on every side (1); 0 for nothing")
    add("--no-memory", action="store_true", help="do not watch the memory of each side on the smallest course")
    add("--write", action="store_true", help="write docs/benchmarks.md and README's table of all that build/ holds")
    return parser


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
