"""What a spawned worker of a lesson gets as its `__main__`: the definitions of the fences so far, nothing else."""

from __future__ import annotations

import ast
import multiprocessing.spawn
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from runthrough.job import Step

_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
    kept: list[ast.stmt] = [node for node in statements if isinstance(node, _DEFINITIONS)]
    assignments: list[ast.stmt] = [node for node in statements if isinstance(node, ast.Assign | ast.AnnAssign)]
    needed = _names(kept, ast.Load)
    while more := [node for node in assignments if node not in kept and needed & _names([node], ast.Store)]:
        kept += more
        needed |= _names(more, ast.Load)
    # A `from __future__` import has to stand first.
    in_order = sorted((node for node in statements if node in kept), key=lambda node: not _is_future(node))
    return "\n".join(ast.unparse(node) for node in in_order) + "\n"


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _names(nodes: Sequence[ast.stmt], use: type[ast.expr_context]) -> set[str]:
    """The names that statements read (`ast.Load`) or bind (`ast.Store`)."""
    parts = (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, use)}
