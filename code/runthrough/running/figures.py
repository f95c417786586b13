"""A fence's figure as SVG text that is the same in every run."""

from __future__ import annotations

import io
from typing import Any

from runthrough.running.failure import printable
from runthrough.running.wire import Value

MOST_CHARACTERS = 1 << 20
_OPENINGS = ("<svg", "<?xml", "<!DOCTYPE svg")
# Neither the time nor the release of Matplotlib belongs to a picture.
_NO_METADATA = {"Date": None, "Creator": None}


def figure_of(value: object, name: str) -> Value:
    """The SVG text of a fence's last value: the text itself, or a Matplotlib figure or part of one, drawn."""
    if isinstance(value, str):
        text = printable(value)
        if not text.lstrip().startswith(_OPENINGS):
            return Value(error="its last expression is a text, but no SVG")
    elif (drawn := _matplotlib_figure(value)) is not None:
        text = _drawn(drawn, name)
    elif value is None:
        return Value(error="it ends without an expression, so there is nothing to draw")
    else:
        return Value(error=f"its last expression is of type {type(value).__name__}")
    if len(text) > MOST_CHARACTERS:
        return Value(error=f"its SVG text has {len(text):,} characters, and {MOST_CHARACTERS:,} are the most")
    return Value(text=f"{text.strip()}\n")


def _matplotlib_figure(value: object) -> Any:
    """A figure, or that of the axes, line or title that a plotting call gave back; None for anything else."""
    if not type(value).__module__.startswith("matplotlib."):
        return None
    while value is not None and not hasattr(value, "savefig"):
        value = value.figure if hasattr(value, "figure") else None
    return value


def _drawn(figure: Any, name: str) -> str:
    import matplotlib

    into = io.StringIO()
    # The salt makes the ids of clips and markers the same in every run.
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(into, format="svg", metadata=_NO_METADATA)
    return into.getvalue()
