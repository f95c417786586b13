"""`check --github`: what GitHub's runner obeys in the log, and what a step's summary shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from command import LESSONS, TELLING, Done, runthrough
from github_runner import Command, obeyed
from runthrough.reports.github import Annotation, as_command
from runthrough.reports.pen import visible
from runthrough.reports.report import assemble
from runthrough.reports.summary import LARGEST, as_summary, in_block, in_text
from runthrough.result import FenceResult, LessonResult, Outcome, RaisedError

CI = LESSONS / "ci"


def checked(*words: str, cwd: Path = CI, **environment: str) -> tuple[Done, list[Command]]:
    """Check with `--github` where no runner is but the one of these tests, and what it obeys of both streams."""
    settings = {"GITHUB_WORKSPACE": str(cwd), "GITHUB_STEP_SUMMARY": "", **environment}
    done = runthrough("check", "--github", *words, cwd=cwd, **settings)
    return done, obeyed(done.out + done.err)


def test_a_failure_is_an_annotation_on_the_failing_line() -> None:
    """An error stands at the line that fails, not the fence's first, with the values seen and the next step."""
    done, (command,) = checked("assertion.md", cwd=TELLING)
    assert done.code == 1
    assert command.name == "error"
    assert command.properties == {
        "file": "assertion.md",
        "line": "12",
        "endLine": "12",
        "title": "the-wrong-claim-1: an assertion does not hold",
    }
    assert command.data == "AssertionError\nbest = 0.1\nnext: Correct line 12, or the code before it."


def test_paths_are_those_of_the_repository_wherever_the_command_runs() -> None:
    """The file is told from the root of the workspace, as the page of a change names it."""
    _, (command,) = checked("killed.md", cwd=TELLING, GITHUB_WORKSPACE=str(LESSONS.parent))
    assert command.properties["file"] == "lessons/telling/killed.md"


def test_paths_are_those_of_the_repository_where_the_workspace_is_named_by_a_link(tmp_path: Path) -> None:
    """A shell tells the folder that a link leads to, the runner may tell the link, and files may begin with dots."""
    lessons = tmp_path / "there" / "..lessons"
    lessons.mkdir(parents=True)
    shutil.copy(TELLING / "killed.md", lessons)
    link = tmp_path / "link"
    link.symlink_to("there")
    for name in ("killed.md", str(link / "..lessons" / "killed.md")):
        _, (command,) = checked(name, cwd=lessons, GITHUB_WORKSPACE=str(link))
        assert command.properties["file"] == "..lessons/killed.md"


def test_a_green_run_obeys_nothing_and_says_as_much_as_without_the_flag() -> None:
    """Lessons that hold leave no annotation, and a skipped fence, which has its reason, is none either."""
    done, commands = checked("holds.md", "skipped.md", cwd=TELLING)
    assert (done.code, commands) == (0, [])
    assert "✓ holds.md" in done.out


def test_without_the_flag_there_are_no_commands() -> None:
    """Annotations are asked for: a runner's environment alone changes nothing."""
    done = runthrough("check", "assertion.md", GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(TELLING))
    assert obeyed(done.out + done.err) == []
    assert "::" not in done.out


@pytest.mark.parametrize("words", [(), ("-v",), ("-q",), ("--json",)])
def test_the_runner_obeys_nothing_that_a_lesson_says(words: tuple[str, ...]) -> None:
    """Commands in output, messages and source, in the new form and the old, are shown and not obeyed."""
    done, (command,) = checked("commands.md", *words)
    assert "::error::raised" in done.out + done.err
    assert command.properties["file"] == "commands.md"
    assert command.properties["line"] == "12"
    assert "ValueError: first\n::error::raised\n100% sure" in command.data


