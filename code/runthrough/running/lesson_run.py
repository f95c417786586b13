"""One lesson from its first fence to its last: processes started, fences given out, what was left behind found."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from runthrough.job import Job, Part, Role, Step
from runthrough.result import Cause, ClaimResult, FenceResult, LessonResult, Outcome, Trouble
from runthrough.running.failure import printable
from runthrough.running.footprints import not_allowed
from runthrough.running.launching import Launch
from runthrough.running.lesson_process import Ending, LessonProcess
from runthrough.running.processes import command, reap, strays
from runthrough.running.verdict import blocked, claim_results, figure_result, left_out, result_of, with_fault
from runthrough.running.wire import Channel

_LEAVE_SECONDS = 10.0
_STRAY_GRACE = 0.5
# What the command line of every process of ours holds, and so that of a copy which a lesson forks.
_OWN = "-m runthrough.running."


@dataclass(frozen=True)
class Mark:
    """What there was after a fence: its number, what its worker saw, the processes alive then."""

    number: int
    ending: Ending
    running: tuple[int, ...]

    def saw_thread(self, name: str) -> bool:
        return self.ending.observation is not None and name in self.ending.observation.threads


@dataclass
class Life:
    """One process of a lesson and what was noted after each of its fences."""

    process: LessonProcess
    namespaces: set[str] = field(default_factory=set)
    marks: list[Mark] = field(default_factory=list)


class LessonRun:
    """Runs one job. `tell` is called with each result as it comes; what is found at the end may still change one."""

    def __init__(self, job: Job, launch: Launch, command_line: Channel, tell: Callable[[FenceResult], None]) -> None:
        self._job = job
        self._launch = launch
        self._command_line = command_line
        self._tell = tell
        self._results: list[FenceResult] = []
        self._red: dict[str, FenceResult] = {}
        self._lost: set[str] = set()
        self._life: Life | None = None
        self._peak_rss_mib = 0.0
        self._left_files: list[str] = []
        self._claims: list[ClaimResult] = []

    def run(self) -> LessonResult:
        """Run the lesson. Raises `InterruptedRunError` when the command has gone, with nothing left running."""
        started = time.monotonic()
        try:
            for number, step in enumerate(self._job.steps):
                result, ending = self._result(number, step)
                self._results.append(result)
                self._claims += claim_results(step, result, ending, self._job.is_pinned)
                self._tell(result)
            self._close()
        finally:
            self._end()
        seconds = time.monotonic() - started
        figures = (figure_result(step, result) for step, result in zip(self._job.steps, self._results, strict=True))
        return LessonResult(
            path=self._job.name,
            title=self._job.title,
            seconds=seconds,
            peak_rss_mib=round(self._peak_rss_mib, 1),
            fences=tuple(sorted(self._results, key=lambda result: result.line)),
            troubles=tuple(_troubles(self._job, self._results)),
            left_files=tuple(self._left_files),
            claims=tuple(sorted(self._claims, key=lambda claim: claim.line)),
            figures=tuple(sorted(filter(None, figures), key=lambda figure: figure.line)),
        )

    def _result(self, number: int, step: Step) -> tuple[FenceResult, Ending | None]:
        if result := left_out(step):
            return result, None
        if step.alone:
            self._close()
            return self._run_alone(number)
        if by := self._blocked_by(step):
            return blocked(step, by), None
        if self._life is None:
            self._life = self._start()
        result, ending = self._perform(self._life, number)
        if result.outcome.is_red:
            for key in _keys_it_blocks(step):
                self._red.setdefault(key, result)
        if ending.observation is None:
            # The process is of no use any more, and with it go the namespaces it held.
            for namespace in self._life.namespaces:
                self._red.setdefault(namespace, result)
            self._lost |= self._life.namespaces
            self._end()
        return result, ending

    def _blocked_by(self, step: Step) -> FenceResult | None:
        if step.namespace in self._lost or not self._job.keep_going:
            found = self._red.get(step.namespace)
            return found or (self._red.get(_exercise(step.part)) if step.part else None)
        return None

    def _run_alone(self, number: int) -> tuple[FenceResult, Ending]:
        self._life = self._start()
        try:
            result, ending = self._perform(self._life, number)
            if ending.observation is not None:
                for _, cause, reason in self._faults(self._life):
                    result = with_fault(result, cause, reason)
            return result, ending
        finally:
            self._end()

    def _start(self) -> Life:
        return Life(LessonProcess(self._job, self._launch, self._command_line))

    def _perform(self, life: Life, number: int) -> tuple[FenceResult, Ending]:
        step = self._job.steps[number]
        life.namespaces.add(step.namespace)
        ending = life.process.perform(number)
        life.marks.append(Mark(number, ending, life.process.running()))
        return result_of(step, ending, life.process), ending

    def _close(self) -> None:
        """Let the lesson's process end, and find what it left behind."""
        if self._life is not None:
            for number, cause, reason in self._faults(self._life):
                self._results[number] = with_fault(self._results[number], cause, reason)
            self._end()

    def _end(self) -> None:
        if self._life is not None:
            self._life.process.end()
            self._peak_rss_mib = max(self._peak_rss_mib, self._life.process.peak_rss_mib)
            self._life = None

    def _faults(self, life: Life) -> Iterator[tuple[int, Cause, str]]:
        """What the lesson left behind, each with the number of the fence after which it first was there."""
        last = life.marks[-1].number
        leaving = life.process.leave(_LEAVE_SECONDS)
        if leaving.timed_out:
            reason = f"the lesson's process had not ended {_LEAVE_SECONDS:g} s after its last fence"
            yield last, Cause.LEFT_RUNNING, reason
        elif leaving.observation is None:
            yield last, Cause.DIED, _how_it_left(leaving)
        else:
            for thread in leaving.observation.threads:
                number = next((mark.number for mark in life.marks if mark.saw_thread(thread)), last)
                yield (
                    number,
                    Cause.LEFT_RUNNING,
                    f"the thread {thread} is still running after the lesson's last fence",
                )
        # It is none of those that are looked for now, and nobody else is to take its exit status.
        life.process.stop()
        for pid, words in _lasting_processes().items():
            number = next((mark.number for mark in life.marks if pid in mark.running), last)
            reason = f"a process is still running after the lesson's last fence: {words}"
            yield number, Cause.LEFT_RUNNING, reason
        for mark in [*life.marks, Mark(last, leaving, ())]:
            if left := self._files_left(mark):
                yield mark.number, Cause.LEFT_FILES, f"left in the lesson's folder: {', '.join(left)}"

    def _files_left(self, mark: Mark) -> list[str]:
        """Files that a fence made, that are still there and that no `writes=` of the lesson allows."""
        if (seen := mark.ending.observation) is None:
            return []
        folder = Path(self._job.path).parent
        names = map(os.fsdecode, dict.fromkeys(seen.created + seen.appeared))
        left = [name for name in names if os.path.lexists(folder / name)]
        self._left_files += map(printable, left)
        allowed = [pattern for step in self._job.steps for pattern in step.writes]
        return [printable(name) for name in not_allowed(folder, left, allowed)]


