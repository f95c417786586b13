"""What the benchmarks rest on: the course is what it says, and a run that ran less is noticed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.comparison import Comparison, Result, compare, read_json, write_json
from benchmarks.course import TEMPLATES, Course, MiscountError, make_course, require_every_fence
from benchmarks.environments import ROOT, TORCH, Environment
from benchmarks.false_greens.asking import Answer
from benchmarks.false_greens.cases import CASES, GREEN, RED
from benchmarks.false_greens.page import as_page as as_false_greens
from benchmarks.false_greens.tools import TOOLS
from benchmarks.notebooks import as_notebook, fences
from benchmarks.page import BEGIN, END, as_page, into_readme, reading_table, table
from benchmarks.reading import BLOCKS, LIST
from benchmarks.sides import OTHERS, Side
from benchmarks.targets import targets_table
from benchmarks.timing import FailedRunError, Run, run_side
from checked import check
from command import runthrough

TEMPLATE_NAMES = sorted(path.stem for path in TEMPLATES.glob("*.md"))


@pytest.mark.parametrize("template", TEMPLATE_NAMES)
def test_the_course_has_six_fences_a_lesson_that_the_harness_finds_too(template: str, tmp_path: Path) -> None:
    """So many lessons of six fences each are written, and `runthrough list` finds as many."""
    course = make_course(template, 3, tmp_path)
    assert len(course.traces) == len(set(course.traces)) == 18
    listed = runthrough("list", "pages", "--json", cwd=tmp_path)
    assert listed.code == 0, listed.err
    assert listed.out.count('"id"') == 18


@pytest.mark.parametrize("template", TEMPLATE_NAMES)
def test_the_course_is_the_same_each_time(template: str, tmp_path: Path) -> None:
    """The same words give the same bytes, so that numbers of two days compare."""

    def written(folder: Path) -> dict[str, bytes]:
        make_course(template, 2, folder)
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}

    assert written(tmp_path / "once") == written(tmp_path / "again")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return make_course("autograd", 2, tmp_path)


def left(traces: tuple[str, ...], folder: Path) -> Path:
    """A file of traces as a run leaves it."""
    path = folder / "traces.txt"
    path.write_text("".join(f"{trace}\n" for trace in traces), encoding="utf-8")
    return path


def test_a_whole_run_is_taken_in_any_order(course: Course, tmp_path: Path) -> None:
    """Lessons end in no set order, and each fence once is all that is asked."""
    require_every_fence(course, left(course.traces[::-1], tmp_path))


def test_a_lesson_that_ran_short_is_noticed(course: Course, tmp_path: Path) -> None:
    """A run without the last fence has no time worth telling."""
    with pytest.raises(MiscountError, match=r"11 fences ran where 12 were due; missing: \['2\.6'\]"):
        require_every_fence(course, left(course.traces[:-1], tmp_path))


def test_a_fence_that_ran_twice_does_not_stand_in_for_another(course: Course, tmp_path: Path) -> None:
    """The right number of fences is not enough: they must be the right ones."""
    with pytest.raises(MiscountError, match=r"missing: \['2\.6'\], too many: \['1\.1'\]"):
        require_every_fence(course, left((*course.traces[:-1], course.traces[0]), tmp_path))


def test_a_run_that_left_nothing_is_noticed(course: Course, tmp_path: Path) -> None:
    """No file of traces means that no fence ran."""
    with pytest.raises(MiscountError, match="0 fences ran where 12 were due"):
        require_every_fence(course, tmp_path / "none.txt")


def test_the_benchmarks_start_where_none_of_the_sides_is_installed() -> None:
    """The session that measures has neither our package nor a parser: these lie in the environments of the sides."""
    code = "import sys; sys.modules |= {'markdown_it': None, 'runthrough': None}; import benchmarks.__main__"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_side_gets_a_course_that_is_there(course: Course) -> None:
    """Each command names files and folders that exist, and a harness lies beside the pages that it reads."""
    where = Environment(Path("/environment"))
    for name, side in OTHERS.items():
        named = [Path(word) for word in side.words(where, course) if word.startswith(str(course.folder))]
        assert [path for path in (*named, *side.lines(course), course.folder / side.pages) if not path.exists()] == []
        assert named or side.lines(course), name


HERE = Environment(Path(sys.prefix))


def saying(code: str) -> Side:
    """A side that runs a line of Python in place of the course."""
    return Side("a line", TORCH, "nothing", lambda where, course: [sys.executable, "-c", code])


def test_a_run_that_fails_or_runs_too_little_has_no_time(course: Course) -> None:
    """A side is timed only where it ends well and every fence has left its trace."""
    with pytest.raises(FailedRunError, match="a line ended with 3"):
        run_side(saying("raise SystemExit(3)"), HERE, course)
    with pytest.raises(MiscountError, match="0 fences ran where 12 were due"):
        run_side(saying("pass"), HERE, course)
    whole = f"import os; open(os.environ['FENCES_RAN'], 'w').write({' '.join(course.traces)!r})"
    assert run_side(saying(whole), HERE, course).seconds > 0


def test_every_side_may_keep_its_bytecode(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a container sets so that no image grows would have some sides compile anew in each run."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    whole = f"import os; open(os.environ['FENCES_RAN'], 'w').write({' '.join(course.traces)!r})"
    keeps = "import sys; sys.exit(sys.dont_write_bytecode)"
    assert run_side(saying(f"{whole}; {keeps}"), HERE, course).seconds > 0


def test_a_side_that_fails_does_not_end_the_comparison_with_others(course: Course) -> None:
    """Its trouble is what is known of it, and the pairs before stay."""
    (known,) = compare("line", saying("raise SystemExit(3)"), (HERE, HERE), course, pairs=2)
    assert (known.ratios, known.trouble.partition(":")[0]) == ([], "a line ended with 3")


@pytest.mark.parametrize("side", [LIST, BLOCKS], ids=["list", "blocks"])
def test_both_sides_of_reading_find_every_fence(side: Side, course: Course) -> None:
    """Our list and the block parsing alone tell the same, and a page that is missed leaves a run without a time."""
    assert run_side(side, HERE, course).seconds > 0
    course.pages[1].unlink()
    with pytest.raises(MiscountError, match="12 fences in 2 lessons were due, and it told: 6 fences in 1 lesson"):
        run_side(side, HERE, course)


def test_a_side_that_reads_and_tells_nothing_has_no_time(course: Course) -> None:
    """A command that ends well is not enough."""
    with pytest.raises(MiscountError, match=r"12 fences in 2 lessons were due, and it told: $"):
        run_side(replace(saying("pass"), only_reads=True), HERE, course)


MEASURED = Comparison(
    "sybil",
    "Sybil",
    "10.1",
    "nothing",
    theirs=(Run(3.0, 3.0), Run(4.0, 4.0), Run(6.0, 6.0)),
    ours=(Run(2.0, 4.0), Run(2.0, 4.0), Run(2.0, 4.0)),
    peak_mib=300.4,
)
RESULT = Result("autograd", 20, 120, "Linux, 2 cores", "2026-01-02", 0.5, 200.0, (MEASURED,))


def test_the_table_tells_median_spread_and_who_was_left_out() -> None:
    """A row has the median of its ratios, the least and the most; what was not measured is named."""
    text = table(RESULT)
    assert "| Sybil 10.1 | nothing | 2.00 (1.50 to 3.00) | 4.0 | 1.00 | 300 MiB |" in text
    assert "Our 3 runs took 2.0 to 2.0 s." in text
    assert "Not measured on this course: all bodies in one process, no harness, " in text
    assert "nbmake, " in text.splitlines()[-1]
    assert "Sybil" not in text.splitlines()[-1]


def test_a_side_that_missed_a_fence_has_its_trouble_in_place_of_a_time() -> None:
    """What did not run every fence is in the table, without a number."""
    missed = replace(MEASURED, theirs=(), ours=(), trouble="11 fences ran where 12 were due\nmore")
    assert "| Sybil 10.1 | nothing | 11 fences ran where 12 were due | | | 300 MiB |" in table(
        replace(RESULT, comparisons=(missed,))
    )


def test_each_target_is_reached_missed_or_not_measured() -> None:
    """A ratio is held against its bound from the right side, and where a side has no time, that is said."""
    quick = replace(MEASURED, side="python-2", isolates="process")
    rows = targets_table([replace(RESULT, comparisons=(MEASURED, quick))])
    assert "| 20 | at most 0.8 times the fastest tool that isolates nothing | 0.50 | reached |" in rows
    assert "| 20 | 8 times as fast as `python` a lesson, two at a time | 2.00 | **missed** |" in rows
    assert "| 20 | 18 times as fast as nbmake | | not measured |" in rows
    assert "| 1000 | a lesson at most 1.1 times as long as with 200 | | not measured |" in rows


LISTED = replace(MEASURED, side="blocks", name="block parsing", theirs=MEASURED.ours, ours=MEASURED.theirs)
READ = replace(RESULT, template="reading", lessons=3000, fences=18000, comparisons=(LISTED,))
READ_AND_RUN = replace(READ, lessons=200, fences=1200, comparisons=(replace(MEASURED, side="check", name="check"),))


def test_reading_is_told_as_our_time_in_theirs() -> None:
    """A row has the median of our ratios, the least and the most, in wall and in processor time."""
    text = reading_table([READ_AND_RUN, READ])
    rows = [row for row in text.splitlines() if "lessons, " in row]
    assert rows[0] == (
        "| 3000 lessons, 18000 fences | block parsing 10.1 | 2.00 (1.50 to 3.00) | 1.00 (0.75 to 1.50) | 4.00 | 2.00 |"
    )
    assert rows[1] == (
        "| 200 lessons, 1200 fences | check 10.1 | 0.50 (0.33 to 0.67) | 1.00 (0.67 to 1.33) | 2.00 | 4.00 |"
    )


def test_the_targets_of_reading_are_held_against_their_own_courses() -> None:
    """Listing is held against block parsing in wall time, and against a run in processor time."""
    rows = targets_table([READ, READ_AND_RUN])
    assert "| 3000 | `runthrough list` at most 1.5 times their block parsing alone | 2.00 | **missed** |" in rows
    assert (
        "| 200 | `runthrough list` at most 0.05 times `runthrough check` in processor time | 1.00 | **missed** |"
        in rows
    )
    assert "alone | | not measured |" in targets_table([replace(READ, lessons=30), RESULT])
    assert "| 200 | no slower than pytest-codeblocks | | not measured |" in rows


def test_reading_stands_on_the_page_and_not_in_the_readme() -> None:
    """What was measured of reading has a part of its own below the courses, and the README shows a course."""
    page = as_page([READ, RESULT])
    assert page.index("### 20 lessons") < page.index("## Reading") < page.index("| 3000 lessons, 18000 fences |")
    assert "Sybil" in into_readme(f"{BEGIN}\n{END}", [READ, RESULT])


def test_the_time_of_a_lesson_is_compared_between_courses() -> None:
    """A course of five times the lessons in eight times the time takes 1.6 times as long a lesson."""
    longer = replace(MEASURED, ours=tuple(Run(8 * run.seconds, 1.0) for run in MEASURED.ours))
    courses = [replace(RESULT, lessons=200), replace(RESULT, lessons=1000, comparisons=(longer,))]
    assert "| 1000 | a lesson at most 1.1 times as long as with 200 | 1.60 | **missed** |" in targets_table(courses)


def test_results_are_kept_and_read_back_whole(tmp_path: Path) -> None:
    """What a measurement has written when it is ended is what the page is made of."""
    write_json(RESULT, tmp_path / "kept.json")
    assert read_json(tmp_path / "kept.json") == RESULT


def test_the_readme_shows_a_table_of_the_page() -> None:
    """The table in the README is one of the page's, and a second writing changes nothing."""
    readme = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = into_readme(readme, [replace(RESULT, lessons=200), RESULT])
    shown = once.partition(BEGIN)[2].partition(END)[0].strip()
    assert shown in as_page([RESULT])
    assert "old" not in once
    assert into_readme(once, [RESULT]) == once
    with pytest.raises(ValueError, match="has no lines"):
        into_readme("nothing", [RESULT])


