"""A pytest session with lessons: it reads them, has them run ahead in one pool, and gives items their results."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from runthrough.command_line.arguments import Options
from runthrough.job import Job
from runthrough.lesson.course import FILE as COURSE
from runthrough.lesson.discovery import LEFT_OUT, NAMED_SUFFIXES, SUFFIXES, Finder, unlisted_in
from runthrough.lesson.document import Course, Problem, Severity
from runthrough.lesson.read import read_text
from runthrough.plan import beside
from runthrough.pytest_plugin.ahead import runs_nothing, soon_wanted
from runthrough.pytest_plugin.items import Collected, CourseFile, FenceItem, HandedIn, LessonFile, UnreadableLessonError
from runthrough.pytest_plugin.notices import Notices
from runthrough.result import LessonResult
from runthrough.road import cores, drawn_seed, other_torch, planned, problems_of, problems_of_name
from runthrough.running.failure import printable
from runthrough.running.lesson_client import Address, LessonClient, LessonService, ServiceLostError, start_service
from runthrough.selection import up_to

# Under this name an xdist controller tells its workers where the pool is, and with which seed it runs.
_INPUT = "runthrough"


class LessonSession:
    """The plugin proper. With xdist, the controller has the pool and each worker asks it by its address."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        given: dict[str, Any] = getattr(config, "workerinput", {}).get(_INPUT, {})
        self._address = Address(given["path"], given["token"]) if given else None
        self.options = _options(config, given.get("seed"))
        self._notices = Notices(config, self.options.seed or 0)
        self._finder = Finder()
        self._courses: set[Path] = set()
        self._listed: dict[Path, str] = {}
        self._found: set[Path] = set()
        self._marks: set[str] = set()
        self._service: LessonService | None = None
        self._has_workers = False
        self._client: LessonClient | None = None
        self._lost: ServiceLostError | None = None
        self._handed_in: dict[Path, HandedIn] = {}
        self._results: dict[Path, LessonResult] = {}
        config.pluginmanager.register(self._notices, "runthrough-notices")
        config.add_cleanup(self._end)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> LessonFile | CourseFile | None:
        """A Markdown file is a lesson, by the rules of `runthrough check`."""
        named = parent.session.isinitpath(file_path)
        if file_path.name == COURSE and not named and not _is_left_out(file_path, parent.session):
            course: CourseFile = CourseFile.from_parent(parent, path=file_path, lessons=self)
            return course
        if not file_path.name.lower().endswith(NAMED_SUFFIXES if named else SUFFIXES):
            return None
        if _is_left_out(file_path, parent.session):
            return None
        for problem in problems_of_name(_name_of(file_path, self._config.invocation_params.dir)):
            # Told of the folder: pytest and xdist fail on an item whose id they cannot write.
            raise parent.CollectError(printable(str(problem)))
        self._found.add(file_path)
        lesson: LessonFile = LessonFile.from_parent(parent, path=file_path, lessons=self)
        return lesson

    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> None:
        """See that no lesson in a folder is a link to nothing: pytest passes over such a file without a word."""
        asked_for = any(parent.session.isinitpath(each) for each in (path, *path.parents))
        for file in sorted(path.glob("*.m*")) if asked_for else ():
            if not file.name.lower().endswith(SUFFIXES) or file.exists():
                continue
            hook = parent.session.gethookproxy(file.parent)
            is_ignored = hook.pytest_ignore_collect(collection_path=file, config=self._config)
            if not is_ignored and not _is_left_out(file, parent.session):
                name = _name_of(file, self._config.invocation_params.dir)
                raise parent.CollectError(
                    str(Problem(name, 1, "this is a link to a file that is not there", "mend it"))
                )

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Start the pool's interpreters, which import what lessons seem to want, before anything is collected."""
        if self._address is None and not runs_nothing(self._config):
            self._start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker where the pool is, if there is one."""
        self._has_workers = True
        if runs_nothing(self._config):
            return
        address = self._start()
        node.workerinput[_INPUT] = {"path": address.path, "token": address.token, "seed": self.options.seed}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Have the lessons of all chosen items run ahead."""
        if self._address is None or self._stops_here(session):
            return
        chosen: dict[Path, list[FenceItem]] = {}
        for item in session.items:
            if isinstance(item, FenceItem):
                chosen.setdefault(item.path, []).append(item)
        if chosen:
            jobs = beside([_job_for(items) for items in chosen.values()])
            pairs = zip(chosen.items(), jobs, strict=True)
            self._handed_in = {path: HandedIn(job, items[-1].step.id) for (path, items), job in pairs}
            try:
                self._client = LessonClient(self._address)
                self._client.hand_in(jobs)
            except ServiceLostError as error:
                self._lost = error  # each item will tell it
        elif self._service is not None and not self._has_workers:
            self._service.end()  # tests of other kinds run without it

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A skip is told at the fence's line, and a duration is the fence's own, not how long its item waited."""
        report = yield
        if isinstance(item, FenceItem) and report.when == "call":
            if item.proof and item.proof.fence:
                report.duration = item.proof.fence.seconds
            if report.skipped and isinstance(report.longrepr, tuple):
                report.longrepr = (str(item.path), item.step.line, report.longrepr[2])
        return report

    def read(self, path: Path) -> Collected:
        """Read a lesson and plan it. Raises UnreadableLessonError."""
        place = self._finder.place(_name_of(path, self._config.invocation_params.dir))
        try:
            data = place.path.read_bytes()
        except OSError as error:
            problem = Problem(place.name, 1, f"the file cannot be read: {error.strerror}", "see that it is there")
            raise UnreadableLessonError([problem]) from error
        lesson = read_text(data, place.path, place.name, place.course)
        told = problems_of(lesson) + unlisted_in(place.course, lesson)
        problems = (*self._problems_of(place.course), *told)
        if any(problem.severity is Severity.ERROR for problem in problems):
            raise UnreadableLessonError(problems)
        self._notices.add(map(str, problems))
        contracts = (place.course.contracts if place.course else None) or {}
        statements = {name: str(entry.get("statement", "")) for name, entry in contracts.items()}
        return Collected(data, lesson, planned([lesson], self.options)[0], statements)

    def see_course(self, file: Path) -> None:
        """See that a course.toml can be read. Raises UnreadableLessonError."""
        place = self._finder.place(_name_of(file, self._config.invocation_params.dir))
        problems = self._problems_of(place.course)
        if any(problem.severity is Severity.ERROR for problem in problems):
            raise UnreadableLessonError(problems)
        self._listed.update(dict.fromkeys(place.course.lessons if place.course else (), place.name))

    def pytest_collection_finish(self) -> None:
        """Tell which lessons a course lists that pytest does not look at, as in a folder of `norecursedirs`."""
        missed = [(lesson, course) for lesson, course in self._listed.items() if lesson not in self._found]
        started = self._config.invocation_params.dir
        self._notices.add(
            f"{course} lists {_name_of(lesson, started)}, and pytest passes over it" for lesson, course in missed
        )

    def _problems_of(self, course: Course | None) -> tuple[Problem, ...]:
        """What is wrong with a lesson's course; another torch than the one it pins is told once."""
        if course is None:
            return ()
        if course.folder not in self._courses:
            self._courses.add(course.folder)
            self._notices.add(filter(None, [other_torch(course)]))
        return course.problems

    def mark(self, name: str, meaning: str) -> pytest.MarkDecorator:
        """A marker that `--strict-markers` knows."""
        if name not in self._marks:
            self._marks.add(name)
            self._config.addinivalue_line("markers", f"{name}: {meaning}")
        mark: pytest.MarkDecorator = getattr(pytest.mark, name)
        return mark

    def handed_in(self, file: LessonFile) -> HandedIn:
        """What was handed in for a file."""
        return self._handed_in[file.path]

    def result_of(self, file: LessonFile) -> LessonResult:
        """What came of it, waiting for it. Raises ServiceLostError."""
        if self._lost is not None:
            raise self._lost
        assert self._client is not None
        if file.path not in self._results:
            self._results[file.path] = self._client.result(self._handed_in[file.path].job)
        return self._results[file.path]

    def _stops_here(self, session: pytest.Session) -> bool:
        """True where pytest runs nothing after errors of collecting; xdist's workers go on."""
        goes_on = self._config.getoption("continue_on_collection_errors") or hasattr(self._config, "workerinput")
        return bool(session.testsfailed) and not goes_on

    def _start(self) -> Address:
        if self._service is None:
            self._service = start_service(self.options.jobs or cores(), self.options.spawn, soon_wanted(self._config))
            self._address = self._service.address
        assert self._address is not None
        return self._address

    def _end(self) -> None:
        if self._client is not None:
            self._client.close()
        if self._service is not None:
            self._service.end()


