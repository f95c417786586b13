"""One cell of a notebook as a piece of a lesson: its text, the files it links to, and a word on what is not kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from runthrough.lesson.slugs import slug

from .code import Code, Part, as_code
from .notebook import Cell, Kind
from .outputs import MediaError, Picture, Stored, picture_of, stored_below
from .prose import as_prose, fenced

FOLDER = "figures"
_LANGUAGES = {
    "text/latex": "latex",
    "text/html": "html",
    "text/markdown": "markdown",
    "text/restructuredtext": "rst",
    "text/x-rst": "rst",
    "text/asciidoc": "asciidoc",
    "text/yaml": "yaml",
    "text/x-python": 'python show="a raw cell"',
}
_SKIPPED = {"skip-execution", "skip_execution"}
_HIDDEN = {"remove-cell", "remove_cell"}
_WITHOUT_OUTPUT = {"remove-output", "remove_output"}
_RAISES = "raises-exception"
_KNOWN = _SKIPPED | _HIDDEN | _WITHOUT_OUTPUT | {_RAISES}
_ID = re.compile(r"(?=.*[a-z]{3})[a-z]+(?:[-_.][a-z0-9]+)*")
_RANDOM = re.compile(r"[0-9a-f]{8,}|.*[0-9a-f]{4}-[0-9a-f]{4}.*")
_ATTACHED = re.compile(r"attachment:(?P<name>[^)\s\"'<>]+)")
_JUPYTER_ONLY = re.compile(r"(?<![\w.])(?P<name>display|get_ipython)\(")


@dataclass(frozen=True)
class File:
    """A file beside the lesson: its path from there, with `/`, and its bytes."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Piece:
    """What a lesson holds of one cell. `codes` are what the reader must find in its fences, `shown` how many of them
    do not run.
    """

    cell: Cell
    text: str = ""
    codes: tuple[str, ...] = ()
    shown: int = 0
    files: tuple[File, ...] = ()
    told: tuple[str, ...] = ()


def piece_of(cell: Cell, stem: str, taken: set[str]) -> Piece:
    """The piece for a cell. `stem` begins the names of its files; `taken`, the ids given so far, gains this one's."""
    if cell.kind is Kind.CODE:
        return _code(cell, stem, taken)
    files, source, told = _attached(cell, stem)
    tags = [f"the tag {tag} has no meaning on a text cell" for tag in cell.tags if tag in _KNOWN]
    if not source.strip():
        return Piece(cell, files=files, told=(*told, *tags))
    if cell.kind is Kind.RAW:
        text = fenced(source.strip("\n"), _LANGUAGES.get(cell.format, "text"))
        return Piece(cell, text, files=files, told=(*told, *tags))
    prose = as_prose(source)
    return Piece(cell, prose.text, files=files, told=(*told, *prose.changes, *tags))


def has_meaning(tag: str) -> bool:
    """True for a tag that a lesson has a directive for."""
    return tag in _KNOWN


def _code(cell: Cell, stem: str, taken: set[str]) -> Piece:
    code, stored = as_code(cell.source), stored_below(cell.outputs)
    told = [*code.changes, *stored.told]
    if not code.parts:
        lost = ["it holds no code, so its outputs are left out"] if cell.outputs else []
        return Piece(cell, told=(*code.changes, *lost))
    name, odd = _name(cell, taken)
    if {*_HIDDEN, *_WITHOUT_OUTPUT} & {*cell.tags}:
        if cell.outputs:
            told = [*code.changes, "its outputs are left out, as its tags say"]
        stored = Stored(error=stored.error, error_class=stored.error_class)
    is_skipped = bool(_SKIPPED & {*cell.tags})
    runs = not is_skipped and not any(part.why_shown for part in code.parts)
    files = tuple(
        File(f"{FOLDER}/{stem}-{name or f'cell-{cell.number}'}-{number}.{picture.suffix}", picture.data)
        for number, picture in enumerate(stored.pictures, start=1)
    )
    texts = [
        *_fences(cell, code, stored, name),
        *_texts(stored, runs=runs),
        *(f"![Output of cell {cell.number}]({quote(file.path)})" for file in files),
    ]
    told += [*odd, *_to_know(cell, code, stored, runs=runs)]
    codes = tuple(f"{part.text}\n" for part in code.parts)
    shown = sum(bool(part.why_shown) or is_skipped for part in code.parts)
    return Piece(cell, "\n\n".join(texts), codes, shown, files, tuple(told))


