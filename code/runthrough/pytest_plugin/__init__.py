"""The pytest plugin: options, and nothing more until `--runthrough` or the ini option asks for lessons."""

from __future__ import annotations

import pytest

from runthrough.command_line.parsers import MOST_MEMORY_MIB, AtLeast, seconds_of


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, most of them those of `runthrough check`."""
    parser.addini("runthrough", "collect the fences of Markdown lessons, as --runthrough does", "bool", default=False)
    add = parser.getgroup("runthrough", "Markdown lessons (runthrough)").addoption
    add("--runthrough", action="store_true", help="make each Python fence of Markdown lessons a test")
    add(
        "--runthrough-jobs",
        type=AtLeast(1),
        default=0,
        metavar="N",
        help="lessons that run at a time (default: one a core)",
    )
    add(
        "--runthrough-timeout",
        type=seconds_of,
        default=0.0,
        metavar="S",
        help="seconds a fence may take (default: 30)",
    )
    add(
        "--runthrough-memory",
        type=AtLeast(1, MOST_MEMORY_MIB),
        default=0,
        metavar="MIB",
        help="memory a lesson may take",
    )
    add("--runthrough-seed", type=AtLeast(0), default=None, metavar="N", help="repeat a run that drew this seed")
    add("--runthrough-spawn", action="store_true", help="one fresh interpreter a lesson, without fork")
    add("--runthrough-keep-going", action="store_true", help="run on after a failed fence, for diagnosis")


def pytest_configure(config: pytest.Config) -> None:
    """Load the rest of the plugin where lessons are asked for."""
    if config.getoption("runthrough") or config.getini("runthrough"):
        from runthrough.pytest_plugin.session import LessonSession

        config.pluginmanager.register(LessonSession(config), "runthrough-lessons")
