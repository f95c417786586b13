"""The course as a whole: every contract proved, and nothing on its pages that could change unnoticed."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command import runthrough
from runthrough.expect.compare import Tolerance, agrees
from runthrough.expect.difference import first_missing
from runthrough.expect.normal import normal
from runthrough.job import Comparing, Job, Shown
from runthrough.lesson.discovery import discover
from runthrough.plan import plan

COURSE = Path(__file__).parent.parent / "content" / "courses" / "pytorch"


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """One real run of the whole course."""
    done = runthrough("check", str(COURSE), "--json", "-", cwd=COURSE)
    assert done.code == 0, done.err
    loaded: dict[str, Any] = json.loads(done.out)
    return loaded


@pytest.fixture(scope="module")
def jobs() -> dict[str, Job]:
    """The jobs of the course by lesson file name."""
    return {lesson.path.name: plan(lesson) for lesson in discover([str(COURSE)]).lessons}


def test_proves_every_contract(report: dict[str, Any]) -> None:
    """Each contract of the catalogue is named by a fence that passes."""
    contracts = tomllib.loads((COURSE / "contracts.toml").read_text(encoding="utf-8"))
    fences = [fence for lesson in report["lessons"] for fence in lesson["fences"]]
    proved = {name for fence in fences if fence["outcome"] == "passed" for name in fence["proves"]}
    assert set(contracts) - proved == set()


def test_runs_every_fence(report: dict[str, Any]) -> None:
    """What a reader sees of a lesson is all in the report: no fence of the course is skipped or only shown."""
    outcomes = {fence["outcome"] for lesson in report["lessons"] for fence in lesson["fences"]}
    assert outcomes == {"passed"}


def test_notices_every_changed_digit_of_shown_text(report: dict[str, Any], jobs: dict[str, Job]) -> None:
    """Any one digit changed in a shown output or message makes it differ from what came, wildcards left out."""
    tried = missed = 0
    for shown, came, differs in shown_texts(report, jobs):
        for mutant in mutants(shown):
            tried += 1
            missed += not differs(mutant, came)
    assert tried > 500
    assert missed == 0


def test_notices_every_changed_digit_of_a_claim(report: dict[str, Any]) -> None:
    """Any one digit changed in a claim of the prose makes it differ from its value."""
    claims = [claim for lesson in report["lessons"] for claim in lesson["claims"]]
    tried = [(mutant, claim["found"]) for claim in claims for mutant in mutants(claim["expected"])]
    assert len(tried) > 300
    assert [pair for pair in tried if agrees(*pair)] == []


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0], ids=["first", "middle", "last"])
def test_turns_red_at_each_line_with_a_changed_digit(
    place: float, report: dict[str, Any], jobs: dict[str, Job], tmp_path: Path
) -> None:
    """With one digit changed in every shown text and every claim at once, `check` names the line of each."""
    course = tmp_path / "pytorch"
    shutil.copytree(COURSE, course)
    changed = {name: changed_lines(course / name, job, place) for name, job in jobs.items()}
    done = runthrough("check", str(course), "--keep-going", "--json", "-", cwd=course)
    assert done.code == 1, done.err
    for lesson in json.loads(done.out)["lessons"]:
        texts = [each["line"] for fence in lesson["fences"] for each in fence["mismatches"]]
        claims = [claim["line"] for claim in lesson["claims"] if claim["outcome"] == "failed"]
        assert changed[Path(lesson["path"]).name] - {*texts, *claims} == set()
    assert sum(len(lines) for lines in changed.values()) > 200


def test_needs_nothing_that_its_pages_hide(tmp_path: Path) -> None:
    """A reader who runs only what the page shows gets through each lesson: no fence leans on a hidden one."""
    course = tmp_path / "pytorch"
    shutil.copytree(COURSE, course)
    for lesson in discover([str(course)]).lessons:
        rows = lesson.text.split("\n")
        for fence in lesson.fences:
            if fence.directives.hidden:
                # Shown to nobody, run by nobody: the fence becomes plain text, without its directives.
                rows[fence.line - 1] = fence.marker + "text"
                rows[fence.line - 2] = ""
        # Claims and quiz keys may speak of hidden names.
        lesson.path.write_text(re.sub(r"<!--(=| key:).*?-->", "", "\n".join(rows)), encoding="utf-8")
    done = runthrough("check", str(course), "--json", "-", cwd=course)
    fences = [fence for each in json.loads(done.out)["lessons"] for fence in each["fences"]]
    assert [(fence["id"], fence["reason"]) for fence in fences if fence["outcome"] != "passed"] == []


def changed_lines(path: Path, job: Job, place: float) -> set[int]:
    """Change a digit of each text and claim of a lesson, at `place` from 0 to 1 among its digits; the lines changed."""
    (lesson,) = discover([str(path)]).lessons
    text, lines = lesson.text, set()
    ends = [found.start() for found in re.finditer("$", text, re.MULTILINE)]
    shown = [(claim.line, claim.end, claim.token) for claim in lesson.claims]
    for step in job.steps:
        promise = step.promise
        if promise.comparing is Comparing.EXACT and not Tolerance(promise.rtol, promise.atol).is_given:
            for expected in promise.expected:
                if expected.shown is Shown.FIGURE:
                    continue  # it stands in a file of its own
                rows = [
                    (line, ends[line - 1], row) for line, row in enumerate(expected.text.split("\n"), expected.line)
                ]
                digits = [row for row in rows for _ in mutants(row[2])]
                shown += digits[round(place * (len(digits) - 1)) :][:1]
    for line, end, row in shown:
        if changed := list(mutants(row)):
            mutant = changed[round(place * (len(changed) - 1))]
            text = text[: end - len(row)] + mutant + text[end:]
            lines.add(line)
    path.write_text(text, encoding="utf-8")
    return lines


def shown_texts(report: dict[str, Any], jobs: dict[str, Job]) -> Iterator[tuple[str, str, Any]]:
    """Each text the course shows of a fence, what came in its place, and how the two are compared."""
    for lesson in report["lessons"]:
        steps = {step.line: step for step in jobs[Path(lesson["path"]).name].steps}
        for fence in lesson["fences"]:
            promise = steps[fence["line"]].promise
            tolerance = Tolerance(promise.rtol, promise.atol)
            if promise.comparing is Comparing.IGNORE or tolerance.is_given:
                continue
            differs = misses_a_line if promise.comparing is Comparing.LINES else disagrees
            for expected in promise.expected:
                if expected.shown is Shown.OUTPUT:
                    yield expected.text, fence["stdout"] + (fence["value"] or ""), differs
                elif expected.shown is Shown.ERROR:
                    yield expected.text, f"{fence['error']['type']}: {fence['error']['message']}", disagrees


def disagrees(shown: str, came: str) -> bool:
    return not agrees(shown, came)


def misses_a_line(shown: str, came: str) -> bool:
    return first_missing(shown, came) is not None


def mutants(text: str) -> Iterator[str]:
    """The text with one digit made another, for each digit that is compared."""
    for match in re.finditer(r"\d", text):
        mutant = text[: match.start()] + str((int(match[0]) + 5) % 10) + text[match.end() :]
        if normal(mutant) != normal(text):
            yield mutant
