"""What an author says of a fence: the words of its directive comments and of its info string."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from .document import Directives
from .limits import LONGEST_TIMEOUT
from .words import Word, split_words

COMMENT = re.compile(r"\s*fence:(?P<words>.*)", re.DOTALL)
OUTPUT_MODES = ("exact", "lines", "ignore")
# Keys whose name is a Python keyword or says less than the field's.
FIELDS = {"not": "not_proves"}
NONE_SAID = Directives()
KEYS = tuple({"not_proves": "not"}.get(field.name, field.name) for field in fields(Directives))

_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_CONTRACTS = re.compile(r"[A-Za-z0-9_.-]+(?:[\s,]+[A-Za-z0-9_.-]+)*")


@dataclass(frozen=True)
class Complaint:
    """Something wrong at a 1-based line, and what to do; `word` is the directive's word it is about, if any."""

    line: int
    message: str
    advice: str
    word: Word | None = None


@dataclass(frozen=True)
class Said:
    """One word of a directive and the line it stands on."""

    line: int
    word: Word


def comment_words(line: int, text: str) -> list[Said] | None:
    """The words of a `fence:` comment that opens on `line`; None for any other comment."""
    match = COMMENT.match(text)
    if match is None:
        return None
    start = match.start("words")
    return [Said(line + text.count("\n", 0, start + word.offset), word) for word in split_words(match["words"])]


def read_directives(said: Iterable[Said]) -> tuple[Directives, list[Complaint]]:
    """What the words say together, and what is wrong with each of them."""
    said = list(said)
    if not said:
        return NONE_SAID, []
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    complaints: list[Complaint] = []
    for each in said:
        key, line = each.word.key, each.line
        if each.word.is_odd or key not in KEYS:
            complaints.append(Complaint(line, *_unknown(each.word), each.word))
        elif key in lines:
            complaints.append(
                Complaint(line, f"{key} is said twice", f"it is on line {lines[key]} too; keep one", each.word)
            )
        else:
            lines[key] = line
            try:
                values[FIELDS.get(key, key)] = _READERS[key](each.word)
            except BadWordError as bad:
                complaints.append(Complaint(line, bad.message, bad.advice, each.word))
    complaints += _unmet(lines)
    return Directives(**values), complaints


class BadWordError(Exception):
    """A word that cannot be read as meant."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def _unknown(word: Word) -> tuple[str, str]:
    if word.is_odd:
        return f"{word.key} cannot be read", 'write key=value, key="quoted value" or a flag'
    return f"{word.key!r} is no directive", suggestion(word.key, KEYS)


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean …?`, or what there is to choose from."""
    from difflib import get_close_matches

    known = list(known)
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def _unmet(lines: dict[str, int]) -> list[Complaint]:
    """Words that mean something only beside another one."""
    complaints = []
    if "match" in lines and not {"raises", "wrong"} & lines.keys():
        complaints.append(Complaint(lines["match"], "match= needs raises=", "say raises=RuntimeError too"))
    if "wrong" in lines and "match" not in lines:
        advice = 'say match="part of what the check says"'
        complaints.append(Complaint(lines["wrong"], "wrong= needs match=", advice))
    if "of" in lines and "figure" not in lines:
        complaints.append(Complaint(lines["of"], "of= needs figure=", "say figure=NAME too"))
    if "not" in lines and "proves" not in lines:
        complaints.append(Complaint(lines["not"], "not= needs proves=", "say what the fence proves too"))
    for one, other in (("skip", "show"), ("raises", "skip"), ("raises", "show"), ("raises", "figure")):
        if one in lines and other in lines:
            line = max(lines[one], lines[other])
            complaints.append(Complaint(line, f"{one}= and {other}= cannot both hold", "keep one of them"))
    roles = [key for key in ("exercise", "solution", "check", "wrong") if key in lines]
    for key in ("raises", "skip", "show", "when", "alone", "namespace", "figure"):
        if roles and key in lines:
            what = f"{key} and {roles[0]}= cannot both hold: every part of an exercise is proved in the lesson"
            complaints.append(Complaint(lines[key], what, f"take {key} away"))
    if len(roles) > 1:
        both = f"{roles[0]}= and {roles[1]}= cannot both hold"
        complaints.append(Complaint(lines[roles[1]], both, "give each its own fence"))
    return complaints


def _value(word: Word, example: str) -> str:
    if not word.value:
        raise BadWordError(f"{word.key} needs a value", f"write {example}")
    return word.value


def _reason(word: Word) -> str:
    reason = _value(word, f'{word.key}="the reason"').strip()
    if not reason:
        raise BadWordError(f"{word.key} needs a reason", f'write {word.key}="the reason"')
    return " ".join(reason.split())


