"""Raw fences and their comments become `Fence`s: language, role, directives, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .cells import InfoString, read_cell, read_info
from .dialects import NOTHING, PYTHON, Foreign, read_comment, read_word
from .directives import KEYS, NONE_SAID, Complaint, Said, comment_words, read_directives, suggestion
from .document import Directives, Fence, Role, Severity
from .fences import Blocks, RawFence, opener_inside
from .words import Word, split_words

# Fences of other languages may carry any tool's words outside a course.
_LANGUAGES_WITH_WORDS = {*PYTHON, "pycon", "output", "error", "text"}
# What may be said of a fence that is not run.
_KEYS_OF_SHOWN = {"id", "output", "hidden", "show", "skip", "rtol", "atol"}

Told = tuple[Complaint, Severity]


@dataclass
class Draft:
    """What was read of a fence before it has its id, and what was found wrong, each with its severity."""

    raw: RawFence
    language: str
    role: Role
    directives: Directives
    option_lines: int
    told: list[Told]


def read_drafts(blocks: Blocks, in_course: bool) -> list[Draft]:
    """Every fence of a page, each also under what peers' comments from farther up say of it."""
    drafts = [_draft(raw, in_course) for raw in blocks.fences]
    comments = [*blocks.stray, *(comment for raw in blocks.fences for comment in raw.comments)]
    peers = [(comment.line, read_comment(comment.text)) for comment in comments]
    far = [(line, peer) for line, peer in peers if peer is not None and peer.reach != "fence"]
    if far:
        _reach_down(sorted(far, key=lambda pair: pair[0]), drafts)
    for box in blocks.boxes:
        if box.kind == "not-run":
            _leave_out(draft for draft in drafts if box.line < draft.raw.line <= box.end_line)
    return drafts


def _leave_out(drafts: Iterable[Draft]) -> None:
    """Code in a not-run box is only shown, and so can prove nothing."""
    for draft in drafts:
        if draft.role is not Role.CODE:
            continue
        if draft.directives.proves or draft.directives.raises:
            advice = "move it out of the box, or take away what it says it proves"
            complaint = Complaint(draft.raw.line, "a fence in a not-run box proves nothing", advice)
            draft.told.append((complaint, Severity.ERROR))
        if not draft.directives.skip:
            draft.directives = replace(draft.directives, show=draft.directives.show or "stands in a not-run box")


def _reach_down(far: list[tuple[int, Foreign]], drafts: Iterable[Draft]) -> None:
    """Skip the next Python fence, all up to another comment, or those of the whole file."""
    following = stretch = whole = NOTHING
    for draft in drafts:
        while far and far[0][0] < draft.raw.line:
            _, peer = far.pop(0)
            if peer.reach == "next":
                following = peer
            elif peer.reach == "file":
                whole = peer
            else:
                stretch = peer if peer.reach == "start" else NOTHING
        if draft.role is Role.CODE:
            draft.directives = _merged(draft.directives, (following, stretch, whole))
            following = NOTHING


def build_fence(draft: Draft, name: str) -> Fence:
    """The fence under its final id."""
    raw, code = draft.raw, draft.raw.code
    for _ in range(draft.option_lines):
        code = code.partition("\n")[2]
    opener = opener_inside(raw) if draft.role is Role.CODE else None
    # A frozen class sets its fields one by one, which takes longer than all else that is done here.
    fence = object.__new__(Fence)
    vars(fence).update(
        line=raw.line,
        end_line=raw.end_line,
        code_line=raw.code_line + draft.option_lines,
        marker=raw.marker,
        info=raw.info,
        language=draft.language,
        code=code,
        is_closed=raw.is_closed,
        role=draft.role,
        id=name,
        directives=draft.directives,
        heading=raw.heading,
        prefix=raw.prefix,
        hint=f"line {opener} looks like another fence opener inside this block" if opener else "",
    )
    return fence


def _draft(raw: RawFence, in_course: bool) -> Draft:
    info = read_info(raw.info)
    if not (raw.comments or info.words or info.kind):
        return Draft(raw, info.language, _role(info, NONE_SAID, ()), NONE_SAID, 0, [])
    lenient = Severity.ERROR if in_course else Severity.WARNING
    said, foreign = _comment_words(raw)
    ours, peers, told = _info_words(raw, info, in_course)
    cell, option_lines, unreadable = _cell(raw, info)
    foreign += [*peers, cell]
    directives, wrong = read_directives([*said, *ours])
    of_info = {each.word for each in ours}
    directives = _merged(directives, foreign)
    role = _role(info, directives, foreign)
    return Draft(
        raw,
        info.language,
        role,
        directives,
        option_lines,
        [
            *((each, lenient) for each in (*told, *unreadable)),
            *((each, lenient if each.word in of_info else Severity.ERROR) for each in wrong),
            *((each, Severity.ERROR) for each in _out_of_place(role, [*said, *ours])),
        ],
    )


def _comment_words(raw: RawFence) -> tuple[list[Said], list[Foreign]]:
    """What the comments above a fence say of it, in our words and in peers'."""
    said: list[Said] = []
    foreign: list[Foreign] = []
    for comment in raw.comments:
        words = comment_words(comment.line, comment.text)
        if words is not None:
            said += words
        elif (peer := read_comment(comment.text)) is not None and peer.reach == "fence":
            foreign.append(peer)
    return said, foreign


def _info_words(raw: RawFence, info: InfoString, in_course: bool) -> tuple[list[Said], list[Foreign], list[Complaint]]:
    """The info string's words that are ours, those of peers, and a complaint of any other."""
    ours: list[Said] = []
    peers: list[Foreign] = []
    unknown: list[Complaint] = []
    if not info.words or not (in_course or info.language in _LANGUAGES_WITH_WORDS):
        return ours, peers, unknown
    for word in split_words(info.words):
        if (peer := _peer(word, info, in_course)) is not None:
            peers.append(peer)
        elif word.key in KEYS:
            ours.append(Said(raw.line, word))
        else:
            message = f"{word} in the info string is no directive"
            unknown.append(Complaint(raw.line, message, suggestion(word.key, KEYS)))
    return ours, peers, unknown


def _peer(word: Word, info: InfoString, in_course: bool) -> Foreign | None:
    """What a word says in another tool, where it is not one of ours."""
    if word.key not in KEYS or (word.key == "output" and word.value is None and info.is_python):
        return read_word(word)
    if word.value is None and word.key in ("skip", "show") and not in_course:
        return Foreign({word.key: f"{word.key!r} in its info string"})
    return None


def _cell(raw: RawFence, info: InfoString) -> tuple[Foreign, int, list[Complaint]]:
    try:
        return (*read_cell(info.kind, raw.code), [])
    except ValueError as error:
        return NOTHING, 0, [Complaint(raw.code_line, str(error), "mend the option lines")]


def _merged(directives: Directives, foreign: Iterable[Foreign]) -> Directives:
    """What peers' words say holds where our own say nothing."""
    values: dict[str, Any] = {}
    for each in foreign:
        for name, value in each.directives.items():
            if not getattr(directives, name):
                values.setdefault(name, value)
    return replace(directives, **values) if values else directives


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
    return replace(directives, id="", hidden=False, show="", skip="") != NONE_SAID


def _out_of_place(role: Role, said: Iterable[Said]) -> list[Complaint]:
    if role is Role.CODE:
        return []
    return [
        Complaint(each.line, f"{each.word.key} is only for a fence that runs", "put it above a python fence")
        for each in said
        if each.word.key in KEYS and each.word.key not in _KEYS_OF_SHOWN
    ]
