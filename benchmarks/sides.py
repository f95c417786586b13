"""The ways of running a course that are compared, each as the command that a user would type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import in_one_process
from benchmarks.course import Course
from benchmarks.environments import OURS as OUR_PACKAGE
from benchmarks.environments import PEERS, TORCH, Environment, Peer

Words = Callable[[Environment, Course], list[str]]
SMALL = 20  # lessons up to which sides are measured that take seconds a lesson

_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


@dataclass(frozen=True)
class Side:
    """One way to run a course. `words` is its command, `lines` what stands on its standard input.

    `isolates` is what each lesson has to itself. `largest` is the number of lessons beyond which nobody waits for it,
    0 for any; `pages` is the folder of the course that the variable PAGES names. `distribution` is what its version
    is that of, the peer unless said. One that `only_reads` runs no fence: its last line tells how many it found.
    """

    name: str
    peer: Peer
    isolates: str
    words: Words
    lines: Callable[[Course], tuple[Path, ...]] = lambda course: ()
    largest: int = 0
    pages: str = "pages"
    distribution: str = ""
    only_reads: bool = False


def _check(*options: str) -> Words:
    return lambda where, course: [where.script("runthrough"), "check", "-q", *options, str(course.folder / "pages")]


def _python_each(at_once: int) -> Words:
    return lambda where, course: ["xargs", "-P", str(at_once), "-n", "1", where.python]


def _in_one_process(*options: str) -> Words:
    return lambda where, course: [where.python, str(in_one_process.__file__), *options, *map(str, course.scripts)]


def _jupyter_execute(where: Environment, course: Course) -> list[str]:
    return [where.script("jupyter-execute"), *map(str, course.notebooks)]


def _pytest(*words: str, of: str) -> Words:
    """Pytest with some options on a folder of the course."""
    return lambda where, course: [where.python, *_PYTEST, *words, str(course.folder / of)]


def _scripts(course: Course) -> tuple[Path, ...]:
    return course.scripts


OURS = Side("`runthrough check`", OUR_PACKAGE, "process", _check())
OTHERS = {
    "limit": Side("all bodies in one process, no harness", TORCH, "nothing", _in_one_process()),
    "limit-leaving": Side(
        "all bodies in one process, left without teardown", TORCH, "nothing", _in_one_process(in_one_process.LEAVE)
    ),
    "spawn": Side("`runthrough check --spawn`", OUR_PACKAGE, "process", _check("--spawn"), largest=SMALL),
    "python-1": Side("`python` a lesson, one at a time", TORCH, "process", _python_each(1), _scripts, SMALL),
    "python-2": Side("`python` a lesson, two at a time", TORCH, "process", _python_each(2), _scripts, SMALL),
    "nbmake": Side("nbmake", PEERS["nbmake"], "kernel", _pytest("--nbmake", of="notebooks"), largest=SMALL),
    "nbmake-2": Side(
        "nbmake, two at a time (pytest-xdist)",
        PEERS["nbmake"],
        "kernel",
        _pytest("--nbmake", "-n", "2", of="notebooks"),
        largest=SMALL,
    ),
    "nbclient": Side("`jupyter execute` (nbclient)", PEERS["nbclient"], "kernel", _jupyter_execute, largest=SMALL),
    "pytest-codeblocks": Side(
        "pytest-codeblocks", PEERS["pytest-codeblocks"], "nothing", _pytest("--codeblocks", of="pages")
    ),
    "mktestdocs": Side(
        "mktestdocs", PEERS["mktestdocs"], "nothing", _pytest(of="with_mktestdocs"), pages="with_mktestdocs"
    ),
    "sybil": Side("Sybil", PEERS["sybil"], "nothing", _pytest(of="with_sybil")),
    "pytest-markdown-docs": Side(
        "pytest-markdown-docs", PEERS["pytest-markdown-docs"], "nothing", _pytest("--markdown-docs", of="pages")
    ),
    "pytest-examples": Side(
        "pytest-examples",
        PEERS["pytest-examples"],
        "nothing",
        _pytest(of="with_pytest_examples"),
        pages="with_pytest_examples",
    ),
}
