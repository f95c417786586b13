"""What a person reads on the terminal, from results made here: no lesson is run."""

from __future__ import annotations

import io
import signal
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runthrough.job import Shown
from runthrough.reports.advice import NEXT, SAID, next_step
from runthrough.reports.failure import failure_lines, mismatch_lines, tail_lines
from runthrough.reports.pen import PlainPen, Span, line, pen_for, plain, visible
from runthrough.reports.report import assemble
from runthrough.reports.terminal import Terminal, Volume, closing_line
from runthrough.result import (
    Cause,
    ClaimResult,
    FenceResult,
    Frame,
    LessonResult,
    Mismatch,
    Outcome,
    RaisedError,
    Trouble,
)

SOURCE = "# Title\n\n```python\nx = 1\nx += 1\nassert x == 3\nprint(x)\n```\n\nProse.\n"


def fence(outcome: Outcome, **fields: object) -> FenceResult:
    """A fence of SOURCE with the given outcome."""
    return FenceResult(**{"id": "title-1", "line": 3, "end_line": 8, "outcome": outcome, **fields})  # type: ignore[arg-type]


def lesson(*fences: FenceResult, path: str = "a.md", troubles: tuple[Trouble, ...] = ()) -> LessonResult:
    """The result of a lesson with these fences."""
    return LessonResult(path, "Title", 0.25, 30.0, fences, troubles)


def told(*lessons: LessonResult, volume: Volume = Volume.NORMAL, order: tuple[str, ...] = ()) -> str:
    """All that a run of these lessons prints where no terminal is."""
    stream = io.StringIO()
    terminal = Terminal(PlainPen(stream), len(lessons), volume=volume)
    terminal.started()
    for result in lessons:
        terminal.lesson_finished(result)
    terminal.ended()
    names = order or tuple(result.path for result in lessons)
    report = assemble(lessons, order=names, seed=7, seconds=1.25)
    terminal.closed(report, {"a.md": SOURCE})
    return stream.getvalue()


def test_a_failed_assertion_shows_its_line_its_values_and_the_next_step() -> None:
    """A failure names path and line, marks that line in the source, shows the values and ends in one advice."""
    error = RaisedError("AssertionError", "assert x == 3", 6, 6, notes=("x = 2",))
    failed = fence(Outcome.FAILED, cause=Cause.RAISED, error=error, stdout="so far\n")
    assert plain(failure_lines("a.md", failed, SOURCE)) == (
        "FAILED a.md:6  title-1: an assertion does not hold\n"
        "\n"
        "    4 | x = 1\n"
        "    5 | x += 1\n"
        "  > 6 | assert x == 3\n"
        "    7 | print(x)\n"
        "    8 | ```\n"
        "\n"
        "  AssertionError: assert x == 3\n"
        "    x = 2\n"
        "  printed:\n"
        "    | so far\n"
        "  next: Correct line 6, or the code before it.\n"
    )


def test_an_error_in_a_helper_shows_both_the_innermost_line_and_the_call() -> None:
    """Where the error's line is not the fence's own, both places are shown."""
    error = RaisedError("ValueError", "no", 4, 7, frames=(Frame("a.md", 7, ""), Frame("a.md", 4, "")))
    text = plain(failure_lines("a.md", fence(Outcome.FAILED, error=error), SOURCE))
    assert "FAILED a.md:4  title-1: raised an error\n" in text
    assert "  > 4 | x = 1\n" in text
    assert "called from a.md:7\n" in text
    assert "  > 7 | print(x)\n" in text


