"""Lessons run in fresh interpreters (`--spawn`) and in forks of a warm one give the same report."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from checked import check
from command import LESSONS

COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
# What no two runs have in common.
MEASURED = ("seconds", "peak_rss_mib")
_OF_ONE_RUN = re.compile(r"0x[0-9a-f]+|(?<=left_)\d+|repeated \d+ more times")
# It waits for its time limit, as some of the false-green lessons do.
_SLOW = "15-a-block-that-will-not-stop"


def report_of(folder: Path, source: Path, *words: str) -> dict[str, Any]:
    """The lessons of a run over a new copy of `source` at `folder`, by path, without what is measured."""
    shutil.rmtree(folder, ignore_errors=True)
    if source.is_dir():
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(_SLOW))
    run = check(folder if source.is_dir() else source, *words, "--seed", "3")
    lessons: list[dict[str, Any]] = run.report["lessons"]
    return {lesson["path"]: compared(lesson) for lesson in lessons} | {"exit code": run.code}


def compared(value: Any) -> Any:
    """A report's value without times and sizes, addresses of objects, numbers of processes, or depth of a recursion."""
    if isinstance(value, dict):
        return {key: compared(inner) for key, inner in value.items() if key not in MEASURED}
    if isinstance(value, list):
        return [compared(inner) for inner in value]
    return _OF_ONE_RUN.sub("...", value) if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (LESSONS / "false_green", ()),
        (LESSONS / "runtime", ("--keep-going",)),
        (COURSE / "07_autograd_graph.md", ()),
    ],
    ids=["false-green", "runtime", "course-lesson"],
)
def test_both_ways_of_running_give_the_same_report(tmp_path: Path, source: Path, words: tuple[str, ...]) -> None:
    """Every field but times and sizes is the same: outcomes, reasons, lines, output, errors, warnings, files."""
    warm = report_of(tmp_path / "lessons", source, *words)
    fresh = report_of(tmp_path / "lessons", source, *words, "--spawn")
    assert warm.keys() == fresh.keys()
    assert {path: (warm[path], fresh[path]) for path in warm if warm[path] != fresh[path]} == {}
