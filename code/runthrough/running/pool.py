"""The command's side of running: it starts the server, gives each supervisor a lesson, and gathers what comes."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from runthrough.job import Job
from runthrough.result import FenceResult, LessonResult, Trouble
from runthrough.running.processes import adopt_orphans, end_descendants
from runthrough.running.server_process import ServerProcess, end, is_forked, start, start_server
from runthrough.running.verdict import unreported
from runthrough.running.wire import Channel, News, ServerReady, ServerSettings

# A supervisor answers within a step's time limits and this much more; then it is taken for stopped.
_SILENCE_SECONDS = 45.0
LOOK_AGAIN_SECONDS = 1.0
_KILLED_AT_THE_END = Trouble(
    "the process that watches over the lesson was killed after the last fence",
    "See what kills it: an exit handler or a thread of the lesson, or the system where memory is short.",
)


@dataclass(frozen=True)
class PoolSettings:
    """How lessons are run: so many at a time, and whether each in a fresh interpreter instead of a fork."""

    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    spawn: bool = False


@dataclass(eq=False)
class Place:
    """A supervisor as the command sees it: the line to it, its lesson, the fences told so far, who it is, where its
    temporary files are, when news is overdue."""

    line: Channel
    job: Job | None = None
    fences: list[FenceResult] = field(default_factory=list)
    pid: int = 0
    folder: str = ""
    overdue: float = math.inf

    def expect_news(self) -> None:
        """News is due after the time limit of the fence that runs, as much for what its process imports before, and
        some more for all that is around it."""
        steps = self.job.steps[len(self.fences) :] if self.job else ()
        self.overdue = time.monotonic() + (2 * steps[0].timeout if steps else 0.0) + _SILENCE_SECONDS


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
    with selectors.DefaultSelector() as selector, Pool(settings, selector, server) as pool:
        pool.add(jobs)
        while pool.is_busy:
            for place in pool.places_with_news():
                for _, result in pool.hear(place, on_fence):
                    yield result


class Pool:
    """Places in which lessons run side by side. The selector may be shared: the data of its keys tells whose they are.

    Leaving the block ends everything that runs.
    """

    def __init__(
        self, settings: PoolSettings, selector: selectors.BaseSelector, ahead: ServerProcess | None = None
    ) -> None:
        self._jobs: deque[Job] = deque()
        self._settings = settings
        self._ahead = ahead
        self._processes: list[subprocess.Popen[bytes]] = []
        self._server: Channel | None = None
        self._selector = selector
        self._places: list[Place] = []
        self._modules: tuple[str, ...] = ()
        self._in_sight: tuple[str, ...] = ()

    def __enter__(self) -> Pool:
        if self._settings.spawn:
            # A killed supervisor leaves its lesson to this process; a warm server takes that of its own.
            adopt_orphans()
        return self

    def __exit__(self, *_: object) -> None:
        for place in self._places:
            self._selector.unregister(place.line)
            place.line.sock.close()
        if self._server is not None:
            self._server.sock.close()
        end(self._processes)
        if self._settings.spawn:
            end_descendants(os.getpid())

    @property
    def is_busy(self) -> bool:
        """True while a lesson runs or waits."""
        return bool(self._places)

    def add(self, jobs: Sequence[Job]) -> None:
        """Run these too, after those already here. What the first ones import, a warm server has ready."""
        self._jobs.extend(jobs)
        if not self._processes and is_forked(self._settings.spawn):
            self._modules = tuple(dict.fromkeys(name for job in jobs for name in job.modules))
            ((self._in_sight, _),) = Counter(job.in_sight for job in jobs).most_common(1)
            self._server = self._start_server()
        for _ in range(min(self._settings.workers - len(self._places), len(self._jobs))):
            self._open_place()

    def drop(self) -> None:
        """Give up every lesson that runs or waits. A warm server stays, for those added next."""
        self._jobs.clear()
        for place in list(self._places):
            self._let_go(place)

    def places_with_news(self, seconds: float = LOOK_AGAIN_SECONDS) -> list[Place]:
        """Wait `seconds` at most for news, where nobody else uses the selector."""
        ready = [key.data for key, _ in self._selector.select(seconds)]
        self.kill_the_silent(ready)
        return ready

    def hear(
        self, place: Place, on_fence: Callable[[Job, FenceResult], None] = lambda job, fence: None
    ) -> Iterator[tuple[Job, LessonResult]]:
        """The lessons that a place with news has finished; another is given to it, until none is left."""
        place.line.fill()
        while (news := place.line.poll(News)) is not None:
            yield from self._hear(place, news, on_fence)
        if place.line.is_closed:
            yield from self._lose(place)

    def _hear(
        self, place: Place, news: News, on_fence: Callable[[Job, FenceResult], None]
    ) -> Iterator[tuple[Job, LessonResult]]:
        place.pid, place.folder = news.pid or place.pid, news.folder or place.folder
        if news.fence is not None and place.job is not None:
            place.fences.append(news.fence)
            place.expect_news()
            on_fence(place.job, news.fence)
        if news.lesson is not None and place.job is not None:
            done = place.job, news.lesson
            self._give(place)
            yield done

    def kill_the_silent(self, ready: Sequence[object]) -> None:
        """End supervisors that say nothing long after they should, as one does that its lesson has stopped.

        The places that are `ready` have news, which may have waited for us.
        """
        for place in self._places:
            if place.pid and time.monotonic() > place.overdue and place not in ready:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(place.pid, signal.SIGKILL)

    def _lose(self, place: Place) -> Iterator[tuple[Job, LessonResult]]:
        """A supervisor is gone: its lesson is told as far as it is known, and another takes its place."""
        if place in self._places:
            self._let_go(place)
        if place.folder:
            shutil.rmtree(place.folder, ignore_errors=True)
        if place.job is not None:
            fences = unreported(place.job.steps, place.fences)
            in_order = tuple(sorted(fences, key=lambda fence: fence.line))
            # What stands after the last fence, its claims and how its process ended, was never told.
            troubles = () if any(fence.outcome.is_red for fence in fences) else (_KILLED_AT_THE_END,)
            yield place.job, LessonResult(place.job.name, place.job.title, 0.0, 0.0, in_order, troubles)
        if self._jobs:
            self._open_place()

    def _give(self, place: Place) -> None:
        """Hand the next lesson to a supervisor, or let it go."""
        place.fences.clear()
        place.job = self._jobs.popleft() if self._jobs else None
        if place.job is None:
            self._let_go(place)
        else:
            place.expect_news()
            # One that dies meanwhile is found by its closed line.
            with contextlib.suppress(ConnectionError):
                place.line.send(place.job)

    def _let_go(self, place: Place) -> None:
        self._places.remove(place)
        self._selector.unregister(place.line)
        place.line.sock.close()

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
        self._places.append(place)
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
            server.send(ServerSettings(self._modules, self._in_sight, len(self._jobs)))
            ready = server.receive(ServerReady)
        except ConnectionError:
            ready = None
        if ready is None or ready.threads != 1:
            started.line.close()
            return None
        return server
