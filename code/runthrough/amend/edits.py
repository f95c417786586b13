"""Spans of a file's text and what takes their place; line ends and prefixes are those of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from runthrough.lesson.document import Claim, Fence

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_END = re.compile(r"[\r\n]*\Z")
_PRINTED = re.compile(r"(?P<before>.*?)#>(?: .*|$)")
_BOM = "\ufeff"


class CannotEditError(Exception):
    """A text cannot be put in its place; the message says why and what to do."""


@dataclass(frozen=True)
class Edit:
    """`text` in place of what stands from `start` to `end`, counted in characters of the file's text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Source:
    """A file's text as it is on disk, byte order mark and line ends included. Lines are 1-based."""

    text: str

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode("utf-8")

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, and where the text ends."""
        first = len(_BOM) if self.text.startswith(_BOM) else 0
        found = [match.start() for match in _LINE.finditer(self.text, first) if match[0]]
        return [*found, len(self.text)]

    def line(self, number: int) -> str:
        """A line with its end."""
        return self.text[self.starts[number - 1] : self.starts[number]]

    def end_of(self, number: int) -> str:
        """The characters that end a line."""
        found = _END.search(self.line(number))
        return found[0] if found else ""

    def with_edits(self, edits: Iterable[Edit]) -> Source:
        """The text after edits that do not overlap."""
        text = self.text
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        return Source(text)


def edit_of_fence(source: Source, fence: Fence, lines: Sequence[int | str]) -> Edit:
    """The inside of a fence made `lines`: numbers are lines of it that stay, counted from 0.

    Raises CannotEditError where a new line could close the fence.
    """
    if not fence.is_closed:
        raise CannotEditError(f"its fence is never closed; close it with {fence.marker}")
    if any(isinstance(line, str) and fence.marker in line for line in lines):
        raise CannotEditError(f"what came holds {fence.marker}, which could close the fence; use a longer marker")
    end = source.end_of(fence.line)
    kept = [source.line(number) for number in range(fence.code_line, fence.end_line)]
    new = [kept[line] if isinstance(line, int) else _prefixed(fence.prefix, line) + end for line in lines]
    return Edit(source.starts[fence.code_line - 1], source.starts[fence.end_line - 1], "".join(new))


def edits_of_prints(source: Source, fence: Fence, first: int, count: int, texts: Sequence[str]) -> list[Edit]:
    """The `count` comments `#>` from line `first` on made to say `texts`.

    Raises CannotEditError where they do not stand together.
    """
    places = _comments(source, fence, first, count)
    texts = texts or [""]
    pairs = zip(places, texts, strict=False)
    edits = [edit for number, text in pairs if (edit := _edit_of_comment(source, number, text))]
    if more := texts[len(places) :]:
        margin, end = _margin(source, fence, places[-1]), source.end_of(fence.line)
        at = source.starts[places[-1]]
        edits.append(Edit(at, at, "".join(f"{margin}{_comment(text)}{end}" for text in more)))
    edits += [Edit(source.starts[number - 1], source.starts[number], "") for number in places[len(texts) :]]
    return edits


def edit_of_claim(source: Source, claim: Claim, text: str) -> Edit:
    """The token of a claim made `text`."""
    start = source.starts[claim.line - 1] + claim.column - 1
    return Edit(start, start + len(claim.token), text)


def _prefixed(prefix: str, line: str) -> str:
    # A quote takes the first blank after its mark for its own.
    blank = " " if prefix.endswith(">") and line[:1] in (" ", "\t") else ""
    return prefix + blank + line if line else prefix.rstrip()


def _comments(source: Source, fence: Fence, first: int, count: int) -> list[int]:
    """The lines of `count` comments, of which all but the first have a line to themselves."""
    places: list[int] = []
    for number in range(first, fence.end_line):
        row = source.line(number).rstrip("\r\n")
        match = _PRINTED.fullmatch(row)
        if match and (not places or not match["before"].strip(" \t>")):
            places.append(number)
        elif row.strip(" \t>"):
            break
        if len(places) == count:
            return places
    raise CannotEditError("its #> comments do not follow each other; put them together below the call")


def _edit_of_comment(source: Source, number: int, text: str) -> Edit | None:
    row = source.line(number).rstrip("\r\n")
    if row.count("#>") > 1:
        raise CannotEditError("its line holds #> more than once; mend it by hand")
    match = _PRINTED.fullmatch(row)
    assert match is not None
    start = source.starts[number - 1] + match.end("before")
    end = source.starts[number - 1] + len(row)
    comment = _comment(text)
    return None if source.text[start:end] == comment else Edit(start, end, comment)


def _margin(source: Source, fence: Fence, number: int) -> str:
    """What stands before a comment below this one."""
    row = source.line(number)
    before = row[: row.index("#>")]
    if not before.strip(" \t>"):
        return before
    return fence.prefix + fence.code.split("\n")[number - fence.code_line][: _indentation(fence, number)]


def _indentation(fence: Fence, number: int) -> int:
    code = fence.code.split("\n")[number - fence.code_line]
    return len(code) - len(code.lstrip())


def _comment(text: str) -> str:
    return f"#> {text}" if text else "#>"
