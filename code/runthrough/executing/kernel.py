"""A Jupyter kernel that executes cells one by one, and what its replies say of each."""

from __future__ import annotations

import ast
import contextlib
import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from runthrough.running.processes import adopt_orphans, descendants, reap
from runthrough.running.server_process import lesson_environment

_START_SECONDS = 120
# Values and tracebacks as Python shows them, which the page does too; IPython's own layout of deep ones takes minutes.
_ARGUMENTS = (
    "--PlainTextFormatter.pprint=False",
    "--InteractiveShell.xmode=Plain",
    "--HistoryManager.enabled=False",
)
_BASES = "[(each.__name__, each.__qualname__, each.__module__) for each in __import__('sys').last_type.__mro__]"


class KernelMissingError(Exception):
    """No kernel can be started; the text says why, `advice` what to do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message, self.advice = message, advice


class End(StrEnum):
    """How a cell ended, as the kernel's reply says, whatever stands among its outputs."""

    OK = "ok"
    ERROR = "error"
    TIMED_OUT = "timed-out"
    DIED = "died"


@dataclass(frozen=True)
class KernelError:
    """The exception that the reply to a cell tells; `bases` are the names `raises=` may call its class by."""

    type: str
    message: str
    traceback: str
    bases: tuple[str, ...]


@dataclass(frozen=True)
class CellRun:
    """What came of one cell: its end, its error, what it wrote, and the repr of its value. `seconds` is wall time."""

    end: End
    error: KernelError | None
    stdout: str
    stderr: str
    value: str | None
    seconds: float
    has_error_output: bool


class Kernel:
    """A running kernel for the cells of one notebook; each cell keeps its outputs."""

    def __init__(self, client: Any, replies: list[Mapping[str, Any]]) -> None:
        self._client = client
        self._replies = replies

    def execute(self, number: int) -> CellRun:
        """Execute the cell of that number, counted from 0 among all cells."""
        from nbclient.exceptions import CellTimeoutError, DeadKernelError

        cell = self._client.nb.cells[number]
        self._replies.clear()
        started = time.monotonic()
        try:
            self._client.execute_cell(cell, number)
        except CellTimeoutError:
            return _run(End.TIMED_OUT, None, cell, started)
        except DeadKernelError:
            return _run(End.DIED, None, cell, started)
        reply = self._replies[-1] if self._replies else {}
        if reply.get("status") == "ok":
            return _run(End.OK, None, cell, started)
        return _run(End.ERROR, self._error(reply), cell, started)

    def _error(self, reply: Mapping[str, Any]) -> KernelError:
        name = str(reply.get("ename") or "no reply")
        text = "\n".join(str(line) for line in reply.get("traceback") or [])
        return KernelError(name, str(reply.get("evalue") or ""), text, self._bases(name))

    def _bases(self, name: str) -> tuple[str, ...]:
        """The names of the class of the last error and of those it inherits, as far as the kernel tells them."""
        from nbclient.exceptions import DeadKernelError

        client = self._client
        try:
            asked = client.kc.execute("", silent=True, store_history=False, user_expressions={"bases": _BASES})
            reply = client.wait_for_reply(asked)
            told = reply["content"]["user_expressions"]["bases"]["data"]["text/plain"]
            bases = [(plain, qualified, f"{module}.{qualified}") for plain, qualified, module in ast.literal_eval(told)]
        except (DeadKernelError, KeyError, TypeError, ValueError, SyntaxError):
            return (name,)
        # A handler of the notebook's own leaves the error before in its place.
        return tuple(each for names in bases[:-1] for each in names) if bases[0][0] == name else (name,)


@contextlib.contextmanager
def kernel_for(notebook: Any, folder: Path, timeouts: Mapping[int, float]) -> Iterator[Kernel]:
    """A kernel of this interpreter in `folder`; `timeouts` are seconds by the number of a cell.

    Raises KernelMissingError where none can be had. Everything it started has ended when the block is left.
    """
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient
    except ModuleNotFoundError as error:
        raise _missing(error.name or "nbclient") from None
    replies: list[Mapping[str, Any]] = []
    numbers = {id(cell): number for number, cell in enumerate(notebook.cells)}
    # With no folders to look in, the only kernel is this interpreter's own.
    specs = KernelSpecManager(kernel_dirs=[])
    client = NotebookClient(
        notebook,
        km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs),
        allow_errors=True,
        coalesce_streams=True,
        record_timing=False,
        startup_timeout=_START_SECONDS,
        shutdown_kernel="immediate",
        extra_arguments=[*_ARGUMENTS],
        timeout_func=lambda cell: timeouts.get(numbers.get(id(cell), -1), 0),
        on_cell_executed=lambda execute_reply, **_: replies.append(execute_reply["content"]),
    )
    client.log.setLevel(logging.CRITICAL)
    environment = {name: value for name, value in lesson_environment().items() if name != "MPLBACKEND"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    adopt_orphans()
    before = descendants(os.getpid())
    try:
        with client.setup_kernel(cwd=str(folder), env=environment, cleanup_kc=True, **quiet):
            yield Kernel(client, replies)
    except NoSuchKernel:
        raise _missing("ipykernel") from None
    finally:
        _end_all_but(before)


def _missing(name: str) -> KernelMissingError:
    advice = "pip install 'runthrough[notebooks]'"
    return KernelMissingError(f"notebooks are executed with {name}, which is not installed", advice)


def _run(end: End, error: KernelError | None, cell: Any, started: float) -> CellRun:
    values = [each["data"].get("text/plain") for each in cell.outputs if each["output_type"] == "execute_result"]
    return CellRun(
        end=end,
        error=error,
        stdout=_written(cell, "stdout"),
        stderr=_written(cell, "stderr"),
        value=values[-1] if values else None,
        seconds=time.monotonic() - started,
        has_error_output=any(each["output_type"] == "error" for each in cell.outputs),
    )


def _written(cell: Any, name: str) -> str:
    return "".join(each["text"] for each in cell.outputs if each["output_type"] == "stream" and each["name"] == name)


def _end_all_but(kept: tuple[int, ...]) -> None:
    """Kill what runs below this process, also what left its session or lost its parent."""
    while below := [pid for pid in descendants(os.getpid()) if pid not in kept]:
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap()
