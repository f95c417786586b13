"""The warm server: imports once what lessons use, then forks supervisors, whose workers start with it all there."""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import sys
from pathlib import Path
from typing import NoReturn

from runthrough.running.huge_pages import compact_memory, forget_setting
from runthrough.running.import_graph import recorded
from runthrough.running.launching import Fork
from runthrough.running.processes import adopt_orphans, end_descendants, reap
from runthrough.running.rehearsal import rehearse
from runthrough.running.supervisor import supervise
from runthrough.running.surroundings import forget_exit_functions, import_modules, settle_libraries
from runthrough.running.visibility import HiddenModules
from runthrough.running.wire import Channel, ServerReady, ServerSettings

# From about this many lessons on, cheaper forks repay the time that compacting takes.
_WORTH_COMPACTING = 100


def main() -> NoReturn:
    """`python -P -m runthrough.running.server SOCKET [MODULE...]`; ends when the command closes its side.

    It imports the modules while the command still reads, and is told the others when that is done.
    """
    forget_setting()
    line = Channel(socket.socket(fileno=int(sys.argv[1])))
    # Nothing made by an import is garbage for long, and what is frozen is never looked through again.
    gc.disable()
    with recorded() as record:
        import_modules(sys.argv[2:])
        settings = line.receive(ServerSettings)
        if settings is None:
            os._exit(0)
        import_modules(settings.modules)
        settle_libraries()
    forget_exit_functions()
    hidden = HiddenModules(record.imports())
    adopt_orphans()
    rehearse()
    # What most lessons do not see at first is hidden here, once for all of them.
    hidden.hide(hidden.imports.not_reached_from(settings.in_sight))
    gc.freeze()
    if settings.lessons >= _WORTH_COMPACTING:
        compact_memory()
    line.send(ServerReady(threads=thread_count()))
    _fork_supervisors(line.sock, hidden)
    end_descendants(os.getpid())
    os._exit(0)


def thread_count() -> int:
    """Threads of this process as the system counts them, those of C libraries included."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else 1


def _fork_supervisors(line: socket.socket, hidden: HiddenModules) -> None:
    """Fork a supervisor for each socket that the command sends, until it closes the line."""
    supervisors = []
    while True:
        _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
        if not descriptors:
            break
        if (pid := os.fork()) == 0:
            line.close()
            supervise(Channel(socket.socket(fileno=descriptors[0])), Fork(hidden))
        supervisors.append(pid)
        os.close(descriptors[0])
        reap()
    # They end by themselves once the command is gone, and end their lessons first. What the lesson of a killed one has
    # left is a child of this process too, and is not waited for.
    for pid in supervisors:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
