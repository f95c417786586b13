"""The source of a code cell as a lesson has it: plain Python that runs, or code that is shown, with the reason."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from runthrough.lesson.print_comments import print_comments

# Lines that only tell a front end how to show things: a lesson loses nothing by their absence.
_NEEDLESS = re.compile(
    r"[ \t]*%(?:matplotlib(?:[ \t]+(?:inline|notebook|widget|ipympl|agg|nbagg|auto))?"
    r"|config[ \t]+InlineBackend\b.*|load_ext[ \t]+(?:autoreload|tensorboard)|(?:auto)?reload(?:[ \t]+\S+)?"
    r"|autosave[ \t]+\d+)[ \t]*(?:#.*)?$"
)
# First lines that only measure or hush what the rest of the cell does.
_HARMLESS_CELL = re.compile(r"%%(?:time|capture|prun|python3?)[ \t]*$")
_TIMED_LINE = re.compile(r"(?P<indent>[ \t]*)%time[ \t]+(?P<code>\S.*)$")
_MAGIC = re.compile(
    r"[ \t]*(?:(?P<mark>%%?|!!?)(?P<name>[^\s%!=]\S*)|[\w, ]+=[ \t]*(?P<assigned>[%!])[^\s=]\S*"
    r"|\?+[\w.%]+|[\w.%]+\?+[ \t]*$)"
)


@dataclass(frozen=True)
class Code:
    """Code for a fence. `why_shown` is "" where it runs; `changes` say a line each of what was taken out."""

    text: str
    why_shown: str = ""
    changes: tuple[str, ...] = ()


def as_code(source: str) -> Code:
    """The source of a code cell without IPython's own syntax, or with the reason why it is only shown."""
    text = source.rstrip()
    text = re.sub(r"\A(?:[ \t]*\n)+", "", text)
    if _parses(text):
        return _without_print_comments(text)
    lines, changes = _rewritten(text.split("\n"))
    plain = "\n".join(lines).strip("\n")
    if changes and _parses(plain):
        code = _without_print_comments(plain)
        return Code(code.text, changes=(*changes, *code.changes))
    magic = next((match for line in text.split("\n") if (match := _MAGIC.match(line))), None)
    if magic is None:
        return Code(text)  # whatever is wrong with it, a run tells it at its line
    return Code(text, why_shown=_reason(magic))


def _rewritten(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines as Python has them, as far as nothing changes by that, and a word on each change."""
    kept: list[str] = []
    changes = []
    for number, line in enumerate(lines):
        timed = _TIMED_LINE.match(line)
        if _NEEDLESS.match(line) or (number == 0 and _HARMLESS_CELL.match(line)):
            changes.append(f"{line.strip()} is left out")
        elif timed:
            changes.append(f"{line.strip()} runs without %time")
            kept.append(timed["indent"] + timed["code"])
        else:
            kept.append(line)
    return kept, changes


def _reason(magic: re.Match[str]) -> str:
    mark = magic["mark"] or magic["assigned"] or ""
    if mark.startswith("!"):
        return "a shell command of Jupyter"
    if mark.startswith("%"):
        name = re.match(r"[\w.]+", magic["name"] or "")
        return f"{mark}{name[0]} works in Jupyter only" if name else "a magic of Jupyter"
    return "? asks Jupyter for help"


def _without_print_comments(text: str) -> Code:
    """Comments that begin with `#>`, which a lesson would compare with what is printed, as other comments."""
    shown, lost = print_comments(text)
    if not (shown or lost):
        return Code(text)
    lines = text.split("\n")
    numbers = {*lost, *(each.line + more for each in shown for more in range(each.text.count("\n")))}
    for number in numbers:
        lines[number - 1] = re.sub(r"#>(?!.*#>)", "# >", lines[number - 1])
    return Code("\n".join(lines), changes=("comments that begin with #> are written with # >",))


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True
