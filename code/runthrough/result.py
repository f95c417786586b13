"""What came of a run: a `LessonResult` for each lesson, in frozen dataclasses that cross the process border."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from runthrough.job import Shown


class Outcome(StrEnum):
    """What came of a fence; the set is closed, and whatever is not reported is never `PASSED`."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    SHOWN = "shown"

    @property
    def is_red(self) -> bool:
        """True where a lesson with this fence does not hold."""
        return self in (Outcome.FAILED, Outcome.TIMEOUT, Outcome.CRASHED, Outcome.BLOCKED)


class Cause(StrEnum):
    """Why a red fence is red: the closed set by which a renderer chooses its words and the next step."""

    SYNTAX = "syntax"
    RAISED = "raised"
    DID_NOT_RAISE = "did-not-raise"
    OTHER_CLASS = "other-class"
    OTHER_MESSAGE = "other-message"
    EXITED = "exited"
    OTHER_OUTPUT = "other-output"
    OTHER_FIGURE = "other-figure"
    NO_FIGURE = "no-figure"
    EXERCISE = "exercise"
    MEMORY = "memory"
    LEFT_FILES = "left-files"
    LEFT_RUNNING = "left-running"
    CLOSED_STREAM = "closed-stream"
    TIME = "time"
    DIED = "died"
    EARLIER = "earlier"


# The reason told of a claim or figure that differs where that is no fault.
DRIFT = "drift"


@dataclass(frozen=True)
class Mismatch:
    """A text on the page that is not what came. `line` is the first line of the lesson that differs.

    `rows` are the two as a diff around that line, each beginning with `- `, `+ ` or two spaces; none where the lines
    shown may stand anywhere in what came.
    A figure's text is that of `file`, beside the lesson; it is "" where there is no such file.
    """

    shown: Shown
    line: int
    expected: str
    found: str
    text_line: int
    rows: tuple[str, ...] = ()
    file: str = ""


@dataclass(frozen=True)
class ClaimResult:
    """A claim or quiz key held against its value: what the page says, what came, the outcome, and if red, why.

    `quiz` names the quiz of a key, whose option is marked right where True is expected; "" for a claim.
    """

    line: int
    text: str
    expected: str
    found: str
    outcome: Outcome
    reason: str = ""
    cause: Cause | None = None
    quiz: str = ""


@dataclass(frozen=True)
class FigureResult:
    """A figure held against its `file`, beside the lesson; `line` is that of the fence that draws it."""

    name: str
    file: str
    line: int
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True)
class Frame:
    """One level of a traceback; `line` is a line of `file`, `text` that line's source."""

    file: str
    line: int
    text: str
    function: str = ""


@dataclass(frozen=True)
class RaisedError:
    """An exception that left a fence. `line` is the innermost line of the lesson, `call_line` the fence's own.

    `type` is the class name, `bases` every name (plain and dotted) that `raises=` may call it by, `notes` the
    values an assertion saw, `traceback` the text Python would print, without the runner's own frames.
    """

    type: str
    message: str
    line: int | None
    call_line: int | None = None
    frames: tuple[Frame, ...] = ()
    notes: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    traceback: str = ""


@dataclass(frozen=True)
class CaughtWarning:
    """A warning a fence gave; `line` is the line of the lesson that led to it."""

    category: str
    message: str
    line: int | None


@dataclass(frozen=True)
class FenceResult:
    """What came of one fence. `seconds` is wall time; `*_bytes` count all output, also what was cut.

    `also` are the causes found after the fence was done, beside the one that made it red. `stopped_line` is where a
    fence stood that ran out of time or whose process died, where that is known. `answer_error` is what an exercise's
    check raised at the answer that the fence gives.
    """

    id: str
    line: int
    end_line: int
    outcome: Outcome
    reason: str = ""
    cause: Cause | None = None
    also: tuple[Cause, ...] = ()
    cached: bool = False
    namespace: str = ""
    seconds: float = 0.0
    proves: tuple[str, ...] = ()
    not_proves: str = ""
    stdout: str = ""
    stderr: str = ""
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    value: str | None = None
    warnings: tuple[CaughtWarning, ...] = ()
    exit_code: int | None = None
    signal: int | None = None
    stopped_line: int | None = None
    error: RaisedError | None = None
    answer_error: RaisedError | None = None
    hint: str = ""
    mismatches: tuple[Mismatch, ...] = ()
    drifts: tuple[Mismatch, ...] = ()


@dataclass(frozen=True)
class Trouble:
    """Something wrong with a lesson as a whole that no single fence did, and what to do about it."""

    message: str
    advice: str = ""
    line: int = 1


@dataclass(frozen=True)
class LessonResult:
    """What came of one lesson. `seconds` is wall time, `peak_rss_mib` the largest resident set of its process.

    `left_files` are the files that its Python code made in the lesson's folder and left there, declared or not.
    """

    path: str
    title: str
    seconds: float
    peak_rss_mib: float
    fences: tuple[FenceResult, ...]
    troubles: tuple[Trouble, ...] = ()
    left_files: tuple[str, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    figures: tuple[FigureResult, ...] = ()

    @property
    def holds(self) -> bool:
        """True where no fence and no claim is red and the lesson as a whole has no trouble."""
        outcomes = [fence.outcome for fence in self.fences] + [claim.outcome for claim in self.claims]
        return not self.troubles and not any(outcome.is_red for outcome in outcomes)


@dataclass(frozen=True)
class Environment:
    """Where a run took place; a package that is not installed is an empty string."""

    python: str
    torch: str
    numpy: str
    platform: str


@dataclass(frozen=True)
class Report:
    """A whole run: every lesson in course order, and the numbers of fences by outcome."""

    schema: int
    runthrough: str
    environment: Environment
    seed: int
    seconds: float
    lessons: tuple[LessonResult, ...]
    totals: dict[str, int] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()
    not_run: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True where every lesson holds, nothing was left out, and the run as a whole has no trouble."""
        return not self.troubles and not self.not_run and all(lesson.holds for lesson in self.lessons)
