"""How a worker comes to be, as its supervisor sees it: what it is given, and how it came to its end."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Seat:
    """The descriptors a new worker is given: where it writes, where it gets orders, where faults are told."""

    stdout: int
    stderr: int
    orders: int
    trace: int


@dataclass(frozen=True)
class Exit:
    """How a process ended: its exit code, negative for a signal, and the most memory it held."""

    code: int
    peak_rss_mib: float


LOST = Exit(-signal.SIGKILL, 0.0)


class Child(Protocol):
    """A worker that has been started."""

    @property
    def pid(self) -> int:
        """Its process id."""

    @property
    def death(self) -> int | None:
        """A descriptor that is readable once it has ended, where the system has such."""

    def ended(self, wait: bool) -> Exit | None:
        """How it ended, after waiting for that or not; `None` while it lives. Not to be asked again after an answer."""

    def close(self) -> None:
        """Let go of what is held of it."""


class Launch(Protocol):
    """Starts workers, one after another."""

    def start(self, seat: Seat, folder: str, in_sight: tuple[str, ...]) -> Child:
        """Start a worker in a seat, with `folder` for its temporary files.

        `in_sight` are the modules with which its lesson begins.
        """

    @property
    def is_warm(self) -> bool:
        """False where a worker first imports what its lesson uses, and says when that is done."""

    def staff(self) -> tuple[int, ...]:
        """Processes that are kept to start workers, and so are none of a lesson's."""


def exit_of(pid: int, options: int = 0) -> Exit | None:
    """How a child of this process ended, taken from the system as `os.wait4` with these options does."""
    ended, status, usage = os.wait4(pid, options)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Exit(os.waitstatus_to_exitcode(status), usage.ru_maxrss / unit) if ended else None
