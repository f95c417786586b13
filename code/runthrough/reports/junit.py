"""The report as JUnit XML: a suite a lesson, a case a fence, claim and trouble, for the servers of CI.

What the page gets wrong (`failed`) is a failure; what nobody foresaw (`timeout`, `crashed`, an unreadable file) is an
error. A blocked fence is skipped, as a test whose dependency failed: one broken fence is one failure. The form is that
of Jenkins' junit-10.xsd, and beyond it what GitLab and others read of a case: `file`, `line` and its properties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from xml.etree import ElementTree

from runthrough.lesson.document import Problem
from runthrough.reports.advice import cause_of, failing_line, in_words, said_on_page
from runthrough.reports.failure import claim_lines, failure_lines
from runthrough.reports.pen import plain, visible
from runthrough.result import DRIFT, ClaimResult, FenceResult, LessonResult, Outcome, Report, Trouble

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"
TAG_OF_OUTCOME = {
    Outcome.FAILED: FAILURE,
    Outcome.TIMEOUT: ERROR,
    Outcome.CRASHED: ERROR,
    Outcome.SKIPPED: SKIPPED,
    Outcome.SHOWN: SKIPPED,
}
MOST_OUTPUT = 64 * 1024  # characters of each stream of a fence: servers refuse reports of many megabytes
LONGEST_MESSAGE = 1000  # characters: servers list messages, and the text of the case has more
ALL_LESSONS = "runthrough"


@dataclass(frozen=True)
class Case:
    """One `testcase`. `tag` is what it is beside passed, "" for nothing; `text` stands inside that element."""

    name: str
    line: int
    seconds: float = 0.0
    tag: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    stdout: str = ""
    stderr: str = ""


def as_junit(report: Report, texts: Mapping[str, str], ended: datetime) -> bytes:
    """The whole run. `texts` has the source of each lesson by its name, `ended` is when it was over."""
    started = datetime.fromtimestamp(ended.timestamp() - report.seconds, UTC)
    root = ElementTree.Element("testsuites", name=ALL_LESSONS)
    for lesson in report.lessons:
        cases = list(_lesson_cases(lesson, texts.get(lesson.path, ""), report.seed))
        _add_suite(root, lesson.path, cases, lesson.seconds, started)
    stopped = "" if any(not lesson.holds for lesson in report.lessons) else ERROR
    for name in report.not_run:
        missed = Case("the lesson", 1, tag=stopped or SKIPPED, kind="not-run", message="not run: the run ended before")
        _add_suite(root, name, [missed], 0.0, started)
    if report.troubles:
        _add_suite(root, "", [_trouble_case("the run", trouble) for trouble in report.troubles], 0.0, started)
    return _written(root, report.seconds)


def as_junit_of_problems(problems: Iterable[Problem], ended: datetime) -> bytes:
    """A run that could not begin: an error for each problem that keeps a file from being read."""
    by_file: dict[str, list[Case]] = {}
    for problem in problems:
        case = Case(
            f"line {problem.line}: {_first_line(problem.message)}",
            problem.line,
            tag=ERROR,
            kind="unreadable",
            message=_first_line(problem.message),
            text=str(problem),
        )
        by_file.setdefault(problem.path, []).append(case)
    root = ElementTree.Element("testsuites", name=ALL_LESSONS)
    for name, cases in by_file.items():
        _add_suite(root, name, cases, 0.0, ended)
    return _written(root, 0.0)


def class_name(path: str) -> str:
    """The lesson's path as a dotted name, which servers fold at the dots: no dot stands within a part."""
    parts = PurePosixPath(path.removesuffix(".md")).parts
    named = [part.replace(".", "_") for part in parts if part not in ("/", "..")]
    return ".".join(named) or ALL_LESSONS


def legal(text: str) -> str:
    """`text` with every character that XML forbids, or that would steer a terminal, as an escape to be read."""
    rows = (visible(row) for row in text.split("\n"))
    return "".join(char if _is_legal(char) else f"\\u{ord(char):04x}" for char in "\n".join(rows))


def _is_legal(char: str) -> bool:
    return not ("\ud800" <= char <= "\udfff" or char in "\ufffe\uffff")


def _lesson_cases(lesson: LessonResult, source: str, seed: int) -> Iterable[Case]:
    outcomes = {fence.outcome for fence in lesson.fences} | {claim.outcome for claim in lesson.claims}
    # Blocked is red, so that something else in the lesson must be an error or a failure.
    blocked_as = SKIPPED if outcomes & {Outcome.FAILED, Outcome.TIMEOUT, Outcome.CRASHED} else ERROR
    for fence in lesson.fences:
        yield _fence_case(lesson.path, fence, source, seed, blocked_as)
    told: Counter[str] = Counter()
    for claim in lesson.claims:
        told[claim.text] += 1
        again = f" ({told[claim.text]})" if told[claim.text] > 1 else ""
        yield _claim_case(lesson.path, claim, source, again, blocked_as)
    for trouble in lesson.troubles:
        yield _trouble_case("the lesson", trouble)


