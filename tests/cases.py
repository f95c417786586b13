"""Cases with their right answers, as the folders of tests/lessons hold them: lessons, and expect.json beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_OUTCOMES = {"ok": "passed", "error": "failed", "died": "crashed", "timeout": "timeout", "not run": "blocked"}
_RUN = ("passed", "failed")


def right_answers(case: Path) -> dict[str, Any]:
    """What a case's expect.json says."""
    answers: dict[str, Any] = json.loads((case / "expect.json").read_text(encoding="utf-8"))
    return answers


def faults(fence: dict[str, Any], block: dict[str, Any]) -> list[str]:
    """In what a fence's result differs from the right answer, or from every one of several."""
    told = [list(_faults(fence, {**block, **answer})) for answer in block.get("accept", [block])]
    return [] if [] in told else [fault for faults in told for fault in faults]


def _faults(fence: dict[str, Any], block: dict[str, Any]) -> list[str]:
    right = [_OUTCOMES[block[key]] for key in ("status", "or_status") if key in block]
    found = [] if fence["outcome"] in right else [f"{fence['outcome']}, not {right}: {fence['reason']}"]
    if fence["line"] != block["open_line"]:
        found.append(f"line {fence['line']}")
    if fence["outcome"] == "blocked":
        return found
    error = fence["error"] or {}
    facts = {**fence, "exception": error.get("type"), "call_line": error.get("call_line")}
    facts["error_line"] = facts["line"] = error.get("line")
    found += [f"{name}: {facts[name]!r}" for name in facts.keys() & block.keys() if facts[name] != block[name]]
    if not fence["stdout"].endswith(block.get("stdout_ends", "")):
        found.append(f"stdout ends with {fence['stdout'][-20:]!r}")
    if not re.search(block.get("message_regex", ""), error.get("message", "")):
        found.append(f"message: {error['message']!r}")
    return found + _warning_faults(fence, block)


def _warning_faults(fence: dict[str, Any], block: dict[str, Any]) -> list[str]:
    """A warning is told in the fence that gave it, and no fence tells one of which the case says nothing."""
    told = [warning["message"] for warning in fence["warnings"]]
    awaited = block.get("warning_regex", block.get("warning"))
    if awaited is None:
        return [f"warning: {text!r}" for text in told]
    return [] if any(re.search(awaited, text) for text in told) else [f"warnings: {told}"]
