"""Lessons checked by the real command: its report, how it ended, and what it left running."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psutil

from command import COMMAND

_MARK = "RUNTHROUGH_TEST_MARK"


@dataclass(frozen=True)
class Checked:
    """One run of `runthrough check --json -`: exit code, report, standard error, and the command lines left alive."""

    code: int
    report: dict[str, Any]
    err: str
    left_running: list[str] = field(default_factory=list)

    def lesson(self, name: str) -> dict[str, Any]:
        """The report of the lesson whose file has this name."""
        found: list[dict[str, Any]] = [lesson for lesson in self.report["lessons"] if Path(lesson["path"]).name == name]
        (lesson,) = found
        return lesson

    def fences(self, name: str) -> list[dict[str, Any]]:
        """The fences of the lesson whose file has this name."""
        fences: list[dict[str, Any]] = self.lesson(name)["fences"]
        return fences

    def outcomes(self, name: str) -> list[str]:
        """The outcomes of that lesson's fences, in order."""
        return [fence["outcome"] for fence in self.fences(name)]

    def printed(self, name: str) -> list[str]:
        """What each fence of that lesson printed, all of which passed."""
        assert set(self.outcomes(name)) == {"passed"}, [fence["reason"] for fence in self.fences(name)]
        return [fence["stdout"] for fence in self.fences(name)]


def check(
    *words: str | Path,
    cwd: str = "/",
    seconds: float = 120,
    before: Sequence[str] = (),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Checked:
    """Run `runthrough check WORDS --json -`, by the command `before` if there is one, and look for what outlives it.

    Something is typed on standard input, and no fence may hear of it.
    """
    mark = uuid.uuid4().hex
    done = subprocess.run(
        [*before, *COMMAND, "check", *map(str, words), "--json", "-"],
        cwd=cwd,
        env={**os.environ, **environment, _MARK: mark},
        input=b"typed by a person\n",
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    left = [" ".join(process.cmdline()) for process in psutil.process_iter() if _mark_of(process) == mark]
    err = done.stderr.decode("utf-8", "replace")
    return Checked(done.returncode, json.loads(done.stdout) if done.stdout else {}, err, left)


def _mark_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(_MARK)
    except psutil.Error:
        return None
