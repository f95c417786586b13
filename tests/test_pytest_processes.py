"""The processes behind `pytest --runthrough`: when they start, what their loss means, and that they end."""

from __future__ import annotations

import os
import signal

import pytest

from pytested import Pytested

pytest_plugins = ["pytester"]


@pytest.fixture
def here(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Pytested:
    """A folder for lessons and a pytest to run them."""
    return Pytested(pytester, monkeypatch, ())


# At the end of any run that was configured, before anything is put away.
TELLS_PROCESSES = """
import psutil
def pytest_unconfigure():
    print("\\nprocesses started:", len(psutil.Process().children()))
"""
# Once a lesson is collected: what the warm server was started with.
TELLS_MODULES = """
import psutil, time
SERVER = "runthrough.running.server"
def pytest_collection_finish():
    for _ in range(600):
        lines = [each.cmdline() for each in psutil.Process().children(recursive=True)]
        if found := [line for line in lines if SERVER in line]:
            print("\\nimported ahead:", found[0][found[0].index(SERVER) + 2:])
            break
        time.sleep(0.1)
"""
LISTING = ["--collect-only", "--setup-plan", "--setup-only", "--fixtures", "--fixtures-per-test", "--cache-show"]


@pytest.mark.parametrize("option", [*LISTING, "--markers", "--help"])
def test_what_runs_no_test_starts_no_process(here: Pytested, option: str) -> None:
    """Listing anything has no side effect: no pool, no server, while a run has them to its end."""
    here.copy("pytest/counted.md")
    here.pytester.makeconftest(TELLS_PROCESSES)
    here.run(option, "-s").stdout.fnmatch_lines(["processes started: 0"])
    here.run("-s").stdout.fnmatch_lines(["processes started: 1"])


@pytest.mark.parametrize("words", [(), ("leaf.md",), ("leaf.md::the-gradient",), (".", "-k", "gradient")])
def test_what_lessons_import_is_under_way_while_they_are_read(here: Pytested, words: tuple[str, ...]) -> None:
    """The warm server is started with torch where a page of the run imports it, and the lesson holds."""
    here.copy("pytest/leaf.md", "pytest/counted.md")
    here.pytester.makeconftest(TELLS_MODULES)
    result = here.run("-s", *words)
    result.stdout.fnmatch_lines(["imported ahead: ['torch', 'numpy']"])
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize("words", [("counted.md",), ("test_torch.py",), ("-m", "not runthrough")])
def test_what_no_lesson_of_the_run_imports_is_not_imported_ahead(here: Pytested, words: tuple[str, ...]) -> None:
    """Lessons beside the paths of a run, tests that import torch themselves, and runs without lessons start none."""
    here.copy("pytest/leaf.md", "pytest/counted.md")
    here.pytester.makeconftest(TELLS_MODULES)
    here.pytester.makepyfile(test_torch="def imports():\n    import torch\ndef test_it(): pass")
    here.run("-s", *words).stdout.fnmatch_lines(["imported ahead: []"])


def test_a_run_without_its_lessons_ends_their_processes_first(here: Pytested) -> None:
    """Where no fence is left to run, the other tests run without the pool and the server, and hear nothing of them."""
    here.copy("pytest/leaf.md")
    here.pytester.makepyfile(
        test_it="import psutil\ndef test_alone(): assert not psutil.Process().children(recursive=True)"
    )
    result = here.run("-k", "alone")
    result.assert_outcomes(passed=1, deselected=1)
    result.stderr.no_fnmatch_line("*")
    assert here.alive() == []


@pytest.mark.parametrize("words", [("-k", "nothing"), ("absent.md", "leaf.md"), ("leaf.md", "unknown_word.md")])
def test_a_run_that_comes_to_nothing_leaves_nothing_running(here: Pytested, words: tuple[str, ...]) -> None:
    """Nothing chosen, a path that is not there, a lesson that cannot be read: all that was started ahead is ended."""
    here.copy("pytest/leaf.md", "telling/course/01_unknown_key.md")
    (here.folder / "01_unknown_key.md").rename(here.folder / "unknown_word.md")
    result = here.run(*words)
    assert result.ret in (pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED)
    assert here.alive() == []


def test_a_test_that_stops_waiting_takes_no_other_lesson_with_it(here: Pytested) -> None:
    """Where something ends a test that waits for its lesson, the next lesson is told by its own result."""
    here.copy("side_by_side/waits.md", "telling/assertion.md")
    (here.folder / "waits.md").rename(here.folder / "a.md")
    here.pytester.makeconftest(
        """
        import signal, time
        def too_long(number, frame):
            raise TimeoutError("too long")
        def pytest_runtest_setup(item):
            if item.path.name == "a.md":
                signal.signal(signal.SIGALRM, too_long)
                signal.setitimer(signal.ITIMER_REAL, 0.3)
        def pytest_runtest_teardown(item):
            if item.path.name == "a.md":
                time.sleep(4)
        """
    )
    result = here.run("--runthrough-jobs", "2")
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines(["E*TimeoutError: too long", "assertion.md:12: failed: an assertion does not hold"])


def test_an_interrupted_run_leaves_nothing_running(here: Pytested) -> None:
    """Ctrl-C ends the lesson, the server and the pool with pytest, and exits with pytest's code for it."""
    here.copy("telling/waits.md")
    process = here.start()
    here.wait_for_lesson()
    assert here.alive()
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert b"KeyboardInterrupt" in output
    assert here.alive() == []


def test_a_killed_run_leaves_nothing_running(here: Pytested) -> None:
    """Also where pytest is killed and can end nothing itself."""
    here.copy("telling/waits.md")
    process = here.start()
    here.wait_for_lesson()
    process.kill()
    process.communicate(timeout=60)
    here.wait_until_all_is_ended()


def test_a_pool_that_dies_is_told_and_red(here: Pytested) -> None:
    """A fence without a report never passes: where the pool is killed, its items fail."""
    here.copy("telling/waits.md")
    process = here.start()
    here.wait_for_lesson()
    (pool,) = [each for each in here.alive() if "lesson_service" in " ".join(each.cmdline())]
    pool.kill()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.TESTS_FAILED
    assert b"waits.md:3: the process that runs the lessons has ended before its time; run pytest again" in output
    here.wait_until_all_is_ended()
