"""Workers that start as copies of a warm process, the zygote, whose only work is to fork. They end in `worker.serve`.

A fork makes each page of memory that its process goes on writing to dear once more. A supervisor writes to many, so
that it has another do the forking, which writes to few.
"""

from __future__ import annotations

import functools
import marshal
import os
import select
import signal
import socket
import struct
import sys
import traceback
from dataclasses import dataclass
from typing import NoReturn

from runthrough.running import worker
from runthrough.running.launching import LOST, Exit, Seat, exit_of
from runthrough.running.processes import die_with_parent
from runthrough.running.surroundings import out_of_reach
from runthrough.running.visibility import HiddenModules
from runthrough.running.wire import Channel

_LONGEST_REQUEST = 1 << 17  # bytes
_PID = struct.Struct("=i")
_EXIT = struct.Struct("=id")
_ANSWER_SECONDS = 10.0


class Zygotes:
    """Has workers forked by a zygote, in which `hidden` is what no lesson sees at first; a lost one is replaced."""

    is_warm = True

    def __init__(self, hidden: HiddenModules) -> None:
        self._hidden = hidden
        self._zygote: _Zygote | None = None

    def start(self, seat: Seat, folder: str, in_sight: tuple[str, ...]) -> Forked:
        """Fork a worker that sees what its lesson begins with, and finds the rest there when it imports it."""
        request = marshal.dumps((folder, in_sight))
        if self._zygote and (pid := self._zygote.fork(seat, request)):
            return Forked(pid, self._zygote)
        self._zygote = _start_zygote(self._hidden)
        if pid := self._zygote.fork(seat, request):
            return Forked(pid, self._zygote)
        raise ChildProcessError("no process can be started for the lesson")

    def staff(self) -> tuple[int, ...]:
        return (self._zygote.pid,) if self._zygote else ()


@dataclass(frozen=True)
class _Zygote:
    """A zygote as its supervisor sees it. It has one worker at a time, and tells at once when that has ended."""

    pid: int
    line: socket.socket

    def fork(self, seat: Seat, request: bytes) -> int | None:
        """The process id of a new worker; `None` where the zygote has been killed."""
        try:
            socket.send_fds(self.line, [request], [seat.stdout, seat.stderr, seat.orders, seat.trace])
        except ConnectionError:
            return None
        answer = self.answer(_PID.size, wait=True)
        return int(_PID.unpack(answer)[0]) if answer else None

    def answer(self, size: int, wait: bool) -> bytes | None:
        """What it says next; empty where it has been killed, `None` where it has not said anything yet."""
        if wait and not select.select([self.line], [], [], _ANSWER_SECONDS)[0]:
            # A lesson has stopped it.
            os.kill(self.pid, signal.SIGKILL)
        try:
            return self.line.recv(size, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except ConnectionError:
            return b""


class Forked:
    """A worker that is a child of a zygote."""

    def __init__(self, pid: int, zygote: _Zygote) -> None:
        self.pid = pid
        self.death = zygote.line.fileno()
        self._zygote = zygote

    def ended(self, wait: bool) -> Exit | None:
        """As the zygote tells; with a killed zygote its worker is killed too."""
        answer = self._zygote.answer(_EXIT.size, wait)
        if answer is None:
            return None
        return Exit(*_EXIT.unpack(answer)) if answer else LOST

    def close(self) -> None:
        """There is nothing that only this worker has."""


def _start_zygote(hidden: HiddenModules) -> _Zygote:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _belong_to(parent)
            line = out_of_reach(theirs.fileno())
            os.closerange(3, line)
            _fork_on_request(socket.socket(fileno=line), hidden)
        finally:
            os._exit(70)
    theirs.close()
    return _Zygote(pid, ours)


def _fork_on_request(line: socket.socket, hidden: HiddenModules) -> NoReturn:
    @functools.cache
    def to_hide(in_sight: tuple[str, ...]) -> tuple[str, ...]:
        # Found before the fork, and once for lessons that begin with the same: a copy pays for all that it touches.
        return tuple(name for name in hidden.imports.not_reached_from(in_sight) if name in sys.modules)

    while True:
        request, descriptors, _, _ = socket.recv_fds(line, _LONGEST_REQUEST, 4)
        if not request:
            os._exit(0)
        folder, in_sight = marshal.loads(request)
        pid = _fork(Seat(*descriptors), folder, hidden, to_hide(in_sight))
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(_PID.pack(pid))
        ended = exit_of(pid) or LOST
        line.send(_EXIT.pack(ended.code, ended.peak_rss_mib))


def _fork(seat: Seat, folder: str, hidden: HiddenModules, to_hide: tuple[str, ...]) -> int:
    parent = os.getpid()
    if pid := os.fork():
        return pid
    try:
        _belong_to(parent)
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
        os._exit(1)
    finally:
        # Whatever went wrong, a copy must never go on as if it were the zygote.
        os._exit(70)


def _belong_to(parent: int) -> None:
    """End with `parent`, which may have ended already."""
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
