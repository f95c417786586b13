"""Exercises proved as they stand on the page: the starter fails its check, the solution passes, mistakes are named."""

from __future__ import annotations

import inspect
from typing import Any

from runthrough.job import Job, Part, Role, Step
from runthrough.result import RaisedError
from runthrough.running.failure import describe_in
from runthrough.running.namespace import Namespace


class Exercises:
    """The checks of a lesson by exercise name, and the trial of each answer."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._checks: dict[str, Any] = {}

    def namespace_for(self, step: Step, namespace: Namespace) -> Namespace:
        """Only a solution runs in the lesson's own namespace; starters, checks and mistakes leave it as it is."""
        return namespace if step.part is None or step.part.role is Role.SOLUTION else namespace.branch()

    def try_answer(self, step: Step, part: Part, names: dict[str, Any]) -> RaisedError | None:
        """Keep a check, or hold the answer against it: what the check raised.

        Raises `NameError` for an answer or check that is missing, `TypeError` for a check that would do nothing.
        """
        if part.role is Role.CHECK:
            self._checks[part.name] = _plain(_get(names, "check", "a check fence defines the function check(answer)"))
            return None
        check = _get(self._checks, part.name, f"no check={part.name} fence has run before this answer")
        answer = _get(names, part.name, f"an answer binds the name {part.name}")
        try:
            check(answer)
        except Exception as error:  # noqa: BLE001  # an answer may make its check stop by any exception
            return describe_in(step, error, self._job)
        return None


def _plain(check: Any) -> Any:
    """A check that does its work when it is called; a generator or a coroutine would do none."""
    kinds = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    if not callable(check) or any(is_of_kind(check) for is_of_kind in kinds):
        raise TypeError("check is to be a plain function: without yield, await or async")
    return check


def _get(names: dict[str, Any], name: str, rule: str) -> Any:
    if name not in names:
        raise NameError(rule)
    return names[name]
