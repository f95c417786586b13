"""What pytest collects: a lesson is a file, each of its Python fences an item that reports what came of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from runthrough.job import Job, Step
from runthrough.lesson.document import Lesson, Problem
from runthrough.pytest_plugin.telling import Proof, failure_text, reason_text, section_text
from runthrough.result import LessonResult
from runthrough.running.lesson_client import ServiceLostError

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+): (?P<what>.*)")


class UnreadableLessonError(Exception):
    """A lesson cannot be read; `problems` say where and what to do."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


class NotProvedError(Exception):
    """A fence, or what the page says after it, does not hold; the text tells it in full."""


@dataclass(frozen=True)
class Collected:
    """A lesson as it was when it was collected, and the job that would run all of it."""

    data: bytes
    lesson: Lesson
    job: Job
    contracts: dict[str, str]


@dataclass(frozen=True)
class HandedIn:
    """The job that runs for a file, and the id of its last item, which stands for the lesson as a whole too."""

    job: Job
    last: str


class Lessons(Protocol):
    """What items ask of the session."""

    def read(self, path: Path) -> Collected:
        """Read a lesson. Raises UnreadableLessonError."""

    def see_course(self, file: Path) -> None:
        """See that a course.toml can be read. Raises UnreadableLessonError."""

    def mark(self, name: str, meaning: str) -> pytest.MarkDecorator:
        """A marker that pytest knows."""

    def handed_in(self, file: LessonFile) -> HandedIn:
        """What was handed in for a file."""

    def result_of(self, file: LessonFile) -> LessonResult:
        """What came of it, waiting for it. Raises ServiceLostError."""


def _may_be_mark(contract: str) -> bool:
    """True for a name that no plugin obeys, as `xfail` or `skip` would be: those have no dots."""
    return "." in contract and not contract.startswith("_")


class _ReadFile(pytest.File):
    """A file that may be unreadable."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:  # type: ignore[override]  # pytest's type for it is private
        """What cannot be read is told as `path:line: what to do`."""
        if isinstance(excinfo.value, UnreadableLessonError):
            return "\n".join(str(problem) for problem in excinfo.value.problems)
        return super().repr_failure(excinfo)


class CourseFile(_ReadFile):
    """A course.toml. It has no items, and one that cannot be read is an error also where no lesson is left."""

    def __init__(self, *, lessons: Lessons, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # what pytest's own constructor takes
        self.lessons = lessons

    def collect(self) -> tuple[()]:
        """Nothing: the lessons are files of their own."""
        self.lessons.see_course(self.path)
        return ()


class LessonFile(_ReadFile):
    """A Markdown file whose Python fences are items."""

    def __init__(self, *, lessons: Lessons, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # what pytest's own constructor takes
        self.lessons = lessons
        self.collected: Collected | None = None

    def collect(self) -> Iterator[FenceItem]:
        """An item for each Python fence, in the order of the page."""
        self.collected = collected = self.lessons.read(self.path)
        self.extra_keyword_matches.add(collected.job.title)
        for step in sorted(collected.job.steps, key=lambda step: step.line):
            item: FenceItem = FenceItem.from_parent(self, name=step.id, step=step)
            item.add_marker(self.lessons.mark("runthrough", "a Python fence of a Markdown lesson"))
            if step.proves:
                item.add_marker(self.lessons.mark("proves", "the contracts that a fence asserts")(*step.proves))
            for contract in step.proves:
                item.extra_keyword_matches.add(contract)
                if _may_be_mark(contract):
                    item.add_marker(self.lessons.mark(contract, collected.contracts.get(contract, "a contract")))
            yield item


class FenceItem(pytest.Item):
    """A Python fence. The lesson runs elsewhere and once; the item says what came of this fence."""

    def __init__(self, *, step: Step, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # what pytest's own constructor takes
        self.step = step
        self.proof: Proof | None = None

    @property
    def file(self) -> LessonFile:
        """The lesson it stands in."""
        assert isinstance(self.parent, LessonFile)
        return self.parent

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        """Where the fence opens, with lines from 0, and a headline. One that ends the node id would be respelt."""
        return self.path, self.step.line - 1, f"{self.name} in {self.path.name}"

    def runtest(self) -> None:
        """Report. Raises NotProvedError for what is red."""
        collected = self.file.collected
        assert collected is not None
        try:
            result = self.file.lessons.result_of(self.file)
        except ServiceLostError as error:
            raise NotProvedError(f"{collected.lesson.name}:{self.step.line}: {error}; run pytest again") from error
        is_told = self.proof is not None  # another plugin runs a red item again
        is_last = self.file.lessons.handed_in(self.file).last == self.step.id
        self.proof = proof = Proof.of(self.step, result, is_last=is_last)
        if not is_told:
            self._note(proof)
        if not self.is_unchanged():
            raise NotProvedError(
                f"{collected.lesson.name}:{self.step.line}: the file changed after it was collected\n\n"
                "  next: Run pytest again: what ran is no longer what the page says."
            )
        if proof.is_red:
            raise NotProvedError(failure_text(collected.lesson, proof))
        if proof.reason_not_run:
            pytest.skip(reason_text(proof.reason_not_run))

    def _note(self, proof: Proof) -> None:
        """Add what a report shows beside the failure."""
        self.user_properties.append(("outcome", proof.outcome.value))
        self.user_properties += [("proves", contract) for contract in self.step.proves]
        for name, text in (("stdout", proof.stdout), ("stderr", proof.stderr)):
            if text:
                self.add_report_section("call", name, section_text(text))

    def is_unchanged(self) -> bool:
        """True while the file is what was collected."""
        collected = self.file.collected
        try:
            return collected is not None and self.path.read_bytes() == collected.data
        except OSError:
            return False

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:  # type: ignore[override]  # pytest's type for it is private
        """What is red is told in the lesson's own lines, and only faults of this plugin as a traceback."""
        if not isinstance(excinfo.value, NotProvedError):
            return super().repr_failure(excinfo)
        told = excinfo.getrepr(style="value", chain=False)
        place = _PLACE.match(str(excinfo.value))
        if told.reprcrash and place:
            # What pytest's summary, `--tb=line` and the message in a JUnit file say of it.
            told.reprcrash.path, told.reprcrash.lineno = place["path"], int(place["line"])
            told.reprcrash.message = place["what"]
        return told
