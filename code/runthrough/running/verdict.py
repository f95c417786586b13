"""From how a step ended to the result that is told of it."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from runthrough.expect.compare import agrees
from runthrough.expect.promise import Came, Verdict, judge
from runthrough.job import Act, Shown, Step
from runthrough.result import DRIFT, Cause, ClaimResult, FenceResult, FigureResult, Outcome, RaisedError
from runthrough.running.wire import Observation, Value

if TYPE_CHECKING:
    # The command tells results too, and must not load all that a worker needs.
    from runthrough.running.lesson_process import Ending, LessonProcess

# Characters of a claim's value that are told in a line; the report has more.
_TOLD = 300
_OUT_OF_MEMORY = ("not enough memory", "can't allocate memory", "Cannot allocate memory", "bad_alloc")


def result_of(step: Step, ending: Ending, process: LessonProcess) -> FenceResult:
    """The result of a step that was performed."""
    verdict = _verdict(step, ending, process)
    seen = ending.observation
    return replace(
        _plain(step, verdict),
        seconds=ending.seconds,
        stdout=process.stdout.text(),
        stderr=process.stderr.text(),
        stdout_bytes=process.stdout.total,
        stderr_bytes=process.stderr.total,
        value=seen.value if seen else None,
        warnings=seen.warnings if seen else (),
        error=seen.error if seen else None,
        answer_error=seen.answer_error if seen else None,
        exit_code=ending.exit_code,
        signal=ending.signal,
        stopped_line=ending.line,
        mismatches=verdict.mismatches if process.job.is_pinned else (),
        drifts=() if process.job.is_pinned else verdict.mismatches,
    )


def claim_results(step: Step, result: FenceResult, ending: Ending | None, is_pinned: bool) -> Iterator[ClaimResult]:
    """A result for each claim and quiz key that stands behind a step, also where the step was not performed."""
    values = ending.observation.values if ending and ending.observation and step.act is Act.RUN else ()
    for claim, value in zip_longest(step.claims, values[: len(step.claims)]):
        yield _judge_claim(claim.line, claim.text, claim.text, value, result, is_pinned=is_pinned)
    for key, value in zip_longest(step.keys, values[len(step.claims) :]):
        text = f"{key.quiz}: {key.body}"
        yield _judge_claim(key.line, text, str(key.is_marked), value, result, is_pinned=True, quiz=key.quiz)


def figure_result(step: Step, result: FenceResult) -> FigureResult | None:
    """What came of the figure that a step's fence draws; None where it draws none."""
    if not step.figure:
        return None
    shown = [each.file for each in step.promise.expected if each.shown is Shown.FIGURE]
    outcome, reason = _judge_figure(step, result)
    return FigureResult(step.figure, shown[0] if shown else "", step.line, outcome, reason)


def _judge_figure(step: Step, result: FenceResult) -> tuple[Outcome, str]:
    differs = any(each.shown is Shown.FIGURE for each in (*result.mismatches, *result.drifts))
    if result.outcome in (Outcome.SKIPPED, Outcome.SHOWN):
        return Outcome.SKIPPED, result.reason
    if step.of:
        return Outcome.SKIPPED, "the graph of an expression (of=) is not drawn yet"
    if result.cause is Cause.NO_FIGURE or (differs and result.outcome.is_red):
        return Outcome.FAILED, result.reason
    if result.outcome.is_red and not result.mismatches:
        waits = result.outcome is Outcome.BLOCKED
        return Outcome.BLOCKED, result.reason if waits else f"waits for {result.id} on line {result.line}"
    return Outcome.PASSED, DRIFT if differs else ""


def _judge_claim(
    line: int, text: str, expected: str, value: Value | None, result: FenceResult, *, is_pinned: bool, quiz: str = ""
) -> ClaimResult:
    judged = ClaimResult(line, text, expected, "", Outcome.PASSED, quiz=quiz)
    # Where only a text differs, the fence has run as it stands, and its values are what they are.
    is_broken = result.outcome.is_red and result.cause not in (Cause.OTHER_OUTPUT, Cause.OTHER_MESSAGE)
    if value is None or is_broken:
        outcome = Outcome.BLOCKED if result.outcome.is_red else Outcome.SKIPPED
        return replace(judged, outcome=outcome, reason=f"waits for {result.id} on line {result.line}")
    if value.error:
        reason = f"its expression raised {value.error}"
        return replace(judged, outcome=Outcome.FAILED, reason=reason, cause=Cause.RAISED)
    judged = replace(judged, found=value.text)
    if agrees(expected, value.text):
        return judged
    if not is_pinned:
        return replace(judged, reason=DRIFT)
    told = value.text if len(value.text) <= _TOLD else f"{value.text[:_TOLD]}…"
    return replace(judged, outcome=Outcome.FAILED, reason=f"{'its key' if quiz else 'the value'} is {told}")


