"""What single print calls print, for the `#>` comments beside them."""

from __future__ import annotations

import ast
import builtins
import io
import sys
from typing import Any

PRINT = "@print"


class PrintRecord:
    """The text that each watched print call has printed in the fence that runs."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        setattr(builtins, PRINT, self._print)

    def _print(self, call_line: int, *values: object, **options: Any) -> None:
        if options.get("file") in (None, sys.stdout):
            copy = io.StringIO()
            print(*values, **{**options, "file": copy, "flush": False})
            self.texts[call_line] = self.texts.get(call_line, "") + copy.getvalue()
        print(*values, **options)


def watch_prints(tree: ast.Module, call_lines: frozenset[int]) -> None:
    """Let the print calls that begin on these lines keep what they print."""
    if not call_lines:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node.lineno not in call_lines:
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            node.args.insert(0, ast.copy_location(ast.Constant(node.lineno), node))
            node.func.id = PRINT
