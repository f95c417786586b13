"""Figures that fences draw: held against their files, and written by `update`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from command import LESSONS, Done, runthrough

PAGES = LESSONS / "figures"


def check(folder: Path, *words: str) -> tuple[Done, dict[str, Any]]:
    """Run `runthrough check` over a folder; how it ended, and its report."""
    done = runthrough("check", ".", "--json", "report.json", *words, cwd=folder)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return done, report


def figures_of(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The outcome and reason of each figure by name."""
    (lesson,) = report["lessons"]
    return {figure["name"]: (figure["outcome"], figure["reason"]) for figure in lesson["figures"]}


@pytest.fixture(scope="module")
def drawn_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a lesson of three figures, and their files."""
    folder = tmp_path_factory.mktemp("drawn")
    shutil.copy(PAGES / "drawn.md", folder)
    assert runthrough("update", ".", "--write", cwd=folder).code == 0
    return folder


@pytest.fixture
def drawn(drawn_once: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be changed."""
    return shutil.copytree(drawn_once, tmp_path / "copy")


def test_a_figure_without_a_file_is_red(tmp_path: Path) -> None:
    """A figure that nobody has saved yet fails its fence, and the next step is said."""
    shutil.copy(PAGES / "drawn.md", tmp_path)
    done, report = check(tmp_path)
    assert done.code == 1
    assert "there is no figures/dot.svg yet" in done.out
    assert "runthrough update --write" in done.out
    assert figures_of(report)["dot"] == ("failed", "there is no figures/dot.svg yet")


def test_update_writes_figures_and_leaves_the_page_alone(tmp_path: Path) -> None:
    """Without --write the figures are only named; with it they are saved, the page keeps each byte, and all holds."""
    page = shutil.copy(PAGES / "drawn.md", tmp_path)
    told = runthrough("update", ".", cwd=tmp_path)
    assert (told.code, (tmp_path / "figures").exists()) == (1, False)
    assert "figure figures/dot.svg  is new" in told.out
    assert runthrough("update", ".", "--write", cwd=tmp_path).code == 0
    assert Path(page).read_bytes() == (PAGES / "drawn.md").read_bytes()
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"dot.svg", "curve.svg", "title.svg"}
    done, report = check(tmp_path)
    assert done.code == 0
    assert "figures: 3 passed" in done.last_line
    assert figures_of(report) == dict.fromkeys(("dot", "curve", "title"), ("passed", ""))
    assert runthrough("update", ".", cwd=tmp_path).out == "nothing to change\n"


def test_a_matplotlib_figure_is_the_same_in_every_process(drawn: Path) -> None:
    """No date, no release and no random id is in the file, so that a fresh interpreter draws the same text."""
    text = (drawn / "figures" / "curve.svg").read_text(encoding="utf-8")
    assert "<dc:date>" not in text
    assert "matplotlib.org" not in text
    assert "clip-path" in text
    assert check(drawn, "--spawn")[0].code == 0


@pytest.mark.parametrize("name", ["dot", "curve"])
def test_one_changed_digit_of_a_figure_is_noticed(drawn: Path, name: str) -> None:
    """A figure is compared whole: one other digit in its file fails the fence, names the line, and is set right."""
    file = drawn / "figures" / f"{name}.svg"
    right = file.read_text(encoding="utf-8")
    file.write_text(right.replace('<circle cx="5"', '<circle cx="6"').replace("M 0 3", "M 0 4"), encoding="utf-8")
    assert file.read_text(encoding="utf-8") != right
    done, report = check(drawn)
    assert done.code == 1
    outcome, reason = figures_of(report)[name]
    assert outcome == "failed"
    assert reason.endswith(f"of figures/{name}.svg is not what this fence draws")
    assert reason in done.out
    assert "the page shows (-), what came (+)" in done.out
    (lesson,) = report["lessons"]
    (red,) = [fence for fence in lesson["fences"] if fence["cause"] == "other-figure"]
    assert red["mismatches"][0]["file"] == f"figures/{name}.svg"
    assert runthrough("update", ".", "--write", cwd=drawn).code == 0
    assert file.read_text(encoding="utf-8") == right


def test_update_goes_on_to_what_stands_behind_a_figure(drawn: Path) -> None:
    """A number in the prose after a figure is corrected in the same call that draws the figure anew."""
    page = drawn / "drawn.md"
    page.write_text(page.read_text(encoding="utf-8").replace("radius = 3", "radius = 4"), encoding="utf-8")
    assert runthrough("update", ".", "--write", cwd=drawn).code == 0
    assert "The radius is 4<!--" in page.read_text(encoding="utf-8")
    assert 'r="4"' in (drawn / "figures" / "dot.svg").read_text(encoding="utf-8")
    assert check(drawn)[0].code == 0


def test_a_figure_that_differs_on_another_release_is_drift(drawn: Path) -> None:
    """Away from the torch that a course pins, another figure is counted and makes nothing red."""
    (drawn / "course.toml").write_text('title = "T"\ntorch = "1.0.0"\nlessons = ["drawn.md"]\n', encoding="utf-8")
    (drawn / "figures" / "dot.svg").write_text("<svg/>", encoding="utf-8")
    done, report = check(drawn)
    assert done.code == 0
    assert "1 text drifted" in done.last_line
    assert figures_of(report)["dot"] == ("passed", "drift")


def test_a_fence_that_draws_nothing_is_red(tmp_path: Path) -> None:
    """`figure=` on a fence whose last expression is no figure fails it, and update writes nothing."""
    shutil.copy(PAGES / "none.md", tmp_path)
    done, report = check(tmp_path)
    assert done.code == 1
    (lesson,) = report["lessons"]
    assert [fence["cause"] for fence in lesson["fences"]] == ["no-figure"] * 3
    assert [why.partition(": ")[2] for _, why in figures_of(report).values()] == [
        "its last expression is of type int",
        "its last expression is a text, but no SVG",
        "it ends without an expression, so there is nothing to draw",
    ]
    assert runthrough("update", ".", "--write", cwd=tmp_path).code == 1
    assert not (tmp_path / "figures").exists()


def test_a_figure_that_was_not_drawn_is_told_as_such(tmp_path: Path) -> None:
    """A figure of a fence that was skipped, is blocked, or asks for a graph is never called passed."""
    shutil.copy(PAGES / "waits.md", tmp_path)
    _, report = check(tmp_path)
    assert figures_of(report) == {
        "graph": ("skipped", "the graph of an expression (of=) is not drawn yet"),
        "left-out": ("skipped", "another time"),
        "behind": ("blocked", "waits for broken on line 14, which failed"),
    }
