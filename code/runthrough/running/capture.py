"""Output read from a pipe, kept up to a limit: the beginning and, since the end is what tells, the end."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import sys
import termios
from collections import deque

LIMIT = 1 << 20
_CHUNK = 1 << 16
_F_SETPIPE_SZ = 1031


def pipe() -> tuple[int, int]:
    """A pipe, as its reading and writing end, roomy where the system allows it."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    if sys.platform == "linux":
        # A system under pressure may refuse, and the usual size does as well.
        with contextlib.suppress(OSError):
            fcntl.fcntl(writing, _F_SETPIPE_SZ, LIMIT)
    return reading, writing


class Capture:
    """The bytes of one stream. What passes the limit is cut from the middle; `total` counts all of them."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.total = 0
        self.clear()

    def clear(self) -> None:
        """Forget what was read, for the next fence."""
        self.total = 0
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0

    def read(self) -> bool:
        """Read once what the pipe holds; False at its end."""
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return True
        self._feed(data)
        return bool(data)

    def drain(self) -> None:
        """Read all that was in the pipe at this moment, and no more: a flood that goes on is not waited for."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self.descriptor, termios.FIONREAD, waiting)
        goal = self.total + waiting[0]
        while self.total < goal and self.read():
            pass

    def text(self) -> str:
        """What was written, as UTF-8 text, with a line in place of what was cut."""
        tail = b"".join(self._tail)[-LIMIT // 2 :]
        cut = self.total - len(self._head) - len(tail)
        if cut <= 0:
            return (self._head + tail).decode("utf-8", "replace")
        head = self._head.decode("utf-8", "replace")
        return f"{head}\n[... {cut} bytes cut here ...]\n{tail.decode('utf-8', 'replace')}"

    def _feed(self, data: bytes) -> None:
        self.total += len(data)
        room = LIMIT // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            while self._tail_size - len(self._tail[0]) >= LIMIT // 2:
                self._tail_size -= len(self._tail.popleft())
