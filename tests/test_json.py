"""The JSON that `check` and `list` print, against the shipped schema and the documented fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from command import TELLING, runthrough
from runthrough.reports.json_report import SCHEMA_FILE

SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
PROMISED = {
    "": "schema runthrough environment lessons totals",
    "environment": "python torch numpy platform",
    "lesson": "path title seconds peak_rss_mib fences claims figures exercises",
    "fence": "id line end_line outcome reason cached namespace seconds proves stdout stderr stdout_bytes stderr_bytes "
    "value warnings exit_code signal error",
    "warning": "category message line",
    "error": "type message line frames",
    "frame": "file line text",
    "claim": "line text expected found outcome",
}
LISTED = ["path", "line", "end_line", "code_line", "language", "info", "id", "runs", "why", "code", "directives"]


def problems(report: object) -> list[str]:
    """What the schema finds wrong with a report."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(report)]


@pytest.mark.parametrize("part", PROMISED)
def test_every_documented_field_is_required(part: str) -> None:
    """A report without one of the documented fields is not valid."""
    schema = SCHEMA["$defs"][part] if part else SCHEMA
    assert set(PROMISED[part].split()) <= set(schema["required"])
    assert set(schema["required"]) <= set(schema["properties"])


def test_the_report_stands_alone_on_standard_output_and_is_valid() -> None:
    """`--json` prints JSON in ASCII alone on standard output, all else on standard error, and keeps the exit code."""
    lessons = sorted(path.name for path in TELLING.glob("*.md") if path.name != "waits.md")
    done = runthrough("check", *lessons, "--json", "--seed", "1")
    report = json.loads(done.out)
    assert done.out.isascii()
    assert problems(report) == []
    assert done.code == 1
    assert done.err.rstrip().endswith("repeat with --seed 1")
    assert [lesson["path"] for lesson in report["lessons"]] == lessons
    assert report["totals"]["lessons"] == len(lessons)
    assert report["totals"]["failed"] == 4
    assert report["seed"] == 1


def test_a_failed_fence_has_its_error_in_lines_of_the_lesson() -> None:
    """The report gives the failing line, the call's own line, the values seen and what was printed."""
    report = json.loads(runthrough("check", "assertion.md", "--json", "-").out)
    passed, failed, *blocked = report["lessons"][0]["fences"]
    assert (passed["outcome"], failed["outcome"]) == ("passed", "failed")
    assert {fence["outcome"] for fence in blocked} == {"blocked"}
    assert (failed["line"], failed["end_line"]) == (9, 13)
    assert (failed["error"]["type"], failed["error"]["line"], failed["error"]["call_line"]) == (
        "AssertionError",
        12,
        12,
    )
    assert failed["error"]["frames"][0]["file"] == "assertion.md"
    assert failed["stdout"] == "comparing\n"
    assert failed["stdout_bytes"] == 10


def test_bytes_that_are_no_text_and_lone_surrogates_still_make_a_report() -> None:
    """Whatever a lesson prints or raises, the report is ASCII, valid, and the terminal is not steered by it."""
    done = runthrough("check", "escapes.md", "--json", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert problems(json.loads(done.out)) == []
    assert "\x1b" not in done.err
    assert "\\x1b[2Jcleared" in done.err


def test_a_report_file_is_written_beside_the_usual_lines(tmp_path: Path) -> None:
    """`--json FILE.json` leaves the terminal's text where it was and writes the report, folders included."""
    file = tmp_path / "made" / "report.json"
    done = runthrough("check", "--json", str(file), "holds.md")
    assert done.code == 0
    assert done.last_line.startswith("holds: ")
    assert problems(json.loads(file.read_text(encoding="ascii"))) == []


def test_a_lesson_after_json_is_a_lesson() -> None:
    """`--json lesson.md` checks the lesson and prints the report: it never overwrites the lesson."""
    before = (TELLING / "holds.md").read_bytes()
    report = json.loads(runthrough("check", "--json", "holds.md").out)
    assert [lesson["path"] for lesson in report["lessons"]] == ["holds.md"]
    assert (TELLING / "holds.md").read_bytes() == before


def test_list_gives_every_fence_with_the_documented_fields() -> None:
    """`list --json` has every fence in document order, with its lines, whether it runs, why, and its directives."""
    done = runthrough("list", "skipped.md", "holds.md", "--json")
    rows = json.loads(done.out)
    assert done.code == 0
    assert all(set(LISTED) <= set(row) for row in rows)
    assert [(row["path"], row["line"], row["runs"]) for row in rows] == [
        ("skipped.md", 4, False),
        ("skipped.md", 9, False),
        ("skipped.md", 13, True),
        ("holds.md", 3, True),
        ("holds.md", 10, True),
    ]
    first = rows[0]
    assert first["why"] == "needs a GPU"
    assert first["directives"] == {"id": "on-a-gpu", "skip": "needs a GPU"}
    assert (first["end_line"], first["code_line"], first["language"]) == (6, 5, "python")
    assert first["code"] == 'raise SystemExit("never run")\n'


def test_list_as_a_table_has_a_line_a_fence() -> None:
    """`list` names each fence's place, whether it runs, its id and why, and runs nothing."""
    done = runthrough("list", "skipped.md")
    assert done.code == 0
    first, *_, closing = done.out.splitlines()
    assert first.startswith("skipped.md:4 ")
    assert first.endswith("on-a-gpu  needs a GPU")
    assert closing == "3 fences in 1 lesson, 1 to run"
