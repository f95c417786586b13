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
class Part:
    """Code for one fence. `why_shown` is "" where it runs."""

    text: str
    why_shown: str = ""


@dataclass(frozen=True)
class Code:
    """The fences of one cell, none where no code is left; `changes` say a line each of what was taken out."""

    parts: tuple[Part, ...]
    changes: tuple[str, ...] = ()


def as_code(source: str) -> Code:
    """The source of a code cell without IPython's own syntax, or with the reason why a part is only shown."""
    text = re.sub(r"\A(?:[ \t]*\n)+", "", source.rstrip())
    lines, changes = ([], []) if _parses(text) else _rewritten(text.split("\n"))
    plain = "\n".join(lines).strip("\n") if changes else text
    if not plain:
        return Code((), tuple(changes))
    if _parses(plain):
        part, told = _without_print_comments(plain)
        return Code((part,), (*changes, *told))
    magics = [match for line in text.split("\n") if (match := _MAGIC.match(line))]
    if not magics:
        return Code((Part(text),))  # whatever is wrong with it, a run tells it at its line
    # A cell magic takes all that is below it, and what a shell command gives a name is needed there.
    takes_all = any(match["mark"] == "%%" or match["assigned"] for match in magics)
    if not takes_all and (parts := _apart(plain.split("\n"))):
        return Code(parts, tuple(changes))
    return Code((Part(text, _reason(magics[0])),))


def _apart(lines: list[str]) -> tuple[Part, ...]:
    """Magics in lines of their own, and the Python between them; nothing where that is not all there is."""
    groups: list[tuple[re.Match[str] | None, list[str]]] = []
    goes_on = False
    for line in lines:
        magic = None if line[:1].isspace() else _MAGIC.match(line)
        if groups and (goes_on or bool(magic) == bool(groups[-1][0])):
            groups[-1][1].append(line)
        else:
            groups.append((magic, [line]))
        goes_on = groups[-1][0] is not None and line.endswith("\\")
    parts = []
    for magic, group in groups:
        text = "\n".join(group).strip("\n")
        if magic is None and not _parses(text):
            return ()
        if text:
            parts.append(Part(text, _reason(magic)) if magic else _without_print_comments(text)[0])
    return tuple(parts) if any(not part.why_shown for part in parts) else ()


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


def _without_print_comments(text: str) -> tuple[Part, list[str]]:
    """Comments that begin with `#>`, which a lesson would compare with what is printed, as other comments."""
    shown, lost = print_comments(text)
    if not (shown or lost):
        return Part(text), []
    lines = text.split("\n")
    numbers = {*lost, *(each.line + more for each in shown for more in range(each.text.count("\n")))}
    for number in numbers:
        lines[number - 1] = re.sub(r"#>(?!.*#>)", "# >", lines[number - 1])
    return Part("\n".join(lines)), ["comments that begin with #> are written with # >"]


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True
