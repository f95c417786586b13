"""`runthrough practice` while a student works: what is shown when a file is saved or a word is typed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import psutil

from command import COMMAND
from practising import ADD, COURSE, PYTORCH, RIGHT, practice
from pseudo_terminal import in_terminal


def test_without_a_terminal_the_watch_ends_with_its_input(tmp_path: Path) -> None:
    """Words may come through a pipe; the end of the input is the end of the watch."""
    done = subprocess.run(
        [*COMMAND, "practice", str(COURSE), "--into", "mine"],
        cwd=tmp_path,
        input=b"list\nhint\nnonsense\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    out = done.stdout.decode()
    assert done.returncode == 0
    assert "> open  01_add.py" in out
    assert "hint 1 of 2" in out
    assert "'nonsense' is no word here; there are:\nn next" in out


def test_a_student_at_a_terminal(tmp_path: Path) -> None:
    """From the first start to the last exercise: saves are checked, words obeyed, mishaps told, progress kept."""
    mine = tmp_path / "mine"
    with in_terminal(["practice", COURSE, "--into", "mine"], tmp_path) as terminal:
        terminal.expect("Counting: 3 exercises, 0 done")
        terminal.expect("[1/3] mine/01_add.py  Add two numbers")
        terminal.expect("not yet  mine/01_add.py  2 and 3 are 5, and you say 2")
        terminal.expect("q quit")
        (mine / ADD).write_text("def add(a, b):\n    return a - b\n")
        terminal.expect("that is the difference, not the sum")
        terminal.expect("q quit")
        terminal.type("h")
        terminal.expect("hint 1 of 2\n  One sign stands between the two names.")
        aside = mine / ".01_add.py.swp"
        aside.write_text("def add(a, b)\n")
        aside.rename(mine / ADD)
        terminal.expect("mine/01_add.py:1  this is no Python")
        terminal.expect("q quit")
        (mine / ADD).unlink()
        terminal.expect("01_add.py is gone; r brings the starter back")
        terminal.type("r")
        terminal.expect("01_add.py is the starter again")
        terminal.expect("q quit")
        (mine / ADD).write_text(RIGHT)
        terminal.expect(
            "mine/01_add.py passes its check\n  1 of 3 exercises done\n  next: 02_many.py  Count the things"
        )
        terminal.expect("q quit")
        terminal.type("r")
        terminal.expect("your file is kept as backup/01_add.1.py (y or n)")
        terminal.type("n")
        terminal.expect("left as it is")
        assert (mine / ADD).read_text() == RIGHT
        terminal.type("next")
        terminal.expect("[2/3] mine/02_many.py")
        terminal.expect("q quit")
        (mine / "03_half.py").write_text("while True:\n    pass\n")
        terminal.expect("[3/3] mine/03_half.py")
        (mine / "03_half.py").write_text("half = math.pi\n")
        assert "still running" not in terminal.expect("mine/03_half.py passes its check\n  2 of 3 exercises done")
        terminal.expect("q quit")
        (mine / "02_many.py").write_text("many = 3\n")
        terminal.expect("the course's exercises are done")
        terminal.expect("q quit")
        terminal.type("q")
        assert terminal.wait() == 0
    assert all(entry["done"] for entry in json.loads((mine / "practice.json").read_text())["exercises"].values())


def test_a_second_watch_of_a_folder_is_refused(tmp_path: Path) -> None:
    """Two watches do not answer for one folder; a single check beside a watch is told as ever."""
    with in_terminal(["practice", COURSE, "--into", "mine"], tmp_path) as terminal:
        terminal.expect("q quit")
        done = practice(tmp_path)
        assert done.code == 2
        assert "mine is watched by another runthrough practice" in done.err
        assert practice(tmp_path, "--check", "add").code == 1
        terminal.type("q")
        assert terminal.wait() == 0


def test_a_folder_that_goes_ends_the_watch(tmp_path: Path) -> None:
    """Where the whole folder is deleted there is nothing to watch, which is said."""
    with in_terminal(["practice", COURSE, "--into", "mine"], tmp_path) as terminal:
        terminal.expect("q quit")
        shutil.rmtree(tmp_path / "mine")
        terminal.expect("mine is gone, so there is nothing to watch")
        assert terminal.wait() == 2


def test_ctrl_c_ends_the_watch_and_all_it_runs(tmp_path: Path) -> None:
    """An interrupt in the middle of a check ends at once, and leaves nothing running."""
    with in_terminal(["practice", COURSE, "--into", "mine", "--timeout", "50"], tmp_path) as terminal:
        terminal.expect("q quit")
        (tmp_path / "mine" / ADD).write_text("while True:\n    pass\n")
        terminal.expect("checking 01_add.py")
        children = psutil.Process(terminal.process.pid).children(recursive=True)
        terminal.press(b"\x03")
        assert terminal.wait() == 130
        _, alive = psutil.wait_procs(children, timeout=20)
        assert not alive


def test_the_page_for_students_shows_what_comes(tmp_path: Path) -> None:
    """The mistake that docs/student.md shows gets the words that it shows."""
    page = (Path(__file__).parents[1] / "docs" / "student.md").read_text()
    shown = page.partition("```text\n")[2].partition("\n```")[0].split("\n")
    with in_terminal(["practice", PYTORCH, "--into", "practice"], tmp_path) as terminal:
        terminal.expect("q quit")
        (tmp_path / "practice" / "01_square_grads.py").write_text("square_grads = ([6.0, 8.0], [12.0, 16.0])\n")
        for row in shown:
            terminal.expect(row)
