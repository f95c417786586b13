"""What a lesson service does: it takes jobs from clients, runs each one time, and gives those who ask the result."""

from __future__ import annotations

import selectors
import shutil
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runthrough.job import Job
from runthrough.result import LessonResult
from runthrough.running.lesson_client import key_of
from runthrough.running.pool import LOOK_AGAIN_SECONDS, Place, Pool, PoolSettings
from runthrough.running.server_process import ServerProcess
from runthrough.running.shared_folders import SharedFolders
from runthrough.running.wire import Channel, Request, ServiceSettings


def serve(owner: socket.socket, spawn: bool, ahead: ServerProcess | None) -> None:
    """Serve clients on the socket that the owner sends, until the owner closes its side."""
    line = Channel(owner)
    _, descriptors, _, _ = socket.recv_fds(owner, 1, 1)
    settings = line.receive(ServiceSettings) if descriptors else None
    if settings is None:
        return
    with (
        socket.socket(fileno=descriptors[0]) as listener,
        selectors.DefaultSelector() as selector,
        Pool(PoolSettings(settings.workers, spawn), selector, ahead) as pool,
    ):
        _Service(settings.token, selector, pool).serve(line, listener)
        # The owner may have been killed, and then nobody else takes this away.
        shutil.rmtree(Path(listener.getsockname()).parent, ignore_errors=True)


@dataclass(eq=False)
class _Client:
    """A process that asks; `wanted` is the key of the job whose result it waits for."""

    line: Channel
    wanted: str = ""


@dataclass(frozen=True)
class _Batch:
    """Jobs that were handed in together. The last of each folder answers for what came to the folder meanwhile."""

    jobs: dict[str, Job]
    folders: SharedFolders
    keys: dict[Path, list[str]]  # of the jobs in each folder, in order

    @staticmethod
    def of(jobs: dict[str, Job]) -> _Batch:
        """The batch of jobs by their keys."""
        keys: dict[Path, list[str]] = {}
        for key, job in jobs.items():
            keys.setdefault(_folder(job), []).append(key)
        return _Batch(jobs, SharedFolders(list(jobs.values())), keys)

    def answers_for(self, key: str) -> Sequence[str]:
        """The keys of the jobs in the folder of job `key`, where it is the last of them."""
        keys = self.keys[_folder(self.jobs[key])]
        return keys if keys[-1] == key else ()


class _Service:
    def __init__(self, token: str, selector: selectors.BaseSelector, pool: Pool) -> None:
        self._token = token
        self._selector = selector
        self._pool = pool
        self._batches: dict[str, _Batch] = {}
        self._results: dict[str, LessonResult] = {}
        self._answers: dict[str, LessonResult] = {}

    def serve(self, owner: Channel, listener: socket.socket) -> None:
        """Hear places, clients and newcomers until the owner is gone."""
        self._selector.register(listener, selectors.EVENT_READ, listener)
        self._selector.register(owner, selectors.EVENT_READ, owner)
        while True:
            events = self._selector.select(LOOK_AGAIN_SECONDS)
            self._pool.kill_the_silent([key.data for key, _ in events])
            for key, _ in events:
                if key.data is owner:
                    return
                if key.data is listener:
                    client = _Client(Channel(listener.accept()[0]))
                    self._selector.register(client.line, selectors.EVENT_READ, client)
                elif isinstance(key.data, Place):
                    self._results.update((key_of(job), result) for job, result in self._pool.hear(key.data))
                elif isinstance(key.data, _Client):
                    self._hear(key.data)
            self._answer_all()

    def _hear(self, client: _Client) -> None:
        client.line.fill()
        while (request := client.line.poll(Request)) is not None:
            if request.token != self._token:
                client.line.is_closed = True
                break
            self._take(request.jobs)
            client.wanted = request.wanted
        if client.line.is_closed:
            self._selector.unregister(client.line)
            client.line.sock.close()

    def _take(self, jobs: Sequence[Job]) -> None:
        """Run what nobody has handed in before."""
        new = {key: job for job in jobs if (key := key_of(job)) not in self._batches}
        if new:
            batch = _Batch.of(new)
            self._batches.update(dict.fromkeys(new, batch))
            self._pool.add(list(new.values()))

    def _answer_all(self) -> None:
        for key in list(self._selector.get_map().values()):
            client = key.data
            if isinstance(client, _Client) and client.wanted and (answer := self._answer(client.wanted)):
                client.wanted = ""
                try:
                    client.line.send(answer)
                except OSError:
                    continue  # it has gone, and its closed line will tell

    def _answer(self, key: str) -> LessonResult | None:
        """The result of a job, with what its folder has to say; `None` while that is not known."""
        if key not in self._answers and key in self._results:
            batch = self._batches[key]
            beside = batch.answers_for(key)
            if not all(other in self._results for other in beside):
                return None
            result = self._results[key]
            found = batch.folders.unexplained_in(_folder(batch.jobs[key]), [self._results[other] for other in beside])
            self._answers[key] = replace(result, troubles=(*result.troubles, *found)) if beside else result
        return self._answers.get(key)


def _folder(job: Job) -> Path:
    return Path(job.path).parent