def left_out(step: Step) -> FenceResult | None:
    """The result of a step that is not to be run; `None` for one that is."""
    outcomes = {Act.SKIP: Outcome.SKIPPED, Act.SHOW: Outcome.SHOWN}
    return _plain(step, Verdict(outcomes[step.act], step.reason)) if step.act in outcomes else None


def blocked(step: Step, by: FenceResult) -> FenceResult:
    """The result of a step that cannot run, since an earlier fence of its namespace is red."""
    reason = f"waits for {by.id} on line {by.line}, which {_DID[by.outcome]}"
    return _plain(step, Verdict(Outcome.BLOCKED, reason, Cause.EARLIER))


def unreported(steps: Sequence[Step], done: Iterable[FenceResult]) -> tuple[FenceResult, ...]:
    """Results of a lesson whose supervisor died: the first fence without a report crashed, the rest wait for it."""
    results = list(done)
    culprit: FenceResult | None = next((result for result in results if result.outcome.is_red), None)
    for step in steps[len(results) :]:
        result = left_out(step)
        if result is None and culprit is None:
            reason = "the process that watches over the lesson was killed while this fence ran"
            result = culprit = _plain(step, Verdict(Outcome.CRASHED, reason, Cause.DIED))
        results.append(result or blocked(step, _certain(culprit)))
    return tuple(results)


def with_fault(result: FenceResult, cause: Cause, reason: str) -> FenceResult:
    """The result with something found after the fence was done, which makes a passed one fail."""
    if result.outcome.is_red:
        return replace(result, reason=f"{result.reason}; {reason}", also=(*result.also, cause))
    return replace(result, outcome=Outcome.FAILED, cause=cause, reason=reason)


_DID = {
    Outcome.FAILED: "failed",
    Outcome.TIMEOUT: "ran out of time",
    Outcome.CRASHED: "ended its process",
    Outcome.BLOCKED: "is blocked itself",
}


def _verdict(step: Step, ending: Ending, process: LessonProcess) -> Verdict:
    at = f", on line {ending.line}" if ending.line else ""
    if ending.timed_out and not ending.has_begun:
        reason = f"its process was still importing what the lesson uses after {ending.seconds:.0f} s{at}"
        return Verdict(Outcome.TIMEOUT, reason, Cause.TIME)
    if ending.timed_out:
        return Verdict(Outcome.TIMEOUT, f"still running after {step.timeout:g} s{at}", Cause.TIME)
    if (seen := ending.observation) is None:
        return _verdict_of_death(ending, process, at)
    if process.job.memory_mib and _is_lack_of_memory(seen.error):
        return _memory(process)
    if step.act is Act.COMPILE and seen.error is None:
        return Verdict(Outcome.SKIPPED, step.reason)
    drawn = seen.figure or Value()
    came = Came(
        seen.error, _all_output(process, seen), seen.prints, seen.answer_error, figure=drawn.text, no_figure=drawn.error
    )
    verdict = judge(step.promise, came, step.part, process.job.is_pinned)
    if seen.lost and verdict.outcome is Outcome.PASSED:
        reason = f"{' and '.join(seen.lost)} was closed or redirected, and not put back"
        return Verdict(Outcome.FAILED, reason, Cause.CLOSED_STREAM)
    return verdict


def _all_output(process: LessonProcess, seen: Observation) -> str:
    """What a reader sees below the fence: all that was printed, then the value."""
    printed = process.stdout.text()
    if seen.value is None:
        return printed
    return f"{printed}{'' if not printed or printed.endswith(chr(10)) else chr(10)}{seen.value}\n"


def _verdict_of_death(ending: Ending, process: LessonProcess, at: str) -> Verdict:
    if ending.signal is not None:
        if process.job.memory_mib and any(word in process.stderr.text() for word in _OUT_OF_MEMORY):
            return _memory(process)
        reason = f"the process was killed by {_name(ending.signal)}{at}"
    elif ending.exit_code is not None:
        reason = f"the process ended itself with exit code {ending.exit_code}, before the fence was done"
    else:
        reason = "the fence closed or wrote to the descriptor on which its process reports, so nothing is known of it"
    return Verdict(Outcome.CRASHED, reason, Cause.DIED)


def _is_lack_of_memory(error: RaisedError | None) -> bool:
    if error is None:
        return False
    return "MemoryError" in error.bases or any(words in error.message for words in _OUT_OF_MEMORY)


def _memory(process: LessonProcess) -> Verdict:
    reason = f"memory: the lesson needs more than the {process.job.memory_mib} MiB it is allowed"
    return Verdict(Outcome.FAILED, reason, Cause.MEMORY)


def _name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"


def _plain(step: Step, verdict: Verdict) -> FenceResult:
    told: dict[str, Any] = {
        name: getattr(step, name) for name in ("id", "line", "end_line", "namespace", "proves", "not_proves", "hint")
    }
    return FenceResult(outcome=verdict.outcome, reason=verdict.reason, cause=verdict.cause, **told)


def _certain(result: FenceResult | None) -> FenceResult:
    assert result is not None
    return result
