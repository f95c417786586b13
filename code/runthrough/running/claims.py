"""Claims and quiz keys of a lesson, evaluated where they stand: after a fence, in its namespace."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from runthrough.job import Step
from runthrough.running.compiling import compile_claim, compile_key
from runthrough.running.failure import describe, printable
from runthrough.running.namespace import Namespace
from runthrough.running.wire import Value


class Claims:
    """Evaluates what prose says in one namespace; `error` there stands for the latest message of an error."""

    def __init__(self, namespace: Namespace, latest_error: str) -> None:
        self._namespace = namespace
        self._latest_error = latest_error

    def values(self, step: Step) -> tuple[Value, ...]:
        """The values of a step's claims, then of its keys."""
        path = self._namespace.path
        claims = [self._value(compile_claim, claim.body, path, claim.line) for claim in step.claims]
        keys = [self._value(compile_key, key.body, path, key.line) for key in step.keys]
        return (*claims, *keys)

    def _value(self, compile_body: Callable[[str, str, int], CodeType], body: str, path: str, line: int) -> Value:
        try:
            found = self._namespace.evaluate(compile_body(body, path, line), self._latest_error)
            return Value(text=printable(found if isinstance(found, str) else str(bool(found))))
        except BaseException as error:  # noqa: BLE001  # whatever a claim's expression raises is what it is told
            told = describe(error, path, "")
            return Value(error=f"{told.type}: {told.message}")
