"""The supervisor's hold on one worker: start it, give it a fence, wait for what comes first, end it."""

from __future__ import annotations

import os
import re
import secrets
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass, replace

import msgspec

from runthrough.job import Job
from runthrough.running.capture import Capture, pipe
from runthrough.running.launching import Launch, Seat
from runthrough.running.processes import end_descendants, strays
from runthrough.running.surroundings import TELL_LINE
from runthrough.running.wire import Channel, Observation, Order, Verb

_TELL_SECONDS = 0.25
_DEATH_SECONDS = 1.0
_BEGIN_SECONDS = 30.0
# Without a descriptor that tells of a child's death, it is looked for this often, in seconds.
_LOOK_AGAIN = 0.02


class InterruptedRunError(Exception):
    """The command is gone or wants no more: everything is to be ended at once."""


@dataclass(frozen=True)
class Ending:
    """How a step ended: with a report, out of time, or with the process. `line` is where it stood, if known.

    With neither, the worker has cut or spoiled its own connection, so no report can be believed. A step that has not
    begun waited for what its process imports before.
    """

    observation: Observation | None = None
    timed_out: bool = False
    exit_code: int | None = None
    signal: int | None = None
    line: int | None = None
    seconds: float = 0.0
    has_begun: bool = True


class LessonProcess:
    """One worker and the pipes to it. The closing of `command` ends whatever is being waited for."""

    def __init__(self, job: Job, launch: Launch, command: Channel) -> None:
        self.job = job
        self.peak_rss_mib = 0.0
        self._command = command
        self._file = job.path
        self._folder = tempfile.mkdtemp(prefix="lesson-")
        self._trace = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # `end` closes it
        self._status: int | None = None
        ours, orders = socket.socketpair()
        (read_out, write_out), (read_error, write_error) = pipe(), pipe()
        self._channel, self.stdout, self.stderr = Channel(ours), Capture(read_out), Capture(read_error)
        seat = Seat(write_out, write_error, orders.fileno(), self._trace.fileno())
        self._pid = launch(seat, self._folder, job.in_sight)
        for descriptor in (orders.detach(), write_out, write_error):
            os.close(descriptor)
        self._death = os.pidfd_open(self._pid) if hasattr(os, "pidfd_open") else None
        self._selector = self._watch()
        self._token = ""
        self._is_ready = launch.is_warm
        self._send(Order(Verb.BEGIN, job=job))

    def perform(self, number: int) -> Ending:
        """Run the job's step of this number and wait for whatever ends it."""
        if not self._is_ready:
            # What it imports to begin with is not in the time of its first fence, and has as much for itself.
            begun = self._wait_for_report(max(_BEGIN_SECONDS, self.job.steps[number].timeout))
            if begun.observation is None:
                return replace(begun, has_begun=False)
            self._is_ready = True
        self.stdout.clear()
        self.stderr.clear()
        step = self.job.steps[number]
        self._file = step.file or self.job.path
        self._send(Order(Verb.PERFORM, step=number, token=self._new_token()))
        return self._wait_for_report(step.timeout)

    def leave(self, seconds: float) -> Ending:
        """Let the worker end by itself, within `seconds`. Only a clean end carries an observation."""
        self._send(Order(Verb.LEAVE, token=self._new_token()))
        ending = self._wait_for_report(seconds)
        if ending.observation is None:
            return ending
        deadline = time.monotonic() + seconds
        while not self._has_ended() and time.monotonic() < deadline:
            self._select(deadline - time.monotonic())
        clean = self._status is not None and os.waitstatus_to_exitcode(self._status) == 0
        return ending if clean else self._how_it_died(0.0)

    def running(self) -> tuple[int, ...]:
        """Processes that the lesson has started and that are alive."""
        return strays(os.getpid(), known=self._pid)

    def stop(self) -> None:
        """Kill the worker, if it lives, and nothing that it has started."""
        if not self._has_ended():
            os.kill(self._pid, signal.SIGKILL)
            self._take_status(0)

    def end(self) -> None:
        """Kill what is left of the lesson, whoever started it, and remove its temporary folder."""
        self.stop()
        end_descendants(os.getpid())
        self._selector.close()
        self._channel.sock.close()
        self._trace.close()
        for descriptor in (self.stdout.descriptor, self.stderr.descriptor, self._death):
            if descriptor is not None:
                os.close(descriptor)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _watch(self) -> selectors.PollSelector:
        # For so few descriptors, and for one lesson only, cheaper than what is made for many.
        selector = selectors.PollSelector()
        for watched in (self._channel, self._command):
            selector.register(watched.fileno(), selectors.EVENT_READ, watched)
        for capture in (self.stdout, self.stderr):
            selector.register(capture.descriptor, selectors.EVENT_READ, capture)
        if self._death is not None:
            selector.register(self._death, selectors.EVENT_READ)
        return selector

    def _new_token(self) -> str:
        """A word that only the report on the next order repeats, so that nothing a fence writes passes for one."""
        self._token = secrets.token_hex(8)
        return self._token

    def _send(self, order: Order) -> None:
        # Measured before the worker hears: it may die, and tell where, at once.
        self._trace_start = os.fstat(self._trace.fileno()).st_size
        try:
            self._channel.send(order)
        except OSError:
            # The worker is gone; waiting for its report finds out how.
            return

    def _wait_for_report(self, limit: float) -> Ending:
        started = time.monotonic()
        while (spent := time.monotonic() - started) < limit:
            self._select(limit - spent)
            # Looked at first: a report sent in its last moment is then among what has arrived.
            ended = self._has_ended()
            try:
                observation = self._channel.poll(Observation)
            except msgspec.DecodeError:
                return Ending(seconds=spent)
            if observation is not None and observation.token != self._token:
                return Ending(seconds=spent)
            if observation is not None:
                self._drain()
                return Ending(observation, seconds=observation.seconds)
            if ended:
                return self._how_it_died(time.monotonic() - started)
            if self._channel.is_closed:
                return self._how_it_fell_silent(time.monotonic() - started)
        line = self._line_it_stands_at()
        self._drain()
        return Ending(timed_out=True, line=line, seconds=time.monotonic() - started)

    def _select(self, seconds: float) -> None:
        """Wait for anything to come, and take in what has. Raises `InterruptedRunError`."""
        if self._death is None:
            seconds = min(seconds, _LOOK_AGAIN)
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Capture) and not key.data.read():
                self._selector.unregister(key.fd)
            elif isinstance(key.data, Channel):
                key.data.fill(wait=False)
                if key.data is self._channel and self._channel.is_closed:
                    self._selector.unregister(key.fd)
        if self._command.is_closed:
            raise InterruptedRunError

    def _drain(self) -> None:
        self.stdout.drain()
        self.stderr.drain()

    def _has_ended(self) -> bool:
        if self._status is None:
            self._take_status(os.WNOHANG)
            if self._status is not None:
                self._channel.fill(wait=False)
        return self._status is not None

    def _take_status(self, options: int) -> None:
        pid, status, usage = os.wait4(self._pid, options)
        if pid:
            self._status = status
            unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
            self.peak_rss_mib = usage.ru_maxrss / unit

    def _how_it_died(self, seconds: float) -> Ending:
        self._drain()
        if self._status is None:
            return Ending(timed_out=True, seconds=seconds)
        code = os.waitstatus_to_exitcode(self._status)
        line = self._line_in_trace()
        if code < 0:
            return Ending(signal=-code, line=line, seconds=seconds)
        return Ending(exit_code=code, line=line, seconds=seconds)

    def _how_it_fell_silent(self, seconds: float) -> Ending:
        """A dying process closes its connection a moment before its death is known; one that lives has cut it."""
        deadline = time.monotonic() + _DEATH_SECONDS
        while not self._has_ended() and time.monotonic() < deadline:
            self._select(deadline - time.monotonic())
        return self._how_it_died(seconds) if self._status is not None else Ending(seconds=seconds)

    def _line_it_stands_at(self) -> int | None:
        """Ask a worker that is out of time for its line; one that is deep in C code may not answer."""
        os.kill(self._pid, TELL_LINE)
        deadline = time.monotonic() + _TELL_SECONDS
        while (line := self._line_in_trace()) is None and time.monotonic() < deadline:
            self._select(0.01)
        return line

    def _line_in_trace(self) -> int | None:
        """The innermost line of the fence's file in what faulthandler wrote, which escapes letters beyond ASCII."""
        size = os.fstat(self._trace.fileno()).st_size
        text = os.pread(self._trace.fileno(), size - self._trace_start, self._trace_start).decode("ascii", "replace")
        path = self._file.encode("ascii", "backslashreplace").decode()
        found = re.search(rf'File "{re.escape(path)}", line (\d+)', text)
        return int(found[1]) if found else None
