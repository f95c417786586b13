"""`python -m benchmarks.false_greens`: ask every tool about every case, and write docs/false-greens.md.

Answers are kept as they come, and the page is written as soon as every tool has given its answers.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from dataclasses import asdict

from benchmarks.environments import ROOT, environment
from benchmarks.false_greens.asking import Answer, ask
from benchmarks.false_greens.cases import CASES
from benchmarks.false_greens.page import as_page
from benchmarks.false_greens.tools import TOOLS, Tool

ANSWERS = ROOT / "build" / "false_greens"
PAGE = ROOT / "docs" / "false-greens.md"


def main() -> None:
    """Ask as the words say; what is not asked anew is taken from an earlier run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.false_greens", description=__doc__)
    parser.add_argument("--tool", action="append", choices=[tool.peer.name for tool in TOOLS], help="which tools (all)")
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], help="which cases (all)")
    words = parser.parse_args()
    for tool in TOOLS:
        if not words.tool or tool.peer.name in words.tool:
            _ask(tool, words.case or [case.name for case in CASES])
    kept = [_kept(tool) for tool in TOOLS]
    answers = [answer for _, given in kept for answer in given]
    if len(answers) < len(TOOLS) * len(CASES):
        _tell(f"{len(answers)} of {len(TOOLS) * len(CASES)} answers are there; the page is left as it was")
        return
    versions = {tool.peer.name: version for tool, (version, _) in zip(TOOLS, kept, strict=True)}
    PAGE.write_text(as_page(answers, versions, f"{platform.system()}, Python {platform.python_version()}"))
    _tell(f"written: {PAGE.relative_to(ROOT)}")


def _ask(tool: Tool, names: list[str]) -> None:
    installed = environment(tool.peer, _tell)
    version = installed.version(tool.peer.name)
    before, given = _kept(tool)
    answers = {answer.case: answer for answer in given} if before == version else {}
    for case in CASES:
        if case.name not in names:
            continue
        answer = answers[case.name] = ask(tool, installed, case)
        _tell(f"{tool.peer.name}  {case.name}: {answer.verdict}, {answer.seconds:.1f} s")
        _keep(tool, version, list(answers.values()))


def _kept(tool: Tool) -> tuple[str, list[Answer]]:
    """The version that answered before, and its answers to cases that there still are."""
    file = ANSWERS / f"{tool.peer.name}.json"
    if not file.is_file():
        return "", []
    kept = json.loads(file.read_text(encoding="utf-8"))
    names = {case.name for case in CASES}
    return kept["version"], [Answer(**answer) for answer in kept["answers"] if answer["case"] in names]


def _keep(tool: Tool, version: str, answers: list[Answer]) -> None:
    ANSWERS.mkdir(parents=True, exist_ok=True)
    kept = {"version": version, "answers": [asdict(answer) for answer in answers]}
    (ANSWERS / f"{tool.peer.name}.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
