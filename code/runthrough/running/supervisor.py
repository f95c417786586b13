"""A supervisor: runs lessons one after another for the command, each in children it watches over."""

from __future__ import annotations

import os
import socket
import sys
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

    def tell(fence: FenceResult) -> None:
        command.send(News(fence=fence))

    try:
        command.send(News(pid=os.getpid()))
        while (job := command.receive(Job)) is not None:
            command.send(News(lesson=LessonRun(job, launch, command, tell).run()))
    except (InterruptedRunError, ConnectionError):
        # The command has gone; `LessonRun` has ended what ran for it.
        os._exit(0)
    os._exit(0)


def main() -> NoReturn:
    """A supervisor of fresh interpreters: `python -P -m runthrough.running.supervisor SOCKET`."""
    supervise(Channel(socket.socket(fileno=int(sys.argv[1]))), FreshInterpreter())


if __name__ == "__main__":
    main()
