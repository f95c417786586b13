"""`runthrough practice`: exercises as files that a student works on, checked as they are saved."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from command import LESSONS, runthrough
from practising import ADD, COURSE, PYTORCH, RIGHT, practice, read
from runthrough.practice.answer import job_for
from runthrough.practice.exercises import exercises_of
from runthrough.practice.verdict import has_passed
from runthrough.running.pool import PoolSettings, run_jobs


def test_exercises_are_handed_out_in_course_order(mine: Path) -> None:
    """The folder holds one file for each exercise, numbered as the course has them, and the progress."""
    assert sorted(file.name for file in mine.iterdir()) == [ADD, "02_many.py", "03_half.py", "practice.json"]


def test_a_file_holds_the_task_and_the_starter(mine: Path) -> None:
    """The task stands above the starter as comments, with the code that the page shows for it."""
    text = (mine / "02_many.py").read_text()
    assert text.startswith("# Count the things\n# Lesson: First counts (first.md)\n")
    assert "#     long_word = max(things, key=len)\n" in text
    assert "# The code above prints the first of the longest words." in text
    assert text.endswith("\nmany = 0\n")


def test_no_answer_is_given_away(mine: Path) -> None:
    """No file holds a solution, a wrong answer, a check, a hint, or anything of another exercise."""
    text = "".join(file.read_text() for file in sorted(mine.glob("*.py")))
    for secret in ("a + b", "a - b", "len(things)\n", "math.pi", "3.14", "def check", "plus sign", "secret", "<!--"):
        assert secret not in text


def test_an_untouched_starter_does_not_pass(tmp_path: Path, mine: Path) -> None:
    """A check that says no gives its message and exit code 1, and the exercise stays open."""
    done = practice(tmp_path, "--check", "add")
    assert done.code == 1
    assert f"not yet  mine/{ADD}  2 and 3 are 5, and you say 2" in done.out
    assert "--hint add shows 2 hints" in done.out
    assert "0 of 3 exercises done" in practice(tmp_path, "--list").out


def test_a_right_answer_passes_and_is_kept_count_of(tmp_path: Path, mine: Path) -> None:
    """A check that says yes gives exit code 0 and counts as done; so does a later failure as open again."""
    (mine / ADD).write_text(RIGHT)
    assert practice(tmp_path, "--check", ADD).code == 0
    listed = practice(tmp_path, "--list").out
    assert f"done  {ADD}" in listed
    assert "1 of 3 exercises done" in listed
    (mine / ADD).write_text("add = max\n")
    assert practice(tmp_path, "--check", "1").code == 1
    assert f"open  {ADD}" in practice(tmp_path, "--list").out


def test_what_an_answer_prints_is_shown(tmp_path: Path, mine: Path) -> None:
    """A student's own prints are shown with the verdict, and those of the lesson are not."""
    (mine / "02_many.py").write_text("print('so many:', len(things))\nmany = 3\n")
    done = practice(tmp_path, "--check", "many")
    assert done.code == 0
    assert "so many: 3" in done.out
    assert "pear" not in done.out


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def add(a, b)\n    return a\n", f"mine/{ADD}:1  this is no Python: expected ':'"),
        ("\n\ndef add(a, b):\n    return a + c\n", f"mine/{ADD}:4  NameError: name 'c' is not defined"),
        ("x = 1\nadd = x[0]\n", f"mine/{ADD}:2  TypeError: 'int' object is not subscriptable"),
        ("total = 1\n", f"mine/{ADD}  nothing here is called add, and the check asks for it"),
        ("", f"mine/{ADD}  nothing here is called add, and the check asks for it"),
        ("import sys\nsys.exit()\n", f"mine/{ADD}:2  this asks Python to exit"),
        ("import os\nos._exit(0)\n", f"mine/{ADD}  the process that ran your code left with exit code 0"),
        ("import ctypes\nctypes.string_at(0)\n", "the process that ran your code was killed by SIGSEGV"),
        ("def add(a, b):\n    assert b < 3\n", f"mine/{ADD}:2  AssertionError"),
        ("def add(a, b):\n    assert a + b < 5\n\n\nadd(2, 3)\n", "    a = 2\n    b = 3\n"),
        (
            f"import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n{RIGHT}",
            "join the thread",
        ),
        ("add = int.__add__\n", f"mine/{ADD}\n  TypeError: descriptor '__add__' requires"),
        ("def add(a, b):\n    return a + b if a != 'a' else 0\n", 'the check says: assert answer("a", "b") == "ab"'),
    ],
)
def test_an_answer_that_breaks_is_told_in_its_own_lines(tmp_path: Path, mine: Path, code: str, said: str) -> None:
    """What an answer raises is told at the line of the student's file, never as the lesson's fault."""
    (mine / ADD).write_text(code)
    done = practice(tmp_path, "--check", "add")
    assert done.code == 1
    assert said in done.out
    assert "first.md" not in done.out
    assert "Traceback" not in done.out + done.err


def test_the_source_around_a_failing_line_is_shown(tmp_path: Path, mine: Path) -> None:
    """The lines shown are those of the student's file, with a mark on the one that failed."""
    (mine / ADD).write_text("def add(a, b):\n    return a + c\n")
    assert "  > 2 |     return a + c\n" in practice(tmp_path, "--check", "add").out


