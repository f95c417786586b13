"""What the benchmarks rest on: the course is what it says, and a run that ran less is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.course import TEMPLATES, Course, MiscountError, make_course, require_every_fence
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
