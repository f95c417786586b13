"""The live line and the styles, on a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import pytest

from command import COMMAND, TELLING

STYLE = re.compile(r"\x1b\[[0-9;]*m")
ERASES_LINE = "\x1b[2K"


def seen_on_a_terminal(*words: str, **environment: str) -> str:
    """All that `runthrough WORDS` writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    unset = {"NO_COLOR", "COLUMNS", "LINES"}
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    command = subprocess.Popen(
        [*COMMAND, *words],
        cwd=TELLING,
        env={**inherited, "TERM": "xterm-256color", "COLUMNS": "80", "LC_ALL": "C.UTF-8", **environment},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:  # Linux says so when the last writer has closed a terminal
        pass
    os.close(ours)
    command.wait()
    return written.decode("utf-8")


def test_a_terminal_shows_what_runs_and_then_takes_it_away() -> None:
    """While lessons run a line tells how many are done; at the end it is erased and the results stand alone."""
    written = seen_on_a_terminal("check", "holds.md", "skipped.md", "-j", "1")
    assert "0 of 2 lessons" in written
    assert "1 of 2 lessons" in written
    assert "holds.md:3" in written
    tail = written[written.rindex("lessons, ") :]
    assert ERASES_LINE in tail
    assert STYLE.search(written)


@pytest.mark.parametrize(("words", "environment"), [((), {"NO_COLOR": "1"}), (("--no-color",), {})])
def test_without_colour_the_live_line_stays(words: tuple[str, ...], environment: dict[str, str]) -> None:
    """NO_COLOR and --no-color drop every style and keep the live line."""
    written = seen_on_a_terminal("check", "assertion.md", *words, **environment)
    assert "0 of 1 lessons" in written
    assert not STYLE.search(written)


def test_a_dumb_terminal_gets_plain_lines() -> None:
    """With TERM=dumb there is no escape sequence at all."""
    written = seen_on_a_terminal("check", "assertion.md", TERM="dumb")
    assert "\x1b" not in written
    assert "FAILED assertion.md:12" in written


def test_quiet_has_no_live_line() -> None:
    """-q leaves nothing but the closing line, on a terminal too."""
    written = seen_on_a_terminal("check", "holds.md", "-q", "--no-color")
    assert written.count("\n") == 1
    assert "of 1 lessons" not in written
