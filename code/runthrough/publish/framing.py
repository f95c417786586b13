"""No cell shows half of a `<details>` or of a box: it is closed where it was opened, and opened again in the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .boxes import Frame
from .pieces import Piece, Source
from .rewriting import Edit, rewrite


def frame_edits(source: Source, piece: Piece, edits: Sequence[Edit], frames: Sequence[Frame]) -> Iterator[Edit]:
    """What keeps every `<details>` and box whole within a cell."""
    start, end = piece.start, piece.end
    again, closings = [], []
    for frame in frames:
        opens, closes = start <= frame.start < end, start <= frame.close < end
        if frame.end <= start or frame.start >= end:
            continue
        first, last = (frame.inside if opens else start), (frame.close if closes else end)
        if opens and closes:
            yield from _ends(source, frame)
        elif not _has_words(source, first, last, edits, frames):
            if opens:
                is_before_hidden = any(edit.start == end for edit in edits)
                yield Edit(frame.start, frame.inside, "" if is_before_hidden else frame.bare, True)
            if closes:
                yield Edit(frame.close, frame.end, "")
        else:
            yield from _ends(source, frame, opens=opens, closes=closes)
            if not opens:
                is_begun = _has_words(source, frame.inside, start, edits, frames)
                again.append(frame.again if is_begun else frame.opening.strip("\n"))
            closings += [] if closes else [frame.shut]
    if again:
        yield Edit(start, start, "\n\n".join(again) + "\n\n")
    if closings:
        yield Edit(end, end, "\n\n" + "\n\n".join(reversed(closings)))


def _ends(source: Source, frame: Frame, *, opens: bool = True, closes: bool = True) -> Iterator[Edit]:
    """The opening and closing of a frame as they are shown, where that is not what the page has."""
    if opens and source.text[frame.start : frame.inside] != frame.opening:
        yield Edit(frame.start, frame.inside, frame.opening, True)
    if closes and source.text[frame.close : frame.end] != frame.closing:
        yield Edit(frame.close, frame.end, frame.closing, True)


def _has_words(source: Source, first: int, last: int, edits: Sequence[Edit], frames: Sequence[Frame]) -> bool:
    """True where anything but the closings of frames is shown between two places."""
    bare = [Edit(frame.close, frame.end, "") for frame in frames]
    return bool(rewrite(first, last, [*bare, *edits], source.text).shown(source.text).strip(" >\t\n"))
