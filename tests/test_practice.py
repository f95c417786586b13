"""`runthrough practice`: exercises as files that a student works on, checked as they are saved."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from command import COMMAND, LESSONS, Done, runthrough
from pseudo_terminal import in_terminal
from runthrough.lesson.document import Lesson
from runthrough.lesson.read import read_lesson
from runthrough.practice.answer import job_for
from runthrough.practice.exercises import exercises_of
from runthrough.practice.verdict import has_passed
from runthrough.running.pool import PoolSettings, run_jobs

COURSE = LESSONS / "practice"
PYTORCH = Path(__file__).parents[1] / "content" / "courses" / "pytorch"
ADD = "01_add.py"
RIGHT = "def add(a, b):\n    return a + b\n"


def practice(tmp_path: Path, *words: str, course: Path = COURSE) -> Done:
    """`runthrough practice` for the small course, in the folder `mine`."""
    return runthrough("practice", str(course), "--into", "mine", *words, cwd=tmp_path)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A practice folder with the exercises handed out."""
    assert practice(tmp_path, "--list").code == 0
    return tmp_path / "mine"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the small course that a test may change."""
    return shutil.copytree(COURSE, tmp_path / "course")


def read(course: Path) -> list[Lesson]:
    """The lessons of a course, in order of their names."""
    return [read_lesson(path, path.name, None) for path in sorted(course.glob("*.md"))]


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


def test_a_second_start_keeps_the_work(tmp_path: Path, mine: Path) -> None:
    """Starting again changes no file of the student's, and hands out again what was deleted."""
    (mine / ADD).write_text(RIGHT)
    (mine / "02_many.py").unlink()
    (mine / "notes.txt").write_text("my own")
    done = practice(tmp_path, "--list")
    assert "handed out: 02_many.py" in done.out
    assert (mine / ADD).read_text() == RIGHT
    assert (mine / "02_many.py").read_text().endswith("many = 0\n")
    assert (mine / "notes.txt").read_text() == "my own"


def test_a_file_that_was_there_first_stays(tmp_path: Path) -> None:
    """A file that has the name of an exercise before the first start is told, and left as it is."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / ADD).write_text("# mine\n")
    done = practice(tmp_path, "--list")
    assert f"{ADD} was there already; it is left as it is" in done.out
    assert (tmp_path / "mine" / ADD).read_text() == "# mine\n"


def test_reset_keeps_every_backup(tmp_path: Path, mine: Path) -> None:
    """A reset puts the starter back and keeps the student's file under a name that no older backup has."""
    starter = (mine / ADD).read_text()
    for number in (1, 2):
        (mine / ADD).write_text(f"# attempt {number}\n")
        assert f"your file is kept as backup/01_add.{number}.py" in practice(tmp_path, "--reset", "add").out
        assert (mine / ADD).read_text() == starter
    assert (mine / "backup" / "01_add.1.py").read_text() == "# attempt 1\n"
    assert (mine / "backup" / "01_add.2.py").read_text() == "# attempt 2\n"
    assert practice(tmp_path, "--reset", "add").out == f"{ADD} is the starter again\n"


def test_a_reset_moves_whatever_is_in_the_way(tmp_path: Path, mine: Path) -> None:
    """A folder in the place of an exercise's file is told, and a reset keeps it as a backup too."""
    (mine / ADD).unlink()
    (mine / ADD).mkdir()
    assert f"{ADD} cannot be read: Is a directory" in practice(tmp_path, "--check", "add").out
    assert practice(tmp_path, "--reset", "add").code == 0
    assert (mine / "backup" / "01_add.1.py").is_dir()
    assert (mine / ADD).read_text().endswith("return a\n")


def test_a_reset_that_cannot_be_written_loses_nothing(tmp_path: Path, mine: Path) -> None:
    """Where no backup can be made, the file stays as it is, and that is said."""
    (mine / ADD).write_text(RIGHT)
    (mine / "backup").touch()
    done = practice(tmp_path, "--reset", "add")
    assert done.code == 2
    assert "backup cannot be written" in done.err
    assert (mine / ADD).read_text() == RIGHT


