"""How a worker comes to be: as a copy of a warm process, or as a fresh interpreter. Both end in `worker.serve`."""

from __future__ import annotations

import functools
import os
import socket
import sys
import traceback
from dataclasses import dataclass
from typing import Protocol

from runthrough.running import worker
from runthrough.running.processes import die_with_parent
from runthrough.running.surroundings import out_of_reach
from runthrough.running.visibility import HiddenModules
from runthrough.running.wire import Channel

# A lesson may put a function of its own in the place of the system's.
_exit = os._exit


@dataclass(frozen=True)
class Seat:
    """The descriptors a new worker is given: where it writes, where it gets orders, where faults are told."""

    stdout: int
    stderr: int
    orders: int
    trace: int


class Launch(Protocol):
    """Starts a worker in a seat, with `folder` for its temporary files, and gives its process id.

    `in_sight` are the modules with which its lesson begins.
    """

    def __call__(self, seat: Seat, folder: str, in_sight: tuple[str, ...], /) -> int: ...

    @property
    def is_warm(self) -> bool:
        """False where a worker first imports what its lesson uses, and says when that is done."""


class Fork:
    """Starts workers as copies of this process, in which `hidden` is what no lesson sees at first."""

    is_warm = True

    def __init__(self, hidden: HiddenModules) -> None:
        self._hidden = hidden
        # Found before the fork, and once for lessons that begin with the same: a copy pays for all that it touches.
        self._to_hide = functools.cache(self._find_to_hide)

    def __call__(self, seat: Seat, folder: str, in_sight: tuple[str, ...], /) -> int:
        """Start a worker that sees what its lesson begins with, and finds the rest there when it imports it."""
        return _fork(seat, folder, self._hidden, self._to_hide(in_sight))

    def _find_to_hide(self, in_sight: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in self._hidden.imports.not_reached_from(in_sight) if name in sys.modules)


def _fork(seat: Seat, folder: str, hidden: HiddenModules, to_hide: tuple[str, ...]) -> int:
    parent = os.getpid()
    if pid := os.fork():
        return pid
    try:
        die_with_parent()
        if os.getppid() != parent:
            _exit(1)
        os.setsid()
        os.environ["TMPDIR"] = folder
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(seat.stdout, 1)
        os.dup2(seat.stderr, 2)
        orders, trace = out_of_reach(seat.orders), out_of_reach(seat.trace)
        os.closerange(3, min(orders, trace))
        if to_hide:
            hidden.hide(to_hide)
        worker.serve(Channel(socket.socket(fileno=orders)), trace, hidden)
    except BaseException:  # noqa: BLE001  # a fault of our own, or one that the lesson has made ours
        traceback.print_exc()
        _exit(1)
    finally:
        # Whatever went wrong, a copy must never go on as if it were the supervisor.
        _exit(70)


class FreshInterpreter:
    """Starts each worker as an interpreter, which finds by itself what is in its lesson's sight."""

    is_warm = False

    def __call__(self, seat: Seat, folder: str, in_sight: tuple[str, ...], /) -> int:
        """Start a worker that imports for itself."""
        for descriptor in (seat.orders, seat.trace):
            os.set_inheritable(descriptor, True)
        arguments = [sys.executable, "-P", "-m", worker.__name__, str(seat.orders), str(seat.trace)]
        return os.posix_spawn(
            sys.executable,
            arguments,
            {**os.environ, "TMPDIR": folder},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, seat.stdout, 1),
                (os.POSIX_SPAWN_DUP2, seat.stderr, 2),
            ],
        )
