"""Assertions that show their values: a fence's `assert` keeps its meaning, and its error tells what it saw."""

from __future__ import annotations

import ast
import builtins
import types
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)
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
    seen: list[tuple[str, str]] = []
    test = _keep(node.test, seen)
    if not seen:
        return [node]
    names = [name for _, name in seen]
    shown: list[ast.expr] = [
        ast.Tuple([ast.Constant(label), ast.Name(name, ast.Load())], ast.Load()) for label, name in seen
    ]
    message = [node.msg] if node.msg else []
    error = ast.Call(ast.Name(FAILED, ast.Load()), [ast.List(shown, ast.Load()), *message], [])
    statements: list[ast.AST] = [
        ast.Assign([ast.Name(name, ast.Store()) for name in names], ast.Name(UNSET, ast.Load())),
        ast.If(ast.UnaryOp(ast.Not(), test), [ast.Raise(error)], []),
        ast.Delete([ast.Name(name, ast.Del()) for name in names]),
    ]
    return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in statements]


def _keep(node: ast.expr, seen: list[tuple[str, str]]) -> ast.expr:
    """`node` with the operands worth showing bound to names as they are evaluated, in the same order."""
    match node:
        case ast.Compare():
            return _placed(ast.Compare(_named(node.left, seen), node.ops, _named_all(node.comparators, seen)), node)
        case ast.BoolOp():
            return _placed(ast.BoolOp(node.op, [_keep(value, seen) for value in node.values]), node)
        case ast.UnaryOp(op=ast.Not()):
            return _placed(ast.UnaryOp(node.op, _keep(node.operand, seen)), node)
        case ast.Call():
            return _placed(_keep_call(node, seen), node)
        case _:
            return _named(node, seen)


def _keep_call(node: ast.Call, seen: list[tuple[str, str]]) -> ast.Call:
    callee = node.func
    if isinstance(callee, ast.Attribute):
        owner = _keep(callee.value, seen) if isinstance(callee.value, ast.Compare) else _named(callee.value, seen)
        callee = _placed(ast.Attribute(owner, callee.attr, ast.Load()), callee)
    keywords = [_placed(ast.keyword(word.arg, _named(word.value, seen)), word) for word in node.keywords]
    return ast.Call(callee, _named_all(node.args, seen), keywords)


def _named_all(nodes: list[ast.expr], seen: list[tuple[str, str]]) -> list[ast.expr]:
    return [_named(node, seen) for node in nodes]


def _named(node: ast.expr, seen: list[tuple[str, str]]) -> ast.expr:
    if isinstance(node, _NO_NAME):
        return node
    name = f"@operand{len(seen)}"
    seen.append((ast.unparse(node), name))
    return _placed(ast.NamedExpr(ast.Name(name, ast.Store()), node), node)


def _placed(new: Node, old: ast.AST) -> Node:
    return ast.copy_location(new, old)


def _assertion_error(operands: list[tuple[str, object]], *message: object) -> AssertionError:
    error = AssertionError(*message)
    told = set()
    for label, value in operands:
        if value is _Unset or label in told or isinstance(value, types.ModuleType | type) or callable(value):
            continue
        told.add(label)
        error.add_note(f"{label} = {_short_repr(value)}")
    return error


def _short_repr(value: object) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  # a learner's repr may raise anything, and the assertion matters more
        return f"<repr raised {type(error).__name__}>"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"
