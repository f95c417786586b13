"""What a lesson will import, told from its text, so that a warm server can have it ready before it forks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from runthrough.job import Act, Step

# A statement is told by its line: parsing every fence would cost more than reading the page.
_IMPORT = re.compile(
    r"^[ \t]*(?:import[ \t]+(?P<names>[\w., \t]+)|from[ \t]+(?P<source>[\w.]+)[ \t]+import\b)", re.MULTILINE
)
_MAY_HAVE_COTANGENT = re.compile(r"\bgrad\(|\bbackward\((?!\s*\))")
_SHAPES = "torch.fx.experimental.symbolic_shapes"
# Packages that are safe to import before a fork and dear to import after it.
_PACKAGES = ("torch", "numpy", "matplotlib", "sympy", "scipy", "pandas")
# What torch imports only when one of these is first used: measured, 0.4 to 1.3 s each in torch 2.13.
_ON_FIRST_USE = {
    "torch._dynamo": re.compile(
        r"\boptim\b|\bcheckpoint\b|torch\.func\b|\bhessian\b|\bjac(?:fwd|rev)\b|DispatchMode|FlopCounterMode"
        r"|\bprofiler\b|torch\.compile"
    ),
    _SHAPES: re.compile(r"\bassert_close\b|grad_?check|\bvjp\b"),
}
# Calls that have a cotangent from this many positional arguments on, or under this name; torch then looks at its shape.
_COTANGENT = {"grad": (3, "grad_outputs"), "backward": (1, "gradient")}


def modules_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The modules worth importing ahead for the steps that run, in the order of their first use."""
    sources = [step.code for step in steps if step.act is Act.RUN]
    text = "\n".join(sources)
    found = dict.fromkeys(name for match in _IMPORT.finditer(text) for name in _named(match))
    if "torch" in {name.partition(".")[0] for name in found}:
        found.update(dict.fromkeys(name for name, used in _ON_FIRST_USE.items() if used.search(text)))
        if _SHAPES not in found and any(_uses_cotangent(source) for source in sources):
            found[_SHAPES] = None
    return tuple(found)


def _named(statement: re.Match[str]) -> list[str]:
    """The packages of `import a, b as c` or `from a.b import c` that are ours to import ahead."""
    names = [part.split()[0] for part in (statement["names"] or statement["source"]).split(",") if part.strip()]
    return [name for name in names if name.partition(".")[0] in _PACKAGES]


def _uses_cotangent(source: str) -> bool:
    if not _MAY_HAVE_COTANGENT.search(source):
        return False
    try:
        return any(_has_cotangent(node) for node in ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return False


def _has_cotangent(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called not in _COTANGENT:
        return False
    position, keyword = _COTANGENT[called]
    return len(node.args) >= position or any(given.arg == keyword for given in node.keywords)
