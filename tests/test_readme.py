"""The README shows what the command really prints."""

from __future__ import annotations

import re

from command import LESSONS, runthrough

README = LESSONS.parents[1] / "README.md"
SHOWN = re.compile(r"```console\n\$ runthrough (?P<words>.*)\n(?P<output>(?:.*\n)*?)```\n")
SECONDS = re.compile(r"\d+\.\d+ s\b")


def test_the_failing_lesson_in_the_readme_is_what_the_terminal_shows() -> None:
    """The block on the README's first screen equals the command's real output, but for the seconds."""
    shown = SHOWN.search(README.read_text(encoding="utf-8"))
    assert shown is not None
    done = runthrough(*shown["words"].split(), cwd=LESSONS / "readme")
    assert done.code == 1
    assert SECONDS.sub("0 s", done.out) == SECONDS.sub("0 s", shown["output"])


def test_the_readme_runs_the_course_and_the_tests_in_two_commands() -> None:
    """Its first screen has both commands, and CI runs the second word for word."""
    first_screen = README.read_text(encoding="utf-8").splitlines()[:30]
    assert "python3 -m pip install nox && python3 -m nox -s lessons" in first_screen
    tests = "python3 -m pip install nox && python3 -m nox -s tests"
    assert tests in first_screen
    assert tests in (README.parent / ".ci" / "run").read_text(encoding="utf-8")