def test_the_readme_and_the_page_say_the_same() -> None:
    """The repository's README shows what docs/benchmarks.md shows, once that has been measured."""
    shown = (ROOT / "README.md").read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()
    page = ROOT / "docs" / "benchmarks.md"
    assert END in (ROOT / "README.md").read_text(encoding="utf-8")
    assert not page.exists() or shown in page.read_text(encoding="utf-8")


def test_a_notebook_has_the_fences_of_its_page() -> None:
    """A cell has a fence's code, out of its list, and the output that the page shows."""
    page = "- item\n\n  ```python\n  x = 1\n  ```\n\n```python\nprint(2)\n```\n\n```output\n2\n```\n"
    first, second = json.loads(as_notebook(page))["cells"]
    assert fences(page) == [first["source"], second["source"]] == ["x = 1\n", "print(2)\n"]
    assert (first["outputs"], second["outputs"][0]["text"]) == ([], "2\n")


def test_we_say_of_every_case_what_it_deserves() -> None:
    """Each page of the false-green table is red or green with us as it should be."""
    done = check(*(case.page for case in CASES), "--timeout", "2")
    told = {Path(lesson["path"]).stem: lesson for lesson in done.report["lessons"]}
    for case in CASES:
        lesson = told[case.name]
        outcomes = {each["outcome"] for each in (*lesson["fences"], *lesson["claims"])}
        assert (GREEN if outcomes <= {"passed"} else RED) == case.right, (case.name, lesson)


