"""What Jupyter stored below a cell, as a lesson shows it: text that is compared, text that is not, and pictures."""

from __future__ import annotations

import ast
import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runthrough.expect.normal import settled

from .notebook import joined

MOST_LINES, MOST_LETTERS = 60, 1000
_ENDS_SHOWN = 20  # lines at each end of a text that is cut
_WILDCARD = "..."
SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "image/bmp": "bmp",
    "application/pdf": "pdf",
}
# How IPython shows what has no repr of its own, where Python says a little more.
_OBJECT = re.compile(r"<([\w.]+) at (0x[0-9a-f]+)>")
_FUNCTION = re.compile(r"<function (?:[\w<>]+\.)*(\w+)\([^\n]*\)>")
# A SyntaxError names the file that a kernel made of its cell.
_PLACE = re.compile(r" \((?:<[^<>\n]*>|[^\s()]+\.py), line \d+\)\Z")


class MediaError(Exception):
    """Stored bytes that cannot be read; the text says why."""


@dataclass(frozen=True)
class Picture:
    """The bytes of a picture and the ending of its file's name."""

    data: bytes
    suffix: str


@dataclass(frozen=True)
class Stored:
    """What is stored below one cell.

    `printed` is what a lesson compares (standard output, then the value), `error` is `Type: message` of the class
    `error_class`, `beside` are texts that are shown and not compared, `told` says a line each of what is left out.
    """

    printed: str = ""
    error: str = ""
    error_class: str = ""
    beside: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    told: tuple[str, ...] = ()


def stored_below(outputs: tuple[Mapping[str, Any], ...]) -> Stored:
    """The outputs of a cell, sorted by what a lesson can do with them."""
    printed, value = "", ""
    beside: list[str] = []
    pictures: list[Picture] = []
    told: list[str] = []
    error = error_class = ""
    for output in outputs:
        kind = output.get("output_type")
        if kind == "stream" and output.get("name") != "stderr":
            printed += _clean(output.get("text"))
        elif kind == "stream":
            beside.append(_clean(output.get("text")))
        elif kind == "error":
            error_class = str(output.get("ename") or "Exception")
            message = _PLACE.sub("", _clean(output.get("evalue")).strip("\n"))
            error = f"{error_class}: {message}" if message else error_class
        elif kind in ("execute_result", "display_data"):
            data = output.get("data")
            bundle = data if isinstance(data, Mapping) else {}
            seen, lost = _pictures(bundle)
            pictures += seen
            text = _clean(bundle.get("text/plain"))
            told += [*lost, *_unkept(bundle)]
            if kind == "execute_result":
                value = as_repr(text)
            elif text and not seen:
                beside.append(text)
        else:
            told.append(f"an output of the kind {kind!r} is left out")
    cut, told_of_cut = _cut(printed + value)
    return Stored(
        printed=cut,
        error=error,
        error_class=error_class,
        beside=tuple(_cut(text)[0] for text in _whole(beside)),
        pictures=tuple(pictures),
        told=(*told, *told_of_cut),
    )


def as_repr(text: str) -> str:
    """A value as Python's own repr shows it, where IPython breaks it over lines or leaves a word out."""
    if "\n" in text:
        try:
            return repr(ast.literal_eval(text))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
    text = _FUNCTION.sub(rf"<function {_WILDCARD}\1 at {_WILDCARD}>", text)
    return _OBJECT.sub(r"<\1 object at \2>", text)


def picture_of(media: str, content: Any) -> Picture:
    """A picture as it is stored in a notebook. Raises MediaError where its bytes cannot be read."""
    if media == "image/svg+xml":
        text = joined(content)
        if "<svg" in text:
            return Picture(_encodable(text).encode(), SUFFIXES[media])
    try:
        data = base64.b64decode("".join(joined(content).split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise MediaError(str(error)) from None
    if not data:
        raise MediaError("it is empty")
    return Picture(data, SUFFIXES.get(media, "bin"))


def _pictures(bundle: Mapping[str, Any]) -> tuple[list[Picture], list[str]]:
    """The one picture of several media that a reader is shown, and a word on one that cannot be read."""
    told: list[str] = []
    for media in ("image/svg+xml", *SUFFIXES):
        if bundle.get(media):
            try:
                return [picture_of(media, bundle[media])], told
            except MediaError as error:
                told.append(f"its {media} cannot be read and is left out: {error}")
    return [], told


def _unkept(bundle: Mapping[str, Any]) -> Iterator[str]:
    for media in bundle:
        if "widget" in media:
            yield "its widget is left out; a page shows none"
        elif media not in SUFFIXES and media != "text/plain":
            size = len(joined(bundle[media]))
            yield f"its {media} of {size:,} letters is left out" + (
                "" if "text/plain" in bundle else " (it was all there was)"
            )


def _whole(texts: list[str]) -> Iterator[str]:
    joined_texts = "".join(text if text.endswith("\n") else f"{text}\n" for text in texts)
    if joined_texts.strip():
        yield joined_texts


def _clean(value: Any) -> str:
    """A stored text as a terminal leaves it, without colours."""
    return settled(_encodable(joined(value)).replace("\0", "\N{REPLACEMENT CHARACTER}"))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _cut(text: str) -> tuple[str, tuple[str, ...]]:
    """A text short enough for a page, `...` in the place of what is left out, and what to tell of that."""
    lines = text.strip("\n").split("\n")
    told = []
    if len(lines) > MOST_LINES:
        left_out = len(lines) - 2 * _ENDS_SHOWN
        told.append(f"{left_out:,} of its {len(lines):,} lines of output are left out; ... stands for them")
        lines = [*lines[:_ENDS_SHOWN], _WILDCARD, *lines[-_ENDS_SHOWN:]]
    if any(len(line) > MOST_LETTERS for line in lines):
        told.append(f"lines of output longer than {MOST_LETTERS:,} letters are cut; ... stands for the rest")
        half = MOST_LETTERS // 2
        lines = [line if len(line) <= MOST_LETTERS else f"{line[:half]}{_WILDCARD}{line[-half:]}" for line in lines]
    return "\n".join(lines) if text.strip() else "", tuple(told)
