"""What a page says beside its code: claims in prose, quiz keys, `#>` comments, exercises."""

from __future__ import annotations

import json
from typing import Any

from command import LESSONS, runthrough

CLAIMS = LESSONS / "claims"


def lesson(name: str) -> tuple[int, dict[str, Any]]:
    done = runthrough("check", name, "--json", "-", "--keep-going", cwd=CLAIMS)
    loaded: dict[str, Any] = json.loads(done.out)["lessons"][0]
    return done.code, loaded


def test_tells_every_claim_that_cannot_be_read() -> None:
    """Unreadable claims and boxes are all told at once with their lines, and nothing has run."""
    done = runthrough("check", "unreadable.md", cwd=CLAIMS)
    assert done.code == 2
    assert done.out == ""
    assert [line.split(":")[1] for line in done.err.splitlines()] == ["3", "16", "18", "18", "20", "29", "29"]


def test_holds_words_and_keys_against_their_values() -> None:
    """A claim that is not the value, one that raises, and a quiz mark that its key denies are red at their lines."""
    code, came = lesson("false.md")
    assert code == 1
    red = [(claim["line"], claim["found"]) for claim in came["claims"] if claim["outcome"] == "failed"]
    assert red == [(9, "1.7022"), (17, ""), (24, "True")]
    assert sum(claim["outcome"] == "passed" for claim in came["claims"]) == 6


def test_tells_a_mark_and_its_key_in_the_words_of_a_quiz() -> None:
    """A mark that its key denies is told as a mark, and the next step is its own."""
    told = runthrough("check", "false.md", cwd=CLAIMS).out.partition("FAILED false.md:24  ")[2]
    assert told.startswith("an option of the quiz q is marked wrong\n  its key is True\n")
    assert "\n  next: Correct the mark, or the key at the end of the line.\n" in told


def test_takes_a_key_by_its_truth() -> None:
    """A quiz key need not be True or False: what counts is whether Python takes it for true."""
    code, came = lesson("keys.md")
    assert (code, [claim["found"] for claim in came["claims"]]) == (0, ["True", "False"])


def test_holds_print_comments_against_their_call() -> None:
    """`#>` belongs to the print call beside it, a loop's repeats in order; the line that differs is named."""
    code, came = lesson("prints.md")
    assert code == 1
    first = came["fences"][0]
    assert [(each["line"], each["found"]) for each in first["mismatches"]] == [(16, "p\nq\n")]


def test_proves_an_exercise_both_ways() -> None:
    """A starter that fails, a solution that passes and a mistake that is named make a sound exercise."""
    code, came = lesson("exercise.md")
    assert (code, {fence["outcome"] for fence in came["fences"]}) == (0, {"passed"})


def test_tells_an_exercise_that_proves_nothing() -> None:
    """A starter or mistake that passes its check and a solution that does not are each red at their fence."""
    code, came = lesson("exercise_broken.md")
    assert code == 1
    assert [fence["reason"] for fence in came["fences"] if fence["cause"] == "exercise"] == [
        "the starter of double already passes its check",
        "the solution of double does not pass its check: AssertionError: 3 doubled is 6",
        "this wrong answer to double passes its check",
    ]


def test_tells_every_claim_that_nothing_would_read() -> None:
    """A claim in a formula, a box's title, a link's target or a surplus cell is an error; so are dots alone."""
    done = runthrough("check", "not_read.md", cwd=CLAIMS)
    assert (done.code, done.out) == (2, "")
    assert [line.split(":")[1] for line in done.err.splitlines()] == ["7", "12", "17", "18", "22", "24", "26"]


def test_keeps_claims_apart_from_the_lesson() -> None:
    """What a claim prints or binds is gone with it, and all of its expression sees `error`; links count by words."""
    code, came = lesson("kept_apart.md")
    assert [claim["found"] for claim in came["claims"]] == ["None", "3", "3", "True", "1", "2", "2"]
    assert {each["outcome"] for each in (*came["claims"], *came["fences"])} == {"passed"}
    assert code == 0


def test_tells_no_more_of_a_long_value_than_a_line_holds() -> None:
    """A value of millions of letters is red with its beginning, in `check` and in `update`."""
    done = runthrough("check", "long.md", cwd=CLAIMS)
    assert done.code == 1
    assert "\n  the value is aaa" in done.out
    assert len(done.out) < 2000
    assert len(runthrough("update", "long.md", cwd=CLAIMS).out) < 2000