def _keys_it_blocks(step: Step) -> tuple[str, ...]:
    """Whose followers wait when this step is red: its namespace, or only the answers that a check is for."""
    if step.part is None or step.part.role is Role.SOLUTION:
        return (step.namespace,)
    return (_exercise(step.part),) if step.part.role is Role.CHECK else ()


def _exercise(part: Part) -> str:
    return f"exercise {part.name}"


def _how_it_left(leaving: Ending) -> str:
    if leaving.signal is None and leaving.exit_code is None:
        return "the lesson closed or wrote to the descriptor on which its process reports, after its last fence"
    how = f"exit code {leaving.exit_code}" if leaving.signal is None else f"signal {leaving.signal}"
    return f"the lesson's process ended with {how} after its last fence"


def _lasting_processes() -> dict[int, str]:
    """Processes below this one that outlive the lesson, with their command lines, after a moment of grace."""
    deadline = time.monotonic() + _STRAY_GRACE
    reap()
    while (left := strays(os.getpid())) and time.monotonic() < deadline:
        time.sleep(0.01)
        reap()
    return {pid: "a forked copy of the lesson's own" if _OWN in (words := command(pid)) else words for pid in left}


def _troubles(job: Job, results: list[FenceResult]) -> Iterator[Trouble]:
    idle = (Outcome.SKIPPED, Outcome.SHOWN)
    if results and not job.runs_none and all(result.outcome in idle for result in results):
        yield Trouble(
            "this lesson has Python fences and none of them ran",
            "let one run, or give the page `runs: none` and a reason in its front matter",
        )
