"""What must hold in a forked process as in a fresh one: threads, random numbers, source code, workers, warnings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from checked import Checked, check
from command import LESSONS

FOLDER = LESSONS / "fork_safety"
MODES = {"warm": (), "fresh": ("--spawn",)}


@pytest.fixture(scope="module")
def runs() -> dict[str, Checked]:
    """All lessons of the folder with one seed, in forks of a warm process and in fresh interpreters."""
    return {mode: check(FOLDER, *words, "--seed", "7") for mode, words in MODES.items()}


@pytest.fixture(params=MODES)
def run(request: pytest.FixtureRequest, runs: dict[str, Checked]) -> Checked:
    """One mode's run."""
    return runs[request.param]


def numbers(run: Checked) -> list[str]:
    """The numbers that two lessons drew from random, numpy and torch."""
    return run.printed("numbers.md") + run.printed("other_numbers.md")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks from a warm server")
def test_the_server_has_one_thread_when_it_forks() -> None:
    """The process that forks lessons has torch loaded and one thread, and a lesson starts with one."""
    assert check(FOLDER / "server.md").printed("server.md") == ["True 1 1\n"]


@pytest.mark.parametrize("words", MODES.values(), ids=MODES)
def test_the_first_fence_has_its_time_to_itself(words: tuple[str, ...]) -> None:
    """A fresh interpreter imports what its lesson uses before the clock of the first fence starts."""
    assert check(LESSONS / "hurried", *words).outcomes("hurried.md") == ["passed", "passed"]


