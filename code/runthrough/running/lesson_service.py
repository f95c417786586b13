"""The lesson service: runs jobs for several processes at once, each job one time, whoever asks for it first."""

from __future__ import annotations

import os
import socket
import sys
from typing import NoReturn

from runthrough.running.server_process import server_under_way


def main() -> NoReturn:
    """`python -P -m runthrough.running.lesson_service SOCKET fork|spawn [MODULE...]`; ends with its owner."""
    owner = socket.socket(fileno=int(sys.argv[1]))
    is_spawned, modules = sys.argv[2] == "spawn", tuple(sys.argv[3:])
    with server_under_way(is_spawned, modules) as ahead:
        # The server's interpreter starts on another core while this one loads the rest.
        from runthrough.running.serving import serve

        serve(owner, is_spawned, ahead)
    os._exit(0)


if __name__ == "__main__":
    main()
