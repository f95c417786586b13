"""The real command in a process of its own, as a test runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LESSONS = Path(__file__).parent / "lessons"
TELLING = LESSONS / "telling"
COMMAND = [sys.executable, "-m", "runthrough"]


@dataclass(frozen=True)
class Done:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The line that closes standard output."""
        return self.out.rstrip("\n").rpartition("\n")[2]


def runthrough(*words: str, cwd: Path = TELLING, **environment: str) -> Done:
    """Run `runthrough WORDS` in `cwd`, with more environment variables, and wait for its end."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=cwd, env={**os.environ, **environment}, capture_output=True, timeout=120, check=False
    )
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
