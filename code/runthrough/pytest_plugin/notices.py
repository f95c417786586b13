"""What a user is told beside the results: the seed, and what is odd about the lessons and yet no error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

# Under this name an xdist worker hands its notices to the controller.
_OUTPUT = "runthrough"


class Notices:
    """Gathers lines where lessons are read, and writes them at the end of the session, each once."""

    def __init__(self, config: pytest.Config, seed: int) -> None:
        self._config = config
        self._seed = seed
        self._lines: dict[str, None] = {}
        self._is_red = False

    def add(self, lines: Iterable[str]) -> None:
        """Have these told; what was said before is not said again."""
        self._lines.update(dict.fromkeys(lines))

    def pytest_report_header(self) -> str:
        """Tell the seed, by which a run can be repeated."""
        return f"runthrough: seed {self._seed}, repeat with --runthrough-seed {self._seed}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a fence is red."""
        self._is_red = self._is_red or (report.failed and "runthrough" in report.keywords)

    def pytest_sessionfinish(self) -> None:
        """In an xdist worker: hand the notices to the controller."""
        output: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = list(self._lines)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """In xdist's controller: take a worker's notices. One that was killed has none."""
        self.add(getattr(node, "workeroutput", {}).get(_OUTPUT, []))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write them above pytest's own summary; quiet runs, which have no header, learn the seed of a failure here."""
        seed = [f"seed {self._seed}: repeat with --runthrough-seed {self._seed}"] if self._is_red else []
        if lines := [*self._lines, *seed]:
            terminalreporter.section("runthrough")
            for line in lines:
                terminalreporter.line(line)
