"""Claims and quiz keys of a lesson, evaluated where they stand: after a fence, in its namespace."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

from runthrough.job import Step
from runthrough.running.compiling import compile_expression
from runthrough.running.failure import capped, describe, printable
from runthrough.running.namespace import Namespace
from runthrough.running.wire import Value

# Longer than any word of prose; what is cut could not stand in a sentence.
_LIMIT = 10_000  # characters


class Claims:
    """Evaluates what prose says in one namespace; `error` there stands for the latest message of an error."""

    def __init__(self, namespace: Namespace, latest_error: str) -> None:
        self._namespace = namespace
        self._latest_error = latest_error

    def values(self, step: Step) -> tuple[Value, ...]:
        """The values of a step's claims, then of its keys."""
        claims = [self._value(claim.expression, claim.line, str) for claim in step.claims]
        keys = [self._value(key.body, key.line, lambda found: str(bool(found))) for key in step.keys]
        return (*claims, *keys)

    def _value(self, expression: str, line: int, as_text: Callable[[object], str]) -> Value:
        path = self._namespace.path
        try:
            code = compile_expression(expression, path, line)
            # What it prints is no output of the fence above.
            with contextlib.redirect_stdout(io.StringIO()):
                text = as_text(self._namespace.evaluate(code, self._latest_error))
            return Value(text=capped(printable(text), _LIMIT))
        except BaseException as error:  # noqa: BLE001  # whatever a claim's expression raises is what it is told
            told = describe(error, path, "")
            return Value(error=f"{told.type}: {told.message}")
