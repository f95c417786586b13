"""How each tool is asked about pages: the command that its own documentation gives, with its own limits set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import OURS, PEERS, Environment, Peer
from benchmarks.false_greens.cases import CASES, Case

HARNESSES = Path(__file__).parents[1] / "harnesses"
TEST_FILE, CONFTEST = "test_pages.py", "conftest.py"
LIMIT = 10  # seconds a fence may take, for every tool that can be told
PAGES, NOTEBOOKS = "pages", "notebooks"
_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")

# What most tools were not made to see, or do otherwise by design.
_UNCOMPARED = ("output_differs", "comment_differs", "prose_differs", "leaves_a_child")
_IN_PYTEST = ("never_stops", "reads_beside", "awaits")
_IN_KERNELS = ("shell_fails", "runs_a_loop")
_NBVAL = (*_IN_KERNELS, "comment_differs", "prose_differs", "leaves_a_child")


@dataclass(frozen=True)
class Tool:
    """A tool, the form of a page it reads, its words for some files, and the cases it was not made for.

    `harness` lies beside the pages as `lies_as`, away from this repository, whose settings are not theirs.
    """

    peer: Peer
    form: str
    words: Callable[[Environment, list[Path]], list[str]]
    without: tuple[str, ...] = ()
    takes_many: bool = True
    harness: str = ""
    lies_as: str = TEST_FILE

    def lacks(self, case: Case) -> bool:
        """True where the tool was not made to see what is wrong."""
        return case.name in self.without


def _ours(environment: Environment, files: list[Path]) -> list[str]:
    return [environment.script("runthrough"), "check", "--timeout", str(LIMIT), *map(str, files)]


def _pytest(*options: str) -> Callable[[Environment, list[Path]], list[str]]:
    return lambda environment, files: [environment.python, *_PYTEST, *options, *map(str, files)]


def _test_file(environment: Environment, files: list[Path]) -> list[str]:
    """The harness beside the pages; it hands the pages of the variable PAGES to a library."""
    return [environment.python, *_PYTEST, str(files[0].with_name(TEST_FILE))]


def _jupyter_execute(environment: Environment, files: list[Path]) -> list[str]:
    return [environment.script("jupyter-execute"), f"--timeout={LIMIT}", *map(str, files)]


def _papermill(environment: Environment, files: list[Path]) -> list[str]:
    return [environment.script("papermill"), "--execution-timeout", str(LIMIT), str(files[0]), "executed.ipynb"]


def _jupytext(environment: Environment, files: list[Path]) -> list[str]:
    return [environment.script("jupytext"), "--to", "ipynb", "--set-kernel", "python3", "--execute", *map(str, files)]


TOOLS = (
    Tool(OURS, PAGES, _ours),
    Tool(PEERS["pytest-markdown-docs"], PAGES, _pytest("--markdown-docs"), (*_IN_PYTEST, *_UNCOMPARED)),
    Tool(PEERS["pytest-codeblocks"], PAGES, _pytest("--codeblocks"), (*_IN_PYTEST, *_UNCOMPARED[1:])),
    Tool(PEERS["sybil"], PAGES, _pytest(), (*_IN_PYTEST, *_UNCOMPARED), harness="with_sybil.py", lies_as=CONFTEST),
    Tool(PEERS["mktestdocs"], PAGES, _test_file, (*_IN_PYTEST, *_UNCOMPARED), harness="with_mktestdocs.py"),
    Tool(
        PEERS["pytest-examples"],
        PAGES,
        _test_file,
        (*_IN_PYTEST, "output_differs", *_UNCOMPARED[2:]),
        harness="with_pytest_examples.py",
    ),
    Tool(PEERS["nbmake"], NOTEBOOKS, _pytest("--nbmake", f"--nbmake-timeout={LIMIT}"), (*_IN_KERNELS, *_UNCOMPARED)),
    Tool(
        PEERS["nbval"], NOTEBOOKS, _pytest("--nbval", f"--nbval-cell-timeout={LIMIT}"), (*_IN_KERNELS, *_UNCOMPARED[1:])
    ),
    Tool(PEERS["nbclient"], NOTEBOOKS, _jupyter_execute, (*_IN_KERNELS, *_UNCOMPARED)),
    Tool(PEERS["papermill"], NOTEBOOKS, _papermill, ("reads_beside", *_IN_KERNELS, *_UNCOMPARED), takes_many=False),
    Tool(PEERS["jupytext"], PAGES, _jupytext, ("never_stops", *_IN_KERNELS, *_UNCOMPARED)),
)
assert {name for tool in TOOLS for name in tool.without} <= {case.name for case in CASES}
