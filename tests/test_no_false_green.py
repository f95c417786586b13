"""No false green: whatever a fence does to its process, its streams or its folder, its lesson does not pass by it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from checked import Checked, check
from command import LESSONS, runthrough

# What ends or spoils a process: the outcome of the second fence, its cause and words of its reason.
ENDS = {
    "os_exit.md": ("crashed", "died", "ended itself with exit code 0, before the fence was done"),
    "raises_exit.md": ("crashed", "died", "ended itself with exit code 0, before the fence was done"),
    "sys_exit.md": ("failed", "exited", "SystemExit"),
    "sys_exit_none.md": ("failed", "exited", "SystemExit"),
    "sigkill.md": ("crashed", "died", "killed by SIGKILL (signal 9)"),
    "sigterm.md": ("crashed", "died", "killed by SIGTERM (signal 15)"),
    "sigsegv.md": ("crashed", "died", "killed by SIGSEGV (signal 11)"),
    "kills_group.md": ("crashed", "died", "killed by SIGKILL (signal 9)"),
    "kills_supervisor.md": ("crashed", "died", "the process that watches over the lesson was killed"),
    "closes_all.md": ("crashed", "died", "closed or wrote to the descriptor on which its process reports"),
    "garbage.md": ("crashed", "died", "so nothing is known of it"),
    "forged.md": ("crashed", "died", "so nothing is known of it"),
    "stopped.md": ("timeout", "time", "still running after 1 s"),
    "swallows.md": ("timeout", "time", "still running after 1 s, on line 1"),
    "ignores_signals.md": ("timeout", "time", "still running after 1 s"),
    "closed_stdout.md": ("failed", "closed-stream", "standard output was closed"),
    "closed_descriptor.md": ("failed", "closed-stream", "standard output was closed"),
    "redirected.md": ("failed", "closed-stream", "closed or redirected, and not put back"),
    "recursion.md": ("failed", "raised", "RecursionError"),
    "odd_error.md": ("failed", "raised", "Odd"),
    "odd_value.md": ("failed", "raised", "RuntimeError: no words"),
}
# What a fence leaves behind: later fences run, and its own turns red at the lesson's end.
LEAVES = {
    "thread.md": "the thread counter is still running",
    "busy_pool.md": "the thread work_0 is still running",
    "child.md": "a process is still running after the lesson's last fence: sleep 61",
    "setsid.md": "a process is still running after the lesson's last fence: sleep 62",
    "process.md": "a process is still running after the lesson's last fence: a forked copy",
    "named_as_python.md": "time.sleep(63)  # multiprocessing.forkserver",
    "odd_thread.md": "the thread \\ud800 is still running",
    "double_fork.md": "a process is still running after the lesson's last fence: sleep 64",
}
GREEN = (
    "daemon_thread.md",
    "forked_copy.md",
    "forked_copy_fails.md",
    "idle_pools.md",
    "manager.md",
    "shared_memory.md",
)


def copy_of(folder: str, where: Path) -> Path:
    """A copy of a folder of lessons, since some of them write beside themselves."""
    return Path(shutil.copytree(LESSONS / folder, where / folder))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """All lessons that must not pass by what they do, in one run."""
    return check(copy_of("false_green", tmp_path_factory.mktemp("run")))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """The lessons that write files, each with the folder to itself."""
    folder = tmp_path_factory.mktemp("files")
    for lesson in (LESSONS / "files_left").iterdir():
        (folder / lesson.stem).mkdir()
        shutil.copy(lesson, folder / lesson.stem)
    return check(folder)


@pytest.mark.parametrize("name", ENDS)
def test_a_fence_that_ends_or_spoils_its_process_is_red(run: Checked, name: str) -> None:
    """The fence that did it is red with the reason in words, the one before passed and the one after is blocked."""
    outcome, cause, words = ENDS[name]
    assert run.outcomes(name) == ["passed", outcome, "blocked"]
    _, red, after = run.fences(name)
    assert red["cause"] == cause
    assert words in red["reason"]
    assert f"line {red['line']}" in after["reason"]


@pytest.mark.parametrize("name", LEAVES)
def test_what_a_fence_leaves_running_makes_it_red(run: Checked, name: str) -> None:
    """A thread or process that outlives the lesson is charged to the fence that started it, and named."""
    assert run.outcomes(name) == ["passed", "failed", "passed"]
    fence = run.fences(name)[1]
    assert fence["cause"] == "left-running"
    assert LEAVES[name] in fence["reason"]


@pytest.mark.parametrize("name", GREEN)
def test_what_an_interpreter_ends_by_itself_is_no_fault(run: Checked, name: str) -> None:
    """A daemon thread, an idle pool and a forked copy that reaches the end of its fence leave the lesson green."""
    assert run.outcomes(name) == ["passed", "passed", "passed"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows shared memory as files")
def test_shared_memory_that_a_lesson_leaves_is_removed(run: Checked) -> None:
    """What an interpreter starts to do that at its end may do it here too, before it is ended itself."""
    _, name, _ = run.printed("shared_memory.md")
    assert name.startswith("left_")
    assert not Path("/dev/shm", name.strip()).exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("os_exit_last.md", "ended itself with exit code 0, before the fence was done"),
        ("at_exit_dies.md", "ended with exit code 3 after its last fence"),
        ("at_exit_cuts.md", "the lesson closed or wrote to the descriptor on which its process reports, after its"),
        ("forged_last.md", "so nothing is known of it"),
    ],
)
def test_a_bad_end_in_the_last_fence_is_red(run: Checked, name: str, words: str) -> None:
    """A last fence whose process ends wrongly is red, though no fence comes after it."""
    first, last = run.fences(name)
    assert first["outcome"] == "passed"
    assert last["outcome"] in ("crashed", "failed")
    assert words in last["reason"]


def test_a_lesson_that_kills_what_watches_it_at_its_end_is_red(run: Checked) -> None:
    """All fences have passed, and what was to be told after them, a wrong claim among it, never came."""
    name = "kills_supervisor_at_exit.md"
    assert run.outcomes(name) == ["passed"]
    (trouble,) = run.lesson(name)["troubles"]
    assert trouble["message"] == "the process that watches over the lesson was killed after the last fence"


def test_output_before_a_death_is_kept(run: Checked) -> None:
    """What a fence printed before its process died, or what a forked copy printed, is in the report."""
    assert run.fences("os_exit_last.md")[1]["stdout"] == "told\n"
    assert run.fences("forked_copy.md")[1]["stdout"] == "one\neach\neach\n"


def test_a_forked_copy_ends_as_an_interpreter_does(run: Checked) -> None:
    """The fence learns that its copy failed or exited, and what the copy raised is on standard error."""
    fence = run.fences("forked_copy_fails.md")[1]
    assert fence["stdout"] == "1\n5\n"
    assert fence["stderr"].startswith("Traceback (most recent call last):\n  File")
    assert "\nAssertionError: told by the copy\n" in fence["stderr"]
    assert "/running/" not in fence["stderr"]


def test_each_fence_writes_in_utf8(run: Checked) -> None:
    """How a fence set its standard output does not spoil what a later one prints."""
    assert [fence["stdout"] for fence in run.fences("reconfigured.md")] == ["é\n", "", "é\n"]


@pytest.mark.parametrize("words", [(), ("--spawn",)], ids=["warm", "fresh"])
def test_a_fault_of_the_process_itself_is_told_whole(words: tuple[str, ...]) -> None:
    """Where a lesson takes away what its own process needs, what that raised stands in the report."""
    run = check(LESSONS / "our_fault", *words)
    assert run.outcomes("breaks_ours.md") == ["passed", "passed", "crashed"]
    fence = run.fences("breaks_ours.md")[2]
    assert "exit code 1," in fence["reason"]
    assert fence["stderr"].endswith("TypeError: 'NoneType' object is not callable\n")


def test_a_stubborn_fence_tells_the_line_where_it_stood(run: Checked) -> None:
    """A fence that swallows every interruption is told with the line it was on when time was up."""
    assert run.fences("swallows.md")[1]["stopped_line"] in (10, 11, 12)


def test_an_endless_recursion_is_told_in_few_frames(run: Checked) -> None:
    """Of a thousand levels the report keeps the outermost and the innermost."""
    frames = run.fences("recursion.md")[1]["error"]["frames"]
    assert len(frames) == 100
    assert (frames[0]["line"], frames[-1]["line"]) == (10, 9)
    assert frames[0]["function"] == "<module>"


def test_every_lesson_is_told_and_nothing_is_left_alive(run: Checked) -> None:
    """One run tells every lesson whatever the others did, exits 1, and leaves no process behind."""
    told = {Path(lesson["path"]).name for lesson in run.report["lessons"]}
    assert told == {lesson.name for lesson in (LESSONS / "false_green").iterdir()}
    assert run.code == 1
    assert run.report["not_run"] == []
    assert run.left_running == []


@pytest.mark.parametrize("words", [(), ("--spawn",)], ids=["warm", "fresh"])
def test_a_killed_lesson_leaves_no_temporary_file(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Also where a lesson kills the process that would remove them, its temporary files are gone after the run."""
    lesson = LESSONS / "false_green" / "kills_supervisor.md"
    assert check(lesson, *words, environment={"TMPDIR": str(tmp_path)}).code == 1
    assert not list(tmp_path.iterdir())


