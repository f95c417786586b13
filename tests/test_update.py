"""`runthrough update`: texts that are not what came are shown or written, and nothing else is touched."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from command import LESSONS, Done, runthrough

UPDATE = LESSONS / "update"
CASES = sorted(path.name for path in (UPDATE / "before").glob("*.md"))
LINE_ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
BOM = b"\xef\xbb\xbf"


def files_in(folder: Path) -> dict[str, bytes]:
    """The bytes of each lesson in a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("*.md")}


def update(folder: Path, *words: str) -> Done:
    """Run `runthrough update` over a folder."""
    return runthrough("update", ".", *words, cwd=folder)


def copied(names: list[str], folder: Path) -> None:
    for name in names:
        shutil.copy(UPDATE / name, folder)


@pytest.mark.parametrize("line_end", LINE_ENDS)
@pytest.mark.parametrize("bom", [b"", BOM], ids=["plain", "bom"])
def test_write_changes_the_texts_that_differ_and_no_other_byte(tmp_path: Path, line_end: str, bom: bytes) -> None:
    """Every page comes out as its copy in after/, whatever its line ends and byte order mark; then nothing is left."""
    end = LINE_ENDS[line_end]
    for name in CASES:
        (tmp_path / name).write_bytes(bom + (UPDATE / "before" / name).read_bytes().replace(b"\n", end))
    done = update(tmp_path, "--write")
    written = files_in(tmp_path)
    after = {name: bom + data.replace(b"\n", end) for name, data in files_in(UPDATE / "after").items()}
    assert done.code == 0
    assert written == after
    assert runthrough("check", ".", cwd=tmp_path).code == 0
    again = update(tmp_path, "--write")
    assert (again.code, again.out) == (0, "nothing to change\n")
    assert files_in(tmp_path) == after


def test_without_write_a_diff_is_shown_and_no_file_changes(tmp_path: Path) -> None:
    """The diff names the file and shows old and new lines, plain in a pipe; the exit code is 1, the file as it was."""
    copied(["before/outputs.md"], tmp_path)
    before = files_in(tmp_path)
    done = update(tmp_path)
    assert done.code == 1
    assert done.out.startswith("--- outputs.md\n+++ outputs.md (updated)\n@@ ")
    assert "\n-step 7\n" in done.out
    assert "\n+step 1\n" in done.out
    assert "\x1b" not in done.out
    assert done.out.endswith("5 texts to change in 1 lesson; --write writes them\n")
    assert files_in(tmp_path) == before


def test_a_failing_assertion_stays_red_and_what_follows_it_untouched(tmp_path: Path) -> None:
    """Texts above a failing assertion and in other namespaces are written; its own and those after it are not."""
    copied(["red/assertion.md"], tmp_path)
    before = (tmp_path / "assertion.md").read_text()
    done = update(tmp_path, "--write")
    assert done.code == 1
    assert "FAILED assertion.md:14 " in done.out
    assert done.out.count("FAILED") == 1
    after = before.replace("output\n3\n", "output\n4\n").replace("a part", "apart")
    assert (tmp_path / "assertion.md").read_text() == after


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("other_class", 9, "NameError"),
        ("assertion_message", 8, "the second check"),
        ("other_match", 5, "does not hold 'promised'"),
        ("no_error", 3, "did not raise"),
        ("left_file", 9, "left in the lesson's folder: left.txt"),
        ("wrong_answer", 18, "does not pass its check"),
        ("raising_claim", 7, "its expression raised AttributeError"),
        ("quiz", 10, "its key is False"),
        ("no_word", 7, "\nleft as it is no_word.md:7  the value 'two words' is not one word there"),
        ("marker", 8, "\nleft as it is marker.md:7  what came holds ```, which could close the fence"),
        ("varies", 9, "\nleft as it is varies.md:8  it comes differently in each run"),
        ("too_long", 10, "\nleft as it is too_long.md:9  the output is too long to be shown whole"),
    ],
)
def test_what_is_more_than_a_changed_text_is_told_and_left(tmp_path: Path, name: str, line: int, said: str) -> None:
    """Other errors, assertions, exercises, quiz keys and texts that cannot be written are failures; no byte changes."""
    copied([f"red/{name}.md"], tmp_path)
    before = files_in(tmp_path)
    done = update(tmp_path, "--write")
    assert done.code == 1
    assert f"FAILED {name}.md:{line} " in done.out
    assert said in done.out
    assert files_in(tmp_path) == before


