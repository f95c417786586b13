"""What a spawned worker of a lesson gets as its `__main__`: the definitions of the fences so far, nothing else."""

from __future__ import annotations

import ast
import builtins
import multiprocessing.spawn
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from runthrough.job import Step

_WITH_BODIES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DEFINITIONS = (ast.Import, ast.ImportFrom, *_WITH_BODIES)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def prepare(folder: str, steps_so_far: Callable[[], list[Step]]) -> None:
    """Point `multiprocessing`'s spawned workers at a script in `folder` that holds the lesson's definitions.

    They would otherwise run the Markdown file that `__main__.__file__` names.
    """
    prepared = multiprocessing.spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = prepared(name)
        script = Path(folder) / "lesson_definitions.py"
        script.write_text(definitions(steps_so_far()), encoding="utf-8")
        data["init_main_from_path"] = str(script)
        return data

    multiprocessing.spawn.get_preparation_data = get_preparation_data


def definitions(steps: list[Step]) -> str:
    """The imports and definitions of fences, with the assignments those definitions need, as one script.

    A spawned worker runs this in place of the lesson: it finds the functions it is sent by name, and nothing
    of the lesson runs a second time.
    """
    statements = [statement for step in steps for statement in ast.parse(step.code).body]
    known = {name for node in statements for name in _bound(node)} | set(dir(builtins))
    kept = [node for node in statements if _defines(node) and _can_run(node, known)]
    assignments = [node for node in statements if _assigns(node) and _can_run(node, known)]
    needed = _names(kept, ast.Load)
    while more := [node for node in assignments if node not in kept and needed & (_bound(node) | _changed(node))]:
        kept += more
        needed |= _names(more, ast.Load)
    # A `from __future__` import has to stand first.
    in_order = sorted((node for node in statements if node in kept), key=lambda node: not _is_future(node))
    return "\n".join(ast.unparse(node if _is_future(node) else _excused(node)) for node in in_order) + "\n"


def _excused(node: ast.stmt) -> ast.stmt:
    """A statement that is left undone where it lacks what only a loop has made, or raises as it did in the lesson.

    The function that needs it then says so. A worker that ended here would be started again, and again.
    """
    # Of a definition the cause is told, since a pool may wait for ever for a function that its workers lack.
    telling = "__import__('traceback').print_exc()" if isinstance(node, _WITH_BODIES) else "pass"
    (excused,) = ast.parse(f"try: pass\nexcept Exception: {telling}").body
    assert isinstance(excused, ast.Try)
    excused.body = [_Quiet().visit(node)]
    return excused


class _Quiet(ast.NodeTransformer):
    """Leaves out what a choice prints, which the lesson has printed."""

    def visit(self, node: ast.AST) -> Any:
        """The same node, unless it is a lone expression; what a definition does when called stays as it is."""
        if isinstance(node, ast.Expr):
            return ast.Pass()
        return node if isinstance(node, _WITH_BODIES) else self.generic_visit(node)


def _defines(node: ast.stmt) -> bool:
    """True for imports and definitions, and for a choice between statements of which some are such."""
    inside = _chosen(node)
    return isinstance(node, _DEFINITIONS) or (_assigns(node) and any(_defines(each) for each in inside))


def _assigns(node: ast.stmt) -> bool:
    """True for an assignment, and for a choice between statements that only import, define, assign, print or raise."""
    inside = _chosen(node)
    return isinstance(node, _ASSIGNMENTS) or (
        bool(inside) and all(isinstance(each, _DEFINITIONS) or _is_idle(each) or _assigns(each) for each in inside)
    )


def _is_idle(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Raise() | ast.Expr(ast.Constant() | ast.Call(ast.Name("print"))):
            return True
        case _:
            return False


def _chosen(node: ast.stmt) -> list[ast.stmt]:
    """The statements of which an `if` or a `try` runs some."""
    match node:
        case ast.If():
            return [*node.body, *node.orelse]
        case ast.Try():
            handled = [each for handler in node.handlers for each in handler.body]
            return [*node.body, *handled, *node.orelse, *node.finalbody]
        case _:
            return []


def _bound(node: ast.stmt) -> set[str]:
    """The names that an import, a definition or an assignment binds."""
    match node:
        case ast.If() | ast.Try() if _assigns(node):
            return {name for each in _chosen(node) for name in _bound(each)}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Assign() | ast.AnnAssign():
            return _names([node], ast.Store)
        case _:
            return set()


def _changed(node: ast.stmt) -> set[str]:
    """The names whose value an assignment adds to, or sets an item or an attribute of."""
    places = ast.Attribute | ast.Subscript
    parts = list(ast.walk(node))
    inside = [part for part in parts if isinstance(part, places) and isinstance(part.ctx, ast.Store)]
    targets = [*inside, *(part.target for part in parts if isinstance(part, ast.AugAssign))]
    return {name for target in targets if (name := _root(target))}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _can_run(node: ast.stmt, known: set[str]) -> bool:
    """False where a value is changed by what only a loop or another statement that is left out has made, and where it
    is awaited, which a script cannot do."""
    if any(isinstance(part, ast.Await) or getattr(part, "is_async", False) for part in _run_at_once(node)):
        return False
    if isinstance(node, _DEFINITIONS):
        return True
    changed = _changed(node)
    return not changed or (changed <= known and _names([node], ast.Load) <= known | _names([node], ast.Store))


def _run_at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement without those that run only when a function is called."""
    yield node
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _run_at_once(part)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _names(nodes: Sequence[ast.stmt], use: type[ast.expr_context]) -> set[str]:
    """The names that statements read (`ast.Load`) or bind (`ast.Store`)."""
    parts = (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, use)}
