"""The limit: every script in this one process, each in a fresh namespace, with no harness around it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

LEAVE = "--leave"


def main() -> None:
    """`python in_one_process.py [--leave] SCRIPT...`; a script that raises ends the run.

    With `--leave` the process ends without the interpreter's own teardown, which is slow once torch is loaded.
    """
    leave = LEAVE in sys.argv[1:2]
    for name in sys.argv[1 + leave :]:
        exec(compile(Path(name).read_bytes(), name, "exec"), {"__name__": "__main__"})
    if leave:
        os._exit(0)


if __name__ == "__main__":
    main()
