"""The YAML between the `---` lines at the top of a lesson."""

from __future__ import annotations

from typing import Any

from .directives import suggestion
from .document import Problem, Severity

# Key: the types a course lesson may give it, and how to say that.
KEYS: dict[str, tuple[tuple[type, ...], str]] = {
    "id": ((str,), "a name"),
    "title": ((str,), "text"),
    "level": ((str,), "a word such as intermediate"),
    "minutes": ((int, float), "a number"),
    "objectives": ((list,), "a list"),
    "prerequisites": ((list,), "a list"),
    "torch": ((list,), "a list of versions, each in quotes"),
    "review": ((dict,), "state, who, on and hash"),
    "sources": ((list,), "a list of title, link, checked and claim"),
    "runs": ((str,), "none"),
    "reason": ((str,), "text"),
}
_FIRST_LINE = 2


def read_front_matter(text: str | None, name: str, in_course: bool) -> tuple[dict[str, Any], list[Problem]]:
    """The values, and what is wrong with them. Outside a course other tools' keys are left alone."""
    if text is None or not text.strip():
        return {}, []
    import yaml

    severity = Severity.ERROR if in_course else Severity.WARNING
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        value = loader.construct_document(node) if node is not None else None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = _FIRST_LINE + (mark.line if mark else 0)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        return {}, [Problem(name, line, f"the front matter is no YAML: {what}", "quote text that holds ': '", severity)]
    if not isinstance(value, dict):
        advice = "write key: value on each line"
        return {}, [Problem(name, _FIRST_LINE, "the front matter holds no keys", advice, severity)]
    lines = {key.value: _FIRST_LINE + key.start_mark.line for key, _ in getattr(node, "value", [])}
    values = {str(key): entry for key, entry in value.items()}
    wrong = _wrong(values, in_course)
    return values, [
        Problem(name, lines.get(key, _FIRST_LINE), message, advice, severity) for key, message, advice in wrong
    ]


def _wrong(values: dict[str, Any], in_course: bool) -> list[tuple[str, str, str]]:
    """Key, message and advice of each value that cannot be used."""
    wrong = []
    for key, value in values.items():
        if key not in KEYS:
            if in_course:
                wrong.append((key, f"front matter: {key!r} is no key", suggestion(key, KEYS)))
            continue
        types, example = KEYS[key]
        if in_course and (not isinstance(value, types) or isinstance(value, bool)):
            wrong.append((key, f"front matter: {key} holds {value!r}", f"write {key}: {example}"))
    runs = values.get("runs")
    if runs is not None and (runs != "none" or not values.get("reason")):
        wrong.append(("runs", "front matter: runs is only for pages of illustrations", "runs: none and reason: …"))
    return wrong + (_wrong_entries(values) if in_course else [])


def _wrong_entries(values: dict[str, Any]) -> list[tuple[str, str, str]]:
    wrong = []
    for number, source in enumerate(_entries(values, "sources"), start=1):
        missing = [
            k for k in ("title", "link", "checked", "claim") if not isinstance(source, dict) or not source.get(k)
        ]
        if missing:
            wrong.append(
                ("sources", f"front matter: source {number} has no {missing[0]}", "give title, link, checked, claim")
            )
    wrong += [
        ("torch", f"front matter: torch version {version!r} is no text", f'write "{version}" in quotes')
        for version in _entries(values, "torch")
        if not isinstance(version, str)
    ]
    return wrong


def _entries(values: dict[str, Any], key: str) -> list[Any]:
    value = values.get(key)
    return value if isinstance(value, list) else []
