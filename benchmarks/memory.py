"""Peak memory of a process and all it has started, with pages that several of them share counted once (Linux)."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import psutil

_BETWEEN_SAMPLES = 0.02  # seconds; reading them takes nearly as long for a process that holds torch
_PSS = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


class PeakMemory:
    """Watches a process tree from a thread until `stop`, which gives the largest sum of its sizes in MiB.

    The sizes are proportional (PSS). A page that a process outside the tree maps too, as those of a library are,
    counts only in part.
    """

    def __init__(self, pid: int) -> None:
        self._peak = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid,))
        self._thread.start()

    def stop(self) -> float:
        """End the watch and give the peak in MiB."""
        self._stopped.set()
        self._thread.join()
        return self._peak / 1024

    def _watch(self, pid: int) -> None:
        while not self._stopped.wait(_BETWEEN_SAMPLES):
            try:
                root = psutil.Process(pid)
                pids = [pid, *(child.pid for child in root.children(recursive=True))]
            except psutil.NoSuchProcess:
                return
            self._peak = max(self._peak, sum(map(_proportional_kib, pids)))


def _proportional_kib(pid: int) -> int:
    try:
        found = _PSS.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except OSError:  # it has ended
        return 0
    return int(found[1]) if found else 0
