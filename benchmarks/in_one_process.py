"""The limit: every script in this one process, each in a fresh namespace, with no harness around it."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """`python in_one_process.py SCRIPT...`; a script that raises ends the run."""
    for name in sys.argv[1:]:
        exec(compile(Path(name).read_bytes(), name, "exec"), {"__name__": "__main__"})
    # The interpreter's own teardown is slow once torch is loaded, and no harness needs it.
    os._exit(0)


if __name__ == "__main__":
    main()
