"""The lab's own test catches every engine in broken_labs/, each for the reason that the file names.

A file there breaks the lab by one replacement: the text OLD, found exactly once, becomes NEW. CAUGHT_BY is the test of
the lab that must then fail.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAB = ROOT / "content/courses/pytorch/code/07_micrograd.py"
LAB_TEST = ROOT / "site/test_pytorch_07_micrograd.py"
FILES = sorted((ROOT / "tests/broken_labs").glob("*.py"))


class Break(NamedTuple):
    """One replacement in the lab, and the test of the lab that must notice it."""

    old: str
    new: str
    caught_by: str

    def of(self, source: str) -> str:
        """Return `source` broken; raises ValueError unless the old text stands in it exactly once."""
        if (found := source.count(self.old)) != 1:
            raise ValueError(f"the text to replace stands in the lab {found} times, not once:\n{self.old}")
        return source.replace(self.old, self.new)


def read_break(file: Path) -> Break:
    names = runpy.run_path(str(file))
    return Break(names["OLD"], names["NEW"], names["CAUGHT_BY"])


def run_lab_test(lab: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Run the named tests of the lab, as a script, on the lab in the file `lab`."""
    return subprocess.run(
        [sys.executable, str(LAB_TEST), *tests],
        env=os.environ | {"RUNTHROUGH_LAB": str(lab)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_there_are_enough_broken_labs() -> None:
    """At least twenty engines are broken, no two in the same way."""
    assert len({read_break(file)[:2] for file in FILES}) == len(FILES) >= 20


def test_the_sound_lab_passes(tmp_path: Path) -> None:
    """A copy of the lab without a break passes every test that catches a broken one."""
    copy = tmp_path / LAB.name
    copy.write_text(LAB.read_text(encoding="utf-8"), encoding="utf-8")
    tests = sorted({read_break(file).caught_by for file in FILES})
    run = run_lab_test(copy, *tests)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines() == [*(f"ok   {test}" for test in tests), f"{len(tests)} passed, 0 failed"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_broken_lab_is_caught(file: Path, tmp_path: Path) -> None:
    """The lab's test fails on a broken engine, in the test that holds the contract it breaks."""
    flaw = read_break(file)
    broken = tmp_path / LAB.name
    broken.write_text(flaw.of(LAB.read_text(encoding="utf-8")), encoding="utf-8")
    run = run_lab_test(broken, flaw.caught_by)
    assert run.returncode == 1, f"{file.name} was not caught:\n{run.stdout}{run.stderr}"
    failure, place, total = run.stdout.splitlines()
    assert failure.startswith(f"FAIL {flaw.caught_by}: ")
    assert total == "0 passed, 1 failed"
    print(f"{failure} at {place.strip()}")


@pytest.mark.parametrize(("source", "found"), [("a - b", 0), ("a + b; a + b", 2)])
def test_a_break_that_no_longer_fits_is_an_error(source: str, found: int) -> None:
    """When the lab has moved on, a break that finds its text nowhere or twice says so, and breaks nothing."""
    with pytest.raises(ValueError, match=f"stands in the lab {found} times, not once"):
        Break("a + b", "a * b", "test_x").of(source)