def _fence_case(path: str, fence: FenceResult, source: str, seed: int, blocked_as: str) -> Case:
    said = {
        "outcome": fence.outcome.value,
        "proves": " ".join(fence.proves),
        "namespace": fence.namespace,
        "seed": str(seed),
        "drifts": str(len(fence.drifts)) if fence.drifts else "",
        "cached": "true" if fence.cached else "",
    }
    is_red = fence.outcome.is_red
    reason = _first_line(fence.reason)
    return Case(
        fence.id,
        failing_line(fence) if is_red else fence.line,
        fence.seconds,
        tag=_tag(fence.outcome, blocked_as),
        kind=_kind(fence),
        message=": ".join(filter(None, (in_words(fence) if is_red else fence.outcome.value, reason))),
        text=plain(failure_lines(path, fence, source, in_full=True)) if is_red else fence.reason,
        properties={name: value for name, value in said.items() if value},
        stdout=fence.stdout,
        stderr=fence.stderr,
    )


def _tag(outcome: Outcome, blocked_as: str) -> str:
    return blocked_as if outcome is Outcome.BLOCKED else TAG_OF_OUTCOME.get(outcome, "")


def _kind(fence: FenceResult) -> str:
    if not fence.outcome.is_red:
        return fence.outcome.value
    return fence.error.type if fence.error else cause_of(fence).value


def _claim_case(path: str, claim: ClaimResult, source: str, again: str, blocked_as: str) -> Case:
    properties = {"outcome": claim.outcome.value, "expected": claim.expected, "found": claim.found}
    if claim.reason == DRIFT:
        properties["drifts"] = "1"
    return Case(
        f"claim {claim.text}{again}",
        claim.line,
        tag=_tag(claim.outcome, blocked_as),
        kind="claim",
        message=f"{said_on_page(claim)}; {claim.reason}" if claim.outcome.is_red else claim.reason,
        text=plain(claim_lines(path, claim, source)) if claim.outcome is Outcome.FAILED else "",
        properties=properties,
    )


def _trouble_case(name: str, trouble: Trouble) -> Case:
    message = _first_line(trouble.message)
    text = "\n".join(filter(None, (trouble.message, trouble.advice)))
    return Case(f"{name}: {message}", trouble.line, tag=FAILURE, kind="trouble", message=message, text=text)


def _add_suite(root: ElementTree.Element, path: str, cases: list[Case], seconds: float, started: datetime) -> None:
    """A `testsuite`; `path` is the lesson's, "" for the run as a whole."""
    tags = Counter(case.tag for case in cases)
    attributes = {
        "name": legal(path) or ALL_LESSONS,
        "tests": str(len(cases)),
        "failures": str(tags[FAILURE]),
        "errors": str(tags[ERROR]),
        "skipped": str(tags[SKIPPED]),
        "time": f"{seconds:.3f}",
        "timestamp": started.strftime("%Y-%m-%dT%H:%M:%S"),
    }
    if path:
        attributes["file"] = legal(path)
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for case in cases:
        _add_case(suite, path, case)


def _add_case(suite: ElementTree.Element, path: str, case: Case) -> None:
    attributes = {"classname": class_name(legal(path)), "name": legal(case.name), "time": f"{case.seconds:.3f}"}
    if path:
        attributes |= {"file": legal(path), "line": str(case.line)}
    element = ElementTree.SubElement(suite, "testcase", attributes)
    if case.properties:
        properties = ElementTree.SubElement(element, "properties")
        for name, value in case.properties.items():
            ElementTree.SubElement(properties, "property", name=name, value=legal(value))
    if case.tag:
        told = ElementTree.SubElement(element, case.tag, type=legal(case.kind), message=legal(_shortened(case.message)))
        told.text = legal(case.text)
    for tag, output in (("system-out", case.stdout), ("system-err", case.stderr)):
        if output:
            ElementTree.SubElement(element, tag).text = legal(_cut(output))


def _written(root: ElementTree.Element, seconds: float) -> bytes:
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    root.set("time", f"{seconds:.3f}")
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _cut(output: str) -> str:
    """The beginning and the end: the JSON report has the rest."""
    if len(output) <= MOST_OUTPUT:
        return output
    half = MOST_OUTPUT // 2
    return f"{output[:half]}\n... {len(output) - MOST_OUTPUT} characters left out ...\n{output[-half:]}"


def _shortened(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]} ..."


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
