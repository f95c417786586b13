"""Fewer and larger pages of memory in the warm server, so that each fork has fewer page tables to copy (Linux)."""

from __future__ import annotations

import mmap
import os
import re
import sys
from pathlib import Path

# Has malloc of the C library ask for huge pages; without such a C library it says nothing.
_VARIABLE, _SETTING = "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"
_MADV_COLLAPSE = 25
_HUGE = 2 << 20  # bytes


def with_huge_pages(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a process whose malloc is to use huge pages, but where the user has set how it works."""
    return {_VARIABLE: _SETTING, **environment}


def forget_setting() -> None:
    """Take out of this process's environment what `with_huge_pages` put there: it is not for what lessons start."""
    if os.environ.get(_VARIABLE) == _SETTING:
        del os.environ[_VARIABLE]


def compact_memory() -> None:
    """Back this process's anonymous memory by huge pages, that which malloc does not manage included."""
    if sys.platform != "linux":
        return
    import ctypes  # the command reads this file too, and must not wait for it

    madvise = ctypes.CDLL(None, use_errno=True).madvise
    for first, last, rights, name in _mappings():
        if rights.startswith("rw-p") and name in ("", "[heap]") and last - first >= _HUGE:
            start = -(-first // _HUGE) * _HUGE
            size = (last - start) // mmap.PAGESIZE * mmap.PAGESIZE
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _MADV_COLLAPSE)


def _mappings() -> list[tuple[int, int, str, str]]:
    lines = Path("/proc/self/maps").read_text().split("\n")
    found = (re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)", line) for line in lines)
    return [(int(m[1], 16), int(m[2], 16), m[3], m[4]) for m in found if m]