def _fences(cell: Cell, code: Code, stored: Stored, name: str) -> Iterator[str]:
    """A fence for each part; the last that runs is the cell's own, with its id and with what its tags say."""
    running = [number for number, part in enumerate(code.parts) if not part.why_shown]
    own = running[-1] if running else 0
    for number, part in enumerate(code.parts):
        directives = " ".join(_directives(cell, part, stored, name if number == own else "", is_own=number == own))
        yield (f"<!-- fence: {directives} -->\n" if directives else "") + fenced(part.text, "python")


def _directives(cell: Cell, part: Part, stored: Stored, name: str, *, is_own: bool) -> Iterator[str]:
    if name:
        yield f"id={name}"
    if _HIDDEN & {*cell.tags}:
        yield "hidden"
    if part.why_shown:
        yield f'show="{part.why_shown}"'
    elif _SKIPPED & {*cell.tags}:
        yield 'skip="tagged skip-execution"'
    elif _RAISES in cell.tags and is_own:
        kind = stored.error_class
        yield f"raises={kind if all(word.isidentifier() for word in kind.split('.')) else 'Exception'}"


def _texts(stored: Stored, *, runs: bool) -> Iterator[str]:
    """The stored texts; nothing that is not run is compared, so its texts are only shown."""
    if stored.printed:
        yield fenced(stored.printed, "output" if runs else "text")
    if stored.error:
        yield fenced(stored.error, "error" if runs else "text")
    for text in stored.beside:
        yield fenced(text.strip("\n"), "text")


def _to_know(cell: Cell, code: Code, stored: Stored, *, runs: bool) -> Iterator[str]:
    reasons = dict.fromkeys(part.why_shown for part in code.parts if part.why_shown)
    what = "it is" if len(code.parts) == 1 else "a part of it is"
    yield from (f"{what} shown and does not run: {reason}" for reason in reasons)
    if reasons and len(code.parts) > 1 and (stored.printed or stored.error):
        yield "its output is shown and not compared"
    for part in code.parts:
        if not part.why_shown and (name := _jupyter_name(part.text)):
            yield f"{name}() is there without an import in Jupyter only"
    if stored.error and runs and _RAISES not in cell.tags:
        yield f"the lesson expects the error that is stored: {stored.error.splitlines()[0]}"
    if stored.beside:
        yield "what it wrote to standard error or displayed is shown and not compared"


def _jupyter_name(code: str) -> str:
    """A function that the code calls and that only Jupyter gives without an import, or ""."""
    found = _JUPYTER_ONLY.search(code)
    if found is None or re.search(rf"import[^\n]*\b{found['name']}\b", code):
        return ""
    return found["name"]


def _name(cell: Cell, taken: set[str]) -> tuple[str, list[str]]:
    """The id of a cell where a person has chosen it, and a word on one that is there twice."""
    if len(cell.id) > 60 or not _ID.fullmatch(cell.id) or _RANDOM.fullmatch(cell.id):
        return "", []
    if cell.id in taken:
        return "", [f"the id {cell.id} is that of another cell; this one has none now"]
    taken.add(cell.id)
    return cell.id, []


def _attached(cell: Cell, stem: str) -> tuple[tuple[File, ...], str, list[str]]:
    """The files attached to a cell, its source with links to them, and a word on what cannot be linked."""
    files: dict[str, File] = {}
    told = []
    for name, media in cell.attachments.items():
        picture = _attachment(media)
        if picture is None:
            told.append(f"the attachment {name} cannot be read and is left out")
            continue
        own = slug(name.rpartition(".")[0] or name)
        files[name] = File(f"{FOLDER}/{stem}-cell-{cell.number}-{len(files) + 1}-{own}.{picture.suffix}", picture.data)

    def link(match: re.Match[str]) -> str:
        file = files.get(match["name"]) or files.get(unquote(match["name"]))
        return quote(file.path) if file else match[0]

    source = _ATTACHED.sub(link, cell.source)
    told += [f"nothing is attached for {match[0]}" for match in _ATTACHED.finditer(source)]
    told += [
        f"the attachment {name} is linked nowhere in its cell; it is {file.path} now"
        for name, file in files.items()
        if quote(file.path) not in source
    ]
    return tuple(files.values()), source, told


def _attachment(media: Mapping[str, object]) -> Picture | None:
    for kind, content in media.items():
        try:
            return picture_of(kind, content)
        except MediaError:
            continue
    return None
