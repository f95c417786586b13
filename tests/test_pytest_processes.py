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


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan", "--setup-only"])
def test_what_runs_no_test_starts_no_process(here: Pytested, option: str) -> None:
    """Listing items or what they would set up has no side effect: no pool, no server, while a run has them by then."""
    here.copy("pytest/counted.md")
    here.pytester.makeconftest(
        "import psutil\n"
        "def pytest_collection_finish():\n"
        "    print('processes started:', len(psutil.Process().children()))\n"
    )
    here.run(option, "-s").stdout.fnmatch_lines(["processes started: 0"])
    here.run("-s").stdout.fnmatch_lines(["processes started: 1"])


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