def begin(tmp_path: Path, library: str, lessons: Path) -> Checked:
    """Lessons run in fresh interpreters that import this code as numpy."""
    (tmp_path / "numpy.py").write_text(library, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    return check(lessons, "--spawn", environment={"PYTHONPATH": path})


def test_an_interpreter_that_never_begins_is_told(tmp_path: Path) -> None:
    """Where what the lesson uses ends its process before the first fence, that is what the fence tells."""
    run = begin(tmp_path, "import os\nos.write(2, b'why')\nos._exit(5)\n", LESSONS / "begins" / "begins.md")
    (fence,) = run.fences("begins.md")
    assert (fence["outcome"], fence["stderr"]) == ("crashed", "why")
    assert "ended itself with exit code 5" in fence["reason"]


def test_imports_may_take_as_long_as_the_first_fence(tmp_path: Path) -> None:
    """What the lesson uses has 30 s, and that is what the fence tells, or more where the fence has more."""
    run = begin(tmp_path, "import time\ntime.sleep(32)\n", LESSONS / "begins")
    (hurried,) = run.fences("begins.md")
    assert hurried["outcome"] == "timeout"
    assert "still importing what the lesson uses after 30 s" in hurried["reason"]
    assert run.outcomes("begins_late.md") == ["passed"]


@pytest.mark.parametrize("words", MODES.values(), ids=MODES)
def test_a_module_with_a_library_name_is_what_the_fence_finds(words: tuple[str, ...]) -> None:
    """A user's own numpy.py or torch.py on the import path has no generator to seed, and its lesson runs."""
    path = os.pathsep.join([str(LESSONS / "own_library" / "modules"), os.environ.get("PYTHONPATH", "")])
    run = check(LESSONS / "own_library", *words, environment={"PYTHONPATH": path})
    for name in ("numpy.md", "torch.md"):
        assert run.printed(name) == ["the user's own\n"]


def test_a_product_on_two_threads_returns(run: Checked) -> None:
    """A lesson may raise the number of threads: a product and its gradient on two threads come back."""
    assert run.printed("matmul.md") == ["700.0 2\n", "700.0\n"]


def test_one_seed_draws_the_same_in_both_modes_and_each_lesson_its_own(runs: dict[str, Checked]) -> None:
    """With --seed a lesson draws the same numbers forked or fresh, and no two lessons draw alike."""
    drawn = numbers(runs["warm"])
    assert numbers(runs["fresh"]) == drawn
    assert len(set(drawn)) == 6


def test_without_a_seed_every_run_draws_afresh() -> None:
    """Without --seed random, numpy and torch draw other numbers from run to run, forked or fresh."""
    unseeded = [check(FOLDER / "numbers.md", *words) for words in (MODES["warm"], MODES["warm"], MODES["fresh"])]
    drawn = [text for run in unseeded for text in run.printed("numbers.md")]
    assert len(set(drawn)) == 9


def test_the_source_of_a_lessons_functions_is_found(run: Checked) -> None:
    """getsource gives a function's text and line in the lesson, the newest of a name, and torch can script it."""
    _, source, scripted, newest, indented = run.printed("source.md")
    assert source == "def relu_twice(x):\n    # Twice is once.\n    return torch.relu(torch.relu(x))\n 7\n"
    assert scripted == "[0.0, 2.0]\n"
    assert newest == '    return "another of the same name"\n'
    assert indented == "def indented():\n    return 1\n 35\n"


def test_fences_share_one_main_module(run: Checked) -> None:
    """A class can be pickled, `__main__` is its module, and a `from __future__` import holds for later fences."""
    told = "{'step': 'AlsoMissing', 'return': 'None'}\nStep(size=2)\n__main__ __main__\n"
    assert run.printed("module.md") == ["", told]


def test_loader_workers_start_by_fork_and_by_spawn(run: Checked) -> None:
    """A DataLoader's workers find the lesson's dataset, and persistent ones are no left-over processes."""
    batches = "[0.0, 1.0]\n[4.0, 9.0]\n"
    assert run.printed("loaders.md") == ["set up\n", batches, batches, "[[0.0, 1.0, 4.0, 9.0]]\n"]


def test_spawned_workers_send_back_what_the_lesson_defines(run: Checked) -> None:
    """Results and exceptions of the lesson's own classes come from a spawned worker as of those classes."""
    assert run.printed("sends_back.md")[0] == "True\nrefused -1\n"


def test_spawned_workers_find_what_was_changed(run: Checked) -> None:
    """A number that was added to and a table that was filled are in a spawned worker as in the lesson.

    What a loop did is not, and leaves the rest as it is.
    """
    assert run.printed("sends_back.md")[1] == "(5, {'one': 1, 'two': 2}, False)\n"


def test_workers_find_what_the_lesson_chose(run: Checked) -> None:
    """An `if` or a `try` between imports and assignments is chosen again, and what hangs on a loop is missing."""
    assert run.printed("chooses.md") == ["('large', False)\n", ""]


def test_workers_start_though_the_lesson_has_awaited(run: Checked) -> None:
    """What it got so is unknown to them, and whoever needs it is told at once."""
    assert run.printed("awaits.md") == ["6\n", ""]


def test_workers_start_though_not_all_of_the_lesson_runs_again(run: Checked) -> None:
    """What raises in them, as an import that is expected to fail, is left undone, and the functions they need work."""
    assert run.printed("lacks.md") == ["", "(2, '[1]')\n"]


def test_a_lesson_may_build_its_standard_output_anew(run: Checked) -> None:
    """A stream that was detached is not missed where another writes to the same descriptor in its place."""
    assert run.printed("detaches.md") == ["through another\n", "still there\n"]


def test_what_a_finalizer_removes_is_not_left_behind(run: Checked) -> None:
    """A temporary folder that the lesson keeps in its own is gone once its process has ended."""
    assert run.printed("cleans_up.md") == [""]


def test_a_stream_that_the_lesson_has_replaced_stays_replaced(run: Checked) -> None:
    """What fences print goes where the lesson has sent it, until a fence puts standard output back."""
    assert run.printed("replaces.md") == ["", "", "kept\nkept too\n"]


def test_a_stream_that_the_lesson_has_kept_stays_open(run: Checked) -> None:
    """What a lesson has kept of standard output prints in later fences too, and in order, however it was set."""
    assert run.printed("keeps.md") == ["", "a\né\nc\n"]


def test_a_stream_of_the_lesson_may_be_anything(run: Checked) -> None:
    """An object that raises whatever it is asked, or none at all, is no harm to the fences after it."""
    assert run.printed("odd_streams.md") == ["", "", "", "back\n"]


def test_who_reads_standard_input_is_told_that_there_is_none(run: Checked) -> None:
    """Text or bytes, at once or line by line."""
    assert run.printed("reads.md") == ["", "", ""]


def test_a_lesson_may_replace_what_tells_its_process(run: Checked) -> None:
    """A fence that puts a mock in the place of `os.getpid` is not taken for a copy of the lesson's process."""
    assert run.printed("other_number.md") == ["42\n"]


def test_a_lesson_may_have_a_clock_of_its_own(run: Checked) -> None:
    """What a fence puts in the place of a clock or of `os._exit` is asked by the lesson alone, to its end."""
    assert run.printed("other_clock.md") == ["", "1.5\n"]


def test_standard_error_takes_any_text(run: Checked) -> None:
    """What UTF-8 cannot write is escaped there, in messages and in warnings, as an interpreter does."""
    run.printed("complains.md")
    (fence,) = run.fences("complains.md")
    assert fence["stderr"].startswith("read \\udc80\n")
    assert "UserWarning: cannot read \\udc81" in fence["stderr"]


def test_await_at_top_level_keeps_its_loop(run: Checked) -> None:
    """A task begun in one fence is awaited in the next, and asynchronous blocks work at top level."""
    assert run.printed("await.md") == ["", "3\n", "[1, 2]\n"]


def test_each_fence_gives_its_own_warnings(run: Checked) -> None:
    """A warning given before comes again in a later fence, once a line, with its category and line."""
    run.printed("warns.md")
    told = [[(each["category"], each["line"]) for each in fence["warnings"]] for fence in run.fences("warns.md")]
    assert told == [[("UserWarning", 7)], [("UserWarning", 11)], [("DeprecationWarning", 17)]]


def test_a_failed_assertion_shows_the_values_it_saw(run: Checked) -> None:
    """The error keeps the author's message, and its notes tell the operands."""
    fence = run.fences("values.md")[1]
    assert fence["error"]["message"] == "the first is the last"
    assert set(fence["error"]["notes"]) == {"first(x) = 1", "x[1] = 2"}


def test_an_operand_is_told_as_it_is_written(run: Checked) -> None:
    """It may go over lines and hold any letters; where its source is gone, its line is told with its value."""
    written, emptied = run.fences("operands.md")
    assert set(written["error"]["notes"]) == {"grüße['ä'] + grüße['b'] = 'äb'", "wanted['ö'] = 'äc'"}
    assert emptied["error"]["notes"] == ["an operand on line 27 = 2"]


def test_nothing_is_left_alive(run: Checked) -> None:
    """Servers, supervisors and loader workers all end with the command; only the failed assertions are red."""
    assert run.left_running == []
    red = [Path(lesson["path"]).name for lesson in run.report["lessons"] if not holds(lesson)]
    assert red == ["operands.md", "values.md"]


def holds(lesson: dict[str, list[dict[str, str]]]) -> bool:
    """True where every fence passed."""
    return all(fence["outcome"] == "passed" for fence in lesson["fences"])


@pytest.mark.parametrize("told", ["", "glibc.malloc.perturb=0"])
def test_how_the_server_sets_malloc_is_not_seen_by_lessons(told: str) -> None:
    """A lesson, and what it starts, finds what the command was started with and nothing that is for the server."""
    environment = {"GLIBC_TUNABLES": told} if told else {}
    (fence,) = check(LESSONS / "tuned", environment=environment).fences("environment.md")
    assert fence["stdout"] == f"{told or None}\n" * 2
