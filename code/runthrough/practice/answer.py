"""An answer becomes a job: the lesson's fences up to the exercise, its check, and the student's file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from runthrough.job import Act, Job, Part, Promise, Role, Step
from runthrough.plan import plan
from runthrough.practice.exercises import Exercise

ANSWER = "your answer"  # the id of the step; no fence can have one with a space
DEFAULT_SECONDS = 10.0


def job_for(exercise: Exercise, file: Path, code: str, *, seconds: float = 0.0, memory_mib: int = 0) -> Job:
    """The job that holds the `code` of `file` against its exercise's check.

    The code may take `seconds`, where 0 means what the exercise says, or else 10. The lesson's own texts are not
    compared: they are no business of the student's.
    """
    job = plan(exercise.lesson, memory_mib=memory_mib)
    steps = [_quiet(step) for step in job.steps if _comes_before(step, exercise)]
    answer = Step(
        id=ANSWER,
        line=1,
        end_line=code.count("\n") + 1,
        code_line=1,
        code=code,
        act=Act.RUN,
        timeout=seconds or exercise.seconds or DEFAULT_SECONDS,
        part=Part(Role.SOLUTION, exercise.name),
        namespace=next(step.namespace for step in job.steps if step.part == Part(Role.STARTER, exercise.name)),
        file=str(file),
    )
    return replace(job, steps=(*steps, answer), keep_going=True)


def _comes_before(step: Step, exercise: Exercise) -> bool:
    """True for what the page runs before an answer to the exercise, and for its check."""
    if step.act not in (Act.RUN, Act.COMPILE) or step.alone:
        return False
    if step.part is None or step.part.role is Role.SOLUTION:
        return step.line < exercise.line
    return step.part == Part(Role.CHECK, exercise.name)


def _quiet(step: Step) -> Step:
    """The step without the page's texts; the solution of an earlier exercise only leaves its names."""
    part = step.part if step.part and step.part.role is Role.CHECK else None
    return replace(step, promise=Promise(raises=step.promise.raises), claims=(), keys=(), part=part)
