"""A Markdown cell becomes prose of a lesson that reads the same there: what only a lesson knows is made plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runthrough.lesson.document import Course, Fence, Lesson, Role, Severity
from runthrough.lesson.fences import read_blocks
from runthrough.lesson.markdown import parse_blocks
from runthrough.lesson.prose import comments_in
from runthrough.lesson.read import read_text

NOTE = "in the notebook: "
IN_TEXT = "stands in a text cell"
SHOWN = f'show="{IN_TEXT}"'
APART = "<!-- -->"

# A course reads more strictly than a folder of pages.
_STRICT = Course(Path(), "", "", ())
_SENTINEL = "This paragraph stands alone."
# What closes a block that would swallow the rest of the page.
_ENDS = ("-->", "?>", "]]>", ">", "</pre>", "</script>", "</style>", "</textarea>")
# More than the reader knows as its own or a peer's, since a word too many in a comment harms nobody.
_SPOKEN = re.compile(r"<!--(?=[-\s;]*(?:fen[cs]|=|keys?\s*:|[\w-]+=|skip|pytest))", re.IGNORECASE)
_ENVIRONMENT = re.compile(
    r"\\begin\{(?P<name>(?:align|equation|gather|multline|eqnarray)\*?)\}.*\\end\{(?P=name)\}", re.DOTALL
)
_BOX = re.compile(r":::+")
_MOST_ROUNDS = 200


@dataclass(frozen=True)
class Prose:
    """The text of one cell without blank lines around it, and what was changed in it, a line each."""

    text: str
    changes: tuple[str, ...] = ()


def as_prose(source: str) -> Prose:
    """The source of a Markdown cell, changed where a lesson would read it as something else."""
    text = source.strip("\n") if source.strip() else ""
    text = re.sub(r"\A(?:[ \t]*\n)+", "", text).rstrip()
    if not text:
        return Prose("")
    changes: list[str] = []
    for change in (_formulas, _plain_comments, _plain_boxes, _plain_fences, _ended):
        changed, told = change(text)
        if changed != text:
            text = changed
            changes += told
    if _is_safe(text):
        return Prose(text, tuple(dict.fromkeys(changes)))
    return Prose(fenced(source.strip("\n"), "markdown"), ("it is kept as a fence that shows its Markdown",))


def fenced(code: str, info: str) -> str:
    """A fence around `code`, with a marker that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    marker = "`" * (longest + 1)
    return f"{marker}{info}\n{code}\n{marker}"


def are_apart(above: str, below: str) -> bool:
    """True where two texts, one below the other, are the same blocks as each by itself."""
    shift = above.count("\n") + 2
    return _outline(f"{above}\n\n{below}") == [*_outline(above), *_outline(below, shift)]


def _outline(text: str, shift: int = 0) -> list[tuple[object, ...]]:
    tokens = parse_blocks(f"\n{text}\n")
    return [(token.type, token.tag, token.level, token.content, token.map and token.map[0] + shift) for token in tokens]


def _read(text: str) -> Lesson:
    """The text as a lesson of a course reads it below its first line, where no front matter can be."""
    return read_text(f"\n{text}\n".encode(), Path("cell.md"), "cell", _STRICT)


def _is_safe(text: str) -> bool:
    lesson = _read(text)
    is_quiet = not lesson.claims and not lesson.boxes and not _errors(lesson)
    return is_quiet and all(_is_only_shown(fence) for fence in lesson.fences) and _ends(text)


def _errors(lesson: Lesson) -> list[int]:
    return [problem.line for problem in lesson.problems if problem.severity is Severity.ERROR]


def _is_only_shown(fence: Fence) -> bool:
    said = fence.directives
    return fence.is_closed and (fence.role is Role.SHOWN or (fence.role is Role.CODE and bool(said.show or said.skip)))


def _ends(text: str) -> bool:
    """True where what follows on the page is not drawn into the last block of the text."""
    return are_apart(text, _SENTINEL)


def _formulas(text: str) -> tuple[str, list[str]]:
    """LaTeX environments that stand alone, which Jupyter shows as formulas, between dollars."""
    lines = text.split("\n")
    blocks = [token for token in parse_blocks(f"\n{text}\n") if token.type == "inline" and token.level == 1]
    for block in reversed(blocks):
        environment = _ENVIRONMENT.fullmatch(block.content)
        if environment and block.map and not block.content.startswith("$"):
            first, last = block.map[0] - 1, block.map[1] - 1
            lines[first:last] = ["$$", *lines[first:last], "$$"]
    return "\n".join(lines), ["a formula of Jupyter stands between $$ now"]