def test_what_a_killed_lesson_started_ends_with_a_fresh_interpreter_too() -> None:
    """Where no warm server takes the orphans of a killed supervisor, the command ends them."""
    run = check(LESSONS / "false_green" / "kills_supervisor.md", "--spawn")
    assert run.outcomes("kills_supervisor.md") == ["passed", "crashed", "blocked"]
    assert run.left_running == []


@pytest.mark.parametrize("name", ["by_open", "by_child", "sets_time_back"])
def test_a_file_left_beside_the_lesson_makes_its_fence_red(files: Checked, name: str) -> None:
    """A file that stays in the lesson's folder is charged to the fence that made it, by Python or by a child."""
    assert files.outcomes(f"{name}.md") == ["passed", "failed", "passed"]
    fence = files.fences(f"{name}.md")[1]
    assert fence["cause"] == "left-files"
    assert f"left in the lesson's folder: {name}.txt" in fence["reason"]


def test_a_file_whose_name_is_no_text_is_told(files: Checked) -> None:
    """A name with a byte that no letter has is written with its escape, and one removed later is no fault."""
    made, removed = files.fences("odd_name.md")
    assert made["reason"] == "left in the lesson's folder: \\udcff.txt"
    assert removed["outcome"] == "passed"


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("deep", "deep/er/file.txt"),
        ("at_end", "at_end.txt"),
        ("copy_at_end", "copy_at_end.txt"),
        ("logs_at_end", "logs_at_end.txt"),
        ("beside_allowed", "out, out/other.txt"),
    ],
)
def test_a_file_in_a_new_folder_or_written_at_the_end_is_found(files: Checked, name: str, left: str) -> None:
    """Files count also in folders that the fence made, and when they come as the lesson ends."""
    (fence,) = files.fences(f"{name}.md")
    assert fence["outcome"] == "failed"
    assert left in fence["reason"]


