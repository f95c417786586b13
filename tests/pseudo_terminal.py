"""A command in a real pseudo-terminal, as a person sees it and types into it."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from command import COMMAND

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SECONDS = 60.0


class PseudoTerminal:
    """The terminal's screen as one growing text without colours; `expect` reads on from where it last stopped."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process = process
        self._descriptor = descriptor
        self._raw = b""
        self._read = 0

    def type(self, text: str) -> None:
        """Type a text as a person would, ended by Enter."""
        os.write(self._descriptor, f"{text}\n".encode())

    def press(self, key: bytes) -> None:
        """Press one key, such as Ctrl-C."""
        os.write(self._descriptor, key)

    def expect(self, text: str) -> str:
        """Wait for a text that was not read yet; everything shown up to its end."""
        deadline = time.monotonic() + _SECONDS
        while (at := self._screen().find(text, self._read)) < 0:
            if time.monotonic() > deadline or not self._fill():
                raise AssertionError(f"{text!r} did not come; the screen shows:\n{self._screen()[self._read :]}")
        shown = self._screen()[self._read : at + len(text)]
        self._read = at + len(text)
        return shown

    def wait(self) -> int:
        """The exit code, once the command has ended by itself."""
        while self._fill():
            pass
        return self.process.wait(_SECONDS)

    def _fill(self) -> bool:
        """Take in what has come; False once the command has closed its side."""
        ready, _, _ = select.select([self._descriptor], [], [], 0.5)
        if not ready:
            return self.process.poll() is None
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:
            return False
        self._raw += data
        return bool(data)

    def _screen(self) -> str:
        return _ESCAPE.sub("", self._raw.decode("utf-8", "replace")).replace("\r\n", "\n")


@contextlib.contextmanager
def in_terminal(words: Sequence[str | Path], cwd: Path) -> Iterator[PseudoTerminal]:
    """`runthrough WORDS` with a terminal of its own, which is ended where the test leaves it running."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)],
        cwd=cwd,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    try:
        yield PseudoTerminal(process, ours)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(ours)


def _take_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C is a signal."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
