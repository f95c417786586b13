"""Block tokens become fences with their exact lines, and the comments and headings that stand above them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .document import Box

if TYPE_CHECKING:
    from markdown_it.token import Token

_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_TRAILING_COMMENTS = re.compile(r"(?:<!--(?:(?!-->).)*-->\s*)+\Z", re.DOTALL)
_OPENER = re.compile(r"[ \t>*+\-]*(?:\d+[.)][ \t]+)?(?:```+[ \t]*[{.A-Za-z][^`]*|~~~+[ \t]*[{.A-Za-z].*)$")
_PYTHON_OPENER = re.compile(r"[ \t]*(?P<marker>```+|~~~+)[ \t]*\{?\.?py(?:thon)?3?\b[^`]*$", re.IGNORECASE)
_MARKUP = re.compile(r"[<\[*`$\\]")
_CODE_AND_HTML = ("fence", "code_block", "front_matter", "html_block")
# What Python-Markdown makes a note or a tab of, with all that is indented below it by four spaces.
_NOTE_OR_TAB = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]?)\s")
# Backticks in these are meant as text.
_LITERAL_HTML = re.compile(r"\s*<(?:!--|pre|script|style|textarea)", re.IGNORECASE)


@dataclass(frozen=True)
class Comment:
    """An HTML comment: the 1-based line it opens on, and the text between its marks."""

    line: int
    text: str


class RawFence(NamedTuple):
    """A fence as Markdown has it, before anything is made of its words.

    Lines are 1-based. `prefix` is what stands before each of its lines (indentation, `> ` of quotes). `comments`
    are those above it with nothing but blank lines between. `lost_opener` is the line of a Python fence that
    this one has swallowed, or 0.
    """

    line: int
    end_line: int
    code_line: int
    marker: str
    info: str
    code: str
    is_closed: bool
    prefix: str
    heading: str
    comments: tuple[Comment, ...]
    lost_opener: int = 0


@dataclass(frozen=True)
class Prose:
    """An inline token that holds a comment, and whether it is a cell of a table."""

    token: Token
    is_cell: bool


@dataclass(frozen=True)
class Blocks:
    """What the reader needs of a page's blocks, in document order.

    `stray` are the comments with no fence below them, `title` is the first level-one heading, `prose` the
    inline tokens that hold a comment, and `false_openers` the lines that look like a fence's opener and are none.
    `lost_claims` are lines with a claim in what is neither a sentence nor code, such as a formula or a box's title.
    """

    fences: tuple[RawFence, ...]
    stray: tuple[Comment, ...]
    title: str
    prose: tuple[Prose, ...]
    front_matter: str | None
    false_openers: tuple[int, ...]
    boxes: tuple[Box, ...] = ()
    lost_claims: tuple[int, ...] = ()


def read_blocks(tokens: list[Token], lines: list[str], *, with_claims: bool = True) -> Blocks:
    """Sort the tokens of a block parse; `lines` are those of the text that was parsed.

    Without `with_claims`, for a page that holds none, nobody looks through its lines for them.
    """
    fences: list[RawFence] = []
    stray: list[Comment] = []
    waiting: list[Comment] = []
    prose: list[Prose] = []
    openers: list[int] = []
    boxes: list[Box] = []
    title, heading, front = "", "", None
    for number, token in enumerate(tokens):
        kind = token.type
        if kind == "inline":
            if "<!--" in token.content:
                prose.append(Prose(token, tokens[number - 1].type in ("td_open", "th_open")))
            if "```" in token.content or "~~~" in token.content:
                openers += _openers_in(token, lines)
        elif kind == "fence":
            fences.append(_raw_fence(token, lines, heading, tuple(waiting)))
            waiting = []
        elif kind == "html_block":
            openers += _openers_in(token, lines)
            comments, trailing = _comments(token)
            if not _is_only_comments(token.content):
                stray += waiting + comments[: len(comments) - trailing]
                waiting = []
            waiting += comments[len(comments) - trailing :]
        else:
            if waiting:
                stray += waiting
                waiting = []
            if kind == "heading_open":
                heading = plain(tokens[number + 1].content)
                title = title or (heading if token.tag == "h1" else "")
            elif kind == "front_matter":
                front = token.content
            elif kind == "container_open":
                boxes.append(_box(token))
            elif kind == "code_block" and number > 1 and _NOTE_OR_TAB.match(tokens[number - 2].content):
                openers += _matching(_PYTHON_OPENER, token, lines)
    lost = tuple(_lost_claims(tokens, lines)) if with_claims else ()
    return Blocks(tuple(fences), tuple(stray + waiting), title, tuple(prose), front, tuple(openers), tuple(boxes), lost)


def _lost_claims(tokens: list[Token], lines: list[str]) -> Iterator[int]:
    marked = [number for number, text in enumerate(lines) if "<!--=" in text]
    if not marked:
        return
    read: set[int] = set()
    for token in tokens:
        is_read = token.type in _CODE_AND_HTML or (token.type == "inline" and "<!--" in token.content)
        if is_read and token.map is not None:
            read.update(range(*token.map))
    yield from (number + 1 for number in marked if number not in read)


def _box(token: Token) -> Box:
    assert token.map is not None
    kind, _, words = token.info.partition(" ")
    return Box(kind, words.strip(), token.map[0] + 1, token.map[1], token.meta["closed"])


def plain(markdown: str) -> str:
    """A heading's words without markup: comments, tags, link targets and emphasis marks are left out."""
    if not _MARKUP.search(markdown):
        return " ".join(markdown.split())
    text = re.sub(r"<!--.*?-->|</?[A-Za-z][^>]*>", "", markdown, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*`$]|\\(?=[!-/:-@\[-`{-~])", "", text).split())


