"""What a fence finds around it: its folder, its streams, and no one to answer `input()`."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import fcntl
import gc
import importlib
import io
import os
import resource
import signal
import sys
import tempfile
import warnings
import weakref
from collections.abc import Iterable
from typing import Any, TextIO

from runthrough.job import Job
from runthrough.result import CaughtWarning
from runthrough.running.failure import capped, printable

# A signal no lesson is likely to use: it makes a hung fence tell the line it stands at.
TELL_LINE = getattr(signal, "SIGRTMAX", signal.SIGUSR2) - (2 if hasattr(signal, "SIGRTMAX") else 0)

# As an interpreter opens them: a complaint is never lost to a letter that it cannot write.
_ERRORS = {1: "strict", 2: "backslashreplace"}


class NoInput(io.TextIOBase):
    """Standard input of a lesson: nobody is there, and whoever reads is told so."""

    @property
    def buffer(self) -> NoInput:
        """The same for whoever reads bytes."""
        return self

    def fileno(self) -> int:
        return 0

    def readable(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # io's stub says bytes or str
        raise EOFError("a lesson runs with no standard input, so there is nothing to read")

    def read(self, size: int | None = -1, /) -> str:
        return self.readline()


class Streams:
    """The lesson's standard output and error, caught at their descriptors so that C code and children count."""

    def __init__(self) -> None:
        self._kept = [out_of_reach(descriptor) for descriptor in (1, 2)]
        self._text = [_opened(descriptor) for descriptor in (1, 2)]
        self._originals = (sys.stdout, sys.stderr)
        self.restore()
        sys.stdin = NoInput()

    def restore(self) -> None:
        """Give the next fence open streams, whatever the last one did to these."""
        for kept, descriptor in zip(self._kept, (1, 2), strict=True):
            os.dup2(kept, descriptor)
        before = (*self._text, *self._originals)
        self._text = [_as_opened(text, descriptor) for text, descriptor in zip(self._text, (1, 2), strict=True)]
        sys.__stdout__, sys.__stderr__ = self._text  # type: ignore[misc]  # fresh streams are the originals here
        # What the lesson itself has put in their place stays there, as in a notebook.
        for name, text in zip(("stdout", "stderr"), self._text, strict=True):
            held = getattr(sys, name, None)
            if any(held is each for each in before):
                setattr(sys, name, text)

    def flush(self) -> tuple[str, ...]:
        """Send out all text written; the names of the streams that were closed or redirected for good."""
        lost = []
        holders = [getattr(sys, name, None) for name in ("stdout", "stderr")]
        for name, text, held, kept, descriptor in zip(
            ("standard output", "standard error"), self._text, holders, self._kept, (1, 2), strict=True
        ):
            try:
                # The lesson may have put another in the place of one that it closed or took apart.
                if held is text or _is_open(text):
                    text.flush()
                same = os.path.sameopenfile(kept, descriptor)
            except (ValueError, OSError):
                same = False
            if not same:
                lost.append(name)
        for held in holders:
            # It may be anything, and say anything of whether it equals another.
            if not any(held is text for text in self._text):
                _flush_quietly(held)
        return tuple(lost)


class WarningRecord:
    """The warnings of one fence after another: told on standard error as ever, and kept with their lesson line."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._caught: list[CaughtWarning] = []
        self._show = warnings.showwarning
        warnings.showwarning = self._catch

    def start(self) -> None:
        """Let each fence warn again of what an earlier one warned of."""
        # Leaving the block tells every module's record of given warnings that it is out of date.
        with warnings.catch_warnings():
            pass
        self._caught = []

    def caught(self) -> tuple[CaughtWarning, ...]:
        return tuple(self._caught)

    def _catch(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        own = lineno if filename == self._path else self._line_of_lesson()
        self._caught.append(CaughtWarning(category.__name__, capped(printable(str(message))), own))
        self._show(message, category, filename, lineno, file, line)

    def _line_of_lesson(self) -> int | None:
        frame = sys._getframe()
        while frame is not None and frame.f_code.co_filename != self._path:
            frame = frame.f_back  # type: ignore[assignment]  # the outermost frame has none
        return frame.f_lineno if frame is not None else None


def import_modules(names: Iterable[str]) -> None:
    """Import what lessons will use. One that is missing or broken is left for the fence that asks for it."""
    missing = [name for name in names if name not in sys.modules]
    for name in missing:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001  # any import may fail in any way, and its fence will tell
            continue
    if missing:
        settle_libraries()


def settle_libraries() -> None:
    """Bring numpy and torch, where they are imported, to the state in which a lesson finds them.

    A module of the user's own that has such a name is left as it is.
    """
    if "numpy" in sys.modules:
        # numpy loads this part when it is first touched, and seeding touches it in every child.
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy.random")
    if torch := sys.modules.get("torch"):
        # Before any operation: a process forked from one that ran a multi-threaded operation hangs in its own.
        with contextlib.suppress(AttributeError):
            torch.set_num_threads(1)


def forget_exit_functions() -> None:
    """Let only what a lesson itself registers run at its end; waiting for its children is not ours to do."""
    atexit._clear()
    if logging := sys.modules.get("logging"):
        # As its import does: at its end an interpreter flushes what the program's handlers hold.
        atexit.register(logging.shutdown)
    # All finalizers share one such function, which the first of them registers.
    for waiting in list(weakref.finalize._registry):  # type: ignore[attr-defined]  # typeshed leaves it out
        waiting.atexit = False
    weakref.finalize._registered_with_atexit = False  # type: ignore[attr-defined]  # the same


def settle(job: Job, trace: int) -> None:
    """Make this process the lesson's: folder, arguments, import path, limits, fault reports."""
    folder = os.path.dirname(job.path)
    os.chdir(folder)
    sys.argv = [job.path]
    sys.path.insert(0, folder)
    tempfile.tempdir = None
    faulthandler.enable(trace)
    faulthandler.register(TELL_LINE, trace, all_threads=False)
    if job.memory_mib:
        limit = job.memory_mib << 20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    gc.enable()


def out_of_reach(descriptor: int) -> int:
    """A copy of a descriptor at a number that code closing its descriptors in turn seldom gets to."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, max(3, min(900, soft - 20)))


def _opened(descriptor: int) -> io.TextIOWrapper:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors=_ERRORS[descriptor], closefd=False)


def _as_opened(text: io.TextIOWrapper, descriptor: int) -> io.TextIOWrapper:
    """The same stream as it was opened, whatever a fence has set of it; another where it was closed or detached.

    Making one costs more than all else before a fence, and the lesson may have kept the one that it knows.
    """
    try:
        seen = (text.closed, text.line_buffering, text.encoding, text.errors)
        if seen != (False, True, "utf-8", _ERRORS[descriptor]):
            text.reconfigure(encoding="utf-8", errors=_ERRORS[descriptor], line_buffering=True)
    except ValueError:
        return _opened(descriptor)
    return text


def _is_open(text: io.TextIOWrapper) -> bool:
    try:
        return not text.closed
    except ValueError:
        # It has been detached from what it wrote to.
        return False


def _flush_quietly(stream: Any) -> None:
    try:
        stream.flush()
    except BaseException:  # noqa: BLE001  # a learner's own stream may raise anything, or have no such method
        return