def _options(config: pytest.Config, seed: int | None) -> Options:
    """What was asked for, in the words of `runthrough check`."""
    asked = config.getoption("runthrough_seed") if seed is None else seed
    return Options(
        command="check",
        jobs=config.getoption("runthrough_jobs"),
        timeout=config.getoption("runthrough_timeout"),
        memory_mib=config.getoption("runthrough_memory"),
        seed=drawn_seed() if asked is None else asked,
        spawn=config.getoption("runthrough_spawn"),
        keep_going=config.getoption("runthrough_keep_going"),
    )


def _name_of(path: Path, started: Path) -> str:
    """A lesson's path as the user would write it; a whole one where a conftest has gone to another folder."""
    try:
        is_where_it_started = Path.cwd() == started
    except FileNotFoundError:
        is_where_it_started = False
    return os.path.relpath(path, started) if is_where_it_started else str(path)


def _job_for(items: list[FenceItem]) -> Job:
    """The job of what some items of a lesson need: the whole lesson, or its steps up to the last of them."""
    collected = items[0].file.collected
    assert collected is not None
    job, ids = collected.job, {item.step.id for item in items}
    if len(ids) == len(job.steps):
        return job
    return up_to(job, max(number for number, step in enumerate(job.steps, start=1) if step.id in ids))


def _is_left_out(file: Path, session: pytest.Session) -> bool:
    """True for what tools make or hide, below the folder that was asked for."""
    for path in (file, *file.parents):
        if session.isinitpath(path):
            return False
        if path.name.startswith(".") or path.name in LEFT_OUT:
            return True
    return False
