"""Peers' words on a fence, read as their own tools read them: what each says in our directives.

A skip says in its reason whose word it was. Words that change nothing here (a shared namespace is our default) are
known and do nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .document import Role
from .words import Word

PYTHON = ("python", "py", "python3")

# What the tools call "an error is expected" names no class.
ANY_ERROR = "Exception"


@dataclass(frozen=True)
class Foreign:
    """What a peer's word says: values of `Directives` by field, another role, or a reach beyond the next line.

    `reach` is "fence" (the one right below), "next" (the next Python fence, wherever), "start" and "end" of a
    stretch, or "file".
    """

    directives: Mapping[str, Any] = field(default_factory=dict)
    role: Role | None = None
    reach: str = "fence"


NOTHING = Foreign()


def _skip(reason: str, reach: str = "fence") -> Foreign:
    return Foreign({"skip": reason}, reach=reach)


def read_word(word: Word) -> Foreign | None:
    """A word of an info string; None where no peer is known to use it."""
    if word.value is None:
        return _read_flag(word.key)
    return _read_pair(word.key, word.value)


def _read_flag(flag: str) -> Foreign | None:
    if flag == "notest":
        return _skip("notest (pytest-markdown-docs)")
    if flag in {"continuation", ".input", ".annotate"} or re.fullmatch(r"retry:\d+", flag):
        return NOTHING
    if flag.startswith(("fixture:", "runner:")):
        kind, _, name = flag.partition(":")
        return _skip(f"needs the {kind} {name} of pytest (pytest-markdown-docs)")
    if flag in {"out", "output", ".output"}:
        return Foreign(role=Role.OUTPUT)
    if flag == "trace":
        return Foreign(role=Role.ERROR)
    if flag == ".noeval":
        return _skip(".noeval (jupytext)")
    if re.fullmatch(r"#[A-Za-z0-9_.-]+", flag):
        return Foreign({"id": flag[1:]})
    return None


def _read_pair(key: str, value: str) -> Foreign | None:
    if key == "test":
        return _read_test(value)
    if key == "requires" and re.fullmatch(r"[\d.]+", value):
        return Foreign({"when": f"python>={value}"})
    if key in {"lint", "upgrade", "group"}:
        return NOTHING
    if key == "tags" and value.startswith("["):
        return read_tags(re.findall(r"[\w-]+", value), "jupytext")
    if key == "active":
        return NOTHING if "ipynb" in value or not value else _skip(f"active={value!r} (jupytext)")
    if key in {"eval", "error", "include", "echo", "warning", "message"}:
        return read_options({key: value.lower() not in {"false", "f"}}, "Quarto")
    if key in {"n", "editable", "deletable", "trusted", "scrolled", "name"} or value[:1] in {"{", "["}:
        return NOTHING
    return None


def _read_test(value: str) -> Foreign:
    if value.startswith("skip"):
        return _skip(f'test="{value}" (pytest-examples)')
    if value.startswith("xfail"):
        return Foreign({"raises": ANY_ERROR})
    return NOTHING


def read_tags(tags: list[str], whose: str) -> Foreign:
    """A notebook cell's tags."""
    directives: dict[str, Any] = {}
    for tag in tags:
        if tag == "raises-exception":
            directives["raises"] = ANY_ERROR
        elif tag in {"skip-execution", "skip_execution"}:
            directives["skip"] = f"{tag} ({whose})"
        elif tag in {"remove-cell", "remove_cell"}:
            directives["hidden"] = True
    return Foreign(directives)


def read_options(options: Mapping[str, Any], whose: str) -> Foreign:
    """Quarto's execution options of one cell."""
    directives: dict[str, Any] = {}
    if options.get("eval") is False:
        directives["skip"] = f"eval: false ({whose})"
    if options.get("error") is True:
        directives["raises"] = ANY_ERROR
    if options.get("include") is False:
        directives["hidden"] = True
    return Foreign(directives)


_CODEBLOCKS = re.compile(r"pytest-codeblocks:\s*(?P<word>[\w-]+)(?:\((?P<argument>.*)\))?$", re.DOTALL)
_MARK = re.compile(r"pytest\.mark\.(?P<word>\w+)(?:\((?P<argument>.*)\))?$", re.DOTALL)
_SYBIL = re.compile(r"(?:;\s*)?skip:\s*(?P<word>next|start|end)\b\s*(?P<argument>.*)$", re.DOTALL)
_REASON = re.compile(r"""reason\s*=\s*(?:"([^"]*)"|'([^']*)')|^\s*"([^"]*)"\s*$""")


def read_comment(text: str) -> Foreign | None:
    """An HTML comment's text; None where it is a plain comment."""
    text = text.strip("- \t\n")
    if match := _CODEBLOCKS.match(text):
        return _codeblocks(match["word"], match["argument"] or "")
    if match := _MARK.match(text):
        return _mark(match["word"], match["argument"] or "")
    if match := _SYBIL.match(text):
        reason = _reason(match["argument"]) or f"skip: {match['word']} {match['argument']}".strip()
        reach = match["word"]
        return Foreign(reach="end") if reach == "end" else _skip(f"{reason} (sybil)", reach)
    return None


def _codeblocks(word: str, argument: str) -> Foreign | None:
    whose = "pytest-codeblocks"
    if word in {"skip", "skipfile"}:
        return _skip(f"{word} ({whose})", "file" if word == "skipfile" else "fence")
    if word == "skipif":
        return _skip(f"skipif({argument}) is not evaluated ({whose})")
    if word == "importorskip" and re.fullmatch(r"[\w.-]+", argument):
        return Foreign({"when": argument})
    if word in {"expect-error", "expect-exception"}:
        return Foreign({"raises": ANY_ERROR})
    if word.startswith("expected-output"):
        return Foreign(role=Role.OUTPUT)
    return NOTHING if word == "cont" else None


def _mark(word: str, argument: str) -> Foreign | None:
    whose = "pytest-codeblocks"
    reason = _reason(argument)
    if word == "skip":
        return _skip(f"{reason or 'pytest.mark.skip'} ({whose})")
    if word == "skipif":
        return _skip(f"{reason or f'skipif({argument}) is not evaluated'} ({whose})")
    return Foreign({"raises": ANY_ERROR}) if word == "xfail" else NOTHING


def _reason(argument: str) -> str:
    match = _REASON.search(argument)
    return next((group for group in match.groups() if group), "") if match else ""
