"""What a page promises of a fence's error, held against what the fence raised."""

from __future__ import annotations

import re
from dataclasses import dataclass

from runthrough.job import Cause, Outcome, Promise, RaisedError


@dataclass(frozen=True)
class Verdict:
    """An outcome, and where it is red, why."""

    outcome: Outcome
    reason: str = ""
    cause: Cause | None = None


PASSED = Verdict(Outcome.PASSED)


def judge(promise: Promise, error: RaisedError | None) -> Verdict:
    """Hold a promise against the error that came, if any. A subclass of the promised class keeps the promise."""
    if error is None:
        if promise.raises:
            return _failed(Cause.DID_NOT_RAISE, f"expected {promise.raises}, none raised")
        return PASSED
    came = f"{error.type}: {error.message}" if error.message else error.type
    if not promise.raises:
        return _failed(_cause_of(error), came)
    if promise.raises not in error.bases:
        return _failed(Cause.OTHER_CLASS, f"expected {promise.raises}, but it raised {came}")
    if not matches(promise.match, error.message):
        return _failed(Cause.OTHER_MESSAGE, f"the message does not hold {promise.match!r}: {came}")
    return PASSED


def matches(pattern: str, message: str) -> bool:
    """True where `pattern`, a substring or a `/regex/`, is found in `message`; an empty one always is."""
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        return re.search(pattern[1:-1], message) is not None
    return pattern in message


def _cause_of(error: RaisedError) -> Cause:
    if "SyntaxError" in error.bases and error.frames == ():
        return Cause.SYNTAX
    return Cause.EXITED if error.type == "SystemExit" else Cause.RAISED


def _failed(cause: Cause, reason: str) -> Verdict:
    return Verdict(Outcome.FAILED, reason, cause)
