"""What a lesson will import, told from its text, so that a warm server can have it ready before it forks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from runthrough.job import Act, Form, Step

# A statement is told by its line: parsing every fence would cost more than reading the page.
_IMPORT = re.compile(
    r"^[ \t]*(?:import[ \t]+(?P<names>[\w., \t]+)|from[ \t]+(?P<source>[\w.]+)[ \t]+import\b)", re.MULTILINE
)
_SHAPES = "torch.fx.experimental.symbolic_shapes"
# Packages that are safe to import before a fork and dear to import after it.
_PACKAGES = ("torch", "numpy", "matplotlib", "sympy", "scipy", "pandas")
# What torch imports only when one of these is first used: measured, 0.25 to 1.3 s each in torch 2.13.
_ON_FIRST_USE = {
    "torch._dynamo": re.compile(
        r"\boptim\b|\bcheckpoint\b|torch\.func\b|\bhessian\b|\bjac(?:fwd|rev)\b|DispatchMode|FlopCounterMode"
        r"|\bprofiler\b|torch\.compile"
    ),
    "torch._decomp.decompositions_for_jvp": re.compile(r"\bjvp\b|\bforward_ad\b|\bmake_dual\b|\bhessian\b|\bjacfwd\b"),
    _SHAPES: re.compile(r"\bassert_close\b|grad_?check|\bvjp\b"),
}
# A part of each of these words: looking for a text is a hundred times as fast as looking for a pattern.
_HINTS = (
    *("optim", "checkpoint", "torch.func", "hessian", "jac", "DispatchMode", "FlopCounterMode", "profiler"),
    *("torch.compile", "jvp", "forward_ad", "make_dual", "assert_close", "check", "vjp"),
)
# One that begins within a string hides a use, which then is only not ready ahead.
_COMMENT = re.compile("#.*")
# Calls that have a cotangent from this many positional arguments on, or under this name; torch then looks at its shape.
_COTANGENT = {"grad": (3, "grad_outputs"), "backward": (1, "gradient")}
_CALL = re.compile(rf"(?<!def )\b({'|'.join(_COTANGENT)})\(")
_NAME = re.compile(r"\s*(\w+)\s*=(?!=)")
_BRACKET_OR_COMMA = re.compile(r"[()\[\]{},]")


def modules_named(steps: Sequence[Step]) -> tuple[str, ...]:
    """The modules that import statements of the steps that run name and that are worth importing ahead."""
    text = "\n".join(step.code for step in steps if step.act is Act.RUN)
    return tuple(dict.fromkeys(name for match in _IMPORT.finditer(text) for name in _named(match)))


def modules_used(steps: Sequence[Step], named: Sequence[str]) -> tuple[str, ...]:
    """What torch, if it is among the modules `named`, and console sessions import by themselves when they are used."""
    running = [step for step in steps if step.act is Act.RUN]
    text = "\n".join(step.code for step in running)
    used: list[str] = []
    if "torch" in packages_of(named):
        if any(hint in text for hint in _HINTS):
            code = _COMMENT.sub("", text)
            used += [name for name, pattern in _ON_FIRST_USE.items() if pattern.search(code)]
        if _SHAPES not in used and any(_uses_cotangent(step.code) for step in running):
            used.append(_SHAPES)
    if any(step.form is Form.CONSOLE for step in running):
        used.append("doctest")
    return tuple(used)


def packages_of(modules: Iterable[str]) -> tuple[str, ...]:
    """The packages that hold these modules, each once."""
    return tuple(dict.fromkeys(name.partition(".")[0] for name in modules))


def _named(statement: re.Match[str]) -> list[str]:
    """The packages of `import a, b as c` or `from a.b import c` that are ours to import ahead."""
    names = [part.split()[0] for part in (statement["names"] or statement["source"]).split(",") if part.strip()]
    return [name for name in names if name.partition(".")[0] in _PACKAGES]


def _uses_cotangent(source: str) -> bool:
    if not any(f"{called}(" in source for called in _COTANGENT):
        return False
    return any(_has_cotangent(call[1], _arguments(source, call.end())) for call in _CALL.finditer(source))


def _has_cotangent(called: str, arguments: list[str]) -> bool:
    position, keyword = _COTANGENT[called]
    named = [name[1] for each in arguments if (name := _NAME.match(each))]
    return keyword in named or len(arguments) - len(named) >= position


def _arguments(source: str, start: int) -> list[str]:
    """The arguments of the call whose bracket opens just before `start`; one within a string may mislead it."""
    depth, found = 0, []
    for mark in _BRACKET_OR_COMMA.finditer(source, start):
        if mark[0] in "([{":
            depth += 1
        elif depth and mark[0] != ",":
            depth -= 1
        elif not depth:
            found.append(source[start : mark.start()])
            start = mark.end()
            if mark[0] != ",":
                break
    return [argument for argument in found if argument.strip()]