def test_an_error_raised_outside_the_lesson_says_where() -> None:
    """An error from a library names the library's line; the source shown stays the lesson's."""
    frames = (Frame("a.md", 5, "x += 1"), Frame("/lib/torch/tensor.py", 521, "  run()", "backward"))
    error = RaisedError(
        "RuntimeError", "freed\nsecond line", 5, 5, frames=frames, traceback="Traceback: all\n  of it\n"
    )
    failed = fence(Outcome.FAILED, error=error)
    assert "    raised at /lib/torch/tensor.py:521: run()\n" in plain(failure_lines("a.md", failed, SOURCE))
    in_full = plain(failure_lines("a.md", failed, SOURCE, in_full=True))
    assert "  Traceback: all\n    of it\n" in in_full
    assert "raised at" not in in_full


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (fence(Outcome.CRASHED, signal=signal.SIGSEGV), "title-1: was killed by SIGSEGV"),
        (fence(Outcome.CRASHED, exit_code=0), "title-1: ended its process with exit code 0"),
        (fence(Outcome.TIMEOUT, cause=Cause.TIME), "title-1: took too long"),
        (fence(Outcome.FAILED, cause=Cause.DID_NOT_RAISE), "title-1: did not raise"),
        (fence(Outcome.FAILED, cause=Cause.LEFT_FILES, reason="left data.bin"), "left data.bin"),
        (fence(Outcome.FAILED, hint="line 14 looks like an opener"), "hint: line 14 looks like an opener"),
    ],
)
def test_what_went_wrong_is_said_in_words(result: FenceResult, words: str) -> None:
    """Signals have their names, exits their codes, and the runner's own words are kept."""
    assert words in plain(failure_lines("a.md", result, SOURCE))


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_words_and_one_sentence_of_advice(cause: Cause) -> None:
    """No cause of a red fence is without its words and its next step."""
    assert cause in SAID
    assert cause in NEXT
    advice = next_step(fence(Outcome.FAILED, cause=cause))
    assert advice[0].isupper()
    assert advice.endswith(".")
    assert "{" not in advice


def test_blocked_fences_are_counted_and_not_shown() -> None:
    """One broken fence is one failure on the screen, however many it holds up."""
    held_up = fence(Outcome.BLOCKED, id="later", cause=Cause.EARLIER)
    text = told(lesson(fence(Outcome.FAILED), held_up, held_up))
    assert text.count("next:") == 1
    assert "✗ a.md  1 failed, 2 blocked  0.25 s\n" in text
    assert text.endswith(
        "does not hold: 3 fences: 0 passed, 1 failed, 2 blocked, 0 skipped; 1 lesson in 1.2 s; "
        "seed 7: repeat with --seed 7\n"
    )


def test_skipped_fences_are_always_counted_and_with_v_explained() -> None:
    """The number of skipped fences is in the closing line even when it is 0; -v gives each reason."""
    skipped = fence(Outcome.SKIPPED, reason="needs a GPU")
    shown = fence(Outcome.SHOWN, id="other", reason="an illustration")
    normal, verbose = told(lesson(skipped, shown)), told(lesson(skipped, shown), volume=Volume.VERBOSE)
    assert "0 passed, 1 skipped, 1 shown;" in normal
    assert "needs a GPU" not in normal
    assert "    skipped a.md:3  title-1: needs a GPU\n    shown a.md:3  other: an illustration\n" in verbose


def test_quiet_leaves_the_failures_and_the_closing_line() -> None:
    """With -q a lesson that holds is not named; what fails and the numbers are."""
    quiet = told(lesson(fence(Outcome.PASSED)), lesson(fence(Outcome.TIMEOUT), path="b.md"), volume=Volume.QUIET)
    assert "a.md" not in quiet
    assert "TIMEOUT b.md:3" in quiet
    assert quiet.splitlines()[-1].startswith("does not hold: 2 fences")


def test_troubles_of_a_lesson_and_lessons_that_were_not_run_are_named() -> None:
    """A trouble is red with its place and its cure, and a lesson without a result is never forgotten."""
    trouble = Trouble("no fence ran", "Say runs: none.", 1)
    text = told(lesson(fence(Outcome.SHOWN), troubles=(trouble,)), order=("a.md", "b.md", "c.md"))
    assert "FAILED a.md:1  no fence ran\n  next: Say runs: none.\n" in text
    assert "\nnot run: b.md, c.md\n" in text
    assert "does not hold:" in text


