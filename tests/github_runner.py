"""A step's log as GitHub's runner reads it: which of its lines are commands, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

KNOWN = frozenset(
    [
        "error",
        "warning",
        "notice",
        "debug",
        "group",
        "endgroup",
        "add-mask",
        "set-output",
        "set-env",
        "add-path",
        "save-state",
        "add-matcher",
    ]
)
_NEW_FORM = re.compile(r"\s*::([^ :]+)(?: (.*?))?::(.*)")
_OLD_FORM = re.compile(r".*?##\[([^ \]]+)(?: ([^\]]*))?\](.*)")
_ESCAPES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}  # "%" comes last, as in the runner


@dataclass(frozen=True)
class Command:
    """One command obeyed: its name, its properties and its data, both unescaped."""

    name: str
    properties: dict[str, str]
    data: str


def obeyed(log: str) -> list[Command]:
    """The commands in a log that the runner obeys, but for those that stop and resume it."""
    return list(_obeyed(log))


def _obeyed(log: str) -> Iterator[Command]:
    token = ""
    for line in re.split(r"\r\n|\r|\n", log):
        command = _parsed(line, KNOWN | {"stop-commands"} | ({token} if token else set()))
        if command is None:
            continue
        if token:
            token = "" if command.name == token else token
        elif command.name == "stop-commands":
            token = command.data
        else:
            yield command
    assert not token, "the runner was left deaf"


def _parsed(line: str, known: frozenset[str]) -> Command | None:
    for form in (_NEW_FORM, _OLD_FORM):
        found = form.fullmatch(line)
        if found and found[1] in known:
            pairs = (pair.split("=", 1) for pair in (found[2] or "").split(",") if "=" in pair)
            return Command(found[1], {name: _unescaped(value) for name, value in pairs}, _unescaped(found[3]))
    return None


def _unescaped(text: str) -> str:
    for escape, char in _ESCAPES.items():
        text = text.replace(escape, char)
    return text
