"""Awkward lessons for whatever runs them, with the right answer for each block."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from cases import faults, right_answers
from checked import Checked, check
from command import LESSONS

STUBBORN = "15-a-block-that-will-not-stop"
CASES = sorted(case.name for case in (LESSONS / "runtime").iterdir())
# A locale and streams that know ASCII alone.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all cases, since some of them write beside themselves."""
    return Path(shutil.copytree(LESSONS / "runtime", tmp_path_factory.mktemp("cases") / "runtime"))


@pytest.fixture(scope="module")
def runs(folder: Path) -> dict[str, Checked]:
    """Three runs from the root folder under a C locale: all but the stubborn case in both ways, then that one."""
    others = [folder / name for name in CASES if name != STUBBORN]
    return {
        "stopping": check(*others, environment=ASCII),
        "going": check(*others, "--keep-going", environment=ASCII),
        "stubborn": check(folder / STUBBORN, "--timeout", "3", seconds=15, environment=ASCII),
    }


def lesson_of(run: Checked, file: Path) -> dict[str, Any]:
    """The report of a lesson by its absolute path."""
    (lesson,) = [lesson for lesson in run.report["lessons"] if Path(lesson["path"]) == file]
    found: dict[str, Any] = lesson
    return found


@pytest.mark.parametrize("name", CASES)
def test_each_block_gives_its_right_answer(runs: dict[str, Checked], folder: Path, name: str) -> None:
    """Each block ends, prints, warns and raises as its case says, whether the run stops at a failure or goes on."""
    for run in [runs["stubborn"]] if name == STUBBORN else [runs["stopping"], runs["going"]]:
        for file, blocks in right_answers(folder / name)["blocks"].items():
            fences = lesson_of(run, folder / name / file)["fences"]
            assert [faults(*pair) for pair in zip(fences, blocks, strict=True)] == [[]] * len(blocks)


def test_a_failure_anywhere_makes_every_run_red(runs: dict[str, Checked]) -> None:
    """The exit code is 1 where a block failed, also where the run went on after it."""
    assert [run.code for run in runs.values()] == [1, 1, 1]


def test_nothing_is_alive_after_a_run(runs: dict[str, Checked], folder: Path) -> None:
    """No child, worker or grandchild of any case outlives the command."""
    assert [run.left_running for run in runs.values()] == [[], [], []]
    child = int((folder / STUBBORN / "child.pid").read_text())
    assert not Path(f"/proc/{child}").exists()


def test_going_on_runs_what_stopping_blocks(runs: dict[str, Checked], folder: Path) -> None:
    """A block after a failure is blocked, or with --keep-going run; after a death it is blocked either way."""
    after_failure = folder / "21-continue-after-an-error" / "input.md"
    after_death = folder / "01-the-process-dies" / "input.md"
    for run, outcome in ((runs["stopping"], "blocked"), (runs["going"], "passed")):
        assert lesson_of(run, after_failure)["fences"][2]["outcome"] == outcome
        assert lesson_of(run, after_death)["fences"][2]["outcome"] == "blocked"


def test_workers_started_afresh_find_the_lessons_functions(runs: dict[str, Checked], folder: Path) -> None:
    """A pool of spawned workers gives its results, and the lesson's output is told once."""
    fences = lesson_of(runs["stopping"], folder / "07-spawned-workers-need-main" / "input.md")["fences"]
    assert [fence["stdout"] for fence in fences] == ["[0, 1, 4]\n", "next block\n"]


def test_await_works_at_top_level(runs: dict[str, Checked], folder: Path) -> None:
    """A block may use `await` outside a function, after one that called `asyncio.run`."""
    fences = lesson_of(runs["stopping"], folder / "23-await-and-asyncio-run" / "input.md")["fences"]
    assert [fence["stdout"] for fence in fences] == ["42\n", "before\n42\n"]


def test_what_a_flood_loses_is_counted(runs: dict[str, Checked], folder: Path) -> None:
    """Where output is cut, the report says how many bytes are missing."""
    stdout = lesson_of(runs["stopping"], folder / "17-a-flood-of-output" / "input.md")["fences"][0]["stdout"]
    head, said, tail = stdout.partition("\n[... ")
    assert said
    missing, _, tail = tail.partition(" bytes cut here ...]\n")
    assert len(head) + int(missing) + len(tail) == 20_000_004
