"""What tests in more than one file are given."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from desk import Desk
from practising import COURSE, practice


@pytest.fixture(params=["student", "instructor"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """A copy of the course with the notebooks of one edition."""
    return Desk(tmp_path, request.param)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A practice folder with the exercises handed out."""
    assert practice(tmp_path, "--list").code == 0
    return tmp_path / "mine"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the small course that a test may change."""
    return shutil.copytree(COURSE, tmp_path / "course")
