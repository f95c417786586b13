"""`pytest --runthrough`: each Python fence is a test, and nothing changes for those who do not ask."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from pytested import Pytested, cases, text_of

pytest_plugins = ["pytester"]

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture
def here(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Pytested:
    """A folder for lessons and a pytest to run them."""
    return Pytested(pytester, monkeypatch, ())


def test_each_fence_is_an_item_named_by_its_id(here: Pytested) -> None:
    """Items are `path::id` in the order of the page, and listing them runs nothing."""
    here.copy("pytest/counted.md", "pytest/course")
    assert here.collected("-k", "not course") == ["counted.md::first", "counted.md::second", "counted.md::third"]
    assert here.collected("course") == [f"course/01_marked.md::{name}" for name in ("adds", "saves", "plain")]
    assert here.noted() == []


def test_what_is_shown_can_be_typed(here: Pytested) -> None:
    """A verbose run names each fence by the node id that chooses it."""
    here.copy("pytest/course")
    result = here.run("-v")
    result.stdout.fnmatch_lines([f"course/01_marked.md::{name} PASSED*" for name in ("adds", "saves", "plain")])


def test_without_the_flag_nothing_is_collected_and_nothing_loaded(here: Pytested) -> None:
    """Lessons are no tests until that is asked for, and until then no parser, no runner and no torch is loaded."""
    here.copy("pytest/counted.md")
    here.pytester.makepyfile(
        test_own="""
        import sys
        def test_lean():
            ours = {name for name in sys.modules if name.startswith("runthrough")}
            assert "runthrough.pytest_plugin" in ours
            assert not {name for name in ours if "running" in name or "reports" in name or name.endswith(".read")}
            assert not {"markdown_it", "torch", "rich", "msgspec", "psutil", "yaml"} & set(sys.modules)
        """
    )
    here.plain("--strict-markers", "--strict-config").assert_outcomes(passed=1)
    assert here.plain("counted.md").ret == pytest.ExitCode.USAGE_ERROR
    assert here.noted() == []


def test_own_tests_of_a_repository_run_beside_its_lessons(here: Pytested) -> None:
    """Test files, doctests and warnings as errors are as ever; the ini option does what the flag does."""
    here.copy("pytest/counted.md")
    here.pytester.makeini(
        "[pytest]\nrunthrough = true\nfilterwarnings = error\n"
        "addopts = --strict-markers --strict-config --doctest-modules"
    )
    here.pytester.makepyfile(test_own='def test_own():\n    """\n    >>> 1 + 1\n    2\n    """')
    here.plain().assert_outcomes(passed=5)


def test_a_folder_without_lessons_is_no_fault(here: Pytested) -> None:
    """Asking for lessons where there are none leaves the other tests as they are."""
    here.pytester.makepyfile(test_own="def test_own(): pass")
    here.run().assert_outcomes(passed=1)


def test_selecting_one_fence_runs_what_it_needs_and_reports_it_alone(here: Pytested) -> None:
    """By node id, the fences before the chosen one run too, those after do not, and one result is told."""
    here.copy("pytest/counted.md", "pytest/other.md")
    here.run("counted.md::second").assert_outcomes(passed=1)
    assert here.noted() == ["first", "second"]
    here.run("counted.md::third", "counted.md::first").assert_outcomes(passed=2)
    assert here.noted() == ["first", "second", "first", "second", "third"]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (("-k", "adds or other"), ["adds", "other"]),
        (("-k", "01_marked and not plain"), ["adds", "saves"]),
        (("-k", "Accumulation and third"), ["third"]),
        (("-m", "graph.saved"), ["saves"]),
        (("-m", "leaf.accumulates and not graph.saved"), ["adds"]),
        (("-m", "proves"), ["adds", "saves"]),
        (("-m", "not runthrough"), []),
        (("--deselect", "course/01_marked.md::adds", "course"), ["saves", "plain"]),
    ],
)
def test_fences_are_chosen_as_tests_are(here: Pytested, words: tuple[str, ...], chosen: list[str]) -> None:
    """`-k` knows ids, file names and titles of lessons, `-m` contracts, and `--strict-markers` knows the marks."""
    here.copy("pytest/counted.md", "pytest/other.md", "pytest/course")
    assert [line.rpartition("::")[2] for line in here.collected("--strict-markers", *words)] == chosen


def test_a_failure_is_told_in_the_lines_of_the_page(here: Pytested) -> None:
    """The text begins with `path:line:`, shows the source, the values seen and the next step, and what was printed."""
    here.copy("telling/assertion.md")
    result = here.run()
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "assertion.md:12: failed: an assertion does not hold",
            "  > 12 | assert best == 0.01",
            "    best = 0.1",
            "  next: Correct line 12, or the code before it.",
            "*Captured stdout call*",
            "comparing",
            "assertion.md:17: waits for the-wrong-claim-1 on line 9, which failed",
        ]
    )
    assert "pytest_plugin" not in text_of(result)


def test_a_text_that_is_not_what_came_is_shown_beside_it(here: Pytested) -> None:
    """What the page says and what came stand together; words of prose fail the fence that they stand behind."""
    here.copy("claims/false.md", "claims/prints.md", "claims/keys.md")
    result = here.run()
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "false.md:9: the page says '1.7023'",
            "  the value is 1.7022*",
            "prints.md:16: failed: printed something else than the page shows",
            "  the page shows (-), what came (+):",
            "    - qq",
            "    + q",
        ]
    )


def test_what_does_not_run_is_skipped_at_its_line_with_its_reason(here: Pytested) -> None:
    """A skipped and a shown fence are skipped tests, told with the Markdown line."""
    here.copy("telling/skipped.md")
    result = here.run("-rs")
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(
        ["SKIPPED * skipped.md:4: needs a GPU", "SKIPPED * skipped.md:9: only shown: a sketch of the loop"]
    )


def test_a_lesson_of_which_nothing_ran_is_red(here: Pytested) -> None:
    """What is wrong with a lesson as a whole fails its last item, also where that one is not meant to run."""
    here.copy("telling/only_shown.md")
    result = here.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["only_shown.md:1: this lesson has Python fences and none of them ran"])


def test_files_that_no_lesson_explains_are_red(here: Pytested) -> None:
    """A file that came to a folder of several lessons fails the last of them, whoever made it."""
    here.copy("side_by_side")
    result = here.run("side_by_side")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["side_by_side/waits.md:1: files came to *side_by_side during the run: left.txt"])


def test_a_declared_file_is_no_fault_of_the_folder_above(here: Pytested) -> None:
    """A file that a lesson's `writes=` allows is no fault, by whatever process it came and however deep."""
    here.copy("declared")
    here.run("declared").assert_outcomes(passed=3)


