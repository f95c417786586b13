"""The child: one process that runs the fences of one lesson as it is told, and says what it saw."""

from __future__ import annotations

import atexit
import multiprocessing
import multiprocessing.util
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import NoReturn

from runthrough.job import Act, Job, Step
from runthrough.running import assertions, spawned
from runthrough.running.claims import Claims
from runthrough.running.exercises import Exercises
from runthrough.running.failure import capped, describe_in, printable
from runthrough.running.figures import figure_of
from runthrough.running.footprints import FolderWatch, end_pools, lasting_threads
from runthrough.running.import_graph import recorded
from runthrough.running.namespace import CodeView, Namespace
from runthrough.running.prints import PrintRecord
from runthrough.running.processes import die_with_parent
from runthrough.running.seeding import seed_generators
from runthrough.running.surroundings import (
    Streams,
    WarningRecord,
    forget_exit_functions,
    import_modules,
    out_of_reach,
    settle,
)
from runthrough.running.visibility import HiddenModules
from runthrough.running.wire import Channel, Observation, Order, Verb

_THREAD_GRACE = 0.3
_UNHEARD_SECONDS = 10.0
# A lesson may put functions of its own in the place of the system's.
_process_id = os.getpid
_exit = os._exit
_clock = time.perf_counter
_sleep = time.sleep


class Worker:
    """One lesson's process, from its first fence to its end."""

    def __init__(self, job: Job, trace: int, loaded: Callable[[str], ModuleType | None]) -> None:
        self._job = job
        self._pid = _process_id()
        self._namespaces: dict[str, Namespace] = {}
        self._view = CodeView(job.path)
        assertions.install()
        settle(job, trace)
        seed_generators(job, loaded)
        self._streams = Streams()
        self._warnings = WarningRecord(job.path)
        self._prints = PrintRecord()
        self._exercises = Exercises(job)
        self._last_error = ""
        temporary = os.environ["TMPDIR"]
        self._folder = FolderWatch(os.path.dirname(job.path), job.has_folder_to_itself, temporary)
        self._current = self._namespace("")
        spawned.prepare(temporary, lambda: self._current.steps)

    def perform(self, number: int) -> Observation:
        """Run one fence, or only compile it, and tell what it did."""
        step = self._job.steps[number]
        self._current = self._exercises.namespace_for(step, self._namespace(step.namespace))
        self._current.enter()
        self._streams.restore()
        self._warnings.start()
        self._prints.clear()
        started = _clock()
        done = self._try(step)
        seconds = _clock() - started
        if _process_id() != self._pid:
            # A copy of this process that the fence forked and let run on: its work ends here.
            self._end_copy(0)
        lost = self._streams.flush()
        if done.error is not None:
            self._last_error = done.error.message
        values = Claims(self._current, self._last_error).values(step)
        self._current.tidy()
        return replace(
            done,
            seconds=seconds,
            warnings=self._warnings.caught(),
            threads=lasting_threads(),
            created=self._folder.created(),
            appeared=self._folder.appeared(),
            lost=lost,
            prints={line: capped(printable(text)) for line, text in self._prints.texts().items()},
            values=values,
        )

    def leave(self) -> Observation:
        """End as an interpreter would: what the lesson registered for its exit runs; what still lives is told."""
        for namespace in self._namespaces.values():
            namespace.close()
        if lasting_threads():
            end_pools(_THREAD_GRACE)
        threads = lasting_threads(_THREAD_GRACE)
        # Managers and pools end their processes so, as they do before an interpreter looks for others.
        multiprocessing.util._run_finalizers(0)  # type: ignore[attr-defined]  # typeshed leaves it out
        if all(process.daemon for process in multiprocessing.active_children()):
            # What an interpreter does for pools and daemons; it would wait for any other child, which is a fault.
            multiprocessing.util._exit_function()  # type: ignore[attr-defined]  # the same
        atexit._run_exitfuncs()
        if _process_id() != self._pid:
            # A copy that an exit function forked: only this lesson's own process tells what was left.
            self._end_copy(0)
        self._streams.flush()
        created, appeared = self._folder.created(), self._folder.appeared()
        return Observation(0.0, threads=threads, created=created, appeared=appeared)

    def _namespace(self, name: str) -> Namespace:
        if name not in self._namespaces:
            self._namespaces[name] = Namespace(self._job.path, self._view)
        return self._namespaces[name]

    def _try(self, step: Step) -> Observation:
        """A fence's value or figure, or what it raised, and what an exercise's check raised at the answer it gives."""
        try:
            if step.act is Act.COMPILE:
                self._current.compile(step)
                return Observation(0.0)
            value = self._current.execute(step)
            if step.figure and not step.of:
                return Observation(0.0, figure=figure_of(value, step.figure))
            text = None if value is None else capped(printable(repr(value)))
            if step.part is None:
                return Observation(0.0, value=text)
            told = self._exercises.try_answer(step, step.part, self._current.module.__dict__)
            return Observation(0.0, value=text, answer_error=told)
        except BaseException as error:  # noqa: BLE001  # whatever a fence raises is its result, SystemExit included
            told = describe_in(step, error, self._job)
            if _process_id() != self._pid:
                # In a forked copy it is told as an interpreter would: the exit status is all that the fence learns.
                self._end_copy(_exit_status(error, told.traceback))
            return Observation(0.0, error=told)

    def _end_copy(self, status: int) -> NoReturn:
        self._streams.flush()
        _exit(status)


def _exit_status(error: BaseException, traceback: str) -> int:
    """With what an interpreter ends that this error ends, after it has told of it on standard error."""
    if not isinstance(error, SystemExit):
        print(traceback, end="", file=sys.stderr)
        return 1
    if error.code is None or isinstance(error.code, int):
        return (error.code or 0) & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def serve(channel: Channel, trace: int, hidden: HiddenModules | None = None) -> NoReturn:
    """Run a lesson as its supervisor orders, and leave the process without the interpreter's own teardown.

    `hidden` is what a copy of a warm process has loaded ahead for other lessons.
    """
    order = channel.receive(Order)
    if order is None or order.job is None:
        _exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    is_warm = hidden is not None
    if hidden is None:
        with recorded() as record:
            import_modules(order.job.modules)
        forget_exit_functions()
        hidden = HiddenModules(record.imports())
        hidden.hide(hidden.imports.not_reached_from(order.job.in_sight))
    else:
        import_modules(order.job.in_sight)
    worker = Worker(order.job, trace, hidden.get)
    if not is_warm:
        channel.send(Observation(0.0))
    while order := channel.receive(Order):
        seen = worker.leave() if order.verb is Verb.LEAVE else worker.perform(order.step)
        try:
            channel.send(replace(seen, token=order.token))
        except OSError:
            # The fence has cut the line. The supervisor sees that, and ends this process.
            _sleep(_UNHEARD_SECONDS)
            _exit(70)
        if order.verb is Verb.LEAVE:
            break
    _exit(0)


def main() -> NoReturn:
    """A fresh interpreter that becomes a worker: `python -P -m runthrough.running.worker ORDERS TRACE`."""
    orders, trace = (out_of_reach(int(word)) for word in sys.argv[1:3])
    os.closerange(3, min(orders, trace))
    die_with_parent()
    os.setsid()
    serve(Channel(socket.socket(fileno=orders)), trace)


if __name__ == "__main__":
    main()
