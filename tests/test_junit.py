"""`check --junit`: what a server of CI reads of a run."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import LESSONS, TELLING, Done, runthrough
from runthrough.reports.junit import LONGEST_MESSAGE, MOST_OUTPUT, as_junit, class_name, legal
from runthrough.reports.report import assemble
from runthrough.result import ClaimResult, FenceResult, LessonResult, Outcome

CI = LESSONS / "ci"

# Jenkins' junit-10.xsd, and beyond it what GitLab and others read of a case: `file`, `line` and its properties.
ATTRIBUTES = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set()),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time", "timestamp", "file"}),
    "testcase": ({"name"}, {"classname", "time", "file", "line"}),
    "properties": (set(), set()),
    "property": ({"name", "value"}, set()),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"type", "message"}),
    "system-out": (set(), set()),
    "system-err": (set(), set()),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"properties", "failure", "error", "skipped", "system-out", "system-err"},
    "properties": {"property"},
}


def form_faults(element: ElementTree.Element) -> list[str]:
    """In what an element and all in it differ from the form."""
    required, optional = ATTRIBUTES[element.tag]
    faults = [f"{element.tag} without {name}" for name in required - set(element.attrib)]
    faults += [f"{element.tag} with {name}" for name in set(element.attrib) - required - optional]
    faults += [f"{child.tag} in {element.tag}" for child in element if child.tag not in CHILDREN.get(element.tag, ())]
    time = element.get("time", "0.0")
    faults += [] if re.fullmatch(r"\d+\.\d{1,3}", time) else [f"time {time}"]
    return faults + [fault for child in element for fault in form_faults(child)]


def checked(file: Path, *words: str, cwd: Path = CI) -> tuple[Done, junitparser.JUnitXml]:
    """Check lessons with `--junit`, hold the file against the form, and read it as a server would."""
    done = runthrough("check", *words, "--junit", str(file), "--seed", "7", cwd=cwd)
    assert form_faults(ElementTree.parse(file).getroot()) == [], done.err
    return done, junitparser.JUnitXml.fromfile(str(file))


def cases(xml: junitparser.JUnitXml) -> dict[str, junitparser.TestCase]:
    """Every case by its name."""
    return {str(case.name): case for suite in xml for case in suite}


def told(case: junitparser.TestCase) -> str:
    """What a case is beside passed, as its element's name."""
    return " ".join(type(result).__name__.lower() for result in case.result)


def property_of(case: junitparser.TestCase) -> dict[str, str]:
    """The properties of a case."""
    return {str(one.get("name")): str(one.get("value")) for one in case._elem.iter("property")}


def test_every_fence_is_a_case_that_tells_what_came_of_it(tmp_path: Path) -> None:
    """Each fence has its outcome, contracts, namespace and seed; time-outs are errors, blocked fences are skipped."""
    done, xml = checked(tmp_path / "made" / "junit.xml", "properties.md")
    found = cases(xml)
    assert done.code == 1
    assert list(found) == ["proved", "left", "slow", "waits", "claim one"]
    assert [told(case) for case in found.values()] == ["", "skipped", "error", "skipped", "skipped"]
    assert property_of(found["proved"]) == {
        "outcome": "passed",
        "proves": "leaf.parameter vjp.cotangent",
        "namespace": "apart",
        "seed": "7",
    }
    assert property_of(found["slow"])["outcome"] == "timeout"
    assert property_of(found["waits"])["outcome"] == "blocked"
    assert found["proved"].system_out == "on stdout\n"
    assert found["slow"].system_err == "on stderr\n"
    assert found["left"].result[0].message == "skipped: needs a GPU"
    assert "slow" in found["waits"].result[0].message
    assert 0 < float(found["slow"].time) < 60
    suite = next(iter(xml))
    assert (suite.name, suite.tests, suite.errors, suite.failures, suite.skipped) == ("properties.md", 5, 1, 0, 3)


def test_a_failure_stands_at_the_failing_line_with_the_words_of_the_terminal(tmp_path: Path) -> None:
    """A failed fence is a failure with its class, the failing line and not the fence's, the source and the values."""
    _, xml = checked(tmp_path / "junit.xml", str(TELLING / "assertion.md"), cwd=tmp_path)
    case = cases(xml)["the-wrong-claim-1"]
    (failure,) = case.result
    assert told(case) == "failure"
    assert case._elem.get("line") == "12"
    assert case._elem.get("file") == str(TELLING / "assertion.md")
    assert str(case.classname).endswith(".lessons.telling.assertion")
    assert failure.type == "AssertionError"
    assert failure.message.startswith("an assertion does not hold")
    assert "  > 12 | assert best == 0.01\n" in failure.text
    assert "best = 0.1" in failure.text


def test_wrong_words_and_troubles_of_a_lesson_are_failures_too(tmp_path: Path) -> None:
    """A claim that differs, and a lesson of which nothing ran, are cases of their own at their lines."""
    done, xml = checked(tmp_path / "junit.xml", "many.md", str(TELLING / "only_shown.md"))
    red = [case for suite in xml for case in suite if told(case)]
    assert done.code == 1
    assert xml.failures == 12
    assert [told(case) for case in red].count("failure") == 12
    assert len(cases(xml)) == sum(len(list(suite)) for suite in xml)
    assert cases(xml)["claim Two"]._elem.get("line") == "7"
    assert "the page says 'Two'; the value is 1" in cases(xml)["claim Two"].result[0].message
    assert told(cases(xml)["claim 1"]) == ""
    assert any("none of them ran" in str(case.name) for case in red)


