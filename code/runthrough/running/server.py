"""The warm server: imports once what lessons use, then forks supervisors, whose workers start with it all there."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import re
import socket
import sys
from pathlib import Path
from typing import NoReturn

from runthrough.job import Job
from runthrough.running.launching import fork
from runthrough.running.processes import adopt_orphans, end_descendants, reap
from runthrough.running.supervisor import supervise
from runthrough.running.surroundings import import_modules
from runthrough.running.wire import Channel, Observation, Order, Preload, ServerReady, ServerSettings, decoder

# From about this many lessons on, cheaper forks repay the time that compacting takes.
_WORTH_COMPACTING = 100
_MADV_COLLAPSE = 25


def main() -> NoReturn:
    """`python -P -m runthrough.running.server SOCKET`; ends when the command closes its side."""
    line = Channel(socket.socket(fileno=int(sys.argv[1])))
    # Nothing made by an import is garbage for long, and what is frozen is never looked through again.
    gc.disable()
    early = line.receive(Preload)
    if early is not None:
        import_modules(early.modules)
    settings = line.receive(ServerSettings)
    if settings is None:
        os._exit(0)
    adopt_orphans()
    import_modules(settings.modules)
    for kind in (Job, Order, Observation):
        decoder(kind)
    gc.freeze()
    if settings.lessons >= _WORTH_COMPACTING:
        _compact_memory()
    line.send(ServerReady(threads=thread_count()))
    _fork_supervisors(line.sock)
    end_descendants(os.getpid())
    os._exit(0)


def thread_count() -> int:
    """Threads of this process as the system counts them, those of C libraries included."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else 1


def _fork_supervisors(line: socket.socket) -> None:
    """Fork a supervisor for each socket that the command sends, until it closes the line."""
    while True:
        _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
        if not descriptors:
            break
        if os.fork() == 0:
            line.close()
            supervise(Channel(socket.socket(fileno=descriptors[0])), fork)
        os.close(descriptors[0])
        reap()
    _wait_for_supervisors()


def _wait_for_supervisors() -> None:
    """Supervisors end by themselves once the command is gone, and end their lessons first."""
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return


def _compact_memory() -> None:
    """Back this process's anonymous memory by huge pages, so that a fork copies fewer page tables (Linux)."""
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    for first, last, rights, name in _mappings():
        if rights.startswith("rw-p") and name in ("", "[heap]") and last - first >= 2 << 20:
            start = -(-first // (2 << 20)) * (2 << 20)
            size = (last - start) // mmap.PAGESIZE * mmap.PAGESIZE
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _MADV_COLLAPSE)


def _mappings() -> list[tuple[int, int, str, str]]:
    lines = Path("/proc/self/maps").read_text().split("\n")
    found = (re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)", line) for line in lines)
    return [(int(m[1], 16), int(m[2], 16), m[3], m[4]) for m in found if m]


if __name__ == "__main__":
    main()
