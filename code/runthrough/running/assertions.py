"""Assertions that show their values: a fence's `assert` keeps its meaning, and its error tells what it saw."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
import types
from typing import Any

UNSET = "@unset"
FAILED = "@assertion_failed"
_NO_NAME = (ast.Constant, ast.Starred, ast.GeneratorExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)
_SHOWN = 2000
# The fields of statements, handlers and cases that hold statements.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class _Unset:
    """Stands for an operand that was never evaluated, since an earlier one settled the matter."""


def install() -> None:
    """Make the two names that rewritten assertions use known as builtins, where no namespace shows them."""
    setattr(builtins, UNSET, _Unset)
    setattr(builtins, FAILED, _assertion_error)


def show_values(tree: ast.Module) -> ast.Module:
    """The same module with each `assert` evaluating its operands once and keeping them for its message."""
    _rewrite(tree)
    return tree


def clean(namespace: dict[str, object]) -> None:
    """Forget operands that a failed assertion left behind."""
    for name in [name for name in namespace if name.startswith("@operand")]:
        del namespace[name]


def _rewrite(node: ast.AST) -> None:
    """Rewrite the assertions in each block of statements below `node`; no expression holds one."""
    for field in _BLOCKS:
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        for inner in block:
            _rewrite(inner)
        if any(isinstance(inner, ast.Assert) for inner in block):
            block[:] = [new for inner in block for new in _rewritten(inner)]


def _rewritten(node: ast.AST) -> list[ast.AST]:
    if not isinstance(node, ast.Assert):
        return [node]
    seen: list[tuple[ast.expr, str]] = []
    test = _keep(node.test, seen)
    if not seen:
        return [node]
    # Each node is placed as it is made: looking for those without a place would visit the whole condition again.
    at = _place(node)
    names = [name for _, name in seen]
    shown: list[ast.expr] = [
        ast.Tuple([_constant(tuple(_place(operand).values()), at), ast.Name(name, ast.Load(), **at)], ast.Load(), **at)
        for operand, name in seen
    ]
    message = [node.msg] if node.msg else []
    error = ast.Call(ast.Name(FAILED, ast.Load(), **at), [ast.List(shown, ast.Load(), **at), *message], [], **at)
    unset: list[ast.expr] = [ast.Name(name, ast.Store(), **at) for name in names]
    return [
        ast.Assign(unset, ast.Name(UNSET, ast.Load(), **at), **at),
        ast.If(ast.UnaryOp(ast.Not(), test, **at), [ast.Raise(error, **at)], [], **at),
        ast.Delete([ast.Name(name, ast.Del(), **at) for name in names], **at),
    ]


def _keep(node: ast.expr, seen: list[tuple[ast.expr, str]]) -> ast.expr:
    """`node` with the operands worth showing bound to names as they are evaluated, in the same order."""
    at = _place(node)
    match node:
        case ast.Compare():
            return ast.Compare(_named(node.left, seen), node.ops, _named_all(node.comparators, seen), **at)
        case ast.BoolOp():
            return ast.BoolOp(node.op, [_keep(value, seen) for value in node.values], **at)
        case ast.UnaryOp(op=ast.Not()):
            return ast.UnaryOp(node.op, _keep(node.operand, seen), **at)
        case ast.Call():
            return _keep_call(node, seen)
        case _:
            return _named(node, seen)


def _keep_call(node: ast.Call, seen: list[tuple[ast.expr, str]]) -> ast.Call:
    callee = node.func
    if isinstance(callee, ast.Attribute):
        owner = _keep(callee.value, seen) if isinstance(callee.value, ast.Compare) else _named(callee.value, seen)
        callee = ast.Attribute(owner, callee.attr, ast.Load(), **_place(callee))
    arguments = _named_all(node.args, seen)
    keywords = [ast.keyword(word.arg, _named(word.value, seen), **_place(word)) for word in node.keywords]
    return ast.Call(callee, arguments, keywords, **_place(node))


def _named_all(nodes: list[ast.expr], seen: list[tuple[ast.expr, str]]) -> list[ast.expr]:
    return [_named(node, seen) for node in nodes]


def _named(node: ast.expr, seen: list[tuple[ast.expr, str]]) -> ast.expr:
    if isinstance(node, _NO_NAME):
        return node
    name, at = f"@operand{len(seen)}", _place(node)
    seen.append((node, name))
    return ast.NamedExpr(ast.Name(name, ast.Store(), **at), node, **at)


def _constant(value: tuple[int, ...], at: dict[str, Any]) -> ast.Constant:
    return ast.Constant(value, **at)  # type: ignore[arg-type]  # the compiler takes tuples of constants too


def _place(node: ast.stmt | ast.expr | ast.keyword) -> dict[str, Any]:
    """The lines and columns of `node`, for a node that takes its place."""
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def _assertion_error(operands: list[tuple[tuple[int, int, int, int], object]], *message: object) -> AssertionError:
    """The error of an assertion, with a note for each operand worth telling, which is given by place and value."""
    error = AssertionError(*message)
    lines = linecache.getlines(sys._getframe(1).f_code.co_filename)
    told = set()
    for place, value in operands:
        if value is _Unset or isinstance(value, types.ModuleType | type) or callable(value):
            continue
        if (label := _text_at(place, lines)) not in told:
            told.add(label)
            error.add_note(f"{label} = {_short_repr(value)}")
    return error


def _text_at(place: tuple[int, int, int, int], lines: list[str]) -> str:
    """The expression at lines and columns as a syntax tree counts them, written on one line."""
    line, column, end_line, end_column = place
    taken = [text.encode() for text in lines[line - 1 : end_line]]
    try:
        taken[-1] = taken[-1][:end_column]
        taken[0] = taken[0][column:]
        # The brackets that let it go over several lines are no part of it.
        return ast.unparse(ast.parse(f"({b''.join(taken).decode()})", mode="eval"))
    except (IndexError, SyntaxError, UnicodeDecodeError):
        return f"an operand on line {line}"  # a lesson may have emptied or overwritten what linecache holds


def _short_repr(value: object) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  # a learner's repr may raise anything, and the assertion matters more
        return f"<repr raised {type(error).__name__}>"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"
