"""What a notebook does with the code of a page: execute it, or show it and say why it does not."""

from __future__ import annotations

import re

from runthrough.lesson.document import Fence, Lesson
from runthrough.lesson.when import decided


def not_executed(fence: Fence, lesson: Lesson) -> str:
    """Why code is shown in a notebook and not executed, in Markdown, or ""."""
    said = fence.directives
    if reason := said.skip or said.show:
        return _literal(reason)
    if said.alone:
        return "it shows what this code does in a fresh Python; to see that, run it in a new notebook"
    if said.namespace:
        return f"it is a program of its own (`{said.namespace}`) that must not meet the names of this notebook"
    if said.wrong:
        return "it is a typical wrong answer" + (f"; the check says: {_literal(said.match)}" if said.match else "")
    if said.when and decided(said.when, {"torch": lesson.pinned_torch} if lesson.pinned_torch else {}) is not True:
        return f"it is for `{said.when}`"
    return ""


def note_on(fence: Fence, lesson: Lesson) -> str:
    """The sentence above code that is only shown, or "" where a box says it for all that is in it."""
    if any(box.kind == "not-run" and box.line < fence.line <= box.end_line for box in lesson.boxes):
        return ""
    reason = not_executed(fence, lesson)
    end = "" if reason.endswith(("?", "!", "...", "…")) else "."
    return f"*Not executed here:* {reason.removesuffix('.') if end else reason}{end}" if reason else ""


def _literal(words: str) -> str:
    """Words that Markdown must not read as markup."""
    return re.sub(r"([\\`*_\[\]<>$])", r"\\\1", words)
