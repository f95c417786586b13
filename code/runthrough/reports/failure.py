"""One failure as the terminal shows it: where, what, the source around it, the values seen, the next step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from runthrough.reports.advice import failing_line, in_words, next_for_claim, next_step, said_on_page
from runthrough.reports.pen import Line, Span, line, plural, visible
from runthrough.result import ClaimResult, FenceResult, Frame, Mismatch, RaisedError, Trouble

LINES_AROUND = 2
TAIL_LINES = 10
WIDEST = 200
_MESSAGE_LINES = 40
_WIDEST_MESSAGE = 2000
_STYLES = {"-": "red", "+": "green"}


def failure_lines(name: str, fence: FenceResult, source: str, *, in_full: bool = False) -> Iterator[Line]:
    """The failure of one fence of the lesson that reports call `name`. `source` is the lesson's text.

    `in_full` shows the whole traceback in place of the one line that says where it was raised.
    """
    at = failing_line(fence)
    place = Span(visible(f"{name}:{at}"), "bold")
    yield line(Span(fence.outcome.value.upper(), "bold red"), " ", place, f"  {fence.id}: {in_words(fence)}")
    if reason := _beyond_the_error(fence):
        yield from _indented(reason)
    yield ()
    yield from source_lines(source, at, fence)
    if fence.error:
        yield from _error_lines(name, fence, fence.error, source, in_full=in_full)
    for mismatch in fence.mismatches:
        yield from mismatch_lines(mismatch)
    if not fence.mismatches:
        yield from tail_lines("printed", fence.stdout)
    yield from tail_lines("on stderr", fence.stderr)
    if fence.hint:
        yield line("  hint: ", visible(fence.hint))
    yield line(Span("  next: ", "bold green"), next_step(fence))


def trouble_lines(name: str, trouble: Trouble) -> Iterator[Line]:
    """What is wrong with a lesson as a whole, or with the run where `name` is ""."""
    place = visible(f"{name}:{trouble.line}") + "  " if name else ""
    yield line(Span("FAILED", "bold red"), " ", Span(place, "bold"), visible(trouble.message))
    if trouble.advice:
        yield line(Span("  next: ", "bold green"), visible(trouble.advice))


def claim_lines(name: str, claim: ClaimResult, source: str) -> Iterator[Line]:
    """A word of prose, or a quiz option's mark, that is not what its expression gives."""
    place = Span(visible(f"{name}:{claim.line}"), "bold")
    yield line(Span("FAILED", "bold red"), " ", place, f"  {said_on_page(claim)}")
    yield from _indented(claim.reason)
    yield ()
    yield from source_lines(source, claim.line)
    yield line(Span("  next: ", "bold green"), next_for_claim(claim))


def source_lines(source: str, at: int, fence: FenceResult | None = None) -> Iterator[Line]:
    """The lesson's own lines around line `at`, no further than its fence, with a mark on the line."""
    rows = source.split("\n")
    if not 1 <= at <= len(rows):
        return
    first, last = max(1, at - LINES_AROUND), min(len(rows), at + LINES_AROUND)
    if fence and fence.line <= at <= fence.end_line:
        first, last = max(first, fence.line), min(last, fence.end_line)
    width = len(str(last))
    for number in range(first, last + 1):
        text = visible(rows[number - 1].expandtabs(4))[:WIDEST]
        if number == at:
            yield line(Span(f"  > {number:{width}} | ", "bold red"), Span(text, "bold"))
        else:
            yield line(Span(f"    {number:{width}} | ", "dim"), text)
    yield ()


def mismatch_lines(mismatch: Mismatch) -> Iterator[Line]:
    """What the page shows and what came: as a diff, with a mark where a lone pair first differs."""
    if not mismatch.rows:
        yield from tail_lines("the page shows", mismatch.expected)
        yield from tail_lines("what came", mismatch.found)
        return
    yield line("  the page shows (-), what came (+):")
    changed = [visible(row) for row in mismatch.rows if not row.startswith(" ")]
    is_lone_pair = [row[0] for row in changed] == ["-", "+"]
    same = _common(*(row[1:] for row in changed)) if is_lone_pair else 0
    # Of a long line, the part with the difference is what tells.
    left_out = same - WIDEST // 4 if same > WIDEST * 3 // 4 else 0
    for row in mismatch.rows:
        text, style = visible(row), _STYLES.get(row[0], "")
        if style and left_out:
            text = f"{row[0]}…{text[1 + left_out :]}"
        yield line("    ", Span(text[:WIDEST], style))
        if is_lone_pair and row.startswith("+"):
            yield line(" " * (5 + same - left_out + bool(left_out)), Span("^", "bold"))


def _common(one: str, other: str) -> int:
    """How many letters two lines begin with alike."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


def tail_lines(label: str, output: str) -> Iterator[Line]:
    """The last lines of what a fence put out: the end is what tells."""
    rows = output.rstrip("\n").split("\n") if output.strip() else []
    if not rows:
        return
    left_out = len(rows) - TAIL_LINES
    yield line(f"  {label}" + (f" (the last {TAIL_LINES} of {len(rows)} lines)" if left_out > 0 else "") + ":")
    for row in rows[-TAIL_LINES:]:
        yield line(Span("    | ", "dim"), visible(row)[:WIDEST])


def _error_lines(name: str, fence: FenceResult, error: RaisedError, source: str, *, in_full: bool) -> Iterator[Line]:
    if error.call_line and error.call_line != failing_line(fence):
        yield line("  called from ", Span(visible(f"{name}:{error.call_line}"), "bold"))
        yield from source_lines(source, error.call_line, fence)
    if in_full and error.traceback:
        for row in error.traceback.rstrip("\n").split("\n"):
            yield line("  ", visible(row))
        return
    head, *rest = _beginning(error.message)
    yield line(Span(f"  {error.type}", "red"), *([": ", visible(head)] if head else []))
    for row in rest:
        yield line("    ", visible(row))
    for note in error.notes:
        yield from _indented(note, "    ")
    if (outside := _raised_outside(name, error)) is not None:
        yield line(Span("    raised at ", "dim"), visible(f"{outside.file}:{outside.line}: {outside.text.strip()}"))


def _beginning(text: str) -> Iterator[str]:
    """The lines of a message, without what no one would read through."""
    rows = text.split("\n")
    for row in rows[:_MESSAGE_LINES]:
        left_out = len(row) - _WIDEST_MESSAGE
        yield row if left_out <= 0 else f"{row[:_WIDEST_MESSAGE]} [{plural(left_out, 'more character')}]"
    if (left_out := len(rows) - _MESSAGE_LINES) > 0:
        yield f"[{plural(left_out, 'more line')}]"


def _beyond_the_error(fence: FenceResult) -> str:
    """The runner's reason, without the error that stands in full below it."""
    if fence.error is None:
        return fence.reason
    shown = (f"{fence.error.type}: {fence.error.message}", fence.error.type)
    rest = next((fence.reason.removeprefix(text) for text in shown if fence.reason.startswith(text)), fence.reason)
    return rest.removeprefix("; ")


def _raised_outside(name: str, error: RaisedError) -> Frame | None:
    """The innermost frame, where it is not in the lesson."""
    if not error.frames or error.frames[-1].file == name:
        return None
    return error.frames[-1]


def _indented(text: str, margin: str = "  ") -> Iterator[Line]:
    for row in _beginning(text.rstrip("\n")):
        yield line(margin, visible(row))
