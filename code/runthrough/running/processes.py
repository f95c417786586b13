"""Processes as the operating system sees them: whose children they are, and how they are all ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from functools import cache

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Processes that Python starts for itself and that end with their parent.
_OF_PYTHON = (
    "multiprocessing.resource_tracker",
    "multiprocessing.forkserver",
    "torch/_inductor/compile_worker",
)


def adopt_orphans() -> None:
    """Make this process the parent of every orphan below it, also of those that left their session (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies (Linux)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def descendants(pid: int) -> tuple[int, ...]:
    """The processes below `pid` that are alive, children before their children."""
    return tuple(child for child in _below(pid) if _is_alive(child))


def strays(pid: int, known: int = 0) -> tuple[int, ...]:
    """The descendants of `pid`, without the `known` one and those that Python keeps for itself."""
    # The known one is left out first: asking the system about a process costs more than finding it.
    others = (child for child in _below(pid) if child != known and _is_alive(child))
    return tuple(child for child in others if not any(word in command(child) for word in _OF_PYTHON))


def command(pid: int) -> str:
    """The command line of a process as a person would type it; empty where it is gone."""
    import psutil

    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return ""


def end_descendants(pid: int) -> None:
    """Kill all that runs below this process `pid` and reap it, until nothing is left."""
    while below := descendants(pid):
        for child in below:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        reap()
        time.sleep(0.001)
    reap()


def reap() -> None:
    """Take the exit status of every child that has ended, so that none stays a zombie."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        _library().prctl(option, value, 0, 0, 0)


@cache
def _library() -> ctypes.CDLL:
    """The C library, whose making writes to a hundred pages: a process that forks makes it for its children."""
    return ctypes.CDLL(None, use_errno=True)


def _below(pid: int) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        children = list(_children(waiting.pop()))
        waiting += children
        yield from children


def _children(pid: int) -> Iterator[int]:
    # Asked after every fence, so without the comfort of paths as objects.
    tasks = f"/proc/{pid}/task"
    try:
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/children", "rb", buffering=0) as children:
                yield from map(int, children.read().split())
    except FileNotFoundError:
        if os.path.exists(tasks) or not os.path.exists("/proc"):
            yield from _children_by_scan(pid)
    except ProcessLookupError:
        return


def _children_by_scan(pid: int) -> Iterator[int]:
    import psutil

    try:
        yield from (child.pid for child in psutil.Process(pid).children())
    except psutil.Error:
        return


def _is_alive(pid: int) -> bool:
    # Asked where a lesson has started processes, which few do, and dear to import.
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