def _comments(token: Token) -> tuple[list[Comment], int]:
    """The comments of an HTML block, and how many of them close it with nothing after."""
    assert token.map is not None
    comments = [
        Comment(token.map[0] + 1 + token.content.count("\n", 0, match.start()), match[1])
        for match in _COMMENT.finditer(token.content)
    ]
    trailing = _TRAILING_COMMENTS.search(token.content)
    return comments, trailing[0].count("<!--") if trailing else 0


def _is_only_comments(content: str) -> bool:
    return not _COMMENT.sub("", content).strip()


def _lost_opener(token: Token) -> int:
    """Where a fence holds an opener that its own marker could not enclose: its closing line was lost."""
    if token.markup[:3] not in token.content or token.map is None:
        return 0
    for offset, text in enumerate(token.content.split("\n")):
        match = _PYTHON_OPENER.match(text)
        if match and match["marker"].startswith(token.markup):
            return token.map[0] + 2 + offset
    return 0


def _raw_fence(token: Token, lines: list[str], heading: str, comments: tuple[Comment, ...]) -> RawFence:
    assert token.map is not None
    first, end = token.map
    opener = lines[first]
    return RawFence(
        line=first + 1,
        end_line=end,
        code_line=first + 2,
        marker=token.markup,
        info=token.info.strip(),
        code=token.content,
        is_closed=end - first - 2 == token.content.count("\n"),
        prefix="" if opener.startswith(token.markup) else _prefix(opener[: opener.index(token.markup)]),
        heading=heading,
        comments=comments,
        lost_opener=_lost_opener(token),
    )


def _prefix(before: str) -> str:
    return re.sub(r"[^>\s]", " ", before)


def opener_inside(fence: RawFence) -> int | None:
    """The line of something in the fence that looks like another opener, as after a lost closing line."""
    if "```" not in fence.code and "~~~" not in fence.code:
        return None
    for offset, text in enumerate(fence.code.split("\n")):
        if _OPENER.match(text):
            return fence.code_line + offset
    return None


def _openers_in(token: Token, lines: list[str]) -> list[int]:
    """1-based lines of a paragraph or of HTML that look like an opener: too far indented, or without a blank line."""
    content = token.content
    if ("```" not in content and "~~~" not in content) or _LITERAL_HTML.match(content):
        return []
    return _matching(_OPENER, token, lines)


def _matching(opener: re.Pattern[str], token: Token, lines: list[str]) -> list[int]:
    """1-based lines of a block that look like such an opener."""
    assert token.map is not None
    return [number + 1 for number in range(*token.map) if opener.match(lines[number])]
