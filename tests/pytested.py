"""Runs of the real pytest with the plugin, in a process of its own, over copies of lessons."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree

import psutil
import pytest

from command import LESSONS

T = TypeVar("T")
PLUGIN = ("-p", "runthrough.pytest_plugin")
RUNS = "RUNTHROUGH_TEST_RUNS"
_MARK = "RUNTHROUGH_TEST_PYTEST_MARK"


class Pytested:
    """A folder of lessons and the pytest that runs there, with no plugin that is not named."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, plugins: tuple[str, ...]) -> None:
        self.pytester = pytester
        self.folder = pytester.path
        self._plugins = plugins
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        # Beside the folder: a file that a lesson leaves in its own is a fault.
        self._runs = self.folder.with_suffix(".runs")
        monkeypatch.setenv(RUNS, str(self._runs))
        monkeypatch.setenv("RUNTHROUGH_TEST_PID", str(self.folder / "pid"))
        self._mark = uuid.uuid4().hex
        monkeypatch.setenv(_MARK, self._mark)

    def copy(self, *names: str) -> None:
        """Put lessons of tests/lessons here, a folder with all that is in it."""
        for name in names:
            source, target = LESSONS / name, self.folder / Path(name).name
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)

    def run(self, *words: str) -> pytest.RunResult:
        """Run `pytest --runthrough WORDS` here."""
        return self.plain("--runthrough", *words)

    def plain(self, *words: str) -> pytest.RunResult:
        """Run pytest with the plugin there and not asked for."""
        return self.pytester.runpytest_subprocess(*PLUGIN, *self._plugins, *words, timeout=120)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `pytest --runthrough WORDS` here, in a process group of its own, and do not wait for it."""
        command = [sys.executable, "-m", "pytest", *PLUGIN, *self._plugins, "--runthrough", *words]
        return subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )

    def wait_for_lesson(self) -> int:
        """The process id of waits.md, once its fence runs."""
        file = self.folder / "pid"
        return int(_waited(lambda: file.read_text() if file.exists() else ""))

    def alive(self) -> list[psutil.Process]:
        """The processes of these runs that are alive."""
        return [process for process in psutil.process_iter() if _mark_of(process) == self._mark]

    def wait_until_all_is_ended(self) -> None:
        """Return once no process of these runs is alive."""
        _waited(lambda: not self.alive())

    def collected(self, *words: str) -> list[str]:
        """The node ids that the words choose."""
        return [line for line in self.run(*words, "--collect-only", "-q").outlines if "::" in line]

    def noted(self) -> list[str]:
        """What the fences of counted.md and other.md noted of their runs, in order."""
        return [line.split()[0] for line in self._runs.read_text().splitlines()] if self._runs.exists() else []


def _waited(look: Callable[[], T]) -> T:
    """The first answer that is something, or the failure that none came."""
    deadline = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def _mark_of(process: psutil.Process) -> str | None:
    try:
        return None if process.pid == os.getpid() else process.environ().get(_MARK)
    except psutil.Error:
        return None


def text_of(result: pytest.RunResult) -> str:
    """Everything a user saw on standard output."""
    return result.stdout.str()


def cases(junit: Path) -> dict[str, tuple[str, dict[str, list[str]]]]:
    """From a JUnit file, by `file stem::id`: passed, failure, error or skipped, and the properties."""
    found = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        tags = Counter(child.tag for child in case)
        state = next((tag for tag in ("error", "failure", "skipped") if tags[tag]), "passed")
        properties: dict[str, list[str]] = {}
        for each in case.iter("property"):
            properties.setdefault(each.get("name", ""), []).append(each.get("value", ""))
        found[f"{case.get('classname')}::{case.get('name')}"] = (state, properties)
    return found
