"""Pages on which something would count as proved that nothing has proved, and slips that would stop the tool."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from command import LESSONS, runthrough

PAGES = LESSONS / "proves_nothing"
COURSE = 'title = "T"\ntorch = "{}"\nlessons = ["page.md"]\n'
FALSE_PAGE = "# P\n\n```python\nx = 3\nprint(x)\n```\n\n```output\n4\n```\n\nIt is 9<!--= x -->.\n"


def lesson(name: str, *words: str) -> tuple[int, dict[str, Any]]:
    done = runthrough("check", name, "--json", "-", *words, cwd=PAGES)
    loaded: dict[str, Any] = json.loads(done.out)["lessons"][0]
    return done.code, loaded


@pytest.mark.parametrize("words", [[], ["--spawn"]], ids=["warm", "fresh"])
def test_runs_a_fence_alone_between_others(words: list[str]) -> None:
    """A fence that runs alone sees no names of the lesson and takes none away, wherever it stands."""
    code, came = lesson("alone/between.md", *words)
    assert (code, [fence["outcome"] for fence in came["fences"]]) == (0, ["passed"] * 3)


def test_blames_a_fence_alone_for_what_it_leaves() -> None:
    """A process that outlives a fence alone is that fence's failure, and no other's."""
    code, came = lesson("alone/leaves.md")
    assert (code, [fence["cause"] for fence in came["fences"]]) == (1, [None, "left-running", None])


@pytest.mark.parametrize(
    ("name", "what"), [("no-solution", "solution"), ("no-check", "check"), ("no-starter", "starter")]
)
def test_refuses_an_exercise_without_all_its_parts(name: str, what: str) -> None:
    """An exercise of which a part is missing proves nothing of the others, so it cannot be read."""
    done = runthrough("check", f"{name}.md", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert f"the exercise three has no {what}" in done.err


@pytest.mark.parametrize("word", ["raises", "skip", "show", "when", "alone"])
def test_refuses_a_part_of_an_exercise_that_is_not_held_against_its_check(word: str) -> None:
    """Nothing may keep a starter, check, solution or mistake from being proved."""
    done = runthrough("check", f"part-{word}.md", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert f"{word} and solution= cannot both hold" in done.err


def test_refuses_a_check_that_does_nothing_when_called() -> None:
    """A check with `yield` or `async` would pass every answer; it is red itself."""
    code, came = lesson("generator.md")
    assert code == 1
    assert [fence["error"]["message"] for fence in came["fences"] if fence["error"]] == [
        "check is to be a plain function: without yield, await or async"
    ]


@pytest.mark.parametrize("pin", ["2.13", "2.13.O", " 2.13.0", ">=2.13", "abc"])
def test_refuses_a_pin_that_is_no_release(pin: str, tmp_path: Path) -> None:
    """A slip in the pinned release would let every text of the course differ, so it is an error."""
    (tmp_path / "course.toml").write_text(COURSE.format(pin))
    (tmp_path / "page.md").write_text(FALSE_PAGE)
    done = runthrough("check", str(tmp_path), cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "is no exact release" in done.err


def test_counts_aloud_what_differs_on_another_release(tmp_path: Path) -> None:
    """Away from the pin a text that differs is no failure; the closing line counts it, and `-v` shows each."""
    (tmp_path / "course.toml").write_text(COURSE.format("1.0.0"))
    (tmp_path / "page.md").write_text(FALSE_PAGE)
    done = runthrough("check", "-v", "page.md", cwd=tmp_path)
    assert done.code == 0
    assert (
        "    drifted page.md:9  p-1:\n        - 4\n        + 3\n    drifted page.md:12  '9' is '3' here\n" in done.out
    )
    assert "2 texts drifted from the pinned torch" in done.last_line


def test_ends_a_regex_that_does_not_end() -> None:
    """A `match=` regex that runs for ever over a message is a failure, not a hang."""
    code, came = lesson("slow-regex.md")
    assert (code, came["fences"][0]["cause"]) == (1, "other-message")


@pytest.mark.parametrize(("name", "code"), [("base-class", 1), ("own-class", 0)])
def test_holds_an_error_text_to_the_class_a_reader_sees(name: str, code: int) -> None:
    """An `error` fence names the class that is raised; a base of it is not what stands on the screen."""
    assert lesson(f"{name}.md")[0] == code


def test_takes_the_mark_inside_a_string_for_text() -> None:
    """`#>` in a string is no comment, and the page that prints it holds."""
    assert lesson("string.md")[0] == 0


def test_caps_a_value_like_other_output() -> None:
    """A value of millions of characters is cut in the middle, and says by how much."""
    value = lesson("long-value.md")[1]["fences"][0]["value"]
    assert len(value) < 2_000_000
    assert "characters cut here" in value


def test_tells_an_error_whose_text_exits() -> None:
    """An exception whose own `__str__` exits is a failure of its fence, told by its class."""
    came = lesson("str-exits.md")[1]["fences"][0]
    assert (came["outcome"], came["error"]["type"]) == ("failed", "Odd")


def test_tells_what_is_nearly_a_directive_claim_or_key() -> None:
    """A forgotten `fence:`, a space before a claim's `=` and a misspelt `key:` are errors: they hold nothing."""
    done = runthrough("check", "nearly.md", cwd=PAGES)
    assert done.code == 2
    assert [line.split(":")[1] for line in done.err.splitlines()] == ["7", "12", "17", "18"]


