"""The cases: a page each in `cases/`, with the colour it deserves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
RED, GREEN = "red", "green"


@dataclass(frozen=True)
class Case:
    """A page `name`.md, what stands on it, and the colour it deserves."""

    name: str
    what: str
    right: str

    @property
    def page(self) -> Path:
        """The page."""
        return FOLDER / f"{self.name}.md"


CASES = (
    Case("fails_in_the_middle", "an error between two fences that hold", RED),
    Case("exits_at_once", "`os._exit(0)`, then an assertion that fails", RED),
    Case("is_killed", "the process is killed", RED),
    Case("sys_exit", "`sys.exit(0)`, then an assertion that fails", RED),
    Case("exits_in_main", "`sys.exit(main())` in a `__main__` guard, then an assertion that fails", RED),
    Case("main_guard", "an assertion that fails in a `__main__` guard", RED),
    Case("asks", "`input()`, while somebody types", RED),
    Case("never_stops", "a loop that swallows every interrupt", RED),
    Case("in_a_list", "an assertion that fails, in a list item", RED),
    Case("misspelt_magic", "`%matplotlb inline`", RED),
    Case("misspelt_cell_magic", "`%%tiem` above an assertion that fails", RED),
    Case("captured", "`%%capture` above an assertion that fails", RED),
    Case("shell_fails", "`!exit 3`", RED),
    Case("traceback_handler", "`set_custom_exc`, then an assertion that fails", RED),
    Case("traceback_replaced", "`showtraceback` replaced, then an assertion that fails", RED),
    Case("output_differs", "an output that is not what came", RED),
    Case("comment_differs", "a `#>` comment that is not what came", RED),
    Case("prose_differs", "a number in the prose that is not what came", RED),
    Case("leaves_a_child", "a process left running", RED),
    Case("has_a_module", "dataclasses and pickles, which need a real module", GREEN),
    Case("spawns", "workers started by `spawn`", GREEN),
    Case("reads_beside", "a file beside the page, read from another working directory", GREEN),
    Case("floods", "20 MB of output", GREEN),
    Case("beyond_ascii", "letters beyond ASCII under the C locale", GREEN),
    Case("awaits", "`await` at the top", GREEN),
    Case("runs_a_loop", "`asyncio.run`", GREEN),
    Case("writes_below_print", "output by descriptor and by a child process", GREEN),
)