def _plain_comments(text: str) -> tuple[str, list[str]]:
    """Comments that a lesson would obey, as comments that it reads over."""
    lines = text.split("\n")
    blocks = read_blocks(parse_blocks(f"\n{text}\n"), ["", *lines, ""])
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    offset = 2  # the parser counts from 1, below a blank line
    found = {
        starts[each.line - offset] + each.column: each.text for each in comments_in(blocks.prose, ["", *lines, ""])
    }
    for comment in (*blocks.stray, *(each for fence in blocks.fences for each in fence.comments)):
        at = text.find("<!--" + comment.text.split("\n")[0], starts[comment.line - offset])
        if at >= 0:
            found[at] = comment.text
    told = []
    for at in sorted(found, reverse=True):
        if found[at] is None:
            text = f"{text[:at]}\\{text[at:]}"
        elif _SPOKEN.match(text, at):
            text = f"{text[:at]}<!-- {NOTE}{text[at + len('<!--') :].lstrip(' -')}"
        else:
            continue
        told.append("a comment that a lesson would obey is made one that it reads over")
    return text, told


def _plain_boxes(text: str) -> tuple[str, list[str]]:
    """`:::` at the beginning of a line, which Jupyter shows as it is, with a backslash before it."""
    for _ in range(_MOST_ROUNDS):
        openers = [
            token.map[0] - 1 for token in parse_blocks(f"\n{text}\n") if token.type == "container_open" and token.map
        ]
        if not openers:
            break
        lines = text.split("\n")
        lines[openers[0]] = _BOX.sub(lambda match: "\\" + match[0], lines[openers[0]], count=1)
        text = "\n".join(lines)
    return text, ["a line that begins with ::: is kept as text"]


def _plain_fences(text: str) -> tuple[str, list[str]]:
    """Fences that a lesson would run or compare, as fences that it shows."""
    told: list[str] = []
    for _ in range(_MOST_ROUNDS):
        lesson = _read(text)
        wrong = set(_errors(lesson))
        unsafe = next((each for each in lesson.fences if not _is_only_shown(each) or each.line in wrong), None)
        if unsafe is None:
            break
        for changed in _safer(text, unsafe):
            if _is_better(changed, unsafe, lesson):
                text = changed
                break
        else:
            break
        told.append(_said_of(unsafe))
    return text, told


def _said_of(fence: Fence) -> str:
    if not fence.is_closed:
        return "a fence that is never closed is closed at the end of its cell"
    if fence.role is Role.CODE:
        return "a python fence in a text cell is shown and does not run"
    return f"a fence loses the words {fence.info!r}, which a lesson would read"


def _safer(text: str, fence: Fence) -> Iterator[str]:
    """The text with that fence changed, the least change first."""
    lines = text.split("\n")
    at = fence.line - 2  # its place below a blank line, from 0
    if not fence.is_closed:
        yield "\n".join([*lines, fence.prefix + fence.marker])
        return
    opener = lines[at]
    start = opener.index(fence.marker) + len(fence.marker)
    python = (f"{opener[start:].rstrip()} {SHOWN}", f"{fence.language} {SHOWN}") if fence.role is Role.CODE else ()
    for info in (*python, fence.language, "text"):
        yield "\n".join([*lines[:at], opener[:start] + info, *lines[at + 1 :]])


def _is_better(text: str, fence: Fence, before: Lesson) -> bool:
    """True where the changed text has the same fences, and this one is now shown without complaint."""
    after = _read(text)
    if len(after.fences) != len(before.fences):
        return False
    number = before.fences.index(fence)
    now = after.fences[number]
    if not fence.is_closed:
        return now.is_closed
    return now.code == fence.code and _is_only_shown(now) and now.line not in _errors(after)


def _ended(text: str) -> tuple[str, list[str]]:
    """A comment or HTML block left open ends with its cell, as it does in Jupyter."""
    if _ends(text):
        return text, []
    for end in _ENDS:
        if _ends(f"{text}\n{end}"):
            return f"{text}\n{end}", [f"{end} is written below an HTML block that is left open"]
    return text, []
