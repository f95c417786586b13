"""What a notebook cannot show as the lesson writes it, made readable: comments, formulas, links, images, labels."""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runthrough.lesson.document import Fence, Role
from runthrough.lesson.fences import plain

from .boxes import quiz_edits
from .macros import expansions
from .pieces import Source
from .prose import Mark, Part, marks_of
from .rewriting import Edit, rewrite
from .standing import not_executed, note_on

_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|$", re.IGNORECASE)
_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]+")
_WORDS = re.compile(r"['’\w .,;:!?()/+=-]*")
SVG = "image/svg+xml"
IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".svg": SVG,
}


@dataclass(frozen=True)
class Wanted:
    """A file that a page names at a line: an image it shows, or something it links to."""

    target: str
    line: int
    is_image: bool


@dataclass(frozen=True)
class Surroundings:
    """What a page needs of the world around it to become a notebook.

    `links` says where a link's target is for the notebook, None where it is nowhere; a target it does not hold stays
    as it is. `images` are the bytes of each image that the page shows. `macros` are the course's.
    """

    macros: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str | None] = field(default_factory=dict)
    images: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Attachment:
    """An image that a cell carries, under the name by which its text calls it."""

    at: int
    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class Definition:
    """`[label]: target`, which the links of the whole page may use, as a cell shows it."""

    label: str
    start: int
    end: int
    text: str


def file_of(target: str) -> str:
    """The path that a link's target names, "" where it is none of a local file."""
    target = target.removeprefix("<").removesuffix(">")
    return "" if _ELSEWHERE.match(target) else re.split(r"[?#]", target, maxsplit=1)[0]


def wanted(source: Source) -> Iterator[Wanted]:
    """The local files that a page names."""
    for mark in marks_of(source):
        if file := file_of(mark.target):
            yield Wanted(file, mark.line, is_image=_is_image(mark, file))


def _is_image(mark: Mark, file: str) -> bool:
    in_definition = mark.part is Part.DEFINITION and posixpath.splitext(file)[1].lower() in IMAGE_TYPES
    return mark.part in (Part.IMAGE, Part.TAG_IMAGE) or in_definition


def edits_of(source: Source, around: Surroundings) -> tuple[list[Edit], list[Attachment]]:
    """The edits that make the prose of a page readable, and the images that it shows. Raises MacroError."""
    edits: list[Edit] = [*quiz_edits(source), *_labels(source)]
    attachments: list[Attachment] = []
    fragments = set()
    for mark in marks_of(source):
        if mark.part is Part.COMMENT:
            edits.append(_without_comment(source, mark))
        elif mark.part is Part.FORMULA:
            edits += expansions(source.text, mark.start, mark.end, around.macros)
        elif _is_image(mark, file_of(mark.target) or "#"):
            edits += _image(source, mark, around, attachments)
        elif mark.target.startswith("#"):
            fragments.add(mark.target[1:])
        elif file_of(mark.target) in around.links:
            edits += _link(mark, around.links[file_of(mark.target)])
    edits += _anchors(source, fragments)
    return edits, attachments


def definitions_of(source: Source, edits: Sequence[Edit]) -> Iterator[Definition]:
    """The definitions of a page under these edits."""
    for mark in marks_of(source):
        if mark.part is Part.DEFINITION:
            text = rewrite(mark.start, mark.end, edits, source.text).shown(source.text)
            yield Definition(source.text[mark.text_start : mark.text_end], mark.start, mark.end, text)


def _without_comment(source: Source, mark: Mark) -> Edit:
    """The comment left out; with its line, where it stands alone there."""
    first = source.text.rfind("\n", 0, mark.start) + 1
    last = source.text.find("\n", mark.end)
    before, after = source.text[first : mark.start], source.text[mark.end : last]
    if not before.strip(" \t>") and not after.strip():
        return Edit(first, last + 1, "")
    if not after.strip():
        return Edit(first + len(before.rstrip()), mark.end, "")
    return Edit(mark.start, mark.end, "")


