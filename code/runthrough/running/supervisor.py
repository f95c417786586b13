"""A supervisor: runs lessons one after another for the command, each in children it watches over."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
from typing import NoReturn

from runthrough.job import Job
from runthrough.result import FenceResult
from runthrough.running.launching import FreshInterpreter, Launch
from runthrough.running.lesson_process import InterruptedRunError
from runthrough.running.lesson_run import LessonRun
from runthrough.running.processes import adopt_orphans
from runthrough.running.wire import Channel, News


def supervise(command: Channel, launch: Launch) -> NoReturn:
    """Run each job that comes and send its news, until the command closes the line."""
    adopt_orphans()
    # All temporary files of its lessons are in one folder, which the command removes where this process is killed.
    tempfile.tempdir = tempfile.mkdtemp(prefix="runthrough-")

    def tell(fence: FenceResult) -> None:
        command.send(News(fence=fence))

    # Where the command has gone, `LessonRun` has ended what ran for it.
    with contextlib.suppress(InterruptedRunError, ConnectionError):
        command.send(News(pid=os.getpid(), folder=tempfile.tempdir))
        while (job := command.receive(Job)) is not None:
            command.send(News(lesson=LessonRun(job, launch, command, tell).run()))
    shutil.rmtree(tempfile.tempdir, ignore_errors=True)
    os._exit(0)


def main() -> NoReturn:
    """A supervisor of fresh interpreters: `python -P -m runthrough.running.supervisor SOCKET`."""
    supervise(Channel(socket.socket(fileno=int(sys.argv[1]))), FreshInterpreter())


if __name__ == "__main__":
    main()
