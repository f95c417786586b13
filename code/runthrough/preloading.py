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
        r"\boptim\b|\bcheckpoint\b|\bhessian\b|\bjac(?:fwd|rev)\b|DispatchMode|FlopCounterMode|torch\.compile"
    ),
    "torch.fx.experimental.symbolic_shapes": re.compile(r"\bassert_close\b|grad_?check|gradgradcheck"),
}


def modules_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The modules worth importing ahead for the steps that run, in the order of their first use."""
    sources = [step.code for step in steps if step.act is Act.RUN]
    found = dict.fromkeys(name for source in sources for name in _imported(source))
    if "torch" in found:
        text = "\n".join(sources)
        found.update(dict.fromkeys(name for name, used in _ON_FIRST_USE.items() if used.search(text)))
    return tuple(found)


def _imported(source: str) -> list[str]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    parts = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return [name for name in plain + parts if name.partition(".")[0] in _PACKAGES]
