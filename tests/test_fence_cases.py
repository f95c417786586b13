"""Which fences a document holds, and what running them gives: awkward real inputs with their right answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import LESSONS, runthrough

CASES = sorted((LESSONS / "fences").iterdir())
# Console sessions and outputs that another tool labels as Python are judged by `semantic`, not by running them.
RUN = [case for case in CASES if "semantic" not in json.loads((case / "expect.json").read_text(encoding="utf-8"))]


def expected(case: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((case / "expect.json").read_text(encoding="utf-8"))
    return loaded


def listed(case: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(runthrough("list", "input.md", "--json", cwd=case).out)
    return rows


def checked(case: Path) -> tuple[int, list[dict[str, Any]]]:
    done = runthrough("check", "input.md", "--json", "-", "--keep-going", cwd=case)
    return done.code, json.loads(done.out)["lessons"][0]["fences"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_lists_each_fence_that_commonmark_has(case: Path) -> None:
    """The fences listed are those of CommonMark, with their lines, info strings and code to the letter."""
    assert [(row["line"], row["code_line"], row["info"], row["code"]) for row in listed(case)] == [
        (fence["open_line"], fence["first_code_line"], fence["info"], fence["content"])
        for fence in expected(case)["fences"]
    ]


@pytest.mark.parametrize("case", RUN, ids=lambda case: case.name)
def test_runs_each_python_fence_and_no_other(case: Path) -> None:
    """A Python fence runs and prints, or fails at its own line; what is no Python fence never runs."""
    want = expected(case)
    code, fences = checked(case)
    assert [fence["line"] for fence in fences] == [block["open_line"] for block in want["python_blocks"]]
    if "run_stdout" in want:
        assert (code, "".join(fence["stdout"] for fence in fences)) == (0, want["run_stdout"])
    for error in want.get("expect_errors", []):
        fence = fences[error["block"] - 1]
        assert (code, fence["outcome"]) == (1, "failed")
        assert (fence["error"]["type"], fence["error"]["line"]) == (error["exception"], error["line"])
        assert fence["stdout"] == error.get("stdout", "")


def test_holds_outputs_labelled_as_python_against_what_came() -> None:
    """`python out` and `python trace` are what the fence above gives, and are compared, never run."""
    code, fences = checked(LESSONS / "fences" / "25-output-fence-labelled-python")
    assert code == 0
    assert [(fence["line"], fence["outcome"]) for fence in fences] == [(1, "passed"), (9, "passed")]
    assert fences[0]["value"] == "[0, 1, 4]"


def test_runs_a_console_session_in_a_python_fence() -> None:
    """A `>>>` session in a Python fence is held against its own answers; one in a pycon fence is only shown."""
    code, fences = checked(LESSONS / "fences" / "31-console-sessions-in-python-fences")
    assert code == 0
    assert [(fence["line"], fence["outcome"]) for fence in fences] == [(1, "passed"), (15, "passed")]
    assert fences[1]["stdout"] == "source\n"


def test_says_what_may_have_swallowed_the_next_fence() -> None:
    """A fence that lost its end tells the line inside it that looks like another opener."""
    done = runthrough("check", "input.md", cwd=LESSONS / "fences" / "03-unclosed-then-another-opener")
    assert "line 14 looks like another fence opener inside this block" in done.out
