"""When a shown text agrees with the one that came: cases with their right answers, and laws."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from command import LESSONS
from runthrough.expect.compare import Tolerance, agrees
from runthrough.expect.difference import first_difference, first_missing, rows_of_difference

CASES: dict[str, dict[str, Any]] = {
    f"{path.stem}.{name}": case
    for path in sorted((LESSONS / "comparing").glob("*.toml"))
    for name, case in tomllib.loads(path.read_text(encoding="utf-8")).items()
}
DIFFERING = {name: case for name, case in CASES.items() if not case["agrees"]}
TOLERANCES = st.builds(Tolerance, st.none() | st.floats(0, 1e300), st.none() | st.floats(0, 1e300))
# Where comparing could go astray: wildcards, signs, numbers past all bounds, escapes, carriage returns.
AWKWARD = st.text("a.…-+0159eE,_x:/ \r\n\x1b[]()K2\u0663", max_size=40) | st.text(max_size=40)
WORDS = st.text("abcxyz %$:=<>()[]损é", max_size=6)
NUMBERS = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.integers(0, 10**9).map("{:,}".format),
    st.floats(-1e9, 1e9).map(repr),
    st.floats(-1e9, 1e9).map("{:.4f}".format),
    st.floats(-1e30, 1e30).map("{:.4e}".format),
    st.floats(-1e6, 1e6).map("{:,.2f}".format),
    st.integers(0, 2**20).map(hex),
)
LINES = st.lists(
    st.tuples(WORDS, NUMBERS, WORDS).map(lambda parts: " ".join(parts).rstrip()), min_size=1, max_size=4
).map("\n".join)


def tolerance_of(case: dict[str, Any]) -> Tolerance:
    return Tolerance(case.get("rtol"), case.get("atol"))


@pytest.mark.parametrize("name", CASES)
def test_answers_as_the_case_says(name: str) -> None:
    """Each case agrees, or does not, as its page and its code ask for."""
    case = CASES[name]
    texts = case["shown"], case["came"], tolerance_of(case)
    is_same = first_missing(*texts) is None if case.get("mode") == "lines" else agrees(*texts)
    assert is_same is case["agrees"], case["why"]


@pytest.mark.parametrize("name", DIFFERING)
def test_points_at_the_first_line_that_differs(name: str) -> None:
    """A text that does not agree is told at the first shown line that did not come, or else at the last one."""
    case = DIFFERING[name]
    first = first_missing if case.get("mode") == "lines" else first_difference
    assert first(case["shown"], case["came"], tolerance_of(case)) == case.get("line", 0)


def test_has_at_least_eighty_cases_each_with_its_reason() -> None:
    """The cases are many, and each says in a sentence why."""
    assert len(CASES) >= 80
    assert all(case["why"].endswith(".") for case in CASES.values())


@given(AWKWARD | LINES, TOLERANCES)
def test_a_text_agrees_with_itself(text: str, tolerance: Tolerance) -> None:
    """What came is always a right thing to show, whole and line by line."""
    assert agrees(text, text, tolerance)
    assert first_missing(text, text, tolerance) is None


@given(AWKWARD | LINES, AWKWARD | LINES, TOLERANCES)
def test_any_two_texts_can_be_compared(shown: str, came: str, tolerance: Tolerance) -> None:
    """No text makes a comparison raise, and the line that differs is a line of the page."""
    agrees(shown, came, tolerance)
    assert 0 <= first_difference(shown, came, tolerance) <= shown.count("\n")
    assert 0 <= (first_missing(shown, came, tolerance) or 0) <= shown.count("\n")
    assert agrees(shown, came, tolerance) or rows_of_difference(shown, came, tolerance)


@given(LINES, st.data())
def test_each_changed_digit_is_noticed(text: str, data: st.DataObject) -> None:
    """One other digit anywhere on the page is a text that did not come, and its line is told."""
    places = [place for place, letter in enumerate(text) if letter in "0123456789"]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != text[place]]))
    shown = text[:place] + digit + text[place + 1 :]
    assert not agrees(shown, text)
    line = text.count("\n", 0, place)
    missing = first_missing(shown, text)
    # Line by line, what the changed line says may come later; then a line below it is missing.
    assert missing is not None
    assert missing >= line
    assert first_difference(shown, text) == line
    rows = rows_of_difference(shown, text)
    assert [row[2:] for row in rows if row[0] != " "] == [texts.split("\n")[line] for texts in (shown, text)]


# Python prints a subnormal with fewer digits than it has: 5e-324 is nearer to 4.9e-324, which would show more.
@given(st.floats(-1e4, 1e4, allow_subnormal=False), st.integers(1, 9), st.sampled_from("fe"))
def test_a_rounded_number_agrees(number: float, digits: int, form: str) -> None:
    """A number may be shown with fewer digits than Python prints."""
    assert agrees(f"loss {number:.{digits}{form}} at", f"loss {number!r} at")


@given(LINES, st.data())
def test_a_wildcard_may_stand_for_any_part(text: str, data: st.DataObject) -> None:
    """Three dots in the place of any part of a text agree with it, within a line and over several."""
    start, end = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    before, after = text[:start], text[end:]
    # These make a line of dots, four dots in a row, or a list with dots for more numbers.
    assume(f"{before}\n".splitlines()[-1].strip() or after.partition("\n")[0].strip())
    assume(not before.endswith((".", ",")) and not after.startswith("."))
    assert agrees(f"{before}...{after}", text)


@pytest.mark.parametrize("ending", ["", "b", "0.5", "\n...\nb"])
def test_many_wildcards_against_a_long_text_come_to_an_end(ending: str) -> None:
    """Hundreds of wildcards that almost match need no more than a pass over the text for each."""
    assert not agrees("a..." * 300 + ending + "!", "a" * 20_000)
    assert not agrees("a\n...\n" * 300 + ending + "!", "a\n" * 20_000)
    assert agrees("a 0.5 ... " * 300 + "end", "a 0.51 " * 20_000 + "end")


def test_a_long_run_of_blanks_is_compared_at_once() -> None:
    """Blanks before a word are no padding of a number, however many there are; trying each of them would never end."""
    assert not agrees("x", " " * 1_000_000 + "x", Tolerance(rtol=0.1))
