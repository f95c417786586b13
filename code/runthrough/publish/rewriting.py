"""A stretch of a lesson and the edits that make of it what a reader is shown: a value, so that it can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """`text` in place of what stands from `start` to `end`, counted in characters of the lesson's text.

    `is_fixed` is true for words of ours: whoever changes them in a notebook has not changed the lesson.
    """

    start: int
    end: int
    text: str
    is_fixed: bool = False


@dataclass(frozen=True)
class Segment:
    """A run of what is shown: from `start` to `end` of the lesson, kept as it stands or replaced by `text`."""

    start: int
    end: int
    text: str
    is_kept: bool
    is_fixed: bool = False


@dataclass(frozen=True)
class Rewrite:
    """The lesson from `start` to `end` under `edits`, which are sorted and do not overlap."""

    start: int
    end: int
    edits: tuple[Edit, ...] = ()

    def segments(self, text: str) -> Iterator[Segment]:
        """What is shown, run by run; `text` is that of the whole lesson."""
        at = self.start
        for edit in self.edits:
            if at < edit.start:
                yield Segment(at, edit.start, text[at : edit.start], is_kept=True)
            yield Segment(edit.start, edit.end, edit.text, is_kept=False, is_fixed=edit.is_fixed)
            at = edit.end
        if at < self.end:
            yield Segment(at, self.end, text[at : self.end], is_kept=True)

    def shown(self, text: str) -> str:
        """What is shown of the lesson whose text this is."""
        return "".join(segment.text for segment in self.segments(text))


def rewrite(
    start: int, end: int, edits: Iterable[Edit], text: str, *, before: Sequence[Edit] = (), after: Sequence[Edit] = ()
) -> Rewrite:
    """The edits that lie in a stretch, and more that leave out the empty lines around what it then shows.

    Of two edits that overlap the first counts. `before` and `after` are insertions at its two ends.
    """
    inside: list[Edit] = []
    for edit in sorted(edits, key=_place_widest_first):
        if start <= edit.start < end and edit.end <= end and (not inside or edit.start >= inside[-1].end):
            inside.append(edit)
    segments = list(Rewrite(start, end, tuple(inside)).segments(text))
    trimmed = [*_blank(segments, from_end=False), *_blank(segments[::-1], from_end=True)]
    # Sorting keeps the order at one place: what comes before the stretch, its own edits, what is cut, what comes after.
    return Rewrite(start, end, tuple(sorted(dict.fromkeys([*before, *inside, *trimmed, *after]), key=_place)))


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _blank(segments: Iterable[Segment], *, from_end: bool) -> Iterator[Edit]:
    """What is kept of the lines without a word at one end."""
    for segment in segments:
        text = segment.text
        if segment.is_kept:
            size = len(text) - len(text.rstrip() if from_end else _without_first_blank(text))
            if size:
                at = segment.end - size if from_end else segment.start
                yield Edit(at, at + size, "")
        if text.strip():
            return


def _without_first_blank(text: str) -> str:
    """Without the lines at its beginning that hold no word; the first line that does keeps its indentation."""
    blank = text[: len(text) - len(text.lstrip())]
    return text[blank.rfind("\n") + 1 :] if text.strip() else ""


def _place_widest_first(edit: Edit) -> tuple[int, bool, int]:
    """Insertions at a place, then what takes away most there."""
    return edit.start, edit.end > edit.start, -edit.end
