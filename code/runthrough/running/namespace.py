"""A namespace of a lesson: a real `__main__` module in which its fences run, one after another."""

from __future__ import annotations

import asyncio
import builtins
import inspect
import linecache
import sys
from types import CodeType, ModuleType
from typing import Any

from runthrough.job import Form, Step
from runthrough.running import assertions
from runthrough.running.compiling import compile_fence
from runthrough.running.console import hold_session


class CodeView:
    """The lesson as Python sees it: each fence that ran, dedented, on its own lines, and blank lines between.

    It stands in `linecache` under the lesson's path, so tracebacks, `inspect.getsource`, `torch.jit.script`,
    pdb and coverage read the code of the fences so far. Code from another file stands there under that file's path.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lines: list[str] = []

    def add(self, step: Step) -> None:
        code = step.code.removesuffix("\n").split("\n")
        if step.file:
            linecache.cache[step.file] = (0, None, [line + "\n" for line in code], step.file)
            return
        missing = step.code_line - 1 + len(code) - len(self._lines)
        self._lines.extend(["\n"] * missing)
        self._lines[step.code_line - 1 : step.code_line - 1 + len(code)] = [line + "\n" for line in code]
        # A cache entry without a modification time is never checked against the file and dropped.
        linecache.cache[self.path] = (0, None, self._lines, self.path)


class Namespace:
    """One `__main__` of a lesson, and what its fences leave for the next: names, futures, an event loop."""

    def __init__(self, path: str, view: CodeView) -> None:
        self.path = path
        self.module = ModuleType("__main__")
        self.module.__dict__.update(__file__=path, __builtins__=builtins)
        self.steps: list[Step] = []
        self._view = view
        self._futures = 0
        self._runner: asyncio.Runner | None = None

    def enter(self) -> None:
        """Make this the `__main__` that pickle, dataclasses and spawned workers see."""
        # In a spawned worker `__main__` has the second name, and so have the classes of what it sends back.
        sys.modules["__main__"] = sys.modules["__mp_main__"] = self.module

    def compile(self, step: Step) -> None:
        """Only compile a fence. Raises `SyntaxError`."""
        if step.form is Form.SCRIPT:
            compile_fence(step, step.file or self.path, self._futures)

    def execute(self, step: Step) -> object:
        """Run a fence and give the value of its last expression; whatever the fence raises is raised."""
        if step.form is Form.CONSOLE:
            hold_session(step, self.path, self.module.__dict__)
            return None
        fence = compile_fence(step, step.file or self.path, self._futures)
        self._futures = fence.futures
        self._view.add(step)
        self.steps.append(step)
        parts = [fence.body] if fence.last is None else [fence.body, fence.last]
        # One `await` anywhere puts the whole fence into the loop, as its other statements may need it.
        run = self._run_in_loop if any(code.co_flags & inspect.CO_COROUTINE for code in parts) else self._run
        values = [run(code) for code in parts]
        return None if fence.last is None else values[-1]

    def evaluate(self, code: CodeType, error: str) -> Any:
        """The value of a claim's or key's expression, in which `error` is the latest expected message.

        Names that it binds are gone with it.
        """
        return eval(code, {**self.module.__dict__, "error": error})

    def branch(self) -> Namespace:
        """A copy whose names may be bound anew without this one noticing; the values are shared."""
        copy = Namespace(self.path, self._view)
        copy.module.__dict__.update(self.module.__dict__)
        copy.steps, copy._futures = list(self.steps), self._futures
        return copy

    def tidy(self) -> None:
        """Let go of what only the runner held of the fence that ran."""
        assertions.forget()

    def close(self) -> None:
        """End the event loop that top-level `await` used."""
        if self._runner is not None:
            self._runner.close()

    def _run(self, code: CodeType) -> Any:
        return eval(code, self.module.__dict__)

    def _run_in_loop(self, code: CodeType) -> Any:
        async def run() -> Any:
            result = self._run(code)
            return await result if code.co_flags & inspect.CO_COROUTINE else result

        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(run())
