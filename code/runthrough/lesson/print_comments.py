"""`#> text` beside a print call: what that call prints, the repeats of a loop one after another."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass


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
        tree, comments = ast.parse(code), _comments(code)
    except (SyntaxError, tokenize.TokenError):
        return [], []
    calls = sorted(_print_calls(tree), key=lambda call: (call.end_lineno or 0, call.lineno))
    shown: dict[int, list[tuple[int, str]]] = {}
    lost: list[int] = []
    owner: ast.Call | None = None
    for number, line in enumerate(code.split("\n"), start=1):
        if number not in comments:
            if line.strip():
                owner = None
            continue
        column, text = comments[number]
        if line[:column].strip():
            owner = next((call for call in calls if call.lineno <= number <= (call.end_lineno or 0)), None)
        elif owner is None:
            above = _code_line_above(code, number, comments)
            owner = next((call for call in reversed(calls) if call.end_lineno == above), None)
        if owner is None:
            lost.append(number)
        else:
            shown.setdefault(owner.lineno, []).append((number, text))
    return [
        PrintComment(call_line, texts[0][0], "\n".join(text for _, text in texts) + "\n")
        for call_line, texts in shown.items()
    ], lost


def _comments(code: str) -> dict[int, tuple[int, str]]:
    """The column and the text of each `#>` comment by its line; `#>` inside of a string is none."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {
        token.start[0]: (token.start[1], token.string[2:].removeprefix(" "))
        for token in tokens
        if token.type == tokenize.COMMENT and token.string.startswith("#>")
    }


def _print_calls(tree: ast.Module) -> list[ast.Call]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def _code_line_above(code: str, number: int, comments: Mapping[int, object]) -> int:
    """The nearest line above `number` that is no blank and no `#>` comment."""
    lines = code.split("\n")
    above = (line for line in range(number - 1, 0, -1) if lines[line - 1].strip())
    return next((line for line in above if line not in comments or not lines[line - 1].lstrip().startswith("#>")), 0)
