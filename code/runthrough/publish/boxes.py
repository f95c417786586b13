"""`:::` boxes as a notebook shows them: a quiz with its answers folded away, other boxes as a framed note."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runthrough.lesson.document import Box, Option
from runthrough.lesson.words import split_words

from .folds import Fold
from .pieces import Source
from .rewriting import Edit

_MARK = re.compile(r"\[[ xX]\][ \t]+")
_SENTENCE = re.compile(r"(?!```|~~~|\*[ \t])[^\W_]|[`*$\"'(\[\\]")
_ITEM = re.compile(r"(?P<indent>[ \t>]*)(?P<bullet>[-*+][ \t]+)")


@dataclass(frozen=True)
class Frame:
    """Something around a part of the page that no cell may show half of.

    Its opening from `start` to `inside` becomes `opening`, or `bare` where its first cell shows nothing else of it. Its
    closing from `close` to `end` becomes `closing`. `shut` closes it at a cell's end, and `again` opens it in the next.
    """

    start: int
    inside: int
    close: int
    end: int
    opening: str
    closing: str
    shut: str
    again: str
    bare: str


def frames_of(source: Source) -> tuple[Frame, ...]:
    """The `<details>` and boxes of a page, in the order in which they open. Quizzes have no frame."""
    frames = [_fold(source, fold) for fold in source.folds]
    frames += [_box(source, box) for box in source.lesson.boxes if box.kind != "quiz"]
    return tuple(sorted(frames, key=lambda frame: frame.start))


def _fold(source: Source, fold: Fold) -> Frame:
    text = source.text
    return Frame(
        fold.start,
        fold.inside,
        fold.close,
        fold.end,
        opening=text[fold.start : fold.inside],
        closing=text[fold.close : fold.end] or "</details>",
        shut="</details>",
        again=f"<details><summary>{fold.summary} (continued)</summary>",
        bare=f"**{_plain(fold.summary)}**",
    )


def _plain(summary: str) -> str:
    """A summary's words in Markdown."""
    return html.unescape(re.sub(r"</?code>", "`", summary)).strip()


def _box(source: Source, box: Box) -> Frame:
    start, prefix = _opening(source, box.line)
    last, end = source.starts[box.end_line - 1], source.starts[box.end_line] - 1
    look = "alert-warning" if box.kind == "not-run" else "alert-info"
    div = f'<div class="alert {look}">'
    return Frame(
        start,
        source.starts[box.line],
        last if box.is_closed else end,
        end,
        opening=_rows(prefix, [div, "", _title(box), "", ""]).removeprefix(prefix),
        closing=_rows(prefix, ["", "</div>"]),
        shut="</div>",
        again=div,
        bare=_title(box),
    )


def _title(box: Box) -> str:
    if box.kind != "not-run":
        return f"**{box.kind.capitalize()}" + (f": {box.words}**" if box.words else "**")
    said = {word.key: word.value or "" for word in split_words(box.words)}
    return f"**Not run here.** Source: <{said.get('source', '')}>, looked up on {said.get('checked', '')}."


def quiz_edits(source: Source) -> Iterator[Edit]:
    """A quiz without its marks; what is right and why is folded below each option."""
    for box in source.lesson.boxes:
        if box.kind != "quiz":
            continue
        start, prefix = _opening(source, box.line)
        yield Edit(start, source.starts[box.line], _rows(prefix, ["**Quiz.**", "", ""]).removeprefix(prefix), True)
        lines = [option.line for option in box.options] + [box.end_line]
        for option, following in zip(box.options, lines[1:], strict=True):
            yield from _option_edits(source, option, following, is_last=following == box.end_line)
        if box.is_closed:
            yield Edit(source.starts[box.end_line - 1], source.starts[box.end_line], "")


def _option_edits(source: Source, option: Option, following: int, *, is_last: bool) -> Iterator[Edit]:
    line = source.lines[option.line - 1]
    start = source.starts[option.line - 1]
    item = _ITEM.match(line)
    mark = _MARK.search(line)
    if item is None or mark is None:
        return
    yield Edit(start + mark.start(), start + mark.end(), "")
    margin = item["indent"] + " " * len(item["bullet"])
    rows = [number for number in range(option.line + 1, following) if source.lines[number - 1].strip(" \t>")]
    closing = ["", "</details>"] if is_last else ["", "</details>", ""]
    opening = ["<details><summary>If you chose this</summary>", "", "**Right.**" if option.is_marked else "**No.**"]
    if not rows:
        at = start + len(line)
        yield Edit(at, at, "\n" + _rows(margin, ["", *opening, *closing]))
        return
    first, text = source.starts[rows[0] - 1], source.lines[rows[0] - 1]
    words = text.lstrip(" \t>")
    head = _rows(margin, opening if rows[0] > option.line + 1 else ["", *opening])
    # Words go on in the verdict's paragraph; anything else begins one of its own.
    gap = " " if _SENTENCE.match(words) else "\n" + _rows(margin, ["", ""]) + margin
    yield Edit(first, first + len(text) - len(words), head + gap, True)
    last = source.starts[rows[-1] - 1] + len(source.lines[rows[-1] - 1])
    yield Edit(last, last, "\n" + _rows(margin, closing))


def _rows(prefix: str, rows: Sequence[str]) -> str:
    """Lines under a prefix; the last has no end."""
    return "\n".join(prefix + row if row else prefix.rstrip() for row in rows)


def _opening(source: Source, line: int) -> tuple[int, str]:
    """Where a box's colons stand, and what stands before its further lines."""
    text = source.lines[line - 1]
    column = text.index(":::")
    return source.starts[line - 1] + column, re.sub(r"[^>\s]", " ", text[:column])
