"""Lines of styled text, and the two pens that write them: a plain one, and one for terminals."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol, TextIO


class Span(NamedTuple):
    """A piece of a line. `style` is a style that rich knows, such as "bold red"; a plain pen ignores it."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """One line made of plain text and spans."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def visible(text: str) -> str:
    """`text` with control characters written as escapes, so that no lesson's output can steer a terminal."""
    return text if text.isprintable() else _CONTROL.sub(_escaped, text)


def plain(lines: Iterable[Line]) -> str:
    """The lines as a plain pen writes them, each with its line end."""
    return "".join("".join(span.text for span in spans).rstrip() + "\n" for spans in lines)


# All but the tab, and the marks that turn the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _escaped(control: re.Match[str]) -> str:
    code = ord(control[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def plural(number: int, word: str) -> str:
    """The number with its word, in the plural where it is not one."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


class Pen(Protocol):
    """What a renderer writes with."""

    def write(self, lines: Iterable[Line]) -> None:
        """Write lines below those already there."""

    def progress(self, text: str) -> None:
        """Show `text` as the live line, in place of the one before; "" takes it away."""


class PlainPen:
    """Writes text alone: for files, pipes, logs and dumb terminals. It has no live line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, lines: Iterable[Line]) -> None:
        """Write the lines and hand them on at once: a log is read while it grows."""
        self._stream.write(plain(lines))
        self._stream.flush()

    def progress(self, text: str) -> None:
        """A log keeps every line, so a live line has no place in it."""


class TerminalPen:
    """Writes with styles through rich, above a live line. It starts no thread: a fork may be near."""

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        self._text = Text
        self._color = color
        self._console = Console(file=stream, no_color=not color, highlight=False, markup=False, emoji=False)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def write(self, lines: Iterable[Line]) -> None:
        """Write the lines above the live line, unwrapped: a terminal can still find the paths in them."""
        for spans in lines:
            styled = [(span.text, span.style if self._color else "") for span in spans]
            self._console.print(self._text.assemble(*styled), soft_wrap=True)

    def progress(self, text: str) -> None:
        """Draw the live line anew, cut to the width of the terminal; "" ends it."""
        if not text:
            self._live.stop()
            return
        self._live.start()
        style = "dim" if self._color else ""
        self._live.update(self._text(text, style=style, no_wrap=True, overflow="ellipsis"), refresh=True)


def pen_for(stream: TextIO, *, color: bool, environ: Mapping[str, str] = os.environ) -> Pen:
    """The pen that suits `stream`: styles and a live line only where a person is watching a real terminal.

    NO_COLOR and `color=False` keep the live line and drop every style; TERM=dumb drops both.
    """
    if not stream.isatty() or environ.get("TERM", "dumb") in ("dumb", "unknown", ""):
        return PlainPen(stream)
    return TerminalPen(stream, color=color and not environ.get("NO_COLOR"))
