"""Sybil as its documentation uses it: this file lies as conftest.py beside the pages."""

from __future__ import annotations

from sybil import Sybil  # type: ignore[import-not-found,unused-ignore]
from sybil.parsers.markdown import PythonCodeBlockParser  # type: ignore[import-not-found,unused-ignore]

pytest_collect_file = Sybil(parsers=[PythonCodeBlockParser()], patterns=["*.md"]).pytest()
