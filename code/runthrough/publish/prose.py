"""What the sentences of a page hold besides words: comments, formulas, links and images, each with its place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from .pieces import Source

# What may look like a link or a formula without being one is read first: an escape, a comment, a tag, a code span.
_PARTS = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    r"|(?P<ticks>`+)"
    r"|<!--(?P<comment>.*?)-->"
    r"|(?P<tag></?[A-Za-z][^<>]*>)"
    r"|(?P<dollars>\${1,2})(?![\s$])(?P<formula>(?:\\.|[^\\$])+?)(?<!\s)(?P=dollars)(?![\d$])"
    r"|(?P<opener>!?\[)"
    r"|\]\((?P<target>(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*))"
    r"(?P<title>[ \t]+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
    r"|(?P<closer>\])",
    re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_IMAGE_TAG = re.compile(r"<img\b[^<>]*?\bsrc\s*=\s*(?P<quote>[\"'])(?P<target>[^\"']*)(?P=quote)", re.IGNORECASE)
_LINK_TAG = re.compile(r"<a\b[^<>]*?\bhref\s*=\s*(?P<quote>[\"'])(?P<target>[^\"']*)(?P=quote)", re.IGNORECASE)
_DEFINITION = re.compile(r" {0,3}\[(?P<label>[^\]]+)\]:[ \t]*(?P<target><[^<>\n]*>|\S+)")


class Part(StrEnum):
    """What a mark is."""

    COMMENT = "comment"
    FORMULA = "formula"
    LINK = "link"
    IMAGE = "image"
    TAG_IMAGE = "tag image"
    TAG_LINK = "tag link"
    DEFINITION = "definition"


@dataclass(frozen=True)
class Mark:
    """A part of the prose from `start` to `end`.

    For a link or an image, `text_start` and `text_end` enclose its words (for a definition, its label), `target` is
    what it names and `target_start` where that begins. `line` is counted from 1.
    """

    part: Part
    start: int
    end: int
    line: int
    target: str = ""
    target_start: int = 0
    text_start: int = 0
    text_end: int = 0


def marks_of(source: Source) -> Iterator[Mark]:
    """All of a page, in no order that matters."""
    read: set[int] = set()
    covered: set[int] = set()
    for token in source.tokens:
        if token.map is None or token.type.endswith("_open"):
            continue
        covered |= set(range(*token.map))
        if token.map[0] in read:  # the cells of a row are read together
            continue
        first, last = source.starts[token.map[0]], source.starts[token.map[1]]
        if token.type == "inline":
            read.add(token.map[0])
            yield from _in_sentence(source, first, last)
        elif token.type == "html_block":
            yield from _in_html(source, first, last)
        elif token.type == "math_block":
            yield Mark(Part.FORMULA, first, last, token.map[0] + 1)
    for number, line in enumerate(source.lines):
        if number not in covered and (match := _DEFINITION.match(line)):
            start = source.starts[number]
            target = match["target"]
            label = start + match.start("label"), start + match.end("label")
            at = start + match.start("target")
            yield Mark(Part.DEFINITION, start, start + len(line), number + 1, target, at, *label)


def _in_html(source: Source, first: int, last: int) -> Iterator[Mark]:
    text = source.text
    for match in _COMMENT.finditer(text, first, last):
        yield Mark(Part.COMMENT, match.start(), match.end(), _line(source, match.start()))
    yield from _targets_of_tags(source, first, last)


def _targets_of_tags(source: Source, first: int, last: int) -> Iterator[Mark]:
    for part, pattern in ((Part.TAG_IMAGE, _IMAGE_TAG), (Part.TAG_LINK, _LINK_TAG)):
        for match in pattern.finditer(source.text, first, last):
            line = _line(source, match.start())
            yield Mark(part, match.start(), match.end(), line, match["target"], match.start("target"))


def _in_sentence(source: Source, first: int, last: int) -> Iterator[Mark]:
    text = source.text
    at = first
    opened: list[tuple[str, int]] = []
    while match := _PARTS.search(text, at, last):
        at = match.end()
        line = _line(source, match.start())
        if match["ticks"]:
            closing = re.compile(rf"(?<!`){match['ticks']}(?!`)").search(text, at, last)
            at = closing.end() if closing else at
        elif match["comment"] is not None:
            yield Mark(Part.COMMENT, match.start(), match.end(), line)
        elif match["tag"]:
            yield from _targets_of_tags(source, match.start(), match.end())
        elif match["formula"]:
            yield Mark(Part.FORMULA, match.start("formula"), match.end("formula"), line)
        elif match["opener"]:
            opened.append((match["opener"], match.start()))
        elif match["closer"] and opened:
            opened.pop()
        elif match["target"] is not None and opened:
            opener, start = opened.pop()
            part = Part.IMAGE if opener == "![" else Part.LINK
            inner = start + len(opener), match.start()
            yield Mark(part, start, match.end(), line, match["target"], match.start("target"), *inner)


def _line(source: Source, at: int) -> int:
    return bisect_right(source.starts, at, 0, len(source.lines))
