"""`#> text` beside a print call: what that call prints, the repeats of a loop one after another."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_COMMENT = re.compile(r"(?P<before>.*?)#>(?: (?P<text>.*)|$)")


@dataclass(frozen=True)
class PrintComment:
    """The text shown for one print call. Lines are 1-based lines of the fence's code; `line` is the first shown."""

    call_line: int
    line: int
    text: str


def print_comments(code: str) -> tuple[list[PrintComment], list[int]]:
    """The `#>` comments of a fence by print call, and the lines of those that belong to none."""
    if "#>" not in code:
        return [], []
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return [], []
    calls = sorted(_print_calls(tree), key=lambda call: (call.end_lineno or 0, call.lineno))
    inside_text = _lines_inside_strings(tree)
    shown: dict[int, list[tuple[int, str]]] = {}
    lost: list[int] = []
    owner: ast.Call | None = None
    for number, line in enumerate(code.split("\n"), start=1):
        match = None if number in inside_text else _COMMENT.match(line)
        if match is None:
            if line.strip():
                owner = None
            continue
        if match["before"].strip():
            owner = next((call for call in calls if call.lineno <= number <= (call.end_lineno or 0)), None)
        elif owner is None:
            owner = next((call for call in reversed(calls) if call.end_lineno == _code_line_above(code, number)), None)
        if owner is None:
            lost.append(number)
        else:
            shown.setdefault(owner.lineno, []).append((number, match["text"] or ""))
    return [
        PrintComment(call_line, texts[0][0], "\n".join(text for _, text in texts) + "\n")
        for call_line, texts in shown.items()
    ], lost


def _print_calls(tree: ast.Module) -> list[ast.Call]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def _lines_inside_strings(tree: ast.Module) -> set[int]:
    """Lines that a string of several lines takes up, where `#>` is text."""
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr))
    return {
        line
        for node in strings
        if (node.end_lineno or 0) > node.lineno
        for line in range(node.lineno, node.end_lineno or 0)
    }


def _code_line_above(code: str, number: int) -> int:
    """The nearest line above `number` that is no blank and no `#>` comment."""
    lines = code.split("\n")
    above = (line for line in range(number - 1, 0, -1) if lines[line - 1].strip())
    return next((line for line in above if not lines[line - 1].lstrip().startswith("#>")), 0)
