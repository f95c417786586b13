"""What to run: a `Job` is a lesson as its runner sees it, in frozen dataclasses that cross the process border."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    """What the page shows of its fence: all it printed, its error, what one print call printed, or its figure."""

    OUTPUT = "output"
    ERROR = "error"
    PRINT = "print"
    FIGURE = "figure"


class Comparing(StrEnum):
    """How shown output is compared: whole, line by line with others between, or not at all."""

    EXACT = "exact"
    LINES = "lines"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Expected:
    """A text the page shows for a fence. `line` is its first line in the lesson; `call_line` the print call's.

    The text of a figure is that of `file`, beside the lesson, and its line is the fence's; "" where there is no file.
    """

    shown: Shown
    text: str
    line: int
    call_line: int = 0
    file: str = ""


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
    """One fence of a lesson, as the runner sees it. Lines are 1-based lines of the lesson.

    `file` is the absolute path of another file that the code is from; the lines are then lines of that file.
    `figure` names what it draws: its last expression, or the graph of the expression `of`.
    """

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
    file: str = ""
    figure: str = ""
    of: str = ""


@dataclass(frozen=True)
class Job:
    """One lesson to run: the pure unit of work. `path` is absolute, `name` is how reports call it.

    `steps` stand in the order they run, which is that of the page but for checks and for fences that run alone: these
    come last, since a supervisor watches over one process of a lesson at a time. `modules` are worth importing ahead;
    `in_sight` names those with which a lesson begins, and with what they import.
    """

    path: str
    name: str
    title: str
    steps: tuple[Step, ...]
    modules: tuple[str, ...] = ()
    in_sight: tuple[str, ...] = ()
    seed: int = 0
    keep_going: bool = False
    memory_mib: int = 0
    has_folder_to_itself: bool = True
    is_pinned: bool = True
    runs_none: str = ""
