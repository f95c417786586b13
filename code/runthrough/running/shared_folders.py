"""Folders in which several lessons run side by side: what came to them that no lesson's own record explains."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from runthrough.job import Job
from runthrough.result import LessonResult, Trouble

_PASSED_OVER = ("__pycache__", "node_modules", "build")


class SharedFolders:
    """The folders of more than one job, and what was in them before any ran."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        counted = Counter(Path(job.path).parent for job in jobs)
        self._folder_of = {job.name: Path(job.path).parent for job in jobs}
        self._before = {folder: _files(folder) for folder, count in counted.items() if count > 1}

    def unexplained(self, results: Iterable[LessonResult]) -> tuple[Trouble, ...]:
        """A trouble for each folder to which files came that no lesson is known to have made."""
        results = tuple(results)
        return tuple(trouble for folder in self._before for trouble in self.unexplained_in(folder, results))

    def unexplained_in(self, folder: Path, results: Iterable[LessonResult]) -> tuple[Trouble, ...]:
        """The trouble of one folder, if there is any."""
        if folder not in self._before:
            return ()
        explained = {self._folder_of[result.path] / name for result in results for name in result.left_files}
        files = _files(folder) - self._before[folder] - explained
        if not files:
            return ()
        return (
            Trouble(
                f"files came to {folder} during the run: {', '.join(sorted(str(file.name) for file in files))}",
                "run its lessons one at a time to see which of them leaves these, and clean up there",
            ),
        )


def _files(folder: Path) -> set[Path]:
    found: set[Path] = set()
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _PASSED_OVER and not name.startswith(".")]
        found.update(Path(parent) / name for name in files)
    return found