def test_a_changed_starter_is_told(tmp_path: Path, course: Path) -> None:
    """Where the course has changed a starter, the student's file stays, and a reset brings the new one."""
    assert practice(tmp_path, "--list", course=course).code == 0
    page = course / "first.md"
    page.write_text(page.read_text().replace("    return a\n", "    return b\n"))
    done = practice(tmp_path, "--list", course=course)
    assert f"the course has changed the starter of {ADD}: your file is kept" in done.out
    assert (tmp_path / "mine" / ADD).read_text().endswith("return a\n")
    assert practice(tmp_path, "--reset", "add", course=course).code == 0
    assert (tmp_path / "mine" / ADD).read_text().endswith("return b\n")
    assert "has changed" not in practice(tmp_path, "--list", course=course).out


def test_a_course_that_grows_moves_no_file(tmp_path: Path, course: Path) -> None:
    """A file keeps its name when the course puts an exercise before it or takes one away, and so does its state."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "03_half.py").write_text("half = math.pi\n")
    assert practice(tmp_path, "--check", "half", course=course).code == 0
    toml = course / "course.toml"
    toml.write_text(toml.read_text().replace('"first.md", ', ""))
    done = practice(tmp_path, "--list", course=course)
    assert f"{ADD} belongs to no exercise of the course any more; it is left as it is" in done.out
    assert "done  03_half.py" in done.out
    toml.write_text(toml.read_text().replace('"second.md"', '"second.md", "first.md"'))
    assert f"open  {ADD}" in practice(tmp_path, "--list", course=course).out


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


def test_a_spoiled_progress_file_is_told_at_its_line(tmp_path: Path, mine: Path) -> None:
    """Progress that cannot be read gives its line and the cure, and nothing is written over it."""
    (mine / "practice.json").write_text('{\n  "course": oops\n')
    done = practice(tmp_path, "--list")
    assert done.code == 2
    assert "mine/practice.json:2: the progress cannot be read" in done.err
    assert "oops" in (mine / "practice.json").read_text()
    (mine / "practice.json").write_text('{"course": "Counting", "exercises": [1]}')
    assert practice(tmp_path, "--list").code == 2


def test_the_folder_of_another_course_is_refused(tmp_path: Path, mine: Path, course: Path) -> None:
    """A folder serves one course; the exercises of another are not mixed in."""
    (course / "course.toml").write_text('title = "Other"\ntorch = "2.13.0"\nlessons = ["third.md"]\n')
    (course / "first.md").rename(course / "third.md")
    (course / "second.md").unlink()
    done = practice(tmp_path, "--list", course=course)
    assert done.code == 2
    assert "holds the exercises of “Counting”" in done.err


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


def test_progress_is_written_whole(tmp_path: Path, mine: Path) -> None:
    """No half-written file is left beside the exercises."""
    practice(tmp_path, "--check", "add")
    assert not [name for name in os.listdir(mine) if name.startswith(".")]


def test_the_page_for_students_shows_what_comes(tmp_path: Path) -> None:
    """The mistake that docs/student.md shows gets the words that it shows."""
    page = (Path(__file__).parents[1] / "docs" / "student.md").read_text()
    shown = page.partition("```text\n")[2].partition("\n```")[0].split("\n")
    with in_terminal(["practice", PYTORCH, "--into", "practice"], tmp_path) as terminal:
        terminal.expect("q quit")
        (tmp_path / "practice" / "01_square_grads.py").write_text("square_grads = ([6.0, 8.0], [12.0, 16.0])\n")
        for row in shown:
            terminal.expect(row)


@pytest.mark.parametrize("file", ["../outside.py", "/outside.py", ""])
def test_progress_that_names_a_file_elsewhere_is_refused(tmp_path: Path, mine: Path, file: str) -> None:
    """Nothing outside of the folder is written, whatever its progress file says."""
    kept = mine / "practice.json"
    found = json.loads(kept.read_text("utf-8"))
    next(iter(found["exercises"].values()))["file"] = file
    kept.write_text(json.dumps(found))
    done = practice(tmp_path, "--list")
    assert done.code == 2
    assert f"{file!r} is no file of this folder" in done.err
    assert not (tmp_path / "outside.py").exists()


def test_a_process_that_is_gone_without_a_word_is_told(tmp_path: Path, mine: Path) -> None:
    """Where nobody saw how the process ended, no exit code is named."""
    (mine / "01_add.py").write_text("import os\nos.kill(os.getppid(), 9)\n")
    done = practice(tmp_path, "--check", "add")
    assert done.code == 1
    assert "the process that ran your code is gone" in done.out
    assert "None" not in done.out
