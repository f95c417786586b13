"""What it takes to read pages and list their fences: beside a block parsing alone, and beside a whole run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison import Result, Tell, measure
from benchmarks.course import make_course
from benchmarks.environments import OURS as OUR_PACKAGE
from benchmarks.sides import OURS as CHECK
from benchmarks.sides import Side

TEMPLATE = "reading"  # how its results are called
PAGES = 3000
RUN = 200  # lessons of the course on which reading is compared with a whole run
BLOCKS_SIDE, CHECK_SIDE = "blocks", "check"
_COURSE = "autograd"
# Not imported: what it parses with is only where our package is installed.
_BLOCK_PARSING = Path(__file__).with_name("block_parsing.py")

LIST = Side(
    "`runthrough list`",
    OUR_PACKAGE,
    "",
    lambda where, course: [where.script("runthrough"), "list", str(course.folder / "pages")],
    only_reads=True,
)
BLOCKS = Side(
    "block parsing alone, by markdown-it-py",
    OUR_PACKAGE,
    "",
    lambda where, course: [where.python, str(_BLOCK_PARSING), str(course.folder / "pages")],
    distribution="markdown-it-py",
    only_reads=True,
)


def measure_reading(pages: int, pairs: int, threads: int, folder: Path, tell: Tell) -> Iterator[Result]:
    """The list of so many pages in turns with their block parsing, then that of a course with a run of the same.

    Courses are written into `folder`. What is known is given after each pair of runs.
    """
    for lessons, name, side in ((pages, BLOCKS_SIDE, BLOCKS), (RUN, CHECK_SIDE, CHECK)):
        course = make_course(_COURSE, lessons, folder / name)
        yield from measure(TEMPLATE, course, {name: side}, pairs, threads, False, tell, ours=LIST)
