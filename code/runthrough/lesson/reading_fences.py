"""One raw fence and its comments become a `Fence`: language, role, directives, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .cells import InfoString, read_cell, read_info
from .dialects import NOTHING, PYTHON, Foreign, read_comment, read_word
from .directives import KEYS, Complaint, Said, comment_words, read_directives, suggestion
from .document import Directives, Fence, Role, Severity
from .fences import RawFence, opener_inside
from .words import split_words

# Fences of other languages may carry any tool's words outside a course.
_LANGUAGES_WITH_WORDS = {*PYTHON, "pycon", "output", "error", "text"}
# What may be said of a fence that is not run.
_KEYS_OF_SHOWN = {"id", "output", "hidden", "show", "skip", "rtol", "atol"}


@dataclass(frozen=True)
class Draft:
    """A fence without its final id, and what was found wrong on the way, each at its line with its severity."""

    fence: Fence
    foreign: tuple[Foreign, ...]
    complaints: tuple[tuple[Complaint, Severity], ...]


def read_fence(raw: RawFence, in_course: bool) -> Draft:
    """Everything a fence says of itself, in its comments, its info string and its cell options."""
    info = read_info(raw.info)
    complaints: list[tuple[Complaint, Severity]] = []
    lenient = Severity.ERROR if in_course else Severity.WARNING
    foreign: list[Foreign] = []
    said: list[Said] = []
    for comment in raw.comments:
        words = comment_words(comment.line, comment.text)
        if words is not None:
            said += words
        elif (peer := read_comment(comment.text)) is not None and peer.reach == "fence":
            foreign.append(peer)
    from_info, peers, unknown = _info_words(raw, info, in_course)
    complaints += [(complaint, lenient) for complaint in unknown]
    foreign += peers
    try:
        cell, option_lines = read_cell(info.kind, raw.code)
    except ValueError as error:
        cell, option_lines = NOTHING, 0
        complaints.append((Complaint(raw.code_line, str(error), "mend the option lines"), lenient))
    foreign.append(cell)
    directives, wrong = read_directives(said + from_info)
    info_words = {id(each.word) for each in from_info}
    complaints += [(each, lenient if _is_of_info(each, raw, info_words) else Severity.ERROR) for each in wrong]
    directives = _merged(directives, foreign)
    role = _role(info, directives, foreign)
    complaints += [(each, Severity.ERROR) for each in _out_of_place(raw, role, said + from_info)]
    fence = _fence(raw, info, role, directives, option_lines)
    return Draft(fence, tuple(foreign), tuple(complaints))


def _is_of_info(complaint: Complaint, raw: RawFence, info_words: set[int]) -> bool:
    return bool(info_words) and complaint.line == raw.line


def _info_words(raw: RawFence, info: InfoString, in_course: bool) -> tuple[list[Said], list[Foreign], list[Complaint]]:
    """The info string's words that are ours, those of peers, and a complaint of any other."""
    ours: list[Said] = []
    peers: list[Foreign] = []
    unknown: list[Complaint] = []
    if not info.words or not (in_course or info.language in _LANGUAGES_WITH_WORDS):
        return ours, peers, unknown
    for word in split_words(info.words):
        peer = None if word.key in KEYS and not (word.key == "output" and info.is_python) else read_word(word)
        if peer is not None:
            peers.append(peer)
        elif word.key in KEYS and not (word.value is None and word.key in {"skip", "show"} and not in_course):
            ours.append(Said(raw.line, word))
        elif word.key in {"skip", "show"}:
            peers.append(Foreign({word.key: f"{word.key!r} in its info string"}))
        else:
            message = f"{word} in the info string is no directive"
            unknown.append(Complaint(raw.line, message, suggestion(word.key, KEYS)))
    return ours, peers, unknown


def _merged(directives: Directives, foreign: Iterable[Foreign]) -> Directives:
    """What peers' words say holds where our own say nothing."""
    values: dict[str, Any] = {}
    for each in foreign:
        for name, value in each.directives.items():
            if not getattr(directives, name):
                values.setdefault(name, value)
    return replace(directives, **values) if values else directives


def with_foreign(fence: Fence, values: Mapping[str, Any]) -> Fence:
    """The fence with what a peer's comment from farther up says of it."""
    return replace(fence, directives=_merged(fence.directives, [Foreign(values)]))


def _role(info: InfoString, directives: Directives, foreign: Iterable[Foreign]) -> Role:
    for each in foreign:
        if each.role is not None:
            return each.role
    if info.is_python:
        return Role.CODE
    if info.language == "output" or directives.output:
        return Role.OUTPUT
    if info.language == "error":
        return Role.ERROR
    if info.language == "pycon" and _asks_to_run(directives):
        return Role.CODE
    return Role.SHOWN


def _asks_to_run(directives: Directives) -> bool:
    """A console session is only shown, unless something is said of it that takes a run to know."""
    quiet = replace(directives, id="", hidden=False, show="", skip="")
    return quiet != Directives()


def _out_of_place(raw: RawFence, role: Role, said: Iterable[Said]) -> list[Complaint]:
    if role is Role.CODE:
        return []
    return [
        Complaint(each.line, f"{each.word.key} is only for a fence that runs", "put it above a python fence")
        for each in said
        if each.word.key in KEYS and each.word.key not in _KEYS_OF_SHOWN
    ]


def _fence(raw: RawFence, info: InfoString, role: Role, directives: Directives, option_lines: int) -> Fence:
    code = raw.code
    for _ in range(option_lines):
        code = code.partition("\n")[2]
    opener = opener_inside(raw) if role is Role.CODE else None
    return Fence(
        line=raw.line,
        end_line=raw.end_line,
        code_line=raw.code_line + option_lines,
        marker=raw.marker,
        info=raw.info,
        language=info.language,
        code=code,
        is_closed=raw.is_closed,
        role=role,
        id=directives.id,
        directives=directives,
        heading=raw.heading,
        prefix=raw.prefix,
        hint=f"line {opener} looks like another fence opener inside this block" if opener else "",
    )
