"""What an item says of its fence: the outcome, the failure in the lesson's own lines, what it printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from runthrough.job import Step
from runthrough.lesson.document import Lesson
from runthrough.reports.advice import failing_line, in_words, said_on_page
from runthrough.reports.failure import claim_lines, failure_lines, trouble_lines
from runthrough.reports.pen import Line, plain, visible
from runthrough.result import ClaimResult, FenceResult, LessonResult, Outcome, Trouble


@dataclass(frozen=True)
class Proof:
    """All that decides on an item: its fence, the claims and quiz keys after it, and for the last item of a
    lesson the troubles of the lesson as a whole.
    """

    id: str
    fence: FenceResult | None
    claims: tuple[ClaimResult, ...]
    troubles: tuple[Trouble, ...]

    @staticmethod
    def of(step: Step, result: LessonResult, *, is_last: bool) -> Proof:
        """What a lesson's result says of one of its fences."""
        lines = {claim.line for claim in step.claims} | {key.line for key in step.keys}
        return Proof(
            id=step.id,
            fence=next((fence for fence in result.fences if fence.id == step.id), None),
            claims=tuple(claim for claim in result.claims if claim.line in lines),
            troubles=result.troubles if is_last else (),
        )

    @property
    def outcome(self) -> Outcome:
        """The fence's outcome; one without a report counts as crashed."""
        return self.fence.outcome if self.fence else Outcome.CRASHED

    @property
    def is_red(self) -> bool:
        """True where anything it stands for does not hold."""
        return bool(self.troubles) or self.outcome.is_red or any(claim.outcome.is_red for claim in self.claims)

    @property
    def reason_not_run(self) -> str:
        """Why a fence that did not run has not; "" for one that ran."""
        if self.fence is None or self.outcome not in (Outcome.SKIPPED, Outcome.SHOWN):
            return ""
        reason = self.fence.reason or "no reason given"
        return f"only shown: {reason}" if self.outcome is Outcome.SHOWN else reason

    @property
    def stdout(self) -> str:
        """What the fence printed."""
        return self.fence.stdout if self.fence else ""

    @property
    def stderr(self) -> str:
        """What the fence wrote on standard error."""
        return self.fence.stderr if self.fence else ""


def failure_text(lesson: Lesson, proof: Proof) -> str:
    """Everything red about an item, as `runthrough check` tells it; the first line is `path:line: what is wrong`."""
    return "\n".join(text.rstrip("\n") for text in _parts(lesson, proof))


def reason_text(reason: str) -> str:
    """A reason on one line, as pytest's summary wants it."""
    return visible(" ".join(reason.split()))


def section_text(output: str) -> str:
    """What a fence put out, with nothing in it that could steer a terminal."""
    return "\n".join(visible(row) for row in output.split("\n"))


def _parts(lesson: Lesson, proof: Proof) -> Iterator[str]:
    fence = proof.fence
    if fence is None:
        yield f"{lesson.name}:1: nothing was reported of the fence {proof.id}"
    elif fence.outcome is Outcome.BLOCKED:
        yield f"{visible(lesson.name)}:{fence.line}: {visible(fence.reason)}"
    elif fence.outcome.is_red:
        # What it printed stands in pytest's own sections.
        told = failure_lines(lesson.name, replace(fence, stdout="", stderr=""), lesson.text)
        yield from _headed(lesson.name, failing_line(fence), f"{fence.outcome}: {in_words(fence)}", told)
    for claim in proof.claims:
        if claim.outcome is Outcome.FAILED:
            told = claim_lines(lesson.name, claim, lesson.text)
            yield from _headed(lesson.name, claim.line, said_on_page(claim), told)
    for trouble in proof.troubles:
        told = trouble_lines(lesson.name, trouble)
        yield from _headed(lesson.name, trouble.line, trouble.message, told)


def _headed(name: str, line: int, what: str, told: Iterator[Line]) -> Iterator[str]:
    """A failure with a first line in the form that editors and CI services read."""
    next(told)
    yield f"{visible(name)}:{line}: {visible(what)}"
    yield plain(told)