def _link(mark: Mark, there: str | None) -> Iterator[Edit]:
    file = file_of(mark.target)
    start = mark.target_start + (1 if mark.target.startswith("<") else 0)
    if there is not None:
        same = posixpath.commonprefix([file, there])
        # The part that stays is no part of the edit, so that a link changed in the notebook comes back.
        same = same[: same.rfind(".")] if "." in same and file[len(same) :] != there[len(same) :] else same
        yield Edit(start + len(same), start + len(file), there[len(same) :])
    elif mark.part is Part.LINK:
        yield Edit(mark.start, mark.text_start, "")
        yield Edit(mark.text_end, mark.end, "")


def _image(source: Source, mark: Mark, around: Surroundings, attachments: list[Attachment]) -> Iterator[Edit]:
    """An image as a part of its cell: an attachment, or for SVG, which JupyterLab takes for none, inside the text."""
    target = mark.target.removeprefix("<").removesuffix(">")
    data = around.images.get(file_of(mark.target))
    if data is None:
        return
    media_type = IMAGE_TYPES.get(posixpath.splitext(file_of(target))[1].lower(), "")
    if media_type != SVG:
        name = target.replace("/", "-").lstrip(".-")
        attachments.append(Attachment(mark.start, name, media_type, data))
        yield Edit(mark.target_start, mark.target_start + len(mark.target), f"attachment:{name}")
        return
    address = f"data:{SVG};base64,{base64.b64encode(data).decode('ascii')}"
    words = source.text[mark.text_start : mark.text_end]
    if mark.part is Part.IMAGE and _WORDS.fullmatch(words):
        yield Edit(mark.start, mark.text_start, '<img alt="', True)
        yield Edit(mark.text_end, mark.end, f'" src="{address}">', True)
    else:
        yield Edit(mark.target_start, mark.target_start + len(mark.target), address, True)


def _labels(source: Source) -> Iterator[Edit]:
    """Fences that are no code cells: what they are to their reader, and no directives beside their language."""
    predicted = is_executed = False
    for fence in source.lesson.fences:
        start = source.starts[fence.line - 1]
        opener = source.lines[fence.line - 1]
        at = opener.index(fence.marker)
        if fence.role is Role.CODE:
            predicted = fence.directives.predict
            is_executed = not not_executed(fence, source.lesson)
            if not fence.directives.wrong and (note := note_on(fence, source.lesson)):
                yield Edit(start + at, start + at, f"{note}\n{fence.prefix.rstrip()}\n{fence.prefix}")
        if len(fence.info.split()) > 1 and not fence.info.startswith("{"):
            language = opener.index(fence.info.split()[0], at) + len(fence.info.split()[0])
            yield Edit(start + language, start + len(opener), "")
        if fence.role in (Role.OUTPUT, Role.ERROR):
            # A fence in a cell of its own has lost what stands before its lines.
            prefix = "" if is_executed else fence.prefix
            yield from _output_label(source, fence, start + at, prefix, is_folded=predicted)


def _output_label(source: Source, fence: Fence, at: int, prefix: str, *, is_folded: bool) -> Iterator[Edit]:
    gap = f"\n{prefix.rstrip()}\n{prefix}"
    word = "It raises" if fence.role is Role.ERROR else "It prints"
    if not is_folded:
        yield Edit(at, at, f"{word}:{gap}")
        return
    yield Edit(at, at, f"<details><summary>{word} (predict first)</summary>{gap}")
    end = source.starts[fence.end_line] - 1
    yield Edit(end, end, f"{gap}</details>")


def _anchors(source: Source, fragments: set[str]) -> Iterator[Edit]:
    """A named place at each heading that the page links to, since each program names headings in its own way."""
    taken: dict[str, int] = {}
    for token, inline in zip(source.tokens, source.tokens[1:], strict=False):
        if token.type != "heading_open" or token.map is None:
            continue
        name = re.sub(r"[^\w\- ]", "", plain(inline.content).lower()).replace(" ", "-")
        count = taken.get(name, 0)
        taken[name] = count + 1
        name = f"{name}-{count}" if count else name
        if name in fragments:
            marks = _HEADING.match(source.lines[token.map[0]])
            at = source.starts[token.map[0]] + (marks.end() if marks else 0)
            yield Edit(at, at, f'<a id="{name}"></a>')
