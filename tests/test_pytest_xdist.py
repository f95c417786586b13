"""`pytest --runthrough -n 2`: all workers share one pool, and a lesson runs once whichever of them asks."""

from __future__ import annotations

import os
import re
import shlex
import signal
from pathlib import Path

import pytest

from pytested import Pytested, text_of

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
TWO = ("-n", "2")
TELLS_POOLS = """
import psutil
def pytest_sessionfinish():
    below = [each.as_dict(["cmdline"])["cmdline"] or [] for each in psutil.Process().children()]
    print("\\npools started:", sum("runthrough.running.lesson_service" in words for words in below))
"""
FENCES = ["first", "second", "third", "other"]


@pytest.fixture
def here(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Pytested:
    """A folder for lessons and a pytest with xdist to run them."""
    return Pytested(pytester, monkeypatch, ("-p", "xdist"))


@pytest.mark.parametrize("dist", ["load", "loadfile", "loadscope", "worksteal", "each"])
def test_a_lesson_runs_once_however_its_items_are_spread(here: Pytested, dist: str) -> None:
    """Every item is reported, by whichever worker, and each fence ran one time in the one process of its lesson."""
    here.copy("pytest/counted.md", "pytest/other.md")
    here.run(*TWO, "--dist", dist).assert_outcomes(passed=8 if dist == "each" else 4)
    assert sorted(here.noted()) == sorted(FENCES)
    assert here.alive() == []


def test_selecting_one_fence_is_as_without_xdist(here: Pytested) -> None:
    """What the chosen fence needs runs once, and it alone is reported."""
    here.copy("pytest/counted.md", "pytest/other.md")
    here.run(*TWO, "counted.md::second").assert_outcomes(passed=1)
    assert here.noted() == ["first", "second"]


def test_listing_items_starts_nothing(here: Pytested) -> None:
    """`--collect-only` is as without xdist; neither it nor `--setup-plan` starts the pool, and a run does."""
    here.copy("pytest/counted.md")
    here.pytester.makeconftest(TELLS_POOLS)
    assert here.collected(*TWO) == ["counted.md::first", "counted.md::second", "counted.md::third"]
    here.run(*TWO, "--setup-plan", "-s").stdout.fnmatch_lines(["pools started: 0"])
    assert here.noted() == []
    here.run(*TWO, "-s").stdout.fnmatch_lines(["pools started: 1"])


@pytest.mark.parametrize("page", ["README.md", "docs/pytest.md"])
def test_what_the_docs_say_to_type_chooses_fences(here: Pytested, page: str) -> None:
    """Each command with `pytest --runthrough` on a page of the documentation finds fences in this project's course."""
    (here.folder / "content").symlink_to(ROOT / "content")
    commands = re.findall(r"^pytest --runthrough (.+)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert commands
    for command in commands:
        assert here.collected(*shlex.split(command, comments=True)), command


@pytest.mark.parametrize("words", [(), TWO])
def test_a_name_that_is_no_text_is_told(here: Pytested, words: tuple[str, ...]) -> None:
    """A lesson whose name is not UTF-8 is an error of collecting that says so, and pytest does not break on it."""
    here.copy("pytest/counted.md")
    (here.folder / "counted.md").rename(os.fsdecode(os.fsencode(here.folder) + b"/\xff.md"))
    result = here.run(*words)
    assert result.ret == (1 if words else 2)
    result.stdout.fnmatch_lines(["\\udcff.md:1: the file's name is not UTF-8 (rename it)"])


def test_failures_and_skips_are_told_as_without_xdist(here: Pytested) -> None:
    """The text, what was printed, the skip's line, the seed and what is odd come through the workers, once."""
    here.copy("telling/assertion.md", "telling/skipped.md", "pytest/course")
    (here.folder / "skipped.md").rename(here.folder / "course" / "skipped.md")
    result = here.run(*TWO, "-rs", "--runthrough-seed", "17")
    result.assert_outcomes(passed=5, failed=3, skipped=2)
    result.stdout.fnmatch_lines(["runthrough: seed 17, repeat with --runthrough-seed 17"])
    for line in (
        "assertion.md:12: failed: an assertion does not hold",
        "  next: Correct line 12, or the code before it.",
        "comparing",
        "SKIPPED * course/skipped.md:4: needs a GPU",
        "seed 17: repeat with --runthrough-seed 17",
    ):
        result.stdout.fnmatch_lines([line])
    assert text_of(result).count("course/skipped.md:1: the course of this folder does not list this page") == 1


@pytest.mark.parametrize("words", [(), TWO])
def test_a_failure_has_one_line_in_the_summary(
    here: Pytested, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """In CI, where pytest cuts no line, the summary and a JUnit file's message do not repeat the whole failure."""
    monkeypatch.setenv("CI", "true")
    here.copy("telling/assertion.md")
    result = here.run(*words, "--tb=line", "--junitxml=junit.xml")
    result.stdout.fnmatch_lines(["*assertion.md:12: failed: an assertion does not hold"])
    summary = text_of(result).partition("short test summary info")[2].strip().splitlines()[1:-1]
    assert len(summary) == result.parseoutcomes()["failed"] == 3
    assert "FAILED assertion.md::the-wrong-claim-1 - failed: an assertion does not hold" in summary
    assert 'message="failed: an assertion does not hold"' in (here.folder / "junit.xml").read_text()


def test_a_killed_worker_costs_its_own_test_alone(here: Pytested) -> None:
    """xdist replaces a worker that was killed; the lessons are not run again, and every fence is reported."""
    here.copy("pytest/counted.md", "pytest/other.md")
    here.pytester.makepyfile(test_dies="import os, signal\ndef test_dies(): os.kill(os.getpid(), signal.SIGKILL)")
    result = here.run(*TWO)
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*test_dies.py::test_dies*"])
    assert sorted(here.noted()) == sorted(FENCES)
    assert here.alive() == []


def test_the_first_failure_can_stop_the_run(here: Pytested) -> None:
    """`-x` ends what still runs, and nothing is left."""
    here.copy("telling/assertion.md", "telling/waits.md")
    result = here.run(*TWO, "-x", "assertion.md", "waits.md")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "waits.md:" not in text_of(result)
    assert here.alive() == []


def test_an_interrupted_run_leaves_nothing_running(here: Pytested) -> None:
    """Ctrl-C ends workers, lessons, server and pool."""
    here.copy("telling/waits.md")
    process = here.start(*TWO)
    here.wait_for_lesson()
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    here.wait_until_all_is_ended()


def test_a_killed_controller_leaves_nothing_running(here: Pytested) -> None:
    """The pool belongs to the controller and ends with it, however that ends."""
    here.copy("telling/waits.md")
    process = here.start(*TWO)
    here.wait_for_lesson()
    process.kill()
    process.communicate(timeout=60)
    here.wait_until_all_is_ended()


def test_a_lesson_edited_after_it_was_collected_is_red(here: Pytested) -> None:
    """Whichever worker reports it says that what ran is not what the page says now."""
    here.copy("pytest/counted.md")
    here.pytester.makeconftest(
        "def pytest_collection_finish(session):\n"
        "    path = session.config.rootpath / 'counted.md'\n"
        "    path.write_text(path.read_text() + '\\nMore.\\n')\n"
    )
    result = here.run(*TWO)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["counted.md:*: the file changed after it was collected"])


def test_a_lesson_that_cannot_be_read_is_an_error(here: Pytested) -> None:
    """The run is red with `path:line: what to do`; as xdist does with any file, the others are tested."""
    here.copy("telling/course/01_unknown_key.md", "pytest/counted.md")
    result = here.run(*TWO)
    result.assert_outcomes(passed=3, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["01_unknown_key.md:8: 'rases' is no directive (did you mean 'raises'?)"])
