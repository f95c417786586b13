"""Info strings and the option lines of executable cells: which language, which words, which lines are no code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .dialects import NOTHING, PYTHON, Foreign, read_options, read_tags

_BRACES = re.compile(r"\{\s*(?P<inside>[^{}]*?)\s*\}\s*(?P<rest>.*)", re.DOTALL)
_KERNELS = ("", "ipython", "ipython3", *PYTHON)
_OTHER_TAB = re.compile(r"(?:#@tab|%%tab)\s+(?P<tabs>.*)")
_OUR_TABS = {"pytorch", "all"}


@dataclass(frozen=True)
class InfoString:
    """`language` in lower case and without braces; `words` is the rest. `kind` is the dialect of a cell, or ""."""

    language: str
    words: str
    kind: str = ""

    @property
    def is_python(self) -> bool:
        """True where the fence holds Python that is meant to run."""
        return self.language in PYTHON


@lru_cache(maxsize=256)  # a course says few things in its info strings, each many times
def read_info(info: str) -> InfoString:
    """The parts of an info string, in CommonMark's form or in one with braces."""
    if info.startswith("{{"):
        return InfoString(info.split()[0].lower(), "")
    if info.startswith("{"):
        return _braces(info)
    match = re.match(r"[^\s,{]*", info)
    language = match[0] if match else ""
    rest = info[len(language) :].lstrip(", \t")
    # Attributes in braces after the language: `py {test="skip"}`.
    if rest.startswith("{") and rest.rstrip().endswith("}"):
        rest = rest.strip()[1:-1]
    return InfoString(language.lower(), rest)


def _braces(info: str) -> InfoString:
    match = _BRACES.match(info)
    if match is None:
        return InfoString(info.split()[0].lower(), "")
    first, _, words = match["inside"].replace(",", " ").partition(" ")
    argument = match["rest"].split(" ")[0].lower()
    if first == "code-cell":
        return InfoString("python" if argument in _KERNELS else argument, "", "MyST")
    if first.startswith("."):
        return InfoString(first[1:].lower(), f"{words} {match['rest']}".strip(), "d2l")
    if first.lower() in PYTHON:
        return InfoString(first.lower(), words, "Quarto")
    return InfoString(first.lower(), "")


def read_cell(kind: str, code: str) -> tuple[Foreign, int]:
    """What a cell's own lines say of it, and how many lines at its top are options and no code.

    Raises ValueError where the option lines are no YAML.
    """
    if kind == "MyST":
        return _myst(code)
    if kind == "Quarto":
        lines = [line[2:] for line in code.split("\n") if line.startswith("#|")]
        return (read_options(_yaml("\n".join(lines)), "Quarto") if lines else NOTHING), 0
    first, _, _ = code.partition("\n")
    if kind == "d2l" and (match := _OTHER_TAB.match(first)):
        tabs = set(re.findall(r"[\w-]+", match["tabs"]))
        foreign = NOTHING if tabs & _OUR_TABS else Foreign({"skip": f"tab {match['tabs'].strip()} (d2l)"})
        return foreign, 1 if first.startswith("%%") else 0
    return NOTHING, 0


def _myst(code: str) -> tuple[Foreign, int]:
    lines = code.split("\n")
    if lines[0].strip() == "---":
        end = next((n for n, line in enumerate(lines[1:], start=1) if line.strip() == "---"), None)
        if end is None:
            return NOTHING, 0
        return _tags(_yaml("\n".join(lines[1:end]))), end + 1
    count = next((n for n, line in enumerate(lines) if not re.match(r":[\w-]+:", line)), len(lines))
    if not count:
        return NOTHING, 0
    options = {}
    for line in lines[:count]:
        _, key, value = line.split(":", 2)
        options[key] = _scalar(value)
    return _tags(options), count


def _tags(options: dict[str, Any]) -> Foreign:
    tags = options.get("tags") or []
    return read_tags(re.findall(r"[\w-]+", str(tags)) if isinstance(tags, str) else [str(t) for t in tags], "MyST")


def _scalar(text: str) -> Any:
    text = text.strip()
    return re.findall(r"[\w-]+", text) if text.startswith("[") else text


def _yaml(text: str) -> dict[str, Any]:
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"the cell's options are no YAML: {str(error).splitlines()[0]}") from None
    return value if isinstance(value, dict) else {}
