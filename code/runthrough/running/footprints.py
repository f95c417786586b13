"""What a fence leaves outside its namespace: files in the lesson's folder and threads."""

from __future__ import annotations

import fnmatch
import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from runthrough.running.failure import printable

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Which argument of an audit event names the path that comes into being.
_MAKES = {
    "os.rename": 1,
    "os.link": 1,
    "os.symlink": 1,
    "os.mkdir": 0,
    "sqlite3.connect": 0,
}
_IGNORED = ("__pycache__", ".ipynb_checkpoints")


def names_in(folder: str) -> set[str]:
    """The names in a folder but those that Python and Jupyter leave there."""
    return {name for name in os.listdir(folder) if name not in _IGNORED}


def is_everybodys(folder: str) -> bool:
    """True for the folder of temporary files: what comes to it may be of any program."""
    return folder == tempfile.gettempdir()


def allows(pattern: str, name: str) -> bool:
    """True where a `writes=` with this pattern lets the file or folder of that name stay.

    As for a shell, `**/` also stands for no folder. A name with brackets may be written as it is.
    """
    pattern = os.path.normpath(pattern)
    meant = (pattern, pattern.replace("**/", ""))
    return name == pattern or any(fnmatch.fnmatch(name, each) for each in meant) or name.startswith(f"{pattern}/")


def not_allowed(folder: Path, names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Those of the names in a folder that no `writes=` lets stay. What holds only files that may stay, stays too."""

    def may_stay(name: str) -> bool:
        if any(allows(pattern, name) for pattern in patterns):
            return True
        path = folder / name
        holds_some = any(_is_above(name, pattern) for pattern in patterns) and path.is_dir() and not path.is_symlink()
        return holds_some and all(may_stay(f"{name}/{inner}") for inner in os.listdir(path))

    return [name for name in names if not may_stay(name)]


def _is_above(name: str, pattern: str) -> bool:
    """True for a folder in which files of this pattern lie, or folders with such."""
    parts = os.path.normpath(pattern).split("/")
    return any(fnmatch.fnmatch(name, "/".join(parts[:depth])) for depth in range(1, len(parts)))


class FolderWatch:
    """The files that came to a folder, in which this process is: those that Python's own calls made, and those that are
    simply there.

    The latter are told only in a folder that is the lesson's `own`: in another, a neighbour may have made them. Files
    below `temporary` are never told; a folder that holds even that is everybody's.
    """

    def __init__(self, folder: str, own: bool, temporary: str) -> None:
        self.folder = folder
        self._temporary = temporary + os.sep
        # The system calls it so where a part of its path is a link.
        self._other_name = os.getcwd()
        self._own = own = own and not self._temporary.startswith((folder + os.sep, self._other_name + os.sep))
        self._made: list[str] = []
        self._told: set[str] = set()
        # A folder of many lessons would be listed as many times as it has lessons.
        self._names = self._listing() if own else set()
        self._changed = self._modified() if own else 0
        sys.addaudithook(self._hear)

    def created(self) -> tuple[bytes, ...]:
        """Paths, relative to the folder, made since the last call that still exist; like all names, as the system has
        them, since not each is text."""
        made, self._made = self._made, []
        kept = [path for path in dict.fromkeys(made) if os.path.lexists(path)]
        self._told.update(kept)
        return tuple(os.fsencode(os.path.relpath(path, self.folder)) for path in kept)

    def appeared(self) -> tuple[bytes, ...]:
        """Names that came to the folder since the last call and that `created` does not explain."""
        if not self._own or (changed := self._modified()) == self._changed:
            return ()
        self._changed = changed
        before, self._names = self._names, self._listing()
        new = sorted(self._names - before)
        return tuple(os.fsencode(name) for name in new if os.path.join(self.folder, name) not in self._told)

    def _modified(self) -> int:
        # A program may set back when a folder was modified, and not when that was set.
        return os.stat(self.folder).st_ctime_ns

    def _listing(self) -> set[str]:
        return names_in(self.folder)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITING:
                self._note(path)
        elif event in _MAKES:
            self._note(arguments[_MAKES[event]])

    def _note(self, path: object) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        try:
            whole = os.path.abspath(os.fsdecode(path))
        except FileNotFoundError:
            # The folder in which this process is has been removed, so that nothing comes into being there.
            return
        if whole.startswith(self._temporary):
            return
        if whole.startswith(self._other_name + os.sep):
            whole = self.folder + whole[len(self._other_name) :]
        inside = whole.startswith(self.folder + os.sep)
        if inside and not any(part in whole for part in _IGNORED) and not os.path.lexists(whole):
            self._made.append(whole)


def end_pools(grace: float) -> None:
    """Let the pools of `concurrent.futures` end their idle threads and processes, as an interpreter does at its end.

    It would wait for those that work too, which here have `grace` seconds.
    """
    ending = threading.Thread(target=_call_exit_functions_of_threading, daemon=True)
    ending.start()
    ending.join(grace)


def _call_exit_functions_of_threading() -> None:
    for function in reversed(threading._threading_atexits):  # type: ignore[attr-defined]  # typeshed leaves it out
        function()


def lasting_threads(grace: float = 0.0) -> tuple[str, ...]:
    """Names of the non-daemon threads that are alive, after waiting up to `grace` seconds for them to end."""
    deadline = monotonic() + grace
    while (alive := _alive()) and monotonic() < deadline:
        sleep(0.01)
    return alive


def _alive() -> tuple[str, ...]:
    main = threading.main_thread()
    others = (thread for thread in threading.enumerate() if thread is not main and not thread.daemon)
    return tuple(printable(thread.name) for thread in others)