def test_a_lesson_that_cannot_be_read_is_an_error_of_collecting(here: Pytested) -> None:
    """Exit code 2 with `path:line: what to do`, and no lesson has run."""
    here.copy("telling/course/01_unknown_key.md", "pytest/counted.md")
    result = here.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["01_unknown_key.md:8: 'rases' is no directive (did you mean 'raises'?)"])
    assert "Traceback" not in text_of(result)
    assert here.noted() == []


def test_the_last_failure_runs_again_with_what_it_needs(here: Pytested) -> None:
    """`--lf` reports what failed last time, and `-x` stops at the first failure."""
    here.copy("telling/assertion.md", "pytest/counted.md")
    first = here.run("-x")
    first.assert_outcomes(passed=1, failed=1)
    again = here.run("--lf")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["assertion.md:12: failed: an assertion does not hold"])


def test_a_lesson_edited_after_it_was_collected_is_red(here: Pytested) -> None:
    """What ran is not what the page says now, and that is said."""
    here.copy("pytest/counted.md")
    here.pytester.makeconftest(
        "def pytest_collection_finish(session):\n"
        "    path = session.config.rootpath / 'counted.md'\n"
        "    path.write_text(path.read_text() + '\\nMore.\\n')\n"
    )
    result = here.run()
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["counted.md:*: the file changed after it was collected"])


def test_a_run_can_be_repeated_by_its_seed(here: Pytested) -> None:
    """The header tells the seed, and `--runthrough-seed` takes it."""
    here.copy("pytest/counted.md")
    result = here.run("--runthrough-seed", "17")
    result.stdout.fnmatch_lines(["runthrough: seed 17, repeat with --runthrough-seed 17"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--runthrough-timeout", "0"), "not a number of seconds"),
        (("--runthrough-seed", "-1"), "not a whole number"),
        (("--runthrough-memory", "none"), "not a whole number"),
    ],
)
def test_an_option_that_cannot_be_read_is_told(here: Pytested, words: tuple[str, ...], said: str) -> None:
    """Exit code 4, as for every option of pytest's."""
    result = here.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_limits_are_those_of_check(here: Pytested) -> None:
    """A time limit ends a fence at its line; --runthrough-keep-going runs on after a failure."""
    here.copy("telling/waits.md", "telling/assertion.md")
    result = here.run("--runthrough-timeout", "2", "--runthrough-keep-going", "--runthrough-spawn")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["waits.md:*: timeout: took too long"])


def test_the_entry_point_names_the_plugin() -> None:
    """Whoever installs the package has the plugin, with nothing to add to a conftest."""
    declared = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    assert declared == {"runthrough": "runthrough.pytest_plugin"}
    assert hasattr(import_module(declared["runthrough"]), "pytest_addoption")


