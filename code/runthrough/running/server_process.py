"""Starting the processes of a run: what they find in their environment, and how they are seen to end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from runthrough.running.huge_pages import with_huge_pages

_END_SECONDS = 10.0
# What a lesson's process must find in its environment, whatever the command was started with.
_SET = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYTHONIOENCODING": "utf-8",
    "MPLBACKEND": "Agg",
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
# What would change how fences run, or take their assertions away.
_UNSET = ("PYTHONOPTIMIZE", "PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "PYTHONSAFEPATH")


def lesson_environment() -> dict[str, str]:
    """The environment of a process that runs lessons, whatever the command was started with."""
    return {**{name: value for name, value in os.environ.items() if name not in _UNSET}, **_SET}


def is_forked(spawn: bool) -> bool:
    """True where lessons are forked from a warm server: on Linux, unless `spawn` asks for fresh interpreters."""
    return not spawn and sys.platform == "linux"


@dataclass(frozen=True)
class ServerProcess:
    """A warm server that waits to be told what to import, and the command's end of the line to it."""

    process: subprocess.Popen[bytes]
    line: socket.socket


def start_server(modules: tuple[str, ...] = ()) -> ServerProcess:
    """Start a warm server, which imports `modules` while it waits to be told more."""
    ours, theirs = socket.socketpair()
    process = start("server", theirs, *modules, environment=with_huge_pages(lesson_environment()))
    theirs.close()
    return ServerProcess(process, ours)


@contextlib.contextmanager
def server_under_way(spawn: bool, modules: tuple[str, ...] = ()) -> Iterator[ServerProcess | None]:
    """A server that starts, and imports `modules`, while lessons are read; `None` where each gets an interpreter."""
    if not is_forked(spawn):
        yield None
        return
    server = start_server(modules)
    try:
        yield server
    finally:
        server.line.close()
        if server.process.poll() is None:
            # Nobody gave it a lesson and saw to its end, and it may be at imports that take seconds.
            _kill_group(server.process)
        end([server.process])


def start(
    room: str, sock: socket.socket, *words: str, environment: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start `runthrough.running.ROOM` with one end of a line to it, in the `environment` of a lesson if not told."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", f"runthrough.running.{room}", str(sock.fileno()), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=environment or lesson_environment(),
        pass_fds=(sock.fileno(),),
        start_new_session=True,
    )


def end(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    """Wait for processes whose lines are closed; one that does not end by itself is killed with its group."""
    deadline = time.monotonic() + _END_SECONDS
    for process in processes:
        try:
            _watch(process, max(0.0, deadline - time.monotonic()))
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _kill_group(process)
            process.wait()


def _watch(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Return as soon as a process has ended, where the system tells; `Popen.wait` looks only 20 times a second."""
    if sys.platform != "linux" or process.returncode is not None:
        return
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(process.pid)
        try:
            told = select.poll()
            told.register(descriptor, select.POLLIN)
            told.poll(seconds * 1000)
        finally:
            os.close(descriptor)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
