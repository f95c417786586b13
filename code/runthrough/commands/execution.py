"""Notebooks executed before they are written: each in a kernel of its own, and what came told as a check tells it."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from runthrough.command_line.arguments import Options
from runthrough.command_line.parsers import STDOUT, UsageError
from runthrough.commands.notebooks import Export
from runthrough.road import planned

if TYPE_CHECKING:
    from runthrough.result import Report


def executed(exports: Sequence[Export], options: Options) -> tuple[list[Export], Report]:
    """The notebooks with their outputs, and the report of their cells, which is told and written where asked for.

    Raises UsageError where no kernel can be had or the report cannot be written.
    """
    from runthrough.executing.kernel import KernelMissingError
    from runthrough.executing.notebook_run import execute
    from runthrough.reports.pen import line, pen_for
    from runthrough.reports.report import assemble
    from runthrough.reports.terminal import Terminal, closing_line, failures_of, marks_for

    jobs = planned([export.lesson for export in exports], options)
    stream = sys.stderr if options.json == STDOUT else sys.stdout
    pen = pen_for(stream, color=options.color)
    terminal = Terminal(pen, len(jobs), marks=marks_for(stream))
    started = time.monotonic()
    made, results = [], []
    terminal.started()
    try:
        for export, job in zip(exports, jobs, strict=True):
            done = execute(export.data, job, partial(terminal.fence_finished, job.name))
            made.append(replace(export, data=done.data))
            results.append(done.result)
            terminal.lesson_finished(done.result)
    except KernelMissingError as error:
        raise UsageError(f"--execute: {error.message}; {error.advice}") from None
    finally:
        terminal.ended()
    names = [job.name for job in jobs]
    report = assemble(results, order=names, seed=0, seconds=time.monotonic() - started)
    pen.write(failures_of(report, {export.lesson.name: export.lesson.text for export in exports}, in_full=False))
    pen.write([line(*closing_line(report, is_seeded=False))])
    _write_report(report, options.json)
    return made, report


def _write_report(report: Report, file: str) -> None:
    from runthrough.reports.json_report import as_data, as_json
    from runthrough.reports.writing import write_whole

    if file == STDOUT:
        sys.stdout.write(as_json(as_data(report)))
    elif file:
        try:
            write_whole(Path(file), as_json(as_data(report)).encode("ascii"))
        except OSError as error:
            raise UsageError(f"--json {file}: {error.strerror}; name a file that can be written") from error
