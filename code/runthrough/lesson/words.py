"""The words of a directive or an info string: `key=value`, `key="quoted value"`, `flag`, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(
    r"""(?P<key>[^\s=,]+?)=(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|\{[^{}]*\}|[^\s"']\S*|)(?=[\s,]|$)"""
    r"""|(?P<flag>[^\s=,"']+)(?=[\s,]|$)"""
    r"""|(?P<odd>\S+)""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Word:
    """One word. `value` is None for a flag; `offset` counts characters from the start of the text it was in."""

    key: str
    value: str | None
    offset: int
    is_odd: bool = False

    def __str__(self) -> str:
        return self.key if self.value is None else f'{self.key}="{self.value}"'


def split_words(text: str) -> list[Word]:
    """The words of `text` in order. One that cannot be read, such as an unclosed quote, is marked odd."""
    words = []
    position = 0
    while match := _next(text, position):
        position = match.end()
        if match["odd"] is not None:
            words.append(Word(match["odd"], None, match.start(), is_odd=True))
        elif match["flag"] is not None:
            words.append(Word(match["flag"], None, match.start()))
        else:
            words.append(Word(match["key"], _unquoted(match["value"]), match.start()))
    return words


def _next(text: str, position: int) -> re.Match[str] | None:
    while position < len(text) and (text[position].isspace() or text[position] == ","):
        position += 1
    return _WORD.match(text, position)


def _unquoted(value: str) -> str:
    """The inside of a quoted value. Only a backslash before its own quote is taken away, so a regex keeps its own."""
    if value[:1] in {'"', "'"}:
        return value[1:-1].replace("\\" + value[0], value[0])
    return value
