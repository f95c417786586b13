"""course.toml: what makes a folder of lessons a course."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from .directives import suggestion
from .document import Course, Problem

FILE = "course.toml"
KEYS = ("title", "torch", "lessons", "macros", "staleness", "contracts")
_RELEASE = re.compile(r"\d+\.\d+\.\d+(?:\.?(?:a|b|rc|dev|post)\d+)*")
STALENESS_KEYS = ("sources_days", "review_days")


def read_course(folder: Path, name: str) -> Course:
    """The course in `folder`, whose course.toml reports call `name`. What is wrong with it is in `problems`."""
    values, text, problems = _toml(folder / FILE, name)
    if problems:
        return Course(folder, folder.name, "", (), problems=tuple(problems))
    tell = _Teller(name, text, problems)
    for key in values.keys() - set(KEYS):
        tell(key, f"{key!r} is no key of {FILE}", suggestion(key, KEYS))
    lessons = _lessons(values.get("lessons"), folder, tell)
    macros = _table(values, "macros", str, tell)
    staleness = _table(values, "staleness", int, tell)
    for key in staleness.keys() - set(STALENESS_KEYS):
        tell(key, f"{key!r} is no key of [staleness]", suggestion(key, STALENESS_KEYS))
    return Course(
        folder,
        _text(values, "title", tell),
        _release(_text(values, "torch", tell), tell),
        tuple(lessons),
        macros,
        tuple(sorted([*problems, *_in_contracts(values, folder, name, tell)], key=lambda each: each.line)),
        _contracts(values, folder),
        staleness,
    )


class _Teller:
    """Collects problems, each at the line of the TOML file that holds its word."""

    def __init__(self, name: str, text: str, problems: list[Problem]) -> None:
        self._name, self._text, self._problems = name, text, problems

    def __call__(self, word: str, message: str, advice: str) -> None:
        self._problems.append(Problem(self._name, self.line_of(word), message, advice))

    def line_of(self, word: str) -> int:
        match = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", self._text)
        return self._text.count("\n", 0, match.start()) + 1 if match else 1


def _toml(path: Path, name: str) -> tuple[dict[str, Any], str, list[Problem]]:
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text), text, []
    except (OSError, UnicodeDecodeError) as error:
        return {}, "", [Problem(name, 1, f"the file cannot be read: {error}", "save it as UTF-8 text")]
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        message = f"this is no TOML: {re.sub(r' [(]at .*', '', str(error))}"
        return {}, "", [Problem(name, int(line[1]) if line else 1, message, 'write key = "value"')]


def _text(values: dict[str, Any], key: str, tell: _Teller) -> str:
    value = values.get(key)
    if isinstance(value, str) and value:
        return value
    tell(key, f"{FILE} gives no {key}" if value is None else f"{key} holds {value!r}", f'write {key} = "…"')
    return ""


def _release(text: str, tell: _Teller) -> str:
    """An exact release: on any other, texts on the pages may differ, so a slip here must not go unnoticed."""
    if text and not _RELEASE.fullmatch(text):
        tell("torch", f"torch = {text!r} is no exact release", 'write torch = "2.13.0"')
    return text


def _lessons(value: object, folder: Path, tell: _Teller) -> list[Path]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        tell("lessons", f"{FILE} gives no list of lessons", 'write lessons = ["01_first.md", …]')
        return []
    lessons: list[Path] = []
    for each in value:
        path = folder / each
        if not Path(os.path.normpath(path)).is_relative_to(folder):
            tell(each, f"the lesson {each} is outside the course's folder", "move it below course.toml")
        elif not path.is_file():
            found = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.md"))
            tell(each, f"there is no lesson {each}", suggestion(each, found) if found else "write it, or leave it out")
        elif path in lessons:
            tell(each, f"{each} is listed twice", "keep one")
        else:
            lessons.append(path)
    return lessons


def _table(values: dict[str, Any], key: str, kind: type, tell: _Teller) -> dict[str, Any]:
    table = values.get(key, {})
    if not isinstance(table, dict):
        tell(key, f"{key} is no table", f"write [{key}] on a line of its own")
        return {}
    for name, value in table.items():
        if not isinstance(value, kind) or isinstance(value, bool):
            tell(name, f"[{key}] {name} holds {value!r}", f"it takes {'a number' if kind is int else 'text'}")
    return {name: value for name, value in table.items() if isinstance(value, kind)}


def _in_contracts(values: dict[str, Any], folder: Path, name: str, tell: _Teller) -> list[Problem]:
    """What is wrong with the contracts file."""
    file = values.get("contracts")
    if file is None:
        return []
    if not isinstance(file, str) or not (folder / file).is_file():
        return [Problem(name, tell.line_of("contracts"), f"there is no contracts file {file!r}", "name a TOML file")]
    its_name = str(Path(name).with_name(file)) if "/" not in file else file
    table, text, problems = _toml(folder / file, its_name)
    tell_there = _Teller(its_name, text, problems)
    for contract, entry in _flat(table).items():
        if not isinstance(entry, dict) or not isinstance(entry.get("statement"), str):
            tell_there(contract, f"the contract {contract} has no statement", 'write statement = "…"')
    return problems


def _contracts(values: dict[str, Any], folder: Path) -> dict[str, dict[str, Any]] | None:
    file = values.get("contracts")
    if not isinstance(file, str) or not (folder / file).is_file():
        return None
    table, _, _ = _toml(folder / file, file)
    return {contract: entry for contract, entry in _flat(table).items() if isinstance(entry, dict)}


def _flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Entries by dotted id, whether the file writes `["leaf.accumulates"]` or `[leaf.accumulates]`."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values()):
            flat |= _flat(value, f"{before}{key}.")
        else:
            flat[f"{before}{key}"] = value
    return flat
