"""mktestdocs as its documentation uses it, on the pages that the variable PAGES names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mktestdocs import check_md_file  # type: ignore[import-not-found,unused-ignore]

NAMED = [Path(name) for name in os.environ["PAGES"].split(os.pathsep)]
PAGES = [page for name in NAMED for page in (sorted(name.glob("*.md")) if name.is_dir() else [name])]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_page(page: Path) -> None:
    """The fences of a page run in order in one namespace."""
    check_md_file(fpath=str(page), memory=True)
