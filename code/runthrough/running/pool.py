"""The command's side of running: it starts the server, gives each supervisor a lesson, and gathers what comes."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import socket
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from runthrough.job import Job
from runthrough.result import FenceResult, LessonResult
from runthrough.running.server_process import ServerProcess, end, is_forked, start, start_server
from runthrough.running.verdict import unreported
from runthrough.running.wire import Channel, News, ServerReady, ServerSettings

# A supervisor answers within a step's time limit and this much more; then it is taken for stopped.
_SILENCE_SECONDS = 45.0
_LOOK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True)
class PoolSettings:
    """How lessons are run: so many at a time, and whether each in a fresh interpreter instead of a fork."""

    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    spawn: bool = False


@dataclass
class Place:
    """A supervisor as the command sees it: the line to it, its lesson, the fences told so far, when news is overdue."""

    line: Channel
    job: Job | None = None
    fences: list[FenceResult] = field(default_factory=list)
    pid: int = 0
    overdue: float = math.inf

    def expect_news(self) -> None:
        """News is due after the time limit of the fence that runs, and some more for all that is around it."""
        steps = self.job.steps[len(self.fences) :] if self.job else ()
        self.overdue = time.monotonic() + (steps[0].timeout if steps else 0.0) + _SILENCE_SECONDS


def run_jobs(
    jobs: Sequence[Job],
    settings: PoolSettings,
    on_fence: Callable[[Job, FenceResult], None] = lambda job, fence: None,
    server: ServerProcess | None = None,
) -> Iterator[LessonResult]:
    """Run lessons and give each result as it comes, in no set order; `on_fence` hears of each fence before.

    A `server` that was started ahead is used where the settings want one.
    Closing the iterator early, or an exception in the caller, ends everything that runs.
    """
    if not jobs:
        return
    with _Pool(jobs, settings, server) as pool:
        yield from pool.results(on_fence)


class _Pool:
    def __init__(self, jobs: Sequence[Job], settings: PoolSettings, ahead: ServerProcess | None) -> None:
        self._jobs = deque(jobs)
        self._settings = settings
        self._ahead = ahead
        self._processes: list[subprocess.Popen[bytes]] = []
        self._server: Channel | None = None
        self._selector = selectors.DefaultSelector()
        self._modules = tuple(dict.fromkeys(name for job in jobs for name in job.modules))

    def __enter__(self) -> _Pool:
        if is_forked(self._settings.spawn):
            self._server = self._start_server()
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self._selector.get_map().values()):
            key.data.line.sock.close()
        self._selector.close()
        if self._server is not None:
            self._server.sock.close()
        end(self._processes)

    def results(self, on_fence: Callable[[Job, FenceResult], None]) -> Iterator[LessonResult]:
        """Keep every place busy until no job is left."""
        for _ in range(min(self._settings.workers, len(self._jobs))):
            self._open_place()
        while self._selector.get_map():
            self._kill_the_silent()
            for key, _ in self._selector.select(_LOOK_AGAIN_SECONDS):
                place: Place = key.data
                place.line.fill()
                while (news := place.line.poll(News)) is not None:
                    yield from self._hear(place, news, on_fence)
                if place.line.is_closed:
                    yield from self._lose(place)

    def _hear(self, place: Place, news: News, on_fence: Callable[[Job, FenceResult], None]) -> Iterator[LessonResult]:
        place.pid = news.pid or place.pid
        if news.fence is not None and place.job is not None:
            place.fences.append(news.fence)
            place.expect_news()
            on_fence(place.job, news.fence)
        if news.lesson is not None:
            self._give(place)
            yield news.lesson

    def _kill_the_silent(self) -> None:
        """End supervisors that say nothing long after they should, as one does that its lesson has stopped."""
        for key in list(self._selector.get_map().values()):
            place: Place = key.data
            if place.pid and time.monotonic() > place.overdue:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(place.pid, signal.SIGKILL)

    def _lose(self, place: Place) -> Iterator[LessonResult]:
        """A supervisor is gone: its lesson is told as far as it is known, and another takes its place."""
        self._selector.unregister(place.line)
        place.line.sock.close()
        if place.job is not None:
            fences = unreported(place.job.steps, place.fences)
            in_order = tuple(sorted(fences, key=lambda fence: fence.line))
            yield LessonResult(place.job.name, place.job.title, 0.0, 0.0, in_order)
        if self._jobs:
            self._open_place()

    def _give(self, place: Place) -> None:
        """Hand the next lesson to a supervisor, or let it go."""
        place.fences.clear()
        place.job = self._jobs.popleft() if self._jobs else None
        if place.job is None:
            self._selector.unregister(place.line)
            place.line.sock.close()
        else:
            place.expect_news()
            # One that dies meanwhile is found by its closed line.
            with contextlib.suppress(ConnectionError):
                place.line.send(place.job)

    def _open_place(self) -> None:
        ours, theirs = socket.socketpair()
        if self._server is not None and not self._ask_server(theirs):
            self._server = self._start_server()
            if self._server is not None:
                self._ask_server(theirs)
        if self._server is None:
            self._processes.append(start("supervisor", theirs))
        theirs.close()
        place = Place(Channel(ours))
        self._selector.register(place.line, selectors.EVENT_READ, place)
        self._give(place)

    def _ask_server(self, theirs: socket.socket) -> bool:
        assert self._server is not None
        try:
            socket.send_fds(self._server.sock, [b"+"], [theirs.fileno()])
        except ConnectionError:
            return False
        return True

    def _start_server(self) -> Channel | None:
        """A warm server that is safe to fork; `None` where there is none, and fresh interpreters must do."""
        started, self._ahead = self._ahead or start_server(), None
        self._processes.append(started.process)
        server = Channel(started.line)
        try:
            server.send(ServerSettings(self._modules, len(self._jobs)))
            ready = server.receive(ServerReady)
        except ConnectionError:
            ready = None
        if ready is None or ready.threads != 1:
            started.line.close()
            return None
        return server