def test_fewer_fences_than_the_floor_is_a_trouble_of_the_run() -> None:
    """A run that holds by running too little does not hold; a shown fence has not run."""
    two = lesson(fence(Outcome.PASSED), fence(Outcome.SHOWN))
    assert assemble([two], order=["a.md"], seed=1, seconds=0.1, min_fences=1).holds
    report = assemble([two], order=["a.md"], seed=1, seconds=0.1, min_fences=2)
    assert not report.holds
    assert report.troubles[0].message == "fences that ran: 1; --min-fences asks for at least 2"
    assert plain([closing_line(report)]).startswith("does not hold:")


def test_output_that_differs_is_shown_beside_what_the_page_says() -> None:
    """A text that is not what came is shown at its own line of the page, both as shown and as it came."""
    differs = Mismatch(Shown.OUTPUT, 10, "Prose.\n", "Verse.\n", 10)
    failed = fence(Outcome.FAILED, cause=Cause.OTHER_OUTPUT, stdout="Verse.\n", mismatches=(differs,))
    text = plain(failure_lines("a.md", failed, SOURCE))
    assert text.startswith("FAILED a.md:10  title-1: printed something else than the page shows\n")
    assert "  > 10 | Prose.\n" in text
    assert "  the page shows:\n    | Prose.\n  what came:\n    | Verse.\n" in text
    assert text.count("Verse.") == 1


@given(st.integers(0, 600), st.integers(0, 600))
def test_the_mark_stands_below_the_first_difference(alike: int, more: int) -> None:
    """Of two lines, however long, the part where they first differ is shown, with the mark below it."""
    shown, came = "a" * alike + "b" + "c" * more, "a" * alike + "d" + "c" * more
    differs = Mismatch(Shown.OUTPUT, 10, shown, came, 10, rows=(f"- {shown}", f"+ {came}"))
    _, before, after, mark = plain(mismatch_lines(differs)).split("\n")[:4]
    column = len(mark) - 1
    assert (before[column], after[column], mark.strip()) == ("b", "d", "^")
    assert before[5:column] == after[5:column]


def test_a_claim_that_does_not_hold_is_a_failure_of_its_own() -> None:
    """A word of prose that is not its value is shown at its line; claims are counted beside the fences."""
    wrong = ClaimResult(10, "Prose", "Prose", "Verse", Outcome.FAILED, "the value is Verse")
    right = replace(wrong, outcome=Outcome.PASSED)
    text = told(replace(lesson(fence(Outcome.PASSED)), claims=(wrong, right)))
    assert "FAILED a.md:10  the page says 'Prose'\n  the value is Verse\n" in text
    assert "  > 10 | Prose.\n" in text
    assert "does not hold: 1 fence: 1 passed, 0 skipped; claims: 1 failed, 1 passed; 1 lesson in" in text


def test_only_the_tail_of_long_output_is_shown() -> None:
    """The end of the output is what tells; what is left out is said."""
    text = plain(tail_lines("printed", "".join(f"row {n}\n" for n in range(30))))
    assert text.startswith("  printed (the last 10 of 30 lines):\n    | row 20\n")
    assert text.endswith("    | row 29\n")
    assert not plain(tail_lines("printed", " \n"))


@given(st.text())
def test_no_output_of_a_lesson_can_steer_the_terminal(text: str) -> None:
    """What is shown of a lesson holds no control character: no escape sequence, no carriage return, no bell."""
    assert all(char == "\t" or (ord(char) >= 32 and not 127 <= ord(char) < 160) for char in visible(text))


def test_a_pipe_and_a_dumb_terminal_get_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal, or on one that can do nothing, no style and no live line is written."""
    pipe = io.StringIO()
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    for stream, term in ((pipe, "xterm-256color"), (terminal, "dumb")):
        pen = pen_for(stream, color=True, environ={"TERM": term})
        pen.progress("1 of 2")
        pen.write([line(Span("bold", "bold red"), " plain")])
        pen.progress("")
        assert stream.getvalue() == "bold plain\n"
