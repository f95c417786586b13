"""What cannot be read as meant is told at its line, all of it at once, and nothing runs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from command import LESSONS, runthrough

UNREADABLE = LESSONS / "unreadable"
EXPECTED: dict[str, list[str]] = tomllib.loads((UNREADABLE / "expect.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_everything_wrong_with_a_page_is_told_at_its_line(name: str) -> None:
    """Each fault of a page comes as `path:line: what (what to do)`, in order, and the command ends with 2."""
    done = runthrough("check", name, cwd=UNREADABLE)
    told = [line for line in done.err.splitlines() if line.startswith(name)]
    assert len(told) == len(EXPECTED[name]), done.err
    for line, expected in zip(told, EXPECTED[name], strict=True):
        assert f"{name}:{expected}" in line
    assert (done.code, done.out) == (2, "")


def test_every_unreadable_page_is_expected() -> None:
    """No input of these tests is left without its expectation."""
    assert {path.name for path in UNREADABLE.glob("*.md")} == set(EXPECTED)


def test_the_faults_of_all_pages_are_told_at_once() -> None:
    """One unreadable page does not hide those of another, nor a path that does not exist."""
    done = runthrough("list", "unknown-key.md", "no-such.md", "said-twice.md", cwd=UNREADABLE)
    assert done.code == 2
    assert [line.partition(":")[0] for line in done.err.splitlines()][:2] == ["no-such.md", "unknown-key.md"]
    assert "said-twice.md:10:" in done.err


def test_a_byte_order_mark_is_a_warning_and_no_text(tmp_path: Path) -> None:
    """A page that begins with a byte order mark is told of, and its first line still is a heading."""
    (tmp_path / "page.md").write_bytes(b"\xef\xbb\xbf# Title\n\n```python\nx = 1\n```\n")
    done = runthrough("list", "page.md", cwd=tmp_path)
    assert done.code == 0
    assert "page.md:1: the file begins with a byte order mark" in done.err
    assert "title-1" in done.out
