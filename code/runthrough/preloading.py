"""What a lesson will import, told from its text, so that a warm server can have it ready before it forks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from runthrough.job import Act, Step

# Packages that are safe to import before a fork and dear to import after it.
_PACKAGES = ("torch", "numpy", "matplotlib", "sympy", "scipy", "pandas")
# What torch imports only when one of these is first used: measured, 0.4 to 1.3 s each in torch 2.13.
_ON_FIRST_USE = {
    "torch._dynamo": re.compile(
        r"\boptim\b|\bcheckpoint\b|torch\.func\b|\bhessian\b|\bjac(?:fwd|rev)\b|DispatchMode|FlopCounterMode"
        r"|\bprofiler\b|torch\.compile"
    ),
    "torch.fx.experimental.symbolic_shapes": re.compile(r"\bassert_close\b|grad_?check|gradgradcheck|\bvjp\b"),
}
# Calls that have a cotangent from this many positional arguments on, or under this name; torch then looks at its shape.
_COTANGENT = {"grad": (3, "grad_outputs"), "backward": (1, "gradient")}


def modules_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The modules worth importing ahead for the steps that run, in the order of their first use."""
    sources = [step.code for step in steps if step.act is Act.RUN]
    trees = [tree for source in sources if (tree := _tree(source))]
    found = dict.fromkeys(name for tree in trees for name in _imported(tree))
    if "torch" in found:
        text = "\n".join(sources)
        found.update(dict.fromkeys(name for name, used in _ON_FIRST_USE.items() if used.search(text)))
        if any(_has_cotangent(node) for tree in trees for node in ast.walk(tree)):
            found["torch.fx.experimental.symbolic_shapes"] = None
    return tuple(found)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _imported(tree: ast.Module) -> list[str]:
    nodes = list(ast.walk(tree))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    parts = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return [name for name in plain + parts if name.partition(".")[0] in _PACKAGES]


def _has_cotangent(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called not in _COTANGENT:
        return False
    position, keyword = _COTANGENT[called]
    return len(node.args) >= position or any(given.arg == keyword for given in node.keywords)