def test_empty_fences_are_filled_only_by_new(tmp_path: Path) -> None:
    """An empty fence of which something came is red and left, until --new fills it; one of which nothing came holds."""
    copied(["empty.md"], tmp_path)
    before = (tmp_path / "empty.md").read_text()
    left = update(tmp_path, "--write")
    assert left.code == 1
    assert left.out.count("is empty; --new fills it") == 3
    assert (tmp_path / "empty.md").read_text() == before
    assert update(tmp_path, "--write", "--new").code == 0
    filled = before.replace("```output\n```", "```output\nfilled\n```", 1)
    filled = filled.replace("```error\n", "```error\nIndexError: pop from empty list\n")
    filled = filled.replace("  ```output\n  ```", "  ```output\n  a\n\n  b\n  ```")
    assert (tmp_path / "empty.md").read_text() == filled


def test_a_page_that_cannot_be_read_exits_2_and_nothing_runs(tmp_path: Path) -> None:
    """A page with an error in it stops the command before anything runs or is written."""
    copied(["before/outputs.md"], tmp_path)
    (tmp_path / "unreadable.md").write_bytes(b"```python\nopen('made', 'w')\n```\n\nIt is 1<!--= ) -->\n")
    before = files_in(tmp_path)
    done = update(tmp_path, "--write")
    assert done.code == 2
    assert done.err.startswith("unreadable.md:5: ")
    assert files_in(tmp_path) == before
    assert not (tmp_path / "made").exists()


def test_a_written_file_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    """A page reached through a symbolic link is written where it is; permissions stay."""
    real = tmp_path / "elsewhere" / "page.md"
    real.parent.mkdir()
    shutil.copy(UPDATE / "before" / "outputs.md", real)
    real.chmod(0o640)
    link = tmp_path / "page.md"
    link.symlink_to(real)
    assert runthrough("update", "page.md", "--write", cwd=tmp_path).code == 0
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert real.read_bytes() == (UPDATE / "after" / "outputs.md").read_bytes()


def test_a_file_that_changed_while_it_ran_is_not_written(tmp_path: Path) -> None:
    """What an author saved during the run is not lost."""
    page = tmp_path / "page.md"
    code = "```python\nwith open('page.md', 'a') as page:\n    page.write('more')\nprint(1)\n```\n\n```output\n2\n```\n"
    page.write_text(code)
    done = runthrough("update", "page.md", "--write", cwd=tmp_path)
    assert done.code == 1
    assert "page.md:1: the file changed while it was run" in done.err
    assert done.last_line == "0 texts written in 0 lessons, 1 lesson not written"
    assert page.read_text().startswith(code)
    assert "more" in page.read_text()


CONTAINERS = [
    ("", ""),
    ("- ", "  "),
    ("1.\t", "\t"),
    ("-   ", "    "),
    ("> ", "> "),
    (">", ">"),
    ("> - ", ">   "),
    ("- > ", "  > "),
    ("- 1.\t", "\t\t"),
]
WORD = st.text("abcXYZ019 .,:;|<>#*_=+-()[]{}\\\"'éß漢\t", max_size=12)
NUMBER = st.one_of(st.integers(-9999, 9999), st.floats(-1e6, 1e6).map(lambda number: round(number, 4)))


