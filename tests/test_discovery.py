"""Which lessons a path means, in which order, and what a course asks of its pages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from command import LESSONS, runthrough

ORDER = LESSONS / "order"


def paths(*words: str, cwd: Path = ORDER) -> list[str]:
    return [row["path"] for row in json.loads(runthrough("list", "--json", "-", *words, cwd=cwd).out)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Lessons among folders that tools make or hide; some of their names cannot be kept in a repository."""
    for name in ("0.md", "deep/1.md", "build/no.md", "node_modules/no.md", ".hidden/no.md", ".nox/no.md", "env3/no.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("```python\nx = 1\n```\n", encoding="utf-8")
    (tmp_path / "env3" / "pyvenv.cfg").touch()
    return tmp_path


def test_what_tools_make_or_hide_holds_no_lessons(tree: Path) -> None:
    """Hidden folders, build, node_modules and virtual environments are left out of a folder."""
    assert paths(".", cwd=tree) == ["0.md", "deep/1.md"]


def test_a_folder_that_is_named_itself_is_read_whatever_its_name(tree: Path) -> None:
    """`build` is read where the user names it."""
    assert paths("build", cwd=tree) == ["build/no.md"]


def test_courses_come_first_and_in_their_own_order() -> None:
    """A folder gives its course's lessons as course.toml orders them, then all others by name, each once."""
    assert paths(".") == ["course/b.md", "course/a.md", "0.md", "course/c.md", "deep/1.md"]
    assert paths("deep", "course/a.md", "course") == ["deep/1.md", "course/a.md", "course/b.md", "course/c.md"]


def test_without_paths_the_courses_below_are_meant() -> None:
    """No path means every course below this folder."""
    assert paths() == ["course/b.md", "course/a.md", "course/c.md"]


def test_a_page_that_its_course_does_not_list_is_told() -> None:
    """Code in a course's folder that the course leaves out is run, and told of."""
    done = runthrough("list", "course", cwd=ORDER)
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == ["course/c.md:1"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing.md", "there is no such file or folder"),
        ("", "there is no such file or folder"),
        ("empty", "there is no lesson in this folder"),
        ("notes.rst", "this is no Markdown file"),
    ],
)
def test_a_path_without_lessons_is_told(path: str, message: str, tmp_path: Path) -> None:
    """A path that leads to no lesson ends the command with 2 and says which."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.rst").touch()
    done = runthrough("check", path, cwd=tmp_path)
    assert done.code == 2
    assert f"{path or repr(path)}:1: {message}" in done.err


def test_a_course_is_strict_where_other_folders_are_not(tmp_path: Path) -> None:
    """Unclosed fences and unknown words are errors in a course; elsewhere they are told and the page runs."""
    page = LESSONS / "strict" / "02_fences.md"
    done = runthrough("check", str(page.relative_to(LESSONS)), cwd=LESSONS)
    assert done.code == 2
    (tmp_path / "page.md").write_bytes(page.read_bytes())
    done = runthrough("check", "page.md", cwd=tmp_path)
    assert done.code == 0
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == ["page.md:8", "page.md:12"]


def test_every_fault_of_a_course_and_its_pages_is_told_at_its_line() -> None:
    """Front matter, contracts, fences and pages left out: all at once, with suggestions."""
    done = runthrough("check", "strict", cwd=LESSONS)
    assert done.code == 2
    for expected in (
        "01_front.md:3: front matter: 'minuts' is no key (did you mean 'minutes'?)",
        "01_front.md:4: front matter: level holds 3",
        "01_front.md:5: front matter: objectives holds 'one' (write objectives: a list)",
        "01_front.md:6: front matter: torch version 2.13 is no text",
        "01_front.md:7: front matter: source 1 has no checked",
        "02_fences.md:4: proves='leaf.acumulates' is no contract of the course (did you mean 'leaf.accumulates'?)",
        '02_fences.md:8: linenums="1" in the info string is no directive',
        "02_fences.md:12: the fence is never closed; it runs to line 13 (close it with ```)",
        "03_yaml.md:2: the front matter is no YAML",
        "04_unlisted.md:1: the course of this folder does not list this page",
    ):
        assert f"strict/{expected}" in done.err


def test_every_fault_of_a_course_file_is_told_at_its_line() -> None:
    """Unknown keys, missing and repeated lessons of course.toml come with their lines and suggestions."""
    done = runthrough("list", "broken_course", cwd=LESSONS)
    assert done.code == 2
    for expected in (
        "2: 'tourch' is no key of course.toml (did you mean 'torch'?)",
        "course.toml gives no torch",
        "5: there is no lesson 02_secnd.md (did you mean '02_second.md'?)",
        "01_first.md is listed twice",
        "10: 'days' is no key of [staleness]",
    ):
        assert expected in done.err


def test_a_lesson_is_not_blamed_for_a_file_of_its_neighbour(tmp_path: Path) -> None:
    """Where lessons run side by side, a file that neither is known to have made is the folder's fault."""
    for page in (LESSONS / "side_by_side").iterdir():
        (tmp_path / page.name).write_bytes(page.read_bytes())
    done = runthrough("check", "-j", "2", ".", cwd=tmp_path)
    assert done.code == 1
    assert "2 passed" in done.last_line
    assert "files came to" in done.out


def test_a_declared_file_is_no_fault_of_a_shared_folder(tmp_path: Path) -> None:
    """What `writes=` allows may come from a child process too, and also where lessons run side by side."""
    shutil.copytree(LESSONS / "declared", tmp_path / "declared")
    done = runthrough("check", "-j", "2", ".", cwd=tmp_path)
    assert done.code == 0, done.out
    assert (tmp_path / "declared" / "made" / "2.txt").exists()
