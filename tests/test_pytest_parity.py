"""pytest and `runthrough check` say the same of every fence."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from checked import check
from pytested import Pytested, cases, text_of

pytest_plugins = ["pytester"]

COURSE = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
SAME = ("--seed", "3", "--timeout", "10")
SAME_TO_PYTEST = ("--runthrough-seed", "3", "--runthrough-timeout", "10")
# All that can be read and takes seconds, not minutes.
FOLDERS = (
    "autograd",
    "ci",
    "dialects",
    "false_green",
    "fences",
    "files_left",
    "order",
    "planned",
    "pytest",
    "side_by_side",
    "update",
)
UNREADABLE = ("broken_course", "claims", "proves_nothing", "strict", "telling", "unreadable")
RED = ("failed", "timeout", "crashed", "blocked")


@pytest.fixture
def here(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Pytested:
    """A folder for lessons and a pytest to run them."""
    return Pytested(pytester, monkeypatch, ("-p", "xdist"))


def same_outcomes(report: dict[str, Any], junit: Path) -> None:
    """Each fence has one item with its outcome, and an item is red where `check` finds something to be red."""
    items = cases(junit)
    for lesson in report["lessons"]:
        name = lesson["path"].replace("/", ".")
        states = {fence["id"]: items.pop(f"{name}::{fence['id']}") for fence in lesson["fences"]}
        for fence in lesson["fences"]:
            state, properties = states[fence["id"]]
            assert properties["outcome"] == [fence["outcome"]], (name, fence["id"])
            assert state == "failure" or fence["outcome"] not in RED, (name, fence["id"])
        red = [claim for claim in lesson["claims"] if claim["outcome"] in RED]
        holds = not red and not lesson["troubles"] and not any(fence["outcome"] in RED for fence in lesson["fences"])
        ended_well = all(state != "failure" for state, _ in states.values())
        assert ended_well == holds or report["troubles"], name
    assert items == {}


def test_the_course_is_the_same(here: Pytested) -> None:
    """Over the whole course, with two workers."""
    shutil.copytree(COURSE, here.folder / "pytorch")
    junit = here.folder / "junit.xml"
    result = here.run("pytorch", *SAME_TO_PYTEST[:2], f"--junitxml={junit}", "-n", "2")
    run = check("pytorch", "--seed", "3", cwd=str(here.folder))
    assert (result.ret, run.code) == (0, 0)
    same_outcomes(run.report, junit)


def test_awkward_lessons_are_the_same(here: Pytested) -> None:
    """Over lessons that die, hang, leave files and processes, differ from their page, or run with no code at all."""
    here.copy(*FOLDERS)
    run = check(*FOLDERS, *SAME, cwd=str(here.folder))
    for folder in FOLDERS:
        shutil.rmtree(here.folder / folder)
    here.copy(*FOLDERS)
    result = here.run(*FOLDERS, *SAME_TO_PYTEST, "--junitxml=junit.xml")
    assert (result.ret, run.code) == (1, 1)
    same_outcomes(run.report, here.folder / "junit.xml")
    for trouble in run.report["troubles"]:
        assert trouble["message"] in text_of(result)


@pytest.mark.parametrize("folder", UNREADABLE)
def test_what_cannot_be_read_is_the_same(here: Pytested, folder: str) -> None:
    """The problems that `check` tells before it runs anything are errors of collecting, and both exit with 2."""
    here.copy(folder)
    run = check(folder, cwd=str(here.folder))
    result = here.run(folder)
    assert (result.ret, run.code) == (pytest.ExitCode.INTERRUPTED, 2)
    assert set(run.err.splitlines()) <= set(result.outlines)
