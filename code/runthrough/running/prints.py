"""What single print calls print, for the `#>` comments beside them."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import sys
from collections.abc import Callable
from typing import Any

PRINT = "@print"


class PrintRecord:
    """The text that each watched print call has printed in the fence that runs."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[str]] = {}
        setattr(builtins, PRINT, self._print)

    def clear(self) -> None:
        """Forget all, for the next fence."""
        self._pieces.clear()

    def texts(self) -> dict[int, str]:
        """What each call has printed since, by the line on which it begins."""
        return {line: "".join(pieces) for line, pieces in self._pieces.items()}

    def _print(self, call_line: int, called: Callable[..., object], *values: object, **options: Any) -> object:
        """Call what `print` is in the fence, once, and keep what that writes to standard output."""
        if called is print and options.get("file") not in (None, sys.stdout):
            return called(*values, **options)
        copy = io.StringIO()
        try:
            if called is print:
                return called(*values, **{**options, "file": copy, "flush": False})
            with contextlib.redirect_stdout(copy):
                return called(*values, **options)
        finally:
            self._pieces.setdefault(call_line, []).append(copy.getvalue())
            print(copy.getvalue(), end="", flush=bool(options.get("flush")))


def watch_prints(tree: ast.Module, call_lines: frozenset[int]) -> None:
    """Let the print calls that begin on these lines keep what they print."""
    if not call_lines:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node.lineno not in call_lines:
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            called = ast.copy_location(ast.Name(node.func.id, ast.Load()), node)
            node.args[:0] = [ast.copy_location(ast.Constant(node.lineno), node), called]
            node.func.id = PRINT