def test_a_file_is_found_in_a_folder_that_is_reached_by_a_link(tmp_path: Path) -> None:
    """It is charged to its fence also where other lessons are beside it and the path that was asked for is a link."""
    shutil.copytree(LESSONS / "files_left", tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    run = check(tmp_path / "link" / "deep.md", tmp_path / "link" / "removed.md")
    assert run.outcomes("deep.md") == ["failed"]
    assert run.fences("deep.md")[0]["reason"].endswith("deep/er/file.txt")
    assert [lesson["troubles"] for lesson in run.report["lessons"]] == [[], []]


@pytest.mark.parametrize(
    "name", ["allowed", "allowed_at_any_depth", "allowed_below", "gone_folder", "removed", "temporary"]
)
def test_files_that_are_meant_removed_or_temporary_are_no_fault(files: Checked, name: str) -> None:
    """`writes=` allows files by pattern; one removed later or put among temporary files is none of the lesson's."""
    assert set(files.outcomes(f"{name}.md")) == {"passed"}


@pytest.mark.parametrize("words", [(), ("--spawn",)], ids=["warm", "fresh"])
def test_a_lesson_may_lie_where_all_temporary_files_are(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Its own temporary files and those of others are no fault, whatever else it leaves is."""
    folder = shutil.copytree(LESSONS / "among_temporary", tmp_path / "lessons")
    alone = check(folder / "keeps.md", *words, environment={"TMPDIR": str(folder)})
    assert alone.outcomes("keeps.md") == ["passed", "passed"]
    run = check(folder, *words, environment={"TMPDIR": str(folder)})
    assert run.outcomes("keeps.md") == ["passed", "passed"]
    assert run.outcomes("leaves.md") == ["failed"]
    assert [lesson["troubles"] for lesson in run.report["lessons"]] == [[], []]


def test_a_flood_of_output_passes_with_its_end_in_the_report() -> None:
    """200 MB of output are read, counted and cut in the middle, and no process of the run grows with them."""
    asks = "import resource, subprocess, sys; subprocess.run(sys.argv[1:]); "
    asks += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)"
    run = check(LESSONS / "flood" / "flood.md", before=[sys.executable, "-c", asks])
    flood, after = run.fences("flood.md")
    assert flood["outcome"] == after["outcome"] == "passed"
    assert flood["stdout_bytes"] == 200 * 1_000_000 + len("END\n")
    assert flood["stdout"].endswith("\nEND\n")
    assert "bytes cut here" in flood["stdout"]
    assert len(flood["stdout"]) < 2 << 20
    assert after["stdout"] == "after\n"
    assert int(run.err.split()[-1]) < 200


def test_messages_that_nobody_would_read_are_cut() -> None:
    """Of a text of millions of letters, raised or shown, the report has both ends and the terminal the beginning."""
    lesson = LESSONS / "flood" / "messages.md"
    run = check(lesson)
    printed, raised, lines = run.fences("messages.md")
    long = [printed["warnings"][0]["message"], raised["error"]["message"], raised["error"]["notes"][0]]
    for text in (*long, printed["mismatches"][0]["found"], run.lesson("messages.md")["claims"][0]["found"]):
        assert len(text) < 2 << 20
        assert "characters cut here" in text
    assert lines["error"]["message"].endswith("line 99")
    shown = runthrough("check", str(lesson)).out
    assert "  ValueError: line 0\n    line 1\n" in shown
    assert "    line 39\n    [60 more lines]\n  next:" in shown
    assert len(shown) < 20_000


def test_more_memory_than_allowed_is_said_in_words() -> None:
    """--memory ends what asks for more, in Python and in torch, at its fence; smaller lessons pass."""
    run = check(LESSONS / "memory", "--memory", "1500")
    assert run.outcomes("numbers.md") == ["failed", "blocked"]
    assert run.outcomes("tensor.md") == ["passed", "failed"]
    assert run.outcomes("small.md") == ["passed"]
    for name, number in (("numbers.md", 0), ("tensor.md", 1)):
        fence = run.fences(name)[number]
        assert fence["cause"] == "memory"
        assert fence["reason"] == "memory: the lesson needs more than the 1500 MiB it is allowed"