def test_what_xml_forbids_is_shown_as_an_escape(tmp_path: Path) -> None:
    """Escape sequences and lone surrogates of a lesson's output stay readable and leave the file well-formed."""
    _, xml = checked(tmp_path / "junit.xml", "escapes.md", "killed.md", cwd=TELLING)
    failed = cases(xml)["output-that-would-steer-a-terminal-1"]
    assert "\\x1b[2Jcleared" in str(failed.system_out)
    assert "lone \\ud800 and \\x1b]0;title\\x07" in failed.result[0].message
    assert told(cases(xml)["a-process-dies-1"]) == "error"


def test_what_cannot_be_read_is_an_error_of_its_file(tmp_path: Path) -> None:
    """A run that cannot begin leaves a file with an error for each problem, and no older file in its place."""
    file = tmp_path / "junit.xml"
    file.write_text("<testsuites/>")
    done, xml = checked(file, "course", cwd=TELLING)
    assert done.code == 2
    assert [suite.name for suite in xml] == ["course/01_unknown_key.md", "course/02_unclosed.md"]
    assert [told(case) for suite in xml for case in suite] == ["error", "error"]


def test_a_page_with_only_a_warning_is_no_error_of_a_run_that_cannot_begin(tmp_path: Path) -> None:
    """A run that another page keeps from beginning has no error for a page that would run."""
    done, xml = checked(tmp_path / "junit.xml", "dialects/pydantic.md", "telling/course", cwd=LESSONS)
    assert done.code == 2
    assert "dialects/pydantic.md:9: " in done.err
    assert [suite.name for suite in xml] == ["telling/course/01_unknown_key.md", "telling/course/02_unclosed.md"]


@pytest.mark.parametrize("word", ["lesson.md", "-", "", "report.json"])
def test_a_report_never_overwrites_a_lesson(word: str) -> None:
    """`--junit` takes a file that ends in .xml and nothing else."""
    done = runthrough("check", "holds.md", f"--junit={word}")
    assert done.code == 2
    assert "name a file that ends in .xml" in done.err


OUTCOMES = st.sampled_from(Outcome)


@given(st.lists(OUTCOMES, max_size=4), st.lists(OUTCOMES, max_size=2), st.lists(st.just("b.md"), max_size=1))
def test_nothing_red_is_lost(fences: list[Outcome], claims: list[Outcome], not_run: list[str]) -> None:
    """Whatever a run came to, its file has a failure or an error exactly where the run does not hold."""
    lesson = LessonResult(
        "a.md",
        "Title",
        0.5,
        30.0,
        tuple(FenceResult(f"f-{n}", n, n + 1, outcome) for n, outcome in enumerate(fences, 1)),
        claims=tuple(ClaimResult(9, "one", "one", "1", outcome, "why") for outcome in claims),
    )
    report = assemble([lesson], order=["a.md", *not_run], seed=7, seconds=1.0)
    root = ElementTree.fromstring(as_junit(report, {}, datetime.now(UTC)))
    counted = int(root.get("failures", "")) + int(root.get("errors", ""))
    assert form_faults(root) == []
    assert (counted == 0) == report.holds
    assert len(list(root.iter("testcase"))) == len(fences) + len(claims) + len(not_run)


@given(st.text())
def test_any_text_makes_well_formed_xml_that_reads_back(text: str) -> None:
    """No character breaks the file, and what is legal comes back as it was."""
    element = ElementTree.Element("a", name=legal(text))
    element.text = legal(text)
    read = ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8"))
    assert (read.get("name"), read.text or "") == (legal(text), legal(text))


def test_a_message_of_many_letters_fits_the_list_of_a_server(tmp_path: Path) -> None:
    """An error's message is shown by its first thousand letters, on one line; the text of the case has more."""
    _, xml = checked(tmp_path / "junit.xml", "messages.md", cwd=LESSONS / "flood")
    messages = [result.message for case in cases(xml).values() for result in case.result]
    assert [one for one in messages if re.fullmatch(r"raised an error: ValueError: e{900,1000} \.\.\.", one)]
    assert max(map(len, messages)) <= LONGEST_MESSAGE + len(" ...")


def test_long_output_keeps_its_beginning_and_its_end() -> None:
    """A flood of output is cut in the middle, and says how much is left out."""
    flood = "first\n" + "x" * MOST_OUTPUT + "\nlast"
    fence = FenceResult("a-1", 1, 2, Outcome.PASSED, stdout=flood)
    report = assemble([LessonResult("a.md", "", 0.0, 1.0, (fence,))], order=["a.md"], seed=1, seconds=0.0)
    root = ElementTree.fromstring(as_junit(report, {}, datetime.now(UTC)))
    output = root.findtext(".//system-out") or ""
    assert output.startswith("first\n")
    assert output.endswith("\nlast")
    assert f"... {len(flood) - MOST_OUTPUT} characters left out ..." in output


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("content/courses/pytorch/05_by_hand.md", "content.courses.pytorch.05_by_hand"),
        ("../v1.2/a.b.md", "v1_2.a_b"),
        ("/abs/a.md", "abs.a"),
        ("", "runthrough"),
    ],
)
def test_a_path_becomes_a_name_that_folds_at_its_folders(path: str, name: str) -> None:
    """The class name has the folders of the lesson between its dots, and no dot within a part."""
    assert class_name(path) == name