def _text(word: Word) -> str:
    return _value(word, f'{word.key}="…"')


def _prose(word: Word) -> str:
    return " ".join(_text(word).split())


def _name(word: Word) -> str:
    name = _value(word, f"{word.key}=name")
    if not _NAME.fullmatch(name):
        raise BadWordError(f"{word.key}={name!r} is no name", "use letters, digits, '_', '-' and '.'")
    return name


def _identifier(word: Word) -> str:
    name = _value(word, f"{word.key}=name")
    if not name.isidentifier():
        raise BadWordError(f"{word.key}={name!r} is no Python name", "use the name that the code binds")
    return name


def _exception(word: Word) -> str:
    name = _value(word, "raises=RuntimeError")
    if not all(part.isidentifier() for part in name.split(".")):
        raise BadWordError(f"raises={name!r} is no exception class", "write raises=RuntimeError or a dotted path")
    return name


def _names(word: Word) -> tuple[str, ...]:
    text = _value(word, 'proves="family.name"')
    if not _CONTRACTS.fullmatch(text.strip()):
        raise BadWordError(f"proves={text!r} is no list of contracts", 'write proves="leaf.accumulates vjp.cotangent"')
    return tuple(re.split(r"[\s,]+", text.strip()))


def _paths(word: Word) -> tuple[str, ...]:
    return tuple(_value(word, f'{word.key}="data.csv notes.txt"').split())


def _flag(word: Word) -> bool:
    if word.value is not None:
        raise BadWordError(f"{word.key} takes no value", f"write {word.key}")
    return True


def _number(word: Word) -> float:
    text = _value(word, f"{word.key}=1e-3")
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf") or (word.key == "timeout" and number == 0):
        raise BadWordError(f"{word.key}={text!r} is no positive number", f"write {word.key}={_EXAMPLES[word.key]}")
    if word.key == "timeout" and number > LONGEST_TIMEOUT:
        raise BadWordError(f"timeout={text} is longer than a day", f"write at most timeout={LONGEST_TIMEOUT:g}")
    return number


def _mode(word: Word) -> str:
    mode = "exact" if word.value is None else word.value
    if mode not in OUTPUT_MODES:
        raise BadWordError(f"output={mode!r} is no way to compare", suggestion(mode, OUTPUT_MODES))
    return mode


def _pattern(word: Word) -> str:
    text = _text(word)
    says_nothing = not text.strip()
    if len(text) > 2 and text[0] == text[-1] == "/":
        try:
            pattern = re.compile(text[1:-1])
        except re.error as error:
            raise BadWordError(f"match={text!r} is no regular expression", str(error)) from None
        says_nothing = all(pattern.search(message) for message in ("", "\0"))
    if says_nothing:
        raise BadWordError(f"match={text!r} holds for every message", "name what the message says")
    return text


def _expression(word: Word) -> str:
    text = _value(word, "of=loss").strip()
    try:
        compile(text, "<of>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise BadWordError(f"of={text!r} is no Python expression", str(error)) from None
    return text


def _requirement(word: Word) -> str:
    from .when import WhenError, check_when

    text = _value(word, '"torch>=2.9"')
    try:
        check_when(text)
    except WhenError as error:
        raise BadWordError(f"when={text!r} cannot be read", f'{error}; write when="torch>=2.9"') from None
    return text


_EXAMPLES = {"timeout": "60", "rtol": "1e-3", "atol": "1e-6"}

_READERS: dict[str, Callable[[Word], Any]] = {
    "id": _name,
    "proves": _names,
    "not": _prose,
    "raises": _exception,
    "match": _pattern,
    "skip": _reason,
    "show": _reason,
    "when": _requirement,
    "timeout": _number,
    "files": _paths,
    "writes": _paths,
    "alone": _flag,
    "namespace": _name,
    "hidden": _flag,
    "output": _mode,
    "rtol": _number,
    "atol": _number,
    "exercise": _identifier,
    "solution": _identifier,
    "check": _identifier,
    "wrong": _identifier,
    "figure": _name,
    "of": _expression,
    "predict": _flag,
}


def said_words(directives: Directives) -> dict[str, Any]:
    """Only what was said, under the author's own words."""
    words: dict[str, Any] = {}
    if directives is NONE_SAID or directives == NONE_SAID:
        return words
    for field, key in zip(fields(Directives), KEYS, strict=True):
        value = getattr(directives, field.name)
        if value != field.default:
            words[key] = list(value) if isinstance(value, tuple) else value
    return words
