"""What `-k` chooses: lessons by path and title, fences by id, in words joined by `and`, `or`, `not` and brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from runthrough.job import Job

Matcher = Callable[[str], bool]

WORDS = re.compile(r"[()]|[^\s()]+")
# A part of a lesson may hold nothing that runs, and the lesson is not at fault.
CHOSEN = "a part of the lesson, chosen"
KEYWORDS = ("and", "or", "not")


class SelectionError(ValueError):
    """The expression cannot be read; the text says where it breaks."""


def select(jobs: Iterable[Job], expression: str) -> list[Job]:
    """The jobs that `expression` chooses. Raises SelectionError.

    Each fence is asked by its lesson's path and title and its own id. A lesson runs up to the last fence chosen:
    those before are what it needs, those after are left out.
    """
    matches = matcher(expression)
    chosen = []
    for job in jobs:
        texts = [f"{job.name}::{step.id} {job.title}" for step in job.steps]
        wanted = [index for index, text in enumerate(texts, start=1) if matches(text)]
        if wanted:
            chosen.append(up_to(job, wanted[-1]))
        elif not texts and matches(f"{job.name} {job.title}"):
            chosen.append(job)
    return chosen


def up_to(job: Job, steps: int) -> Job:
    """The job of a part of a lesson: so many of its steps, the first ones."""
    return replace(job, steps=job.steps[:steps], runs_none=job.runs_none or CHOSEN)


def matcher(expression: str) -> Matcher:
    """A test of texts: a word matches where the text contains it, whatever the case. Raises SelectionError."""
    words = WORDS.findall(expression)
    test, rest = _alternatives(words)
    if rest:
        raise SelectionError(f"{rest[0]!r} is not expected there; join words by 'and' or 'or'")
    return test


def _alternatives(words: list[str]) -> tuple[Matcher, list[str]]:
    left, words = _together(words)
    if words[:1] == ["or"]:
        right, words = _alternatives(words[1:])
        return (lambda text: left(text) or right(text)), words
    return left, words


def _together(words: list[str]) -> tuple[Matcher, list[str]]:
    left, words = _single(words)
    if words[:1] == ["and"]:
        right, words = _together(words[1:])
        return (lambda text: left(text) and right(text)), words
    return left, words


def _single(words: list[str]) -> tuple[Matcher, list[str]]:
    head, *rest = words or [""]
    if head == "not":
        negated, rest = _single(rest)
        return (lambda text: not negated(text)), rest
    if head == "(":
        inner, rest = _alternatives(rest)
        if rest[:1] != [")"]:
            raise SelectionError("a bracket is not closed; add ')'")
        return inner, rest[1:]
    if not head or head == ")" or head in KEYWORDS:
        raise SelectionError(f"a word is missing before {head!r}" if head else "a word is missing at the end")
    return (lambda text: head.lower() in text.lower()), rest
