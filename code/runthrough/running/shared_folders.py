"""Folders in which several lessons run side by side: what came to them that no lesson's own record explains."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from runthrough.job import Job
from runthrough.result import LessonResult, Trouble
from runthrough.running.failure import printable
from runthrough.running.footprints import allows, is_everybodys

_PASSED_OVER = ("__pycache__", "node_modules", "build")


class SharedFolders:
    """The folders of more than one job, those of jobs below them, and what was in each before any ran.

    A file belongs to the nearest of them above it, so that it is told of one folder alone.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._folder_of = {job.name: Path(job.path).parent for job in jobs}
        counted = Counter(self._folder_of.values())
        shared = {folder for folder, count in counted.items() if count > 1}
        self._folders = frozenset(map(str, counted))
        self._declared = {
            (self._folder_of[job.name], name) for job in jobs for step in job.steps for name in step.writes
        }
        self._before = {
            folder: self._files(folder) for folder in counted if folder in shared or shared.intersection(folder.parents)
        }

    def unexplained(self, results: Iterable[LessonResult]) -> tuple[Trouble, ...]:
        """A trouble for each folder to which files came that no lesson made or declares."""
        results = tuple(results)
        return tuple(trouble for folder in self._before for trouble in self.unexplained_in(folder, results))

    def unexplained_in(self, folder: Path, results: Iterable[LessonResult]) -> tuple[Trouble, ...]:
        """The trouble of one folder, if there is any."""
        if folder not in self._before:
            return ()
        made = {_told(self._folder_of[result.path] / name) for result in results for name in result.left_files}
        came = self._files(folder) - self._before[folder]
        unmade = (file for file in came if made.isdisjoint(map(_told, (file, *file.parents))))
        files = [file for file in unmade if not self._is_declared(file)]
        if not files:
            return ()
        names = ", ".join(sorted(printable(file.name) for file in files))
        return (
            Trouble(
                f"files came to {_told(folder)} during the run: {names}",
                "run its lessons one at a time to see which of them leaves these, and clean up there",
            ),
        )

    def _is_declared(self, file: Path) -> bool:
        """True for a file that a `writes=` allows, as one that a lesson's child process wrote."""
        return any(
            file.is_relative_to(folder) and allows(pattern, str(file.relative_to(folder)))
            for folder, pattern in self._declared
        )

    def _files(self, folder: Path) -> set[Path]:
        found: set[Path] = set()
        for parent, folders, files in os.walk(folder):
            if is_everybodys(parent):
                folders.clear()
                continue
            folders[:] = [
                name
                for name in folders
                if name not in _PASSED_OVER and not name.startswith(".")
                if os.path.join(parent, name) not in self._folders
            ]
            found.update(Path(parent) / name for name in files)
        return found


def _told(path: Path) -> str:
    """A path as a lesson's result tells it, which may hold a name that is no text."""
    return printable(str(path))
