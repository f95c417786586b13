"""The watch in a terminal: each save is checked, and a word typed is obeyed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from runthrough.practice.exercises import Exercise
from runthrough.practice.folder import FolderError, PracticeFolder
from runthrough.practice.listing import hint_lines, list_lines, turn_lines
from runthrough.practice.verdict import Verdict
from runthrough.practice.watching import Desk, Signature, signature
from runthrough.reports.pen import Line, Pen, Span, line, plural, visible

# An editor that writes aside and renames leaves a moment in which there is no file, in seconds.
_BETWEEN_FILES = 0.3
WORDS = "n next, h hint, l list, r reset, c check, q quit, or an exercise's number"


class Judge(Protocol):
    """Checks the answer to an exercise."""

    def __call__(self, exercise: Exercise, until: Callable[[], bool]) -> Verdict | None:
        """The verdict; `None` where `until` said first that nobody wants it any more."""


class Session:
    """One student at work in one folder."""

    def __init__(self, folder: PracticeFolder, pen: Pen, judge: Judge) -> None:
        self._folder = folder
        self._pen = pen
        self._judge = judge
        self._exercise = folder.current
        self._seen: dict[str, Signature | None] = {}
        self._hints = 0
        self._answering: Callable[[], None] | None = None
        self._is_over = False

    def run(self, desk: Desk) -> None:
        """Work until the student quits. Raises FolderError where the folder is gone."""
        self._seen = self._signatures()
        is_done = self._folder.is_done(self._exercise)
        self._turn_to((self._following() if is_done else None) or self._exercise)
        while not (self._is_over or desk.is_closed):
            words = desk.wait()
            self._look()  # a word typed after a save is meant to come after its check
            for word in words:
                self._obey(word)
                if self._is_over:
                    return

    def _look(self) -> None:
        """Check what was saved, the exercise in hand before others."""
        if not self._folder.path.is_dir():
            raise FolderError(f"{self._folder.name} is gone, so there is nothing to watch")
        now = self._signatures()
        changed = [exercise for exercise in self._folder.exercises if now[exercise.key] != self._seen[exercise.key]]
        if not changed:
            return
        exercise = self._exercise if self._exercise in changed else changed[0]
        if now[exercise.key] is None:
            time.sleep(_BETWEEN_FILES)
            now = self._signatures()
        self._seen = now
        self._answering = None
        if exercise != self._exercise:
            self._take(exercise)
        self._check()

    def _signatures(self) -> dict[str, Signature | None]:
        return {exercise.key: signature(self._folder.file(exercise)) for exercise in self._folder.exercises}

    def _check(self) -> None:
        exercise = self._exercise
        file = self._folder.file(exercise)
        self._seen[exercise.key] = before = signature(file)
        if before is None:
            self._write([(), line(Span(f"{visible(file.name)} is gone", "bold red"), "; r brings the starter back")])
            return
        verdict = self._judge(exercise, lambda: signature(file) != before)
        if verdict is None:
            return  # saved again meanwhile, and looked at next
        self._write([(), *verdict.lines])
        if verdict.is_known:
            self._keep(lambda: self._folder.mark(exercise, is_done=verdict.is_passed))
            self._write(self._what_next() if verdict.is_passed else self._advice())
        self._write([line(Span(WORDS, "dim"))])

    def _advice(self) -> Iterator[Line]:
        if self._hints < len(self._exercise.hints):
            more = "another hint" if self._hints else "a hint"
            yield line(Span("  stuck? ", "bold"), f"h shows {more}")

    def _what_next(self) -> Iterator[Line]:
        following = self._following()
        done = sum(self._folder.is_done(each) for each in self._folder.exercises)
        yield line(f"  {done} of {plural(len(self._folder.exercises), 'exercise')} done")
        if following is None:
            yield line(Span("  that was the last one: the course's exercises are done", "bold green"))
        else:
            name = visible(self._folder.file(following).name)
            yield line(Span("  next: ", "bold green"), f"{name}  {visible(following.heading)} (n goes there)")

    def _following(self) -> Exercise | None:
        """The next open exercise in the course's order, after which come those before."""
        exercises = self._folder.exercises
        at = exercises.index(self._exercise)
        return next((each for each in exercises[at + 1 :] + exercises[:at] if not self._folder.is_done(each)), None)

    def _obey(self, word: str) -> None:
        if self._answering is not None:
            answering, self._answering = self._answering, None
            if word.lower() in ("y", "yes"):
                answering()
            else:
                self._write([line("left as it is")])
            return
        words: dict[str, Callable[[], None]] = {
            "n": self._next, "next": self._next, "h": self._hint, "hint": self._hint, "l": self._list,
            "list": self._list, "r": self._reset, "reset": self._reset, "c": self._check, "check": self._check,
            "q": self._quit, "quit": self._quit, "": self._help, "?": self._help, "help": self._help,
        }  # fmt: skip
        if word.lower() in words:
            words[word.lower()]()
        elif word.isdecimal() and 0 < int(word) <= len(self._folder.exercises):
            self._turn_to(self._folder.exercises[int(word) - 1])
        else:
            self._write([line(f"{visible(word)!r} is no word here; there are:"), line(WORDS)])

    def _next(self) -> None:
        following = self._following()
        if following is None:
            self._write([line("no other exercise is open; l lists them all")])
            return
        if not self._folder.is_done(self._exercise):
            self._write([line(f"{visible(self._folder.file(self._exercise).name)} stays open")])
        self._turn_to(following)

    def _hint(self) -> None:
        self._write(hint_lines(self._exercise, self._hints))
        self._hints = min(self._hints + 1, len(self._exercise.hints))

    def _list(self) -> None:
        self._write(list_lines(self._folder, self._exercise))

    def _reset(self) -> None:
        if self._folder.is_starter(self._exercise):
            self._put_back()
            return
        backup = self._folder.next_backup(self._exercise)
        self._write([line(f"put the starter back? your file is kept as {visible(backup)} (y or n)")])
        self._answering = self._put_back

    def _put_back(self) -> None:
        if self._keep(lambda: self._folder.reset(self._exercise)):
            self._write([line(f"{visible(self._folder.file(self._exercise).name)} is the starter again")])
            self._check()

    def _help(self) -> None:
        self._write([line(WORDS)])

    def _quit(self) -> None:
        self._is_over = True

    def _turn_to(self, exercise: Exercise) -> None:
        self._take(exercise)
        self._check()

    def _take(self, exercise: Exercise) -> None:
        self._exercise, self._hints = exercise, 0
        self._keep(lambda: self._folder.go_to(exercise))
        self._write(turn_lines(self._folder, exercise))

    def _keep(self, change: Callable[[], object]) -> bool:
        """Change what is in the folder; that it cannot be written is told, and ends no watch."""
        try:
            change()
        except OSError as error:
            self._write([line(Span(f"this cannot be written: {error.strerror or error}", "bold red"))])
            return False
        return True

    def _write(self, lines: Iterable[Line]) -> None:
        self._pen.write(lines)