def test_a_step_shows_nine_and_says_how_many_more() -> None:
    """Of more than ten errors nine are told, the first of each lesson before the second of any, and their number."""
    done, commands = checked("many.md", "markup.md")
    assert done.code == 1
    assert [command.name for command in commands] == ["error"] * 10
    assert [command.properties.get("file") for command in commands[:3]] == ["many.md", "markup.md", "many.md"]
    assert commands[0].properties["title"] == "the page says 'Two'"
    assert commands[-1].properties == {"title": "3 more"}
    assert commands[-1].data.startswith("3 more errors: ")


def test_what_cannot_be_read_is_annotated_at_its_line(tmp_path: Path) -> None:
    """A run that cannot begin has an error at each problem's line, and a summary that lists them."""
    summary = tmp_path / "summary.md"
    done, commands = checked("course", cwd=TELLING, GITHUB_STEP_SUMMARY=str(summary))
    assert done.code == 2
    assert [(command.name, command.properties["file"], command.properties["line"]) for command in commands] == [
        ("error", "course/01_unknown_key.md", "8"),
        ("error", "course/02_unclosed.md", "8"),
    ]
    assert "did you mean 'raises'?" in commands[0].data
    assert "Nothing has run" in summary.read_text(encoding="utf-8")


def test_a_summary_of_what_cannot_be_read_leaves_warnings_out(tmp_path: Path) -> None:
    """A page that would run, and is only odd, is a warning at its line and is not said to be unreadable."""
    summary = tmp_path / "summary.md"
    words = ("dialects/pydantic.md", "telling/course")
    done, commands = checked(*words, cwd=LESSONS, GITHUB_STEP_SUMMARY=str(summary))
    assert done.code == 2
    assert sorted(command.name for command in commands) == ["error", "error", "warning"]
    assert summary.read_text(encoding="utf-8").count("\n- ") == 2


def test_a_warning_about_a_page_is_a_warning(tmp_path: Path) -> None:
    """What is odd on a page that runs is a warning at its line, and the run stays green."""
    (tmp_path / "page.md").write_bytes(b"\xef\xbb\xbf# Title\n\n```python\nx = 1\n```\n")
    done, (command,) = checked("page.md", cwd=tmp_path)
    assert done.code == 0
    assert (command.name, command.properties["line"]) == ("warning", "1")
    assert "byte order mark" in command.data


def test_a_run_without_a_report_leaves_the_runner_hearing() -> None:
    """Where --min-fences or a wrong word ends the run, commands are read again afterwards."""
    done, (command,) = checked("holds.md", "--min-fences", "9", cwd=TELLING)
    assert done.code == 1
    assert "file" not in command.properties
    assert "--min-fences" in command.data
    done, commands = checked("holds.md", "-k", "no_such", cwd=TELLING)
    assert (done.code, commands) == (2, [])


@given(st.text(), st.text(), st.text(min_size=1))
def test_no_text_can_leave_its_place_in_a_command(title: str, message: str, path: str) -> None:
    """Whatever a message, a title or a path holds, the runner reads one command with the file it was given."""
    written = as_command(Annotation("error", path, 3, title, message), lambda name: name)
    commands = obeyed(written)
    assert len(commands) == 1
    assert commands[0].name == "error"
    assert set(commands[0].properties) >= {"file", "line", "endLine", "title"}
    assert commands[0].properties["line"] == "3"
    assert commands[0].properties["file"] == path


def test_the_summary_is_added_to_what_stands_there(tmp_path: Path) -> None:
    """The summary has a row a lesson, the failures with their source, and what was left out and why."""
    summary = tmp_path / "summary.md"
    summary.write_text("# Another step\n", encoding="utf-8")
    checked("assertion.md", "skipped.md", "holds.md", cwd=TELLING, GITHUB_STEP_SUMMARY=str(summary))
    text = summary.read_text(encoding="utf-8")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert text.startswith("# Another step\n")
    assert "<td>assertion.md</td>\n<td><strong>does not hold</strong></td>" in html
    assert "<td>holds.md</td>\n<td>holds</td>" in html
    assert "<summary>FAILED assertion.md:12 the-wrong-claim-1: an assertion" in html.replace("&#46;", ".").replace(
        "&#58;", ":"
    )
    assert "&gt; 12 | assert best == 0.01" in html
    assert "skipped skipped.md:4 on-a-gpu: needs a GPU" in html


