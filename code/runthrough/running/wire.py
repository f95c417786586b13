"""What travels between the command, a supervisor and a worker: one JSON line a message, over a socket."""

from __future__ import annotations

import socket
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

import msgspec

from runthrough.job import Job
from runthrough.result import CaughtWarning, FenceResult, LessonResult, RaisedError

T = TypeVar("T")


class Verb(StrEnum):
    """What a supervisor asks of a worker."""

    BEGIN = "begin"
    PERFORM = "perform"
    LEAVE = "leave"


@dataclass(frozen=True)
class Order:
    """A supervisor's message to its worker: the job to begin, the number of the step to perform, or to leave.

    The observation that answers it repeats its `token`.
    """

    verb: Verb
    job: Job | None = None
    step: int = 0
    token: str = ""


@dataclass(frozen=True)
class Value:
    """The text of a claim's or key's value, or the error that came in its place."""

    text: str = ""
    error: str = ""


@dataclass(frozen=True)
class Observation:
    """A worker's answer: what a step did, seen from inside its process.

    `threads` are the non-daemon threads alive after it, `created` the files it made in the lesson's folder by
    Python's own calls, `appeared` the names that came to a folder of its own meanwhile whoever made them, `lost` the
    standard streams it closed or redirected for good, `prints` what watched print calls printed, by line,
    `values` those of its claims and then of its keys, `answer_error` what the exercise's check raised, `figure` the
    SVG text of its figure or why there is none.
    """

    seconds: float
    value: str | None = None
    error: RaisedError | None = None
    warnings: tuple[CaughtWarning, ...] = ()
    threads: tuple[str, ...] = ()
    created: tuple[bytes, ...] = ()
    appeared: tuple[bytes, ...] = ()
    lost: tuple[str, ...] = ()
    prints: dict[int, str] = field(default_factory=dict)
    values: tuple[Value, ...] = ()
    answer_error: RaisedError | None = None
    figure: Value | None = None
    token: str = ""


@dataclass(frozen=True)
class News:
    """A supervisor's message to the command: who it is and where its temporary files are, a fence that is done, or the
    whole lesson."""

    fence: FenceResult | None = None
    lesson: LessonResult | None = None
    pid: int = 0
    folder: str = ""


@dataclass(frozen=True)
class ServerSettings:
    """What a warm server is told once: what to import before it forks, what most lessons begin with, and how many
    lessons there are."""

    modules: tuple[str, ...]
    in_sight: tuple[str, ...]
    lessons: int


@dataclass(frozen=True)
class ServerReady:
    """A warm server's only answer: it has this many threads, and forking is safe with one."""

    threads: int


@dataclass(frozen=True)
class ServiceSettings:
    """What a lesson service is told once, with the socket it listens on: the word its clients know, and how to run."""

    token: str
    workers: int


@dataclass(frozen=True)
class Request:
    """A client's message to a lesson service: jobs to run, and the key of the one job whose result it waits for."""

    token: str
    jobs: tuple[Job, ...] = ()
    wanted: str = ""


@cache
def decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    """Reads one kind of message. Making it takes milliseconds, so a process that forks makes it for its children."""
    return msgspec.json.Decoder(kind)


class Channel:
    """Messages over a socket; once the peer has closed it, there are none."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.is_closed = False
        self._pending = bytearray()

    def fileno(self) -> int:
        return self.sock.fileno()

    def send(self, message: object) -> None:
        """Send one message whole. Raises `OSError` where nobody listens any more."""
        self.sock.sendall(msgspec.json.encode(message) + b"\n")

    def receive(self, kind: type[T]) -> T | None:
        """The next message, waiting for it; `None` once the peer has closed."""
        while (message := self.poll(kind)) is None and not self.is_closed:
            self.fill()
        return message

    def fill(self, wait: bool = True) -> None:
        """Read once what the socket holds, waiting for it to hold something or not."""
        try:
            data = self.sock.recv(1 << 16, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self.is_closed = True
        self._pending += data

    def poll(self, kind: type[T]) -> T | None:
        """A message that has arrived whole, or `None`. Raises `msgspec.DecodeError` for anything else."""
        end = self._pending.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        message: T = decoder(kind).decode(line)  # type: ignore[arg-type]  # every class is hashable
        return message