def test_the_table_of_false_greens_counts_only_what_a_tool_claims() -> None:
    """Green where red is deserved is bold and counted, unless the tool has no feature for it."""
    given = [Answer(tool.peer.name, case.name, GREEN, 0, 1.0, True, "") for tool in TOOLS for case in CASES]
    given[0] = replace(given[0], ran_the_next=False)
    page = as_false_greens(given, {tool.peer.name: "1.0" for tool in TOOLS}, "Linux")
    red = sum(case.right == RED for case in CASES)
    sybil = next(tool for tool in TOOLS if tool.peer.name == "sybil")
    unseen = sum(case.right == RED and sybil.lacks(case) for case in CASES)
    assert f"| runthrough | 1.0 |  | {red} | 0 | 0 |" in page
    assert f"| sybil | 1.0 | pytest==9.2.0 | {red - unseen} | 0 | 0 |" in page
    assert "| **green** † |" in page
    assert "| green ○ |" in page


def test_the_page_of_false_greens_has_every_case_and_tool() -> None:
    """docs/false-greens.md is of the cases and tools that there are."""
    page = (ROOT / "docs" / "false-greens.md").read_text(encoding="utf-8")
    assert [case.name for case in CASES if f"cases/{case.name}.md" not in page] == []
    assert [tool.peer.name for tool in TOOLS if f"| {tool.peer.name} | " not in page] == []
