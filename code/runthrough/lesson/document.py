"""The lesson as read: its text, its fences with their lines, and what was wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Severity(StrEnum):
    """An error stops the run before anything has run (exit 2); a warning is told and the lesson runs."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Problem:
    """Something in a file that cannot be read as meant: where, what, and what to do. `line` is 1-based."""

    path: str
    line: int
    message: str
    advice: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}" + (f" ({self.advice})" if self.advice else "")


class Role(StrEnum):
    """What a fence is to the runner: code it runs, text it compares, or something only shown."""

    CODE = "code"
    OUTPUT = "output"
    ERROR = "error"
    SHOWN = "shown"


@dataclass(frozen=True)
class Directives:
    """What an author says of a fence, in the comment above it or in its info string. Empty means not said."""

    id: str = ""
    proves: tuple[str, ...] = ()
    not_proves: str = ""
    raises: str = ""
    match: str = ""
    skip: str = ""
    show: str = ""
    when: str = ""
    timeout: float | None = None
    files: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    alone: bool = False
    namespace: str = ""
    hidden: bool = False
    output: str = ""
    rtol: float | None = None
    atol: float | None = None
    exercise: str = ""
    solution: str = ""
    check: str = ""
    wrong: str = ""
    figure: str = ""
    of: str = ""
    predict: bool = False


@dataclass(frozen=True)
class Fence:
    """One fenced block. `line` and `end_line` are its opener and its last line, `code_line` its first code line.

    `code` has the container's and the fence's own indentation removed as CommonMark removes it, and LF line
    ends. `language` is the first info word in lower case, without a dialect's braces. `prefix` is what stands
    before each of its lines in the file (indentation, `> `), `hint` what a failure may come from.
    """

    line: int
    end_line: int
    code_line: int
    marker: str
    info: str
    language: str
    code: str
    is_closed: bool
    role: Role
    id: str
    directives: Directives
    heading: str = ""
    prefix: str = ""
    hint: str = ""

    @property
    def leaves_names(self) -> bool:
        """True for a fence whose names the prose after it can speak of: it runs in a namespace of the lesson."""
        said = self.directives
        apart = said.skip or said.show or said.alone or said.exercise or said.check or said.wrong
        return self.role is Role.CODE and not apart


@dataclass(frozen=True)
class Claim:
    """A token of prose that must equal the value of `body`. `start` and `end` are its span in `Lesson.text`."""

    line: int
    column: int
    token: str
    body: str
    start: int
    end: int


@dataclass(frozen=True)
class Option:
    """An option of a quiz: its text, whether it is marked right, and the expression that proves the mark."""

    line: int
    text: str
    is_marked: bool
    key: str | None = None


@dataclass(frozen=True)
class Box:
    """A `:::` container: its kind, the words after it, and for a quiz its options. Lines are 1-based."""

    kind: str
    words: str
    line: int
    end_line: int
    is_closed: bool
    options: tuple[Option, ...] = ()

    @property
    def name(self) -> str:
        """A quiz's name, its first word."""
        return self.words.split()[0] if self.words.split() else ""


@dataclass(frozen=True)
class Lesson:
    """One Markdown file. `name` is its path as the user named it; `text` has LF line ends and no BOM.

    `pinned_torch` is the release that its course names, whose texts it shows.
    """

    path: Path
    name: str
    text: str
    title: str
    front: dict[str, Any]
    fences: tuple[Fence, ...]
    problems: tuple[Problem, ...] = ()
    in_course: bool = False
    pinned_torch: str = ""
    claims: tuple[Claim, ...] = ()
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Course:
    """A folder with a course.toml: its title, the torch it pins, and its lessons in order.

    `contracts` are the entries of its contracts file by id, None where it names no such file; `staleness` are
    the days after which a source or a review is old.
    """

    folder: Path
    title: str
    torch: str
    lessons: tuple[Path, ...]
    macros: dict[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    contracts: dict[str, dict[str, Any]] | None = None
    staleness: dict[str, int] = field(default_factory=dict)
