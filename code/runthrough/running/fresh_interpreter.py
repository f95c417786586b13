"""Workers that start as fresh interpreters, which import for themselves. They end in `worker.serve`."""

from __future__ import annotations

import os
import sys

from runthrough.running import worker
from runthrough.running.launching import Exit, Seat, exit_of


class FreshInterpreter:
    """A worker that is a child of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.death = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def ended(self, wait: bool) -> Exit | None:
        return exit_of(self.pid, 0 if wait else os.WNOHANG)

    def close(self) -> None:
        if self.death is not None:
            os.close(self.death)


class FreshInterpreters:
    """Starts each worker as an interpreter, which finds by itself what is in its lesson's sight."""

    is_warm = False

    def start(self, seat: Seat, folder: str, in_sight: tuple[str, ...]) -> FreshInterpreter:
        for descriptor in (seat.orders, seat.trace):
            os.set_inheritable(descriptor, True)
        arguments = [sys.executable, "-P", "-m", worker.__name__, str(seat.orders), str(seat.trace)]
        pid = os.posix_spawn(
            sys.executable,
            arguments,
            {**os.environ, "TMPDIR": folder},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, seat.stdout, 1),
                (os.POSIX_SPAWN_DUP2, seat.stderr, 2),
            ],
        )
        return FreshInterpreter(pid)

    def staff(self) -> tuple[int, ...]:
        return ()
