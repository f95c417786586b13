"""All that crosses a process border: what to run (a `Job`), and what came of it (a `LessonResult`).

Every type here is a frozen dataclass that `encode` turns into one line of JSON and `decode` reads back,
checked against the field types. Nothing else is ever sent between the command, its servers and their children.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

import msgspec

T = TypeVar("T")


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
    EXERCISE = "exercise"
    MEMORY = "memory"
    LEFT_FILES = "left-files"
    LEFT_RUNNING = "left-running"
    CLOSED_STREAM = "closed-stream"
    TIME = "time"
    DIED = "died"
    EARLIER = "earlier"


# The reason told of a claim that differs where that is no fault.
DRIFT = "drift"


class Act(StrEnum):
    """What is done with a fence: run it, only compile it, or leave it and say why."""

    RUN = "run"
    COMPILE = "compile"
    SKIP = "skip"
    SHOW = "show"


class Form(StrEnum):
    """How a fence's code is written: as a script, or as a `>>>` console session."""

    SCRIPT = "script"
    CONSOLE = "console"


class Shown(StrEnum):
    """What a text on the page shows of its fence: all it printed, its error, or what one print call printed."""

    OUTPUT = "output"
    ERROR = "error"
    PRINT = "print"


class Comparing(StrEnum):
    """How shown output is compared: whole, line by line with others between, or not at all."""

    EXACT = "exact"
    LINES = "lines"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Expected:
    """A text the page shows for a fence. `line` is its first line in the lesson; `call_line` the print call's."""

    shown: Shown
    text: str
    line: int
    call_line: int = 0


@dataclass(frozen=True)
class Promise:
    """What a page says that its fence does, beyond running clean.

    `raises` is a class name or dotted path (a subclass keeps the promise), `match` a substring of the message
    or a `/regex/`. Empty strings promise nothing. `rtol` and `atol` widen how numbers in `expected` are compared.
    """

    raises: str = ""
    match: str = ""
    expected: tuple[Expected, ...] = ()
    comparing: Comparing = Comparing.EXACT
    rtol: float | None = None
    atol: float | None = None


@dataclass(frozen=True)
class Claim:
    """A word of prose that must equal the text that `expression` gives, in which `error` is the last message.

    It is evaluated after the step that carries it, in that step's namespace.
    """

    line: int
    text: str
    expression: str


class Role(StrEnum):
    """What a fence is to an exercise: the starter, the test of an answer, the solution, or a typical mistake."""

    STARTER = "exercise"
    CHECK = "check"
    SOLUTION = "solution"
    WRONG = "wrong"


@dataclass(frozen=True)
class Part:
    """A fence's part in the exercise `name`; `match` is what the check must say of a wrong answer."""

    role: Role
    name: str
    match: str = ""


@dataclass(frozen=True)
class Key:
    """A quiz option whose mark is proved: `body` must be true exactly where the page marks the option right."""

    line: int
    quiz: str
    body: str
    is_marked: bool


@dataclass(frozen=True)
class Step:
    """One fence of a lesson, as the runner sees it. Lines are 1-based lines of the lesson."""

    id: str
    line: int
    end_line: int
    code_line: int
    code: str
    act: Act
    reason: str = ""
    form: Form = Form.SCRIPT
    namespace: str = ""
    alone: bool = False
    timeout: float = 30.0
    promise: Promise = Promise()
    claims: tuple[Claim, ...] = ()
    keys: tuple[Key, ...] = ()
    part: Part | None = None
    proves: tuple[str, ...] = ()
    not_proves: str = ""
    writes: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Job:
    """One lesson to run: the pure unit of work. `path` is absolute, `name` is how reports call it.

    `steps` stand in the order they run, which is that of the page but for checks and for fences that run alone: these
    come last, since a supervisor watches over one process of a lesson at a time.
    """

    path: str
    name: str
    title: str
    steps: tuple[Step, ...]
    modules: tuple[str, ...] = ()
    seed: int = 0
    keep_going: bool = False
    memory_mib: int = 0
    has_folder_to_itself: bool = True
    is_pinned: bool = True
    runs_none: str = ""


@dataclass(frozen=True)
class Mismatch:
    """A text on the page that is not what came. `line` is the first line of the lesson that differs."""

    shown: Shown
    line: int
    expected: str
    found: str
    text_line: int


@dataclass(frozen=True)
class ClaimResult:
    """A claim or quiz key held against its value: what the page says, what came, the outcome, and if red, why."""

    line: int
    text: str
    expected: str
    found: str
    outcome: Outcome
    reason: str = ""
    cause: Cause | None = None


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
    fence stood that ran out of time or whose process died, where that is known.
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


def encode(value: object) -> bytes:
    """One line of JSON in UTF-8, without its line end. Text must hold no lone surrogates."""
    return msgspec.json.encode(value)


def decode(data: bytes, kind: type[T]) -> T:
    """The value that `encode` wrote. Raises `msgspec.ValidationError` where a field has another type."""
    return msgspec.json.decode(data, type=kind)
