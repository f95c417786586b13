"""From a fence's text to code that speaks in the lesson's own lines."""

from __future__ import annotations
import __future__

import ast
from dataclasses import dataclass
from types import CodeType

from runthrough.job import Step
from runthrough.running import assertions
from runthrough.running.prints import watch_prints

_FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


@dataclass(frozen=True)
class CompiledFence:
    """A fence's statements, and its last expression apart where its value is shown. `futures` are the compiler
    flags that its `from __future__` imports leave for the fences after it."""

    body: CodeType
    last: CodeType | None
    futures: int


def compile_fence(step: Step, path: str, futures: int = 0) -> CompiledFence:
    """Compile a fence under its lesson's path and line numbers. Raises `SyntaxError`, with the lesson's line."""
    flags = futures | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    source = "\n" * (step.code_line - 1) + step.code
    tree = compile(source, path, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    watch_prints(tree, frozenset(expected.call_line for expected in step.promise.expected))
    last = _last_expression(tree, source)
    if last is not None:
        tree.body.pop()
    body = compile(assertions.keep_operands(tree), path, "exec", flags, dont_inherit=True)
    kept = futures | (body.co_flags & _FUTURES)
    value = compile(ast.Expression(last), path, "eval", kept | flags, dont_inherit=True) if last else None
    return CompiledFence(body, value, kept)


def _last_expression(tree: ast.Module, source: str) -> ast.expr | None:
    """The expression whose value the fence shows: its last statement, unless a `;` follows, as in a notebook."""
    if not tree.body or not isinstance(statement := tree.body[-1], ast.Expr):
        return None
    assert statement.end_lineno is not None
    after = source.split("\n")[statement.end_lineno - 1].encode()[statement.end_col_offset :]
    return None if after.lstrip().startswith(b";") else statement.value


def compile_expression(expression: str, path: str, line: int) -> CodeType:
    """Compile an expression of the prose, all of it on one line of the lesson. Raises `SyntaxError`."""
    tree = ast.parse(f"({expression})", path, "eval")
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]  # every such node has both
    return compile(tree, path, "eval", dont_inherit=True)
