"""Pages written for other tools are read as those tools read them."""

from __future__ import annotations

import json
import tomllib

import pytest

from command import LESSONS, runthrough

DIALECTS = LESSONS / "dialects"
EXPECTED: dict[str, list[str]] = tomllib.loads((DIALECTS / "expect.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_peers_words_mean_what_they_mean_to_it(name: str) -> None:
    """What a peer skips is skipped, with a reason that names whose word it was; the rest runs."""
    rows = json.loads(runthrough("list", name, "--json", cwd=DIALECTS).out)
    found = [f"{row['line']} {'run' if row['runs'] else '-'} {row['why']}" for row in rows]
    assert len(found) == len(EXPECTED[name])
    for row, expected in zip(found, EXPECTED[name], strict=True):
        assert row.startswith(expected)


@pytest.mark.parametrize("name", EXPECTED)
def test_pages_of_peers_hold(name: str) -> None:
    """Expected errors are expected, option lines are no code, and nothing that a peer skips has run."""
    done = runthrough("check", name, cwd=DIALECTS)
    assert done.code == 0, done.out + done.err


def test_option_lines_leave_the_lines_of_the_code_alone() -> None:
    """Code below MyST's option lines still is at its own lines of the page."""
    first, second, *_ = json.loads(runthrough("list", "myst.md", "--json", cwd=DIALECTS).out)
    assert (first["code_line"], first["code"]) == (3, "\n1 / 0\n")
    assert (second["code_line"], second["code"]) == (13, "raise SystemExit\n")


def test_unknown_words_are_told_and_the_fence_runs() -> None:
    """In a folder that is no course a foreign word of a Python fence is a warning; other languages may carry any."""
    done = runthrough("list", "foreign.md", cwd=DIALECTS)
    assert done.code == 0
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == ["foreign.md:3"]
    assert 'linenums="1" in the info string is no directive' in done.err


def test_python_in_the_notes_and_tabs_of_mkdocs_is_told() -> None:
    """What stands below `!!!` or `===` by four spaces is code to everybody else: a warning, and no silent green."""
    done = runthrough("check", "mkdocs.md", cwd=DIALECTS)
    assert done.code == 0
    advice = "this looks like a fence and is none (put a blank line above it and indent it by less than four spaces)"
    assert done.err.splitlines() == [f"mkdocs.md:{line}: {advice}" for line in (11, 17)]
