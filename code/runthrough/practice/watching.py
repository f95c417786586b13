"""What a student does while the watch runs: saves files, and types words."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator
from pathlib import Path

from watchfiles import watch

_CHUNK = 4096
# Some file systems tell of no change, so the files are looked at this often too, in seconds.
_LOOK_AGAIN = 2.0

Signature = tuple[int, int, int]


def signature(file: Path) -> Signature | None:
    """What changes whenever a file is saved, however its editor does that; `None` where there is no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


class Desk:
    """Waits for a change in a folder or a line typed on the descriptor `typing`, where -1 means that nobody types."""

    def __init__(self, folder: Path, typing: int) -> None:
        self.is_closed = typing < 0
        self._typing = typing
        self._typed = b""
        self._wakes, self._wake = os.pipe()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(folder,), daemon=True)
        self._thread.start()

    def wait(self) -> list[str]:
        """The lines typed, after waiting for one or for a change; the end of typing sets `is_closed`."""
        watched = [self._wakes] if self.is_closed else [self._wakes, self._typing]
        ready, _, _ = select.select(watched, [], [], _LOOK_AGAIN)
        if self._wakes in ready:
            os.read(self._wakes, _CHUNK)
        return self._lines() if self._typing in ready else []

    def close(self) -> None:
        """Watch no more."""
        self._stop.set()
        self._thread.join()
        os.close(self._wakes)
        os.close(self._wake)

    def _lines(self) -> list[str]:
        data = os.read(self._typing, _CHUNK)
        self.is_closed = not data
        *lines, self._typed = (self._typed + (data or b"\n")).split(b"\n")
        return [line.decode("utf-8", "replace").strip() for line in lines if data or line]

    def _watch(self, folder: Path) -> None:
        """Wake the waiting one at each change; what changed is seen by looking at the files."""
        with contextlib.suppress(OSError, RuntimeError):
            for _ in watch(folder, watch_filter=None, recursive=False, stop_event=self._stop, rust_timeout=0):
                os.write(self._wake, b"!")


@contextlib.contextmanager
def desk_at(folder: Path, typing: int) -> Iterator[Desk]:
    """A desk that is closed in the end."""
    desk = Desk(folder, typing)
    try:
        yield desk
    finally:
        desk.close()