def test_refuses_a_print_comment_that_nothing_prints() -> None:
    """In a course a `#>` beside no print call is an error, since nothing holds it."""
    done = runthrough("check", "course", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert "stands beside no print call" in done.err


@pytest.mark.parametrize(
    "words", [["timeout.md"], ["own-class.md", "--timeout", "1e300"], ["own-class.md", "--memory", "9" * 18]]
)
def test_refuses_limits_no_clock_or_system_holds(words: list[str]) -> None:
    """A limit past all measure is a slip of the page or of the command line, told before anything runs."""
    done = runthrough("check", *words, cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_refuses_a_lesson_that_is_no_ordinary_file(tmp_path: Path) -> None:
    """A pipe named like a lesson is told, not waited for."""
    os.mkfifo(tmp_path / "pipe.md")
    done = runthrough("check", str(tmp_path), cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "this is no ordinary file" in done.err


@pytest.mark.parametrize("lesson_path", ["/etc/passwd", "../page.md"])
def test_refuses_a_lesson_outside_its_course(lesson_path: str, tmp_path: Path) -> None:
    """A course lists pages of its own folder."""
    course = tmp_path / "course"
    course.mkdir()
    (tmp_path / "page.md").write_text(FALSE_PAGE)
    (course / "course.toml").write_text(COURSE.format("2.13.0").replace("page.md", lesson_path))
    done = runthrough("check", str(course), cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "is outside the course's folder" in done.err


def test_says_in_a_line_where_a_report_cannot_be_written() -> None:
    """A report that no file system takes is told before anything runs."""
    done = runthrough("check", "own-class.md", "--json=/proc/report.json", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert "no file can be written there" in done.err


def test_refuses_a_mistake_without_its_match() -> None:
    """A wrong answer says what its check is to say of it, or any failure would do."""
    done = runthrough("check", "no-match.md", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert 'no-match.md:21: wrong= needs match= (say match="part of what the check says")' in done.err


def test_refuses_a_second_check_of_an_exercise() -> None:
    """Of two checks one would be held against no answer."""
    done = runthrough("check", "twice.md", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert "twice.md:15: check=three is on line 9 too" in done.err


def test_refuses_boxes_with_slips() -> None:
    """Days to come or in other forms, sources without an address, and quiz items a column aside are told."""
    done = runthrough("check", "boxes.md", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert [line.split(":")[1] for line in done.err.splitlines()] == ["7", "11", "15", "19", "23", "31"]


def test_takes_no_other_error_for_an_assertion_of_a_check() -> None:
    """A check that stops with an error of its own has not said what is wrong with a starter or a mistake."""
    code, came = lesson("stops.md", "--keep-going")
    assert code == 1
    red = {fence["line"]: fence["reason"] for fence in came["fences"] if fence["outcome"] == "failed"}
    assert red == {
        4: "the check of three stops where it should assert: "
        "TypeError: '>' not supported between instances of 'NoneType' and 'int'",
        21: "the check of three stops where it should assert: NameError: name 'anser' is not defined",
    }


def test_refuses_a_match_that_every_message_has() -> None:
    """A pattern that nothing could fail, or blanks alone, say nothing of a message; the empty message is one."""
    done = runthrough("check", "any-message.md", cwd=PAGES)
    assert (done.code, done.out) == (2, "")
    assert [line.split(":")[1] for line in done.err.splitlines()] == ["3", "8"]