def test_what_is_odd_and_no_error_is_told_at_the_end(here: Pytested) -> None:
    """A page that its course does not list, and the seed of a failure, are told also where a run is quiet."""
    here.copy("pytest/course", "telling/assertion.md")
    (here.folder / "assertion.md").rename(here.folder / "course" / "assertion.md")
    result = here.run("-q", "--runthrough-seed", "17")
    result.stdout.fnmatch_lines(
        [
            "course/assertion.md:1: the course of this folder does not list this page (add it to course.toml)",
            "seed 17: repeat with --runthrough-seed 17",
        ]
    )


def test_the_options_of_the_docs_are_those_of_the_plugin(here: Pytested) -> None:
    """docs/pytest.md names each option that `pytest --help` shows, and no other."""
    page = (PYPROJECT.parent / "docs" / "pytest.md").read_text(encoding="utf-8")
    option = re.compile(r"--runthrough[a-z-]*")
    assert set(option.findall(page)) == set(option.findall(text_of(here.plain("--help"))))


def test_a_contract_named_as_a_mark_of_pytest_is_not_obeyed(here: Pytested) -> None:
    """`proves=xfail` makes no failure an expected one and `proves=skip` skips nothing; `-k` knows both."""
    here.copy("pytest/named_as_marks.md")
    here.run("--strict-markers").assert_outcomes(failed=2)
    assert here.collected("-k", "xfail") == ["named_as_marks.md::expected-to-fail"]


@pytest.mark.parametrize("then", ["", "os.remove('quick_and_wrong.md'); os.rmdir(os.getcwd())"])
def test_a_conftest_that_leaves_the_folder_changes_no_lesson(here: Pytested, then: str) -> None:
    """The lesson that was collected is the one that is read, wherever a conftest has gone to, and if to nowhere."""
    here.copy("pytest/quick_and_wrong.md")
    elsewhere = here.pytester.mkdir("elsewhere")
    (elsewhere / "quick_and_wrong.md").write_text("```python\nassert True\n```\n")
    here.pytester.makeconftest(f"import os\ndef pytest_sessionstart():\n    os.chdir('elsewhere')\n    {then}")
    result = here.run("quick_and_wrong.md")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*quick_and_wrong.md:5: failed: an assertion does not hold"])


def test_a_course_that_cannot_be_read_is_an_error_also_where_no_lesson_is_left(here: Pytested) -> None:
    """Lessons that are gone are told by the course that lists them, and no other test makes the run green."""
    here.copy("course_without_lessons")
    here.pytester.makepyfile(test_own="def test_own(): pass")
    result = here.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["course_without_lessons/course.toml:2: there is no lesson 01_gone.md*"])


def test_a_lesson_that_is_a_link_to_nothing_is_an_error_of_collecting(here: Pytested) -> None:
    """Where a folder is asked for, such a file in it is no silent pass; the lock of an editor is no lesson."""
    here.copy("pytest/counted.md")
    (here.folder / "deep").mkdir()
    (here.folder / "deep" / ".#counted.md").symlink_to("somebody@here.17")
    here.run().assert_outcomes(passed=3)
    (here.folder / "deep" / "gone.md").symlink_to("nowhere.md")
    result = here.run()
    assert result.ret == 2
    result.stdout.fnmatch_lines(["deep/gone.md:1: this is a link to a file that is not there (mend it)"])
    here.run("counted.md").assert_outcomes(passed=3)
    here.run("--ignore-glob=*/gone.md").assert_outcomes(passed=3)


def test_an_item_that_is_run_again_is_noted_once(here: Pytested) -> None:
    """A plugin that repeats red items gets the same answer, and its output and properties stand there once."""
    here.copy("telling/assertion.md")
    here.pytester.makeconftest(
        """
        import pytest
        from _pytest.runner import runtestprotocol

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_protocol(item, nextitem):
            runtestprotocol(item, nextitem=nextitem, log=False)
            runtestprotocol(item, nextitem=nextitem, log=True)
            return True
        """
    )
    result = here.run("--junitxml=junit.xml")
    told = [properties["outcome"] for _, properties in cases(here.folder / "junit.xml").values()]
    assert told == [["passed"], ["failed"], ["blocked"], ["blocked"]]
    assert result.outlines.count("comparing") == 1


def test_a_listed_lesson_that_pytest_passes_over_is_told(here: Pytested) -> None:
    """A course may list a page in a folder where pytest does not look, until `norecursedirs` is told otherwise."""
    here.copy("passed_over")
    result = here.run()
    result.assert_outcomes(passed=1)
    told = "passed_over/course.toml lists passed_over/dist/02_passed_over.md, and pytest passes over it"
    result.stdout.fnmatch_lines([told])
    result = here.run("-o", "norecursedirs=none")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line(told)
