"""How far a student is: one small file in the practice folder, written whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import msgspec

from runthrough.lesson.document import Problem
from runthrough.reports.writing import write_whole

FILE = "practice.json"


@dataclass(frozen=True)
class Entry:
    """An exercise that was handed out: its file, whether its last check passed, and the digest of its starter."""

    file: str
    done: bool
    starter: str


@dataclass(frozen=True)
class Progress:
    """The course's title, the key of the exercise in hand, and an entry for each exercise by its key."""

    course: str
    current: str = ""
    exercises: dict[str, Entry] = field(default_factory=dict)


class UnreadableProgressError(Exception):
    """The progress file cannot be read; `problem` says where and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read_progress(folder: Path, name: str) -> Progress | None:
    """The progress kept in a folder that messages call `name`; `None` where there is none.

    Raises UnreadableProgressError.
    """
    file = folder / FILE
    line = 1
    try:
        return _of_the_folder(msgspec.convert(json.loads(file.read_bytes()), Progress))
    except FileNotFoundError:
        return None
    except OSError as error:
        said = error.strerror or str(error)
    except json.JSONDecodeError as error:
        said, line = error.msg, error.lineno
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        said = str(error)
    advice = "mend it, or move it away: your exercises stay, and count as open until they are checked again"
    raise UnreadableProgressError(Problem(f"{name}/{FILE}", line, f"the progress cannot be read: {said}", advice))


def _of_the_folder(progress: Progress) -> Progress:
    """The progress. Raises ValueError where it names a file outside of its folder, which would be written and moved."""
    for entry in progress.exercises.values():
        path = Path(entry.file)
        if path.is_absolute() or ".." in path.parts or not path.name:
            raise ValueError(f"{entry.file!r} is no file of this folder")
    return progress


def write_progress(folder: Path, progress: Progress) -> None:
    """Keep the progress. Raises OSError where the folder cannot be written."""
    write_whole(folder / FILE, (json.dumps(asdict(progress), indent=2) + "\n").encode("ascii"))
