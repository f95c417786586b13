"""`::: name` … `:::` containers for any name.

A container never changes what is a fence: a `:::` inside a fence is text, as it is on a Git host that knows no
containers. Containers nest; a closing line is at least as long as the opening one and closes the innermost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_OPENER = re.compile(r"(?P<marker>:{3,})[ \t]*(?P<info>[^\s:].*)")
_CLOSER = re.compile(r":{3,}[ \t]*$")
_INTERRUPTS = ["paragraph", "reference", "blockquote", "list"]


def container_plugin(parser: MarkdownIt) -> None:
    """Add the tokens `container_open` and `container_close`.

    `info` of the opening token holds the words after the colons, `meta["closed"]` whether a closing line was found.
    """
    parser.block.ruler.before("fence", "container", _container, {"alt": _INTERRUPTS})
    parser.block.ruler.before("fence", "container_end", _container_end, {"alt": _INTERRUPTS})


def _container(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    opener = _match(_OPENER, state, start_line)
    if opener is None or state.is_code_block(start_line):
        return False
    if silent:
        return True
    length = len(opener["marker"])
    token = state.push("container_open", "div", 1)
    token.markup, token.info = opener["marker"], opener["info"].strip()
    outer, parent = state.env.get("container"), state.parentType
    state.env["container"], state.parentType = (length, state.blkIndent), "container"
    last = _read_blocks(state, start_line + 1, end_line, length)
    state.env["container"], state.parentType = outer, parent
    closed = last < end_line and _is_closer(state, last, length)
    state.line = last + closed
    token.map, token.meta = [start_line, state.line], {"closed": closed}
    state.push("container_close", "div", -1).markup = opener["marker"]
    return True


def _read_blocks(state: StateBlock, line: int, end_line: int, length: int) -> int:
    """Read what the container holds; the line that ends it, be it its closing line or the end of what it is in."""
    rules = state.md.block.ruler.getRules("")
    while line < end_line:
        line = state.line = state.skipEmptyLines(line)
        if line >= end_line or state.sCount[line] < state.blkIndent or _is_closer(state, line, length):
            break
        if state.level >= state.md.options.maxNesting:
            return end_line
        any(rule(state, line, end_line, False) for rule in rules)
        line = state.line
    return min(line, end_line)


def _container_end(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Never a block of its own: it only stops a paragraph, quote or list from running over a closing line."""
    if not silent or (container := state.env.get("container")) is None:
        return False
    length, indent = container
    closer = _match(_CLOSER, state, start_line)
    return closer is not None and len(closer[0].rstrip()) >= length and state.sCount[start_line] - indent < 4


def _is_closer(state: StateBlock, line: int, length: int) -> bool:
    closer = _match(_CLOSER, state, line)
    if closer is None or state.is_code_block(line):
        return False
    return state.sCount[line] >= state.blkIndent and len(closer[0].rstrip()) >= length


def _match(pattern: re.Pattern[str], state: StateBlock, line: int) -> re.Match[str] | None:
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith(":::", start):
        return None
    return pattern.match(state.src[start : state.eMarks[line]])
