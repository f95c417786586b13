"""Assertions that keep their operands: a fence's `assert` means what it says, and its error can tell what it saw.

Only code at the level of the fence is rewritten. A function's code may be traced, counted, inspected or sent to another
process, so it stays as it is written; of its assertions, names are told (see `operands`).
"""

from __future__ import annotations

import ast
import builtins
import sys
from typing import Any

from runthrough.running.operands import ATTRIBUTE, Operands, Place

# Builtins with these names, which no program can write, keep operands outside every namespace that a lesson sees.
KEEP, FORGET, FAILED = "@keep", "@forget", "@assertion_failed"
_NO_NAME = (ast.Constant, ast.Starred, ast.GeneratorExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# The fields of statements, handlers and cases that hold statements.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def install() -> None:
    """Make the three names that rewritten assertions use known as builtins."""
    kept: dict[int, object] = {}

    def failed(places: tuple[Place, ...], *message: object) -> AssertionError:
        error = AssertionError(*message)
        seen = tuple((places[number], value) for number, value in kept.items())
        setattr(error, ATTRIBUTE, Operands(sys._getframe(1).f_code.co_filename, seen))
        kept.clear()
        return error

    # These two are of C: they put no frame between an assertion and what it calls.
    setattr(builtins, KEEP, kept.setdefault)
    setattr(builtins, FORGET, kept.clear)
    setattr(builtins, FAILED, failed)


def keep_operands(tree: ast.Module) -> ast.Module:
    """The same module with each `assert` at its level keeping its operands as it evaluates them."""
    _rewrite(tree)
    return tree


def forget() -> None:
    """Let go of operands whose assertion never came to its end."""
    getattr(builtins, FORGET)()


def _rewrite(node: ast.AST) -> None:
    """Rewrite the assertions in each block of statements below `node`; no expression holds one."""
    if isinstance(node, _SCOPES):
        return
    for field in _BLOCKS:
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        for inner in block:
            _rewrite(inner)
        if any(isinstance(inner, ast.Assert) for inner in block):
            block[:] = [new for inner in block for new in _rewritten(inner)]


def _rewritten(node: ast.AST) -> list[ast.AST]:
    # Of a tuple, which always holds, the compiler warns only in an assertion.
    if not isinstance(node, ast.Assert) or isinstance(node.test, ast.Tuple):
        return [node]
    seen: list[ast.expr] = []
    test = _keep(node.test, seen)
    if not seen:
        return [node]
    # Each node is placed as it is made: looking for those without a place would visit the whole condition again.
    at = _place(node)
    places = ast.Constant(tuple(tuple(_place(operand).values()) for operand in seen), **at)  # type: ignore[arg-type]  # the compiler takes tuples of constants too
    error = _call(FAILED, [places, *([node.msg] if node.msg else [])], at)
    # With `not` before it the compiler would warn of `is not` where `is` is written.
    return [
        ast.Expr(_call(FORGET, [], at), **at),
        ast.If(test, [ast.Expr(_call(FORGET, [], at), **at)], [ast.Raise(error, **at)], **at),
    ]


def _keep(node: ast.expr, seen: list[ast.expr]) -> ast.expr:
    """`node` with the operands worth telling kept as they are evaluated, in the same order."""
    at = _place(node)
    match node:
        case ast.Compare():
            if any(isinstance(sign, ast.Is | ast.IsNot) for sign in node.ops):
                return _keep_identity(node, seen)
            return ast.Compare(_kept(node.left, seen), node.ops, _kept_all(node.comparators, seen), **at)
        case ast.BoolOp():
            return ast.BoolOp(node.op, [_keep(value, seen) for value in node.values], **at)
        case ast.UnaryOp(op=ast.Not()):
            return ast.UnaryOp(node.op, _keep(node.operand, seen), **at)
        case ast.Call():
            return _keep_call(node, seen)
        case _:
            return _kept(node, seen)


def _keep_call(node: ast.Call, seen: list[ast.expr]) -> ast.Call:
    callee = node.func
    if isinstance(callee, ast.Attribute):
        owner = _keep(callee.value, seen) if isinstance(callee.value, ast.Compare) else _kept(callee.value, seen)
        callee = ast.Attribute(owner, callee.attr, ast.Load(), **_place(callee))
    arguments = _kept_all(node.args, seen)
    keywords = [ast.keyword(word.arg, _kept(word.value, seen), **_place(word)) for word in node.keywords]
    return ast.Call(callee, arguments, keywords, **_place(node))


def _kept_all(nodes: list[ast.expr], seen: list[ast.expr]) -> list[ast.expr]:
    return [_kept(node, seen) for node in nodes]


def _keep_identity(node: ast.Compare, seen: list[ast.expr]) -> ast.Compare:
    """A comparison by `is`: what is made of literals alone stays in sight of the compiler, which warns of it."""
    left, *others = [
        operand if _is_literal(operand) else _kept(operand, seen) for operand in (node.left, *node.comparators)
    ]
    return ast.Compare(left, node.ops, others, **_place(node))


def _is_literal(node: ast.expr) -> bool:
    parts = ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple | ast.expr_context | ast.unaryop | ast.operator
    return all(isinstance(part, parts) for part in ast.walk(node))


def _kept(node: ast.expr, seen: list[ast.expr]) -> ast.expr:
    if isinstance(node, _NO_NAME):
        return node
    at = _place(node)
    seen.append(node)
    return _call(KEEP, [ast.Constant(len(seen) - 1, **at), node], at)


def _call(name: str, arguments: list[ast.expr], at: dict[str, Any]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load(), **at), arguments, [], **at)


def _place(node: ast.stmt | ast.expr | ast.keyword) -> dict[str, Any]:
    """The lines and columns of `node`, for a node that takes its place."""
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
