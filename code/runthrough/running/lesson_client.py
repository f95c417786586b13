"""The side of those who ask a lesson service: it is started, found by its address, and ended with its owner."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from runthrough.job import Job
from runthrough.result import LessonResult
from runthrough.running.server_process import end, start
from runthrough.running.wire import Channel, Request, ServiceSettings

_LONGEST_ADDRESS = 100  # bytes; a socket's path holds 104 to 108, terminating zero included
_WAITING_CLIENTS = 128
_LOST = "the process that runs the lessons has ended before its time"


class ServiceLostError(Exception):
    """The lesson service has ended before it gave a result."""


@dataclass(frozen=True)
class Address:
    """Where a lesson service listens, and the word that lets a client in."""

    path: str
    token: str


@dataclass(frozen=True)
class LessonService:
    """A running lesson service, as its owner holds it."""

    address: Address
    process: subprocess.Popen[bytes]
    line: socket.socket
    folder: str

    def end(self) -> None:
        """End the service and every lesson it runs, and wait until that is done."""
        # A process forked from this one may hold the line too.
        with contextlib.suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)
        self.line.close()
        end([self.process])
        shutil.rmtree(self.folder, ignore_errors=True)


def start_service(workers: int, spawn: bool, modules: tuple[str, ...] = ()) -> LessonService:
    """Start a lesson service that runs `workers` lessons at a time. It ends with this process, however that ends.

    Its warm server imports `modules` before any job is handed in.
    """
    folder = _private_folder()
    address = Address(os.path.join(folder, "socket"), secrets.token_hex(16))
    ours, theirs = socket.socketpair()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address.path)
        listener.listen(_WAITING_CLIENTS)
        process = start("lesson_service", theirs, "spawn" if spawn else "fork", *modules)
        theirs.close()
        socket.send_fds(ours, [b"+"], [listener.fileno()])
    Channel(ours).send(ServiceSettings(address.token, workers))
    return LessonService(address, process, ours, folder)


def key_of(job: Job) -> str:
    """What tells a job from every other: a digest of all that it says."""
    return hashlib.blake2b(msgspec.json.encode(job), digest_size=16).hexdigest()


class LessonClient:
    """One process's line to a lesson service, opened at once."""

    def __init__(self, address: Address) -> None:
        self._token = address.token
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(address.path)
        except OSError as error:
            sock.close()
            raise ServiceLostError(f"no lesson service answers at {address.path}: {error.strerror}") from error
        self._line = Channel(sock)

    def hand_in(self, jobs: Sequence[Job]) -> None:
        """Have the jobs run, in this order; those that were handed in before are not run again."""
        self._send(Request(self._token, tuple(jobs)))

    def result(self, job: Job) -> LessonResult:
        """The result of a job that was handed in, waiting for it. Raises ServiceLostError."""
        self._send(Request(self._token, wanted=key_of(job)))
        while (result := self._line.receive(LessonResult)) is not None:
            # An answer may still come to a question that was broken off, as by a time limit of a test's.
            if result.path == job.name:
                return result
        raise ServiceLostError(_LOST)

    def close(self) -> None:
        """Leave the service to its other clients."""
        self._line.sock.close()

    def _send(self, request: Request) -> None:
        try:
            self._line.send(request)
        except OSError as error:
            raise ServiceLostError(_LOST) from error


def _private_folder() -> str:
    """A new folder that only this user may enter, with a path short enough for a socket's."""
    folder = tempfile.mkdtemp(prefix="runthrough-")
    if len(os.fsencode(folder)) <= _LONGEST_ADDRESS - len("/socket"):
        return folder
    os.rmdir(folder)
    return tempfile.mkdtemp(prefix="runthrough-", dir="/tmp")
