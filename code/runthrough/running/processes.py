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
# How Python starts processes for itself that end with their parent: the beginning of their code, or their file.
_RESOURCE_TRACKER = "from multiprocessing.resource_tracker import main"
_CODE_OF_PYTHON = (_RESOURCE_TRACKER, "from multiprocessing.forkserver import main")
# How long, in seconds, what removes shared memory that a lesson has left may take for it.
_TRACKER_GRACE = 1.0
_FILE_OF_TORCH = "torch/_inductor/compile_worker/__main__.py"


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
    return tuple(child for child in others if not _is_of_python(_words(child)))


def command(pid: int) -> str:
    """The command line of a process as a person would type it; empty where it is gone."""
    return " ".join(_words(pid))


def _words(pid: int) -> list[str]:
    import psutil

    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


def _is_of_python(words: list[str]) -> bool:
    return _code(words).startswith(_CODE_OF_PYTHON) or any(word.endswith(_FILE_OF_TORCH) for word in words[1:2])


def _code(words: list[str]) -> str:
    """The code that an interpreter was given in its command line."""
    return "".join(words[words.index("-c") + 1 :][:1]) if "-c" in words else ""


def end_descendants(pid: int) -> None:
    """Kill all that runs below this process `pid` and reap it, until nothing is left.

    Python's own process that removes shared memory and semaphores does so once all others are gone, and has a moment.
    """
    deadline = time.monotonic() + _TRACKER_GRACE
    # One that was reaped may have left children to this process, which the last look came too early to find.
    while (below := descendants(pid)) or reap():
        for child in below:
            if time.monotonic() < deadline and _code(_words(child)).startswith(_RESOURCE_TRACKER):
                continue
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if below:
            time.sleep(0.001)


def reap() -> bool:
    """Take the exit status of every child that has ended, so that none stays a zombie; True where there was one."""
    found = False
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            found = True
    except ChildProcessError:
        pass
    return found


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
