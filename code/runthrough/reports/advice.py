"""What a red fence's outcome is called in words, and the one thing to do next."""

from __future__ import annotations

import signal

from runthrough.reports.pen import visible
from runthrough.result import Cause, ClaimResult, FenceResult, Outcome

SAID = {
    Cause.SYNTAX: "is not valid Python",
    Cause.RAISED: "raised an error",
    Cause.DID_NOT_RAISE: "did not raise",
    Cause.OTHER_CLASS: "raised another class of error",
    Cause.OTHER_MESSAGE: "raised with another message",
    Cause.EXITED: "asked the interpreter to exit",
    Cause.OTHER_OUTPUT: "printed something else than the page shows",
    Cause.OTHER_FIGURE: "draws another figure than the page shows",
    Cause.NO_FIGURE: "draws no figure",
    Cause.EXERCISE: "is not what its exercise needs",
    Cause.MEMORY: "ran out of memory",
    Cause.LEFT_FILES: "left files behind",
    Cause.LEFT_RUNNING: "left a process or thread running",
    Cause.CLOSED_STREAM: "took standard output or error away",
    Cause.TIME: "took too long",
    Cause.DIED: "ended its process",
    Cause.EARLIER: "waits for an earlier fence",
}

NEXT = {
    Cause.SYNTAX: "Correct the syntax on line {line}.",
    Cause.RAISED: "Correct line {line}, or say raises={type} above the fence if the error is meant.",
    Cause.DID_NOT_RAISE: "Make the code raise what the page promises, or take raises= away.",
    Cause.OTHER_CLASS: "Correct line {line}, or say raises={type} if that is the error meant.",
    Cause.OTHER_MESSAGE: "Quote a part of the message above in match=, or correct line {line}.",
    Cause.EXITED: "Take the call that exits out of line {line}: a lesson's process lives to its last fence.",
    Cause.OTHER_OUTPUT: "Correct the output on the page, or the code that prints it.",
    Cause.OTHER_FIGURE: "Correct the code that draws it, or let runthrough update --write save it, and look at it.",
    Cause.NO_FIGURE: "End the fence with the SVG text or the Matplotlib figure, without a ; after it.",
    Cause.EXERCISE: "Correct this answer, or the check it is held against.",
    Cause.MEMORY: "Use smaller data, or allow more with --memory.",
    Cause.LEFT_FILES: "Write to a temporary folder, or name the files in writes= above the fence.",
    Cause.LEFT_RUNNING: "Join the thread or end the process before the lesson's last fence is over.",
    Cause.CLOSED_STREAM: "Put the stream back at the end of the fence, or do not close it.",
    Cause.TIME: "Make the fence finish sooner, or allow more with timeout=SECONDS above it.",
    Cause.DIED: "Run the fences up to line {line} by hand to see what ends the process.",
    Cause.EARLIER: "Correct the earlier fence first.",
}

ASSERTION_NEXT = "Correct line {line}, or the code before it."

BY_OUTCOME = {
    Outcome.FAILED: Cause.RAISED,
    Outcome.TIMEOUT: Cause.TIME,
    Outcome.CRASHED: Cause.DIED,
    Outcome.BLOCKED: Cause.EARLIER,
}


def in_words(fence: FenceResult) -> str:
    """What went wrong, to be read after the fence's name."""
    if fence.signal is not None:
        return f"was killed by {signal_name(fence.signal)}"
    if fence.outcome is Outcome.CRASHED and fence.exit_code is not None:
        return f"ended its process with exit code {fence.exit_code}"
    if _is_assertion(fence):
        return "an assertion does not hold"
    return SAID[cause_of(fence)]


def next_step(fence: FenceResult) -> str:
    """One imperative sentence: what an author does about it."""
    advice = ASSERTION_NEXT if _is_assertion(fence) else NEXT[cause_of(fence)]
    raised = fence.error.type if fence.error else "the error"
    return advice.format(line=failing_line(fence), type=raised)


def said_on_page(claim: ClaimResult) -> str:
    """What a page says that its code denies: a word of prose, or the mark of a quiz's option."""
    if claim.quiz:
        return f"an option of the quiz {claim.quiz} is marked {'right' if claim.expected == str(True) else 'wrong'}"
    return f"the page says {visible(claim.expected)!r}"


def next_for_claim(claim: ClaimResult) -> str:
    """One imperative sentence: what an author does about a claim or a mark."""
    if claim.quiz:
        return "Correct the mark, or the key at the end of the line."
    return "Correct the words, or the expression in the comment after them."


def failing_line(fence: FenceResult) -> int:
    """The line of the lesson to look at first: that of a text that differs, else the error's innermost,
    where it stopped, or the fence's own.
    """
    if fence.mismatches:
        return fence.mismatches[0].line
    if fence.error and fence.error.line:
        return fence.error.line
    return fence.stopped_line or fence.line


def signal_name(number: int) -> str:
    """The name of a signal as the system calls it, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def cause_of(fence: FenceResult) -> Cause:
    """The cause the runner gave, or the usual one for the outcome."""
    return fence.cause or BY_OUTCOME[fence.outcome]


def _is_assertion(fence: FenceResult) -> bool:
    return cause_of(fence) is Cause.RAISED and fence.error is not None and fence.error.type == "AssertionError"
