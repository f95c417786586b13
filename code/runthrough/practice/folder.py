"""The practice folder: exercises handed out once, never overwritten, put back only where that is asked for."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from runthrough.practice.exercises import Exercise
from runthrough.practice.handout import digest, file_name, file_text
from runthrough.practice.progress import FILE, Entry, Progress, read_progress, write_progress
from runthrough.reports.writing import write_whole

BACKUPS = "backup"


class FolderError(Exception):
    """The folder cannot serve; the text says why and what to do."""


class PracticeFolder:
    """A student's folder for one course. `name` is what messages call it, `exercises` those of the course now."""

    def __init__(self, path: Path, name: str, course: str, exercises: Sequence[Exercise]) -> None:
        self.path = path
        self.name = name
        self.exercises = tuple(exercises)
        self._course = course
        self._files: dict[str, str] = {}

    def open(self) -> list[str]:
        """Hand out what is not there yet, and tell what was found. Raises FolderError, UnreadableProgressError."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            kept = read_progress(self.path, self.name)
            self._refuse_another_course(kept)
            notes, entries = self._handed_out(kept)
            self._files = {key: entry.file for key, entry in entries.items()}
            left = _without_exercise(kept, entries)
            notes += [
                f"{entry.file} belongs to no exercise of the course any more; it is left as it is"
                for entry in left.values()
                if os.path.lexists(self.path / entry.file)
            ]
            current = kept.current if kept and kept.current in entries else self.exercises[0].key
            progress = Progress(self._course, current, {**entries, **left})
            if progress != kept:
                write_progress(self.path, progress)
        except OSError as error:
            advice = "name a folder in which you may write"
            raise FolderError(f"--into {self.name}: {error.strerror or error}; {advice}") from error
        return notes

    @contextmanager
    def watched_alone(self) -> Iterator[None]:
        """Keep a second watcher out. Raises FolderError where this is the second."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            advice = "go on there, or check one exercise here with --check NAME"
            raise FolderError(f"{self.name} is watched by another runthrough practice; {advice}") from error
        except OSError:
            pass  # a file system without locks: the student is trusted to watch once
        try:
            yield
        finally:
            os.close(descriptor)

    @property
    def current(self) -> Exercise:
        """The exercise in hand."""
        key = self._progress().current
        return next((exercise for exercise in self.exercises if exercise.key == key), self.exercises[0])

    def file(self, exercise: Exercise) -> Path:
        """Where the student's answer to an exercise is."""
        return self.path / self._files[exercise.key]

    def is_done(self, exercise: Exercise) -> bool:
        """True where the exercise's last check passed."""
        return self._entry(exercise).done

    def go_to(self, exercise: Exercise) -> None:
        """Take an exercise in hand. Raises OSError."""
        self._change(lambda progress: replace(progress, current=exercise.key))

    def mark(self, exercise: Exercise, *, is_done: bool) -> None:
        """Keep what a check has come to. Raises OSError."""
        self._keep(exercise, replace(self._entry(exercise), done=is_done))

    def is_starter(self, exercise: Exercise) -> bool:
        """True where the file holds what would be handed out, or is not there."""
        try:
            return self.file(exercise).read_bytes() == file_text(exercise).encode()
        except FileNotFoundError:
            return True
        except OSError:
            return False  # whatever is in the file's place is not ours

    def reset(self, exercise: Exercise) -> str:
        """Put the starter back; the backup's name, or "" where there was nothing to keep. Raises OSError."""
        file = self.file(exercise)
        backup = "" if self.is_starter(exercise) else self.next_backup(exercise)
        if backup:
            (self.path / BACKUPS).mkdir(exist_ok=True)
            os.rename(file, self.path / backup)
        write_whole(file, file_text(exercise).encode())
        self._keep(exercise, replace(self._entry(exercise), done=False, starter=digest(exercise.starter)))
        return backup

    def next_backup(self, exercise: Exercise) -> str:
        """The name in the folder under which a file that is reset is kept: no older one is lost."""
        stem = self.file(exercise).stem
        number = 1
        while os.path.lexists(self.path / BACKUPS / f"{stem}.{number}.py"):
            number += 1
        return f"{BACKUPS}/{stem}.{number}.py"

    def _refuse_another_course(self, kept: Progress | None) -> None:
        keys = {exercise.key for exercise in self.exercises}
        if kept and kept.exercises and kept.course != self._course and not keys & kept.exercises.keys():
            raise FolderError(f"{self.name} holds the exercises of “{kept.course}”; name another folder with --into")

    def _handed_out(self, kept: Progress | None) -> tuple[list[str], dict[str, Entry]]:
        entries: dict[str, Entry] = {}
        notes, written = [], []
        for number, exercise in enumerate(self.exercises, 1):
            entry, is_new = self._find(exercise, number, kept)
            if not os.path.lexists(self.path / entry.file):
                write_whole(self.path / entry.file, file_text(exercise).encode())
                written.append(entry.file)
                entry = Entry(entry.file, False, digest(exercise.starter))
            elif is_new:
                notes.append(f"{entry.file} was there already; it is left as it is")
            elif entry.starter != digest(exercise.starter) and not entry.done:
                advice = "your file is kept, and resetting it brings the new starter"
                notes.append(f"the course has changed the starter of {entry.file}: {advice}")
            entries[exercise.key] = entry
        if kept and written:
            notes.append(f"handed out: {', '.join(written)}")
        return notes, entries

    def _find(self, exercise: Exercise, number: int, kept: Progress | None) -> tuple[Entry, bool]:
        """The entry of an exercise, also where its lesson or the progress file has been moved since."""
        known = kept.exercises if kept else {}
        if exercise.key in known:
            return known[exercise.key], False
        keys = {each.key for each in self.exercises}
        moved = [
            entry
            for key, entry in known.items()
            if key not in keys and key.rpartition("/")[2] == exercise.name and os.path.lexists(self.path / entry.file)
        ]
        if len(moved) == 1:
            return moved[0], False
        name = file_name(number, len(self.exercises), exercise)
        taken = {entry.file for entry in known.values()}
        while name in taken:
            name = f"{Path(name).stem}_new.py"
        return Entry(name, False, digest(exercise.starter)), True

    def _progress(self) -> Progress:
        """What the file says now: a check in another terminal may have changed it."""
        found = read_progress(self.path, self.name)
        if found is None:
            raise FolderError(f"{self.name}/{FILE} is gone; start again, and your exercises are found again")
        return found

    def _entry(self, exercise: Exercise) -> Entry:
        try:
            return self._progress().exercises[exercise.key]
        except KeyError as error:
            raise FolderError(f"{self.name}/{FILE} has lost {exercise.key}; start again") from error

    def _keep(self, exercise: Exercise, entry: Entry) -> None:
        self._change(lambda progress: replace(progress, exercises={**progress.exercises, exercise.key: entry}))

    def _change(self, change: Callable[[Progress], Progress]) -> None:
        before = self._progress()
        if (after := change(before)) != before:
            write_progress(self.path, after)


def _without_exercise(kept: Progress | None, entries: dict[str, Entry]) -> dict[str, Entry]:
    """What was handed out for exercises that the course no longer has."""
    files = {entry.file for entry in entries.values()}
    known = kept.exercises if kept else {}
    return {key: entry for key, entry in known.items() if key not in entries and entry.file not in files}