def test_an_endless_loop_is_ended_at_its_line(tmp_path: Path, mine: Path) -> None:
    """An answer that does not end is killed at the time limit of its exercise, and nothing is left running."""
    (mine / "03_half.py").write_text("half = 1\nwhile True:\n    half += 1\n")
    done = practice(tmp_path, "--check", "half")
    assert done.code == 1
    assert re.match(r"not yet  mine/03_half\.py:[23]  still running after 2 s\n", done.out)
    assert "--timeout SECONDS allows more" in done.out
    left = [
        process for process in psutil.process_iter(["cmdline"]) if str(mine) in " ".join(process.info["cmdline"] or [])
    ]
    assert not left


def test_every_declared_mistake_is_named(tmp_path: Path, mine: Path) -> None:
    """An answer like one that the page declares wrong gets the message that the page declares for it."""
    for exercise in exercises_of(read(COURSE), COURSE):
        for fence in exercise.lesson.fences:
            if fence.directives.wrong == exercise.name:
                (mine / next(mine.glob(f"*_{exercise.name}.py")).name).write_text(fence.code)
                assert fence.directives.match in practice(tmp_path, "--check", exercise.name).out


def test_a_text_that_is_no_utf8_is_told(tmp_path: Path, mine: Path) -> None:
    """A file that cannot be read as text is a failure with its cure."""
    (mine / ADD).write_bytes(b"add = '\xff'\n")
    done = practice(tmp_path, "--check", "add")
    assert done.code == 1
    assert f"{ADD} is not UTF-8 text; save it as UTF-8" in done.out


def test_hints_are_those_of_the_page(tmp_path: Path, mine: Path) -> None:
    """Hints come in their order; an exercise without one says where to read instead."""
    hints = practice(tmp_path, "--hint", "add").out
    assert hints.index("One sign stands between") < hints.index("It is the plus sign.")
    done = practice(tmp_path, "--hint", "many")
    assert done.code == 0
    assert "this exercise has no hint; read the lesson above" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["practice", str(COURSE)], "name the folder for the exercises with --into DIR"),
        (["practice", "--into", "mine"], "name one course"),
        (["practice", str(LESSONS / "fences"), "--into", "mine"], "is no course: there is no course.toml in it"),
        (["practice", str(COURSE), "--into", str(COURSE / "mine")], "is inside the course"),
        (["practice", str(COURSE), "--into", "/proc/mine"], "name a folder in which you may write"),
        (["practice", str(COURSE), "--into", "file"], "name a folder in which you may write"),
        (["practice", str(COURSE), "--into", "mine", "--check", "sub"], "no exercise 'sub'; there are add, many, half"),
        (["practice", str(LESSONS / "order" / "course"), "--into", "mine"], "has no exercises"),
        (["practice", str(LESSONS / "broken_course"), "--into", "mine"], "course.toml:"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(tmp_path: Path, words: list[str], said: str) -> None:
    """A course, a folder or a name that will not do gives one line on what to do, and exit code 2."""
    (tmp_path / "file").touch()
    done = runthrough(*words, cwd=tmp_path)
    assert done.code == 2
    assert said in done.err
    assert not (COURSE / "mine").exists()


def test_an_unreadable_lesson_is_told_at_its_line(tmp_path: Path, course: Path) -> None:
    """A course that cannot be read is told as `path:line`, and nothing is handed out."""
    page = course / "first.md"
    page.write_text(page.read_text().replace("exercise=add", "exercize=add"))
    done = practice(tmp_path, "--list", course=course)
    assert done.code == 2
    assert f"{page}:15: " in done.err
    assert not (tmp_path / "mine").exists()


def test_a_lesson_that_does_not_run_is_no_fault_of_the_answer(tmp_path: Path, course: Path) -> None:
    """Where the lesson breaks above the exercise, its line is told, and that the answer is not to blame."""
    assert practice(tmp_path, "--list", course=course).code == 0
    (tmp_path / "mine" / "03_half.py").write_text("half = math.pi\n")
    assert practice(tmp_path, "--check", "half", course=course).code == 0
    page = course / "second.md"
    page.write_text(page.read_text().replace("import math", "import maths_of_nowhere"))
    done = practice(tmp_path, "--check", "half", course=course)
    assert done.code == 1
    assert "the lesson itself does not run here, which is no fault of your answer" in done.out
    assert f"{page}:4 ModuleNotFoundError: No module named 'maths_of_nowhere'" in done.out
    assert "done  03_half.py" in practice(tmp_path, "--list", course=course).out


def test_every_solution_of_the_course_passes_and_every_starter_fails() -> None:
    """In a student's file each solution of the PyTorch course passes its check, and each starter does not."""
    exercises = exercises_of(read(PYTORCH), PYTORCH)
    assert len(exercises) == 12
    answers, wanted = [], []
    for exercise in exercises:
        assert exercise.hints
        solution = next(each.code for each in exercise.lesson.fences if each.directives.solution == exercise.name)
        for code, passes in ((solution, True), (exercise.starter, False)):
            job = job_for(exercise, Path(f"/nowhere/{exercise.name}.py"), code)
            answers.append(job)
            wanted.append(passes)
    found = [has_passed(result) for result in run_jobs(answers, PoolSettings(workers=1))]
    assert found == wanted


def test_a_process_that_is_gone_without_a_word_is_told(tmp_path: Path, mine: Path) -> None:
    """Where nobody saw how the process ended, no exit code is named."""
    (mine / "01_add.py").write_text("import os\nos.kill(os.getppid(), 9)\n")
    done = practice(tmp_path, "--check", "add")
    assert done.code == 1
    assert "the process that ran your code is gone" in done.out
    assert "None" not in done.out
