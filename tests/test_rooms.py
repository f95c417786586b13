"""The house itself: imports run downhill, and the command stays lean."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

CODE = Path(__file__).parents[1] / "code" / "runthrough"

DOORS = {"__main__", "cli", "ci", "road", "command_line", "commands", "pytest_plugin"}
MAY_IMPORT = {
    "job": set(),
    "result": {"job"},
    "lesson": set(),
    "expect": {"job", "result"},
    "preloading": {"job"},
    "plan": {"lesson", "expect", "preloading", "job", "result"},
    "amend": {"lesson", "expect", "job", "result"},
    "selection": {"lesson", "expect", "job", "result"},
    "running": {"expect", "job", "result"},
    "reports": {"lesson.document", "job", "result"},
    "practice": {"plan", "lesson", "reports", "job", "result"},
    "publish": {"reports", "lesson", "job", "result"},
    "executing": {"running", "expect", "job", "result"},
    "importing": {"expect", "lesson", "job", "result"},
    "returning": {"publish", "lesson", "job", "result"},
}
HEAVY = (
    "torch",
    "numpy",
    "nbformat",
    "jinja2",
    "rich",
    "markdown_it",
    "mdit_py_plugins",
    "yaml",
    "psutil",
    "watchfiles",
)

MODULES = sorted(path.relative_to(CODE) for path in CODE.rglob("*.py") if path.name != "__init__.py")


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports anywhere, such as "lesson.document"; relative imports are resolved."""
    found = set()
    package = ["runthrough", *path.relative_to(CODE).with_suffix("").parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {module} if node.module else {f"{module}.{alias.name}" for alias in node.names}
    return {name.removeprefix("runthrough.") for name in found if name.startswith("runthrough.")}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_room_imports_only_what_lies_below_it(module: Path) -> None:
    """Imports run downhill: each room knows those below it and no other; only the doors walk the whole road."""
    room = module.with_suffix("").parts[0]
    if room in DOORS:
        return
    allowed = MAY_IMPORT[room] | {room}
    strangers = {
        name
        for name in imported(CODE / module)
        if not any(name == other or name.startswith(f"{other}.") for other in allowed)
    }
    assert not strangers, f"{module} may import {sorted(allowed)}"


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after running `code`."""
    ask = f"import sys\ntry:\n    {code}\nexcept SystemExit: pass\nsys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.split()}


@pytest.mark.parametrize(
    "code",
    [
        "import runthrough.cli",
        "from runthrough.cli import run; run(['list', '--help'])",
        "from runthrough.cli import run; run(['check', '--jsno'])",
    ],
)
def test_the_command_loads_only_what_it_needs(code: str) -> None:
    """Importing the command, asking for help or mistyping loads no torch, no parser and no renderer."""
    assert loaded_after(code).isdisjoint(HEAVY)


def test_listing_fences_loads_no_torch() -> None:
    """Reading and planning real lessons needs no torch, no numpy and no notebook library."""
    lesson = Path(__file__).parent / "lessons" / "shown" / "holds.md"
    found = loaded_after(f"from runthrough.cli import run; assert run(['list', {str(lesson)!r}]) == 0")
    assert "markdown_it" in found
    assert found.isdisjoint({"torch", "numpy", "nbformat", "jinja2"})
