"""An edit of what a cell shows, as an edit of the part of the lesson that the cell shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from runthrough.publish.rewriting import Rewrite, Segment

from .hunks import Hunk, hunks_of

_WORD = re.compile(r"\S+\Z")
_DIRECTIVES = re.compile(r"^[ \t>]*<!--\s*fence:(.*?)-->[ \t]*\n", re.DOTALL | re.MULTILINE)
_OPENER = re.compile(r"(?:[ \t>]*\n)*(?:[ \t>*+-]|\d+[.)])*(?:```|~~~|<!--)")
_CLAIM = re.compile(r"<!--=(.*?)-->", re.DOTALL)


@dataclass
class _Writing:
    """The part of the lesson as far as it is written, and what has to be told."""

    parts: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.parts.append(text)

    @property
    def last(self) -> str:
        return next((part[-1] for part in reversed(self.parts) if part), "")


def prose_back(
    rewritten: Rewrite, text: str, edited: str, as_written: Callable[[str], str]
) -> tuple[str, tuple[str, ...]]:
    """The part of the lesson `text` that `rewritten` shows, after somebody made `edited` of it, and what to tell.

    Comments stay with the words before them; a claim whose word is gone goes too. `as_written` gives words from the
    notebook as the lesson writes them.
    """
    segments = list(rewritten.segments(text))
    shown = rewritten.shown(text)
    hunks = [
        Hunk(each.start, each.end, _under_margin(as_written(each.text), _margin_at(each.start, rewritten, text)))
        for each in hunks_of(shown, edited)
    ]
    hunks, gone = _split_at_claims(hunks, segments, shown, text)
    writing = _Writing()
    at, last = 0, _last_of_the_lesson(segments)
    for segment in segments:
        original = text[segment.start : segment.end]
        if segment.is_kept:
            _kept(writing, segment.text, at, hunks)
        elif not segment.text:
            _left_out(writing, original, at, hunks, is_end=at >= last, is_gone=at in gone)
        else:
            _replaced(writing, segment, original, at, hunks)
        at += len(segment.text)
    for hunk in hunks:
        writing.write(hunk.text)
    return _without_stray_words("".join(writing.parts), writing.told), tuple(writing.told)


def _margin_at(place: int, rewritten: Rewrite, text: str) -> str:
    """What the lesson has before the line in which a place of the shown text is, where that is not shown."""
    at, margin = 0, ""
    for segment in rewritten.segments(text):
        original = text[segment.start : segment.end]
        if at > place:
            break
        if not segment.text and original and not original.strip(" \t>") and text[: segment.start].endswith("\n"):
            margin = original
        elif "\n" in segment.text[: place - at]:
            margin = ""
        at += len(segment.text)
    return margin


def _under_margin(words: str, margin: str) -> str:
    """New lines below a line with this margin."""
    return re.sub(r"\n(?=[^\n])", "\n" + margin, words) if margin else words


def _without_stray_words(text: str, told: list[str]) -> str:
    """The text without directives whose fence is gone."""
    at = 0
    while match := _DIRECTIVES.search(text, at):
        at = match.end()
        if not _OPENER.match(text, at):
            told.append(f"the directives {match[1].strip()} are left out, since their fence is gone")
            text, at = text[: match.start()] + text[match.end() :], match.start()
    return text


def _last_of_the_lesson(segments: list[Segment]) -> int:
    """Where the last of what is shown ends that the lesson holds."""
    at = last = 0
    for segment in segments:
        at += len(segment.text)
        last = at if segment.text and segment.end > segment.start else last
    return last


def _split_at_claims(hunks: list[Hunk], segments: list[Segment], shown: str, text: str) -> tuple[list[Hunk], set[int]]:
    """The hunks, each in two where it goes over a claim whose word it holds too, and the places of the other claims."""
    at = 0
    places = []
    for segment in segments:
        if not segment.text and _CLAIM.search(text[segment.start : segment.end]):
            places.append(at)
        at += len(segment.text)
    split: list[Hunk] = []
    gone: set[int] = set()
    for each in hunks:
        hunk = each
        for place in places:
            if not hunk.start < place < hunk.end:
                continue
            word = _WORD.search(shown[:place])
            if word and word[0] in hunk.text:
                cut = hunk.text.index(word[0]) + len(word[0])
                split.append(Hunk(hunk.start, place, hunk.text[:cut]))
                hunk = Hunk(place, hunk.end, hunk.text[cut:])
            else:
                gone.add(place)
        split.append(hunk)
    return split, gone


def _kept(writing: _Writing, shown: str, at: int, hunks: list[Hunk]) -> None:
    """Words that the lesson has as they are shown."""
    position, end = at, at + len(shown)
    for hunk in _in(hunks, at, end):
        if hunk.start > position:
            writing.write(shown[position - at : hunk.start - at])
        writing.write(hunk.text)
        hunks.remove(hunk)
        position = max(position, min(hunk.end, end))
        if hunk.end > end:
            hunks.insert(0, Hunk(end, hunk.end, ""))
    writing.write(shown[position - at :])


def _in(hunks: list[Hunk], at: int, end: int) -> list[Hunk]:
    return [hunk for hunk in hunks if at <= hunk.start < end]


def _left_out(writing: _Writing, original: str, at: int, hunks: list[Hunk], *, is_end: bool, is_gone: bool) -> None:
    """A comment or an empty line that is not shown: it stays where it is, unless it is a claim without its word."""
    for hunk in [each for each in hunks if each.start == each.end == at]:
        goes_before = (is_end and not original.strip()) or (
            (hunk.text[:1].isalnum() or hunk.text[:1] == "_") and writing.last.isalnum()
        )
        if goes_before and original:
            writing.write(hunk.text)
            hunks.remove(hunk)
    claim = _CLAIM.search(original)
    if claim and (is_gone or not writing.last or writing.last.isspace() or writing.last in "([{"):
        writing.told.append(f"the claim {claim[1].strip()} is left out, since its word is gone")
        original = original.replace(claim[0], "")
    writing.write(original)


def _replaced(writing: _Writing, segment: Segment, original: str, at: int, hunks: list[Hunk]) -> None:
    """Something that is shown in another way than it is written: written anew only where it was changed."""
    end = at + len(segment.text)
    touching = [hunk for hunk in hunks if (hunk.start < end and hunk.end > at) or at < hunk.start == hunk.end < end]
    before = [hunk for hunk in hunks if hunk.start == hunk.end == at]
    is_block_of_ours = not original and "\n" in segment.text
    for hunk in before:
        hunks.remove(hunk)
        if is_block_of_ours and "\n" not in hunk.text:
            writing.told.append(_ours(segment))
        else:
            writing.write(hunk.text)
    if not touching:
        writing.write(original)
        return
    inner = _Writing()
    rest = list(touching)
    for hunk in touching:
        hunks.remove(hunk)
    _kept(inner, segment.text, at, rest)
    edited = "".join(inner.parts)
    is_all_gone = sum(min(hunk.end, end) - max(hunk.start, at) for hunk in touching) == len(segment.text)
    if original and segment.is_fixed and not is_all_gone:
        writing.write(original)
        writing.told.append(_ours(segment))
    elif original:
        writing.write(edited)
    elif kept := "".join(hunk.text for hunk in touching if hunk.end > end):
        writing.write(kept)
    elif edited.strip():
        writing.told.append(_ours(segment))
    hunks[:0] = rest


def _ours(segment: Segment) -> str:
    words = segment.text.strip().splitlines()[0]
    return f"what was changed in {words[:60]!r} is left out: it is ours"