@st.composite
def blocks(draw: st.DrawFn, number: int) -> list[str]:
    """A fence that prints and what the page says of it, mostly wrong, as the lines of one container."""
    marker = draw(st.sampled_from(["```", "~~~~", "`````"]))
    texts = draw(st.lists(st.one_of(WORD, NUMBER.map(str)), min_size=1, max_size=4))
    shown = [
        draw(st.one_of(st.just(text), WORD.filter(lambda word: "..." not in word)))
        for text in draw(st.permutations(texts))
    ]
    calls = [f"print({text!r})" for text in texts]
    kind = draw(st.sampled_from(["output", "comments", "error"]))
    value = draw(NUMBER)
    code = [f"value_{number} = {value!r}", *calls]
    below: list[str] = []
    if kind == "output":
        below = ["", f"{marker}output", *shown, marker]
    elif kind == "comments":
        code = code[:1] + [line for call, text in zip(calls, shown, strict=True) for line in (call, f"#> {text}")]
    else:
        message = draw(st.text("abc 019.:'", min_size=1, max_size=12).map(str.strip)) or "m"
        code = [*code[:1], f"raise ValueError({message!r})"]
        below = ["", f"{marker}error", "ValueError: another", marker]
    token = draw(st.sampled_from(["7", "**7.5**", "`a word`", "$1$"]))
    claim = f"{token}<!--= value_{number} -->"
    prose = draw(st.sampled_from([["", f"It is {claim}."], ["", "| a | b |", "|---|---|", f"| x | {claim} |"]]))
    return [f"{marker}python", *code, marker, *below, *prose]


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A page of such blocks in lists, quotes, details and nothing, with one kind of line end."""
    lines = ["# A page", ""]
    for number in range(draw(st.integers(1, 4))):
        first, rest = draw(st.sampled_from(CONTAINERS))
        block = draw(blocks(number))
        folded = [f"{first}{block[0]}", *(rest + line if line else rest.rstrip() for line in block[1:])]
        in_details = draw(st.booleans())
        lines += ["<details>", "", *folded, "", "</details>", ""] if in_details else [*folded, "", "<!-- -->", ""]
    text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)
    return draw(st.sampled_from([b"", BOM])) + text.encode()


@dataclass(frozen=True)
class Folder:
    """Pages for one run of the command; too many to be printed."""

    pages: list[bytes] = field(repr=False)


@settings(max_examples=2, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(made=st.lists(pages(), min_size=40, max_size=40).map(Folder))
def test_written_pages_hold_and_are_not_written_twice(tmp_path_factory: pytest.TempPathFactory, made: Folder) -> None:
    """For any pages: `update --write` leaves pages that `check` finds green and that a second update leaves alone."""
    folder = tmp_path_factory.mktemp("pages")
    for number, document in enumerate(made.pages):
        (folder / f"{number:02}.md").write_bytes(document)
    done = update(folder, "--write", "--new")
    assert done.code == 0, done.out + done.err
    written = files_in(folder)
    checked = runthrough("check", "-q", ".", cwd=folder)
    assert checked.code == 0, checked.out
    assert update(folder, "--write", "--new").out == "nothing to change\n"
    assert files_in(folder) == written
    for before, (_, after) in zip(made.pages, sorted(written.items()), strict=True):
        assert fixed_lines(before) == fixed_lines(after)


def fixed_lines(page: bytes) -> list[bytes]:
    """The lines of a page that no update may touch, with their ends: code, openers, closers, headings, tags."""
    rows = page.splitlines(keepends=True)
    marks = (b"print(", b"value_", b"raise ", b"```", b"~~~", b"# A", b"<details>", b"</details>", b"|---")
    return [row for row in rows if any(mark in row for mark in marks) and b"<!--=" not in row]


def test_an_interrupt_while_the_command_still_loads_ends_it_quietly(tmp_path: Path) -> None:
    """Ctrl+C before anything was started is exit 130, without a traceback."""
    (tmp_path / "argparse.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = runthrough("update", ".", cwd=tmp_path, PYTHONPATH=path)
    assert (done.code, done.out, done.err) == (130, "", "")
