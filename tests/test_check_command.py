"""`runthrough check` as its user sees it: lines, exit codes, choices."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from command import COMMAND, TELLING, runthrough


def test_lessons_that_hold_end_with_the_numbers_and_0() -> None:
    """A green run has one line a lesson, then the closing line with its seed, and exits 0."""
    done = runthrough("check", "holds.md", "--seed", "5")
    lesson, closing = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert lesson.startswith("✓ holds.md  2 passed  ")
    assert closing.startswith("holds: 2 fences: 2 passed, 0 skipped; 1 lesson in ")
    assert closing.endswith("; seed 5: repeat with --seed 5")


def test_a_broken_assertion_is_one_failure_at_its_markdown_line() -> None:
    """Exactly the broken fence is shown, at its line, with the values seen; its followers are only counted."""
    done = runthrough("check", "assertion.md")
    assert done.code == 1
    assert "✗ assertion.md  1 passed, 1 failed, 2 blocked  " in done.out
    assert done.out.count("FAILED") == 1
    assert "FAILED assertion.md:12  " in done.out
    assert "  > 12 | assert best == 0.01\n" in done.out
    assert "0.1" in done.out.partition("AssertionError")[2]
    assert "    | comparing\n" in done.out
    assert done.out.count("  next: ") == 1
    assert done.last_line.startswith("does not hold: 4 fences: 1 passed, 1 failed, 2 blocked, 0 skipped; 1 lesson in ")


def test_keep_going_runs_the_followers_of_a_failure() -> None:
    """With --keep-going a fence after a failed one runs, and the run is still red."""
    done = runthrough("check", "assertion.md", "--keep-going")
    assert done.code == 1
    assert "4 fences: 3 passed, 1 failed, 0 skipped;" in done.last_line


@pytest.mark.parametrize(
    ("lesson", "said"),
    [
        ("killed.md", "was killed by SIGKILL"),
        ("does_not_raise.md", "expected ZeroDivisionError"),
        ("only_shown.md", "FAILED only_shown.md:1  "),
    ],
)
def test_what_does_not_hold_is_said_in_words_and_red(lesson: str, said: str) -> None:
    """A death, a promise not kept and a lesson of which nothing ran each exit 1 with a reason and a next step."""
    done = runthrough("check", lesson)
    assert done.code == 1
    assert said in done.out
    assert "  next: " in done.out


def test_skipped_fences_are_counted_and_explained_on_request() -> None:
    """The closing line counts what was skipped; -v says where and why."""
    done = runthrough("check", "skipped.md", "-v")
    assert done.code == 0
    assert "    skipped skipped.md:4  on-a-gpu: needs a GPU\n" in done.out
    assert "    shown skipped.md:9  sketch: a sketch of the loop\n" in done.out
    assert "3 fences: 1 passed, 1 skipped, 1 shown;" in done.last_line


def test_quiet_says_only_the_closing_line_of_a_green_run() -> None:
    """-q leaves one line where all holds."""
    assert len(runthrough("check", "holds.md", "skipped.md", "-q").out.splitlines()) == 1


def test_fewer_fences_than_asked_for_is_red() -> None:
    """--min-fences is a floor: a fence more than ran makes a holding run fail."""
    assert runthrough("check", "holds.md", "--min-fences", "2").code == 0
    done = runthrough("check", "holds.md", "--min-fences", "3")
    assert done.code == 1
    assert "FAILED fences that ran: 2; --min-fences asks for at least 3\n" in done.out


def test_x_stops_after_the_first_lesson_that_does_not_hold() -> None:
    """With -x one at a time, lessons after the red one have no result and are named."""
    done = runthrough("check", "-x", "-j", "1", "holds.md", "assertion.md", "skipped.md", "killed.md")
    assert done.code == 1
    assert "\nnot run: skipped.md, killed.md\n" in done.out
    assert "2 lessons in" in done.last_line


def test_k_runs_the_fences_up_to_the_chosen_one() -> None:
    """-k chooses by path and id; what chooses nothing is an error and not a green run."""
    done = runthrough("check", "-k", "sketch or holds", "skipped.md", "holds.md", "killed.md")
    assert done.code == 0
    assert "4 fences: 2 passed, 1 skipped, 1 shown; 2 lessons" in done.last_line
    nothing = runthrough("check", "-k", "nowhere", "holds.md")
    assert nothing.code == 2
    assert "-k" in nothing.err


def test_one_seed_gives_one_run_and_no_seed_a_fresh_one(tmp_path: Path) -> None:
    """--seed N repeats the random numbers of a run; without it two runs draw differently."""
    (tmp_path / "draws.md").write_text("```python\nimport random\nassert not str(random.random())\n```\n")
    runs = [runthrough("check", "draws.md", *words, cwd=tmp_path) for words in (["--seed", "3"], ["--seed", "3"], [])]
    drawn = [run.out.partition("AssertionError")[2].partition("next:")[0] for run in runs]
    assert drawn[0] == drawn[1]
    assert drawn[2] not in ("", drawn[0])


def test_unreadable_lessons_are_all_told_at_once_and_nothing_runs() -> None:
    """Every problem is `path:line: what (what to do)` on standard error; the exit code is 2; nothing has run."""
    done = runthrough("check", "course", "holds.md")
    assert (done.code, done.out) == (2, "")
    assert "course/01_unknown_key.md:8: " in done.err
    assert "raises" in done.err
    assert "course/02_unclosed.md:8: " in done.err


def test_a_warning_is_told_and_the_lesson_runs(tmp_path: Path) -> None:
    """In a folder that is no course an unclosed fence is told on standard error, and still runs."""
    (tmp_path / "a.md").write_text("# A\n\n```python\nprint(1)\n")
    done = runthrough("check", "a.md", cwd=tmp_path)
    assert done.code == 0
    assert done.err.startswith("a.md:3: ")
    assert "1 fence: 1 passed" in done.last_line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chekc", "holds.md"], "did you mean 'check'?"),
        (["holds.md"], "type: runthrough check holds.md"),
        (["check", "--keep-gong"], "did you mean --keep-going?"),
        (["check", "-j", "0"], "'0' is not a whole number of at least 1"),
        (["check", "--timeout", "soon"], "'soon' is not a number of seconds above 0"),
        (["check", "-k", "a or"], "a word is missing at the end"),
        (["check", "--json=report.txt"], "name a file that ends in .json"),
        (["check", "--json", "holds.md/report.json", "holds.md"], "name a file in a folder that can be written"),
        (["check", "nowhere.md"], "nowhere.md"),
        ([], "name a command: check, list"),
    ],
)
def test_a_command_line_that_cannot_be_read_is_2_with_a_cure(words: list[str], said: str) -> None:
    """A mistyped command says on standard error what to type instead, and runs nothing."""
    done = runthrough(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_help_names_the_exit_codes() -> None:
    """--help exits 0 and lists every exit code."""
    done = runthrough("check", "--help")
    assert done.code == 0
    assert all(f"\n  {code} " in done.out for code in (0, 1, 2, 130))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_what_it_started(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, or a plain kill, says one line, exits 130, writes no report and leaves no process behind."""
    noted = tmp_path / "pid"
    environment = {**os.environ, "RUNTHROUGH_TEST_PID": str(noted)}
    command = subprocess.Popen(
        [*COMMAND, "check", "waits.md", "--json", str(tmp_path / "report.json")],
        cwd=TELLING,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (noted.exists() and noted.read_text()):
        assert command.poll() is None
        time.sleep(0.01)
    child = int(noted.read_text())
    command.send_signal(number)
    _, err = command.communicate(timeout=60)
    assert command.returncode == 130
    assert err == "interrupted: everything that was started has been ended\n"
    assert not Path(f"/proc/{child}").exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["pid"]


def test_a_reader_that_leaves_early_is_no_error() -> None:
    """`runthrough ... | head` ends quietly when nobody reads on."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [*COMMAND, "check", "holds.md"], cwd=TELLING, stdout=theirs, stderr=subprocess.PIPE, check=False
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (1, b"")


def test_letters_beyond_ascii_never_stop_the_telling() -> None:
    """Under a C locale with ASCII streams the failure is still told, its letters as escapes."""
    done = runthrough(
        "check", "урок-∂.md", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert done.code == 1
    assert done.out.startswith("no \\u0443\\u0440\\u043e\\u043a-\\u2202.md  1 failed")
    assert "ValueError: \\u043d\\u0435 \\u0447" in done.out
    assert "Traceback" not in done.err


def test_a_file_name_that_is_no_text_is_a_problem_told(tmp_path: Path) -> None:
    """A name whose bytes are not UTF-8 cannot stand in a report: exit 2, with what to do."""
    (tmp_path / os.fsdecode(b"odd-\xff.md")).write_text("```python\nprint(1)\n```\n")
    done = runthrough("check", os.fsdecode(b"odd-\xff.md"), cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "odd-\\udcff.md:1: the file's name is not UTF-8 (rename it)\n"


def test_a_course_that_pins_another_torch_is_told(tmp_path: Path) -> None:
    """Where course.toml pins a release that is not installed, one line on standard error says so."""
    (tmp_path / "course.toml").write_text('title = "T"\ntorch = "1.0.0"\nlessons = ["a.md"]\n')
    (tmp_path / "a.md").write_text("---\nid: A\ntitle: A\n---\n\n# A\n\n```python\nprint(1)\n```\n")
    done = runthrough("check", ".", cwd=tmp_path)
    assert done.code == 0
    (told,) = done.err.splitlines()
    assert "course.toml" in told
    assert "pins torch 1.0.0" in told
