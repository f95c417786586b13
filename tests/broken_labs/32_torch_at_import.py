"""The engine must run where there is no torch."""

OLD = """\
from typing import TYPE_CHECKING, Any, TypeVar
"""
NEW = """\
from typing import TYPE_CHECKING, Any, TypeVar

import torch as _torch
"""
CAUGHT_BY = "test_the_engine_needs_no_torch"
