"""The one Markdown configuration of the project: what is a fence, a heading or a formula is decided here alone."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import normalize
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from .containers import container_plugin

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

# Only these end a line, in Markdown as in Python source; str.splitlines() knows eight more.
LINE_END = re.compile(r"\r\n?|\n")

# The parser drops what is nested deeper than this without a word, and its own limit of 20 is ten lists.
MAX_NESTING = 200


def with_line_feeds(text: str) -> str:
    """The same text with every line end as LF."""
    return LINE_END.sub("\n", text) if "\r" in text else text


def parse_blocks(text: str) -> list[Token]:
    """The block tokens of `text`, whose inline content is left as it is: quick, and all it takes to find fences."""
    idle = [rule for rule, mark in _MARKS if mark not in text]
    if not text.startswith("---"):
        idle.append("front_matter")
    if not _UNDERLINE.search(text):
        idle.append("lheading")
    return _block_parser(tuple(idle)).parse(text)


@lru_cache(maxsize=64)
def _block_parser(idle: tuple[str, ...]) -> MarkdownIt:
    """Every rule is asked about every block, so those that cannot apply to a page are left out for it."""
    return _parser().disable(["inline", "text_join", *idle])


_UNDERLINE = re.compile(r"\n[ \t>]*(?:=+|-+)[ \t]*\n")
# A rule applies only to pages that hold its mark.
_MARKS = (
    ("table", "|"),
    ("math_block", "$$"),
    ("container", ":::"),
    ("container_end", ":::"),
    ("html_block", "<"),
    ("reference", "]:"),
    ("blockquote", ">"),
    ("heading", "#"),
)


def full_parser() -> MarkdownIt:
    """A parser for publishers: the same blocks, with the inline content of each parsed too."""
    return _parser()


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.use(front_matter_plugin)
    parser.use(dollarmath_plugin, allow_labels=False, allow_blank_lines=False, double_inline=True)
    # The plugin's own inline rule looks before the first character of a paragraph, and so at its last one.
    parser.inline.ruler.at("math_inline", _inline_math)
    parser.use(container_plugin)
    parser.core.ruler.at("normalize", _normalize)
    parser.block.__class__ = _Blocks
    return parser


class _Blocks(ParserBlock):
    """The block parser on a state of ours."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]) -> None:  # noqa: N803
        """Append the tokens of `src`."""
        if src:
            state = Lines(src, md, env, outTokens)
            self.tokenize(state, state.line, state.lineMax)


class Lines(StateBlock):
    """The parser's own state, whose table of lines is made in a third of the time."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        lines = src.split("\n")
        if not lines[-1].strip(" \t"):  # no line, unless something stands on it
            lines.pop()
        self.src = src
        self.lineMax = len(lines)
        sizes = list(map(len, lines))
        self.tShift = list(map(sub, sizes, map(len, [line.lstrip(" \t") for line in lines])))
        self.sCount = self.tShift.copy()
        if "\t" in src:
            shifted = zip(lines, self.tShift, strict=True)
            self.sCount = [len(line[:shift].expandtabs(4)) for line, shift in shifted]
        self.bMarks = [0, *accumulate([size + 1 for size in sizes])]
        self.eMarks = [start - 1 for start in self.bMarks[1:]]
        self.bsCount = [0] * self.lineMax
        # A last entry of no line, which rules may look at.
        self.bMarks[-1] = len(src)
        self.eMarks.append(len(src))
        for counts in (self.tShift, self.sCount, self.bsCount):
            counts.append(0)


def _normalize(state: StateCore) -> None:
    """The parser's own rule, where there is something for it to do."""
    if "\r" in state.src or "\0" in state.src:
        normalize(state)


def _inline_math(state: StateInline, silent: bool) -> bool:
    """`$…$` and `$$…$$` in a line: no space inside the dollars, no digit after them, so prices are not formulas."""
    match = _INLINE_MATH.match(state.src, state.pos)
    if match is None or _is_escaped(state.src, state.pos):
        return False
    if not silent:
        dollars = match["dollars"]
        token = state.push("math_inline" if len(dollars) == 1 else "math_inline_double", "math", 0)
        token.content, token.markup = match["formula"], dollars
    state.pos = match.end()
    return True


_INLINE_MATH = re.compile(
    r"(?P<dollars>\${1,2})(?![\s$])(?P<formula>(?:\\.|[^\\$])+?)(?<!\s)(?P=dollars)(?![\d$])", re.DOTALL
)


def _is_escaped(text: str, position: int) -> bool:
    before = text[:position]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
