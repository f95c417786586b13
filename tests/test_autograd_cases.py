"""Awkward lessons about autograd, with what torch 2.13.0 does in each block of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import faults, right_answers
from checked import Checked, check
from command import LESSONS

CASES = sorted((LESSONS / "autograd").iterdir())


@pytest.fixture(scope="module")
def run() -> Checked:
    """All cases in one run, each block on its own merit."""
    return check(LESSONS / "autograd", "--keep-going")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_block_tells_what_torch_does(run: Checked, case: Path) -> None:
    """Each block prints, warns and raises what torch does, at its line, also after a block that failed."""
    (lesson,) = [lesson for lesson in run.report["lessons"] if Path(lesson["path"]).parent == case]
    blocks = right_answers(case)["blocks"]["input.md"]
    assert [faults(*pair) for pair in zip(lesson["fences"], blocks, strict=True)] == [[]] * len(blocks)


def test_a_claimed_error_that_does_not_happen_is_red(tmp_path: Path) -> None:
    """A fence that says `raises` and runs clean fails, and the reason names the error that did not come."""
    text = (LESSONS / "autograd" / "05-claimed-error-that-does-not-happen" / "input.md").read_text(encoding="utf-8")
    (tmp_path / "claimed.md").write_text(text.replace("```python", "```python raises=RuntimeError"), encoding="utf-8")
    (fence,) = check(tmp_path / "claimed.md").fences("claimed.md")
    assert (fence["outcome"], fence["cause"]) == ("failed", "did-not-raise")
    assert "RuntimeError" in fence["reason"]
    assert fence["stdout"] == "[2.0, 2.0]\n"


def test_a_warning_given_once_a_process_does_not_depend_on_the_order_of_lessons(tmp_path: Path) -> None:
    """Each lesson tells the warning that torch gives once a process, whatever lesson ran before it."""
    case = LESSONS / "autograd" / "29-create-graph-warns"
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes((case / "input.md").read_bytes())
    run = check(tmp_path, "-j", "1")
    for name in ("a.md", "b.md"):
        assert [
            faults(*pair) for pair in zip(run.fences(name), right_answers(case)["blocks"]["input.md"], strict=True)
        ] == [[], []]
