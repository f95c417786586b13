"""The report as JSON, in the form that `report.schema.json` beside this file describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from runthrough.result import Report

SCHEMA_FILE = Path(__file__).with_name("report.schema.json")
CHECKS_BESIDE_FENCES = ("claims", "figures", "exercises")


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain lists, dicts, strings and numbers."""
    data: dict[str, Any] = msgspec.to_builtins(report)
    for lesson in data["lessons"]:
        for name in CHECKS_BESIDE_FENCES:
            lesson.setdefault(name, [])
    return data


def as_json(value: object) -> str:
    """Indented JSON in ASCII alone: lone surrogates and a C locale can do it no harm."""
    return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n"