def test_a_summary_that_cannot_be_written_changes_no_exit_code(tmp_path: Path) -> None:
    """A folder in place of the summary is told, and the run ends as it would."""
    done, _ = checked("holds.md", cwd=TELLING, GITHUB_STEP_SUMMARY=str(tmp_path))
    assert done.code == 0
    assert "no summary at" in done.out + done.err


OUR_TAGS = ("<details><summary>", "</summary>", "</details>")
FORMS = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def summary_of(message: str) -> str:
    """The summary of a lesson whose path and whose failure both hold `message`."""
    error = RaisedError("ValueError", message, 1, 1)
    fence = FenceResult("a-1", 1, 2, Outcome.FAILED, reason=f"ValueError: {message}", error=error, stdout=message)
    report = assemble(
        [LessonResult(f"{message}.md", "", 0.0, 1.0, (fence,))], order=[f"{message}.md"], seed=1, seconds=0
    )
    return as_summary(report, {})


SHARP = st.text(st.sampled_from("|`<>&*_[]()!#~\n\r\\/@:.-= abhtps"))


@given(SHARP)
def test_no_text_can_leave_its_cell_or_its_block(message: str) -> None:
    """Whatever a lesson is called and prints, the table keeps its cells and there is no markup but our own."""
    tokens = FORMS.parse(summary_of(message))
    kinds = [token.type for token in tokens]
    inline = [child.type for token in tokens for child in token.children or ()]
    assert kinds.count("td_open") == kinds.count("th_open") == 9
    assert kinds.count("fence") == 1
    assert set(inline) <= {"text", "strong_open", "strong_close", "softbreak", "text_special"}
    first_cell = tokens[kinds.index("td_open") + 1]
    assert "".join(child.content for child in first_cell.children or ()) == visible(" ".join(f"{message}.md".split()))
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    for tag in OUR_TAGS:
        assert tag in blocks
        blocks = blocks.replace(tag, "")
    assert "<" not in blocks


def test_markup_in_a_lesson_is_shown_as_it_came(tmp_path: Path) -> None:
    """Tags, table bars, links and fences of a lesson's output are text on the page of the job."""
    summary = tmp_path / "summary.md"
    checked("markup.md", GITHUB_STEP_SUMMARY=str(summary))
    html = FORMS.render(summary.read_text(encoding="utf-8"))
    assert "<script>" not in html
    assert "<a " not in html
    assert "&lt;/details&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_a_summary_has_at_most_the_size_that_is_taken() -> None:
    """What has no room is counted, whole failures stay whole, and a full page gets nothing more."""
    fence = FenceResult("a-1", 1, 2, Outcome.FAILED, reason="x" * 1000)
    lessons = [LessonResult(f"{n}.md", "", 0.0, 1.0, (fence,)) for n in range(2000)]
    report = assemble(lessons, order=[lesson.path for lesson in lessons], seed=1, seconds=0.0)
    whole, half, none = (as_summary(report, {}, room) for room in (LARGEST, LARGEST // 2, 100))
    assert LARGEST * 0.9 < len(whole.encode()) <= LARGEST
    assert len(half.encode()) <= LARGEST // 2
    assert "more parts have no room here" in whole
    assert whole.count("<details>") == whole.count("</details>") > half.count("<details>") > 0
    assert none == ""


def test_text_and_blocks_are_what_markdown_reads_back() -> None:
    """Escaped text renders to itself on one line, and a block holds fences of its own."""
    rendered = FORMS.renderInline(in_text("a|b\n<i> *c* `d` https://x.y"))
    assert rendered == "a|b &lt;i&gt; *c* `d` https://x.y"
    (token,) = FORMS.parse(in_block("```\nx\n````"))
    assert token.content == "```\nx\n````\n"
