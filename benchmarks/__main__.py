"""`python -m benchmarks`: generate courses, run them in turns, print tables, and write every run as JSON."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.comparison import as_markdown, measure, write_json
from benchmarks.course import TEMPLATES, make_course
from benchmarks.sides import OTHERS

BUILD = Path("build/benchmarks")


def main() -> None:
    """Measure as the words ask. A run that misses a fence ends it with an error and no table."""
    templates = sorted(path.stem for path in TEMPLATES.glob("*.md"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--lessons", type=int, default=20, help="lessons of the generated course (20)")
    parser.add_argument("--pairs", type=int, default=3, help="runs of each side, in turns with ours (3)")
    parser.add_argument("--template", action="append", choices=templates, help="which lessons (all)")
    parser.add_argument("--side", action="append", choices=OTHERS, help="what to compare with (all)")
    words = parser.parse_args()
    sides = [OTHERS[name] for name in words.side or OTHERS]
    tables = []
    for template in words.template or templates:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
            folder = Path(name)
            course = make_course(template, words.lessons, folder / "course")
            one_lesson = make_course(template, 1, folder / "one")
            result = measure(template, course, one_lesson, sides, words.pairs, folder, _tell)
        write_json(result, BUILD / f"{template}-{words.lessons}.json")
        tables.append("\n".join(as_markdown(result)))
    print("\n\n".join(tables))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
