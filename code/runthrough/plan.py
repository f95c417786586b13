"""A lesson becomes a job: what runs, in which namespace, and what each fence has promised."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from runthrough import job
from runthrough.job import Act, Comparing, Expected, Form, Job, Key, Part, Promise, Shown, Step
from runthrough.lesson.claims import expression_of
from runthrough.lesson.directives import NONE_SAID
from runthrough.lesson.document import Directives, Fence, Lesson, Role
from runthrough.lesson.print_comments import print_comments
from runthrough.lesson.when import installed_version, unmet
from runthrough.preloading import modules_named, modules_used, packages_of

DEFAULT_TIMEOUT = 30.0  # seconds
FIGURES = "figures"  # the folder beside a lesson that holds them


def plan(
    lesson: Lesson,
    *,
    seed: int = 0,
    timeout: float = DEFAULT_TIMEOUT,
    keep_going: bool = False,
    memory_mib: int = 0,
) -> Job:
    """The job of a lesson that has no errors. `timeout` in seconds is for fences that name none of their own."""
    steps = [
        _with_prose(
            _with_figure(_step(fence, _shown_below(lesson.fences, number), timeout), fence, lesson), fence, lesson
        )
        for number, fence in enumerate(lesson.fences)
        if fence.role is Role.CODE
    ]
    named = tuple(name for name in modules_named(steps) if not _stands_beside(lesson, name))
    used = modules_used(steps, named)
    return Job(
        path=str(lesson.path),
        name=lesson.name,
        title=lesson.title,
        steps=tuple(_in_running_order(steps)),
        modules=(*named, *used),
        in_sight=(*packages_of(named), *used),
        seed=seed,
        keep_going=keep_going,
        memory_mib=memory_mib,
        is_pinned=_is_pinned(lesson.pinned_torch),
        runs_none=str(lesson.front.get("reason", "")) if lesson.front.get("runs") == "none" else "",
    )


def _stands_beside(lesson: Lesson, module: str) -> bool:
    """True where the lesson's own folder has a package of this name, which is then the one that it imports."""
    beside = lesson.path.parent / module.partition(".")[0]
    return beside.with_suffix(".py").exists() or (beside / "__init__.py").exists()


def beside(jobs: Sequence[Job]) -> list[Job]:
    """The jobs of one run, each told whether it has its folder to itself: files that appear there may be another's."""
    folders = Counter(str(Path(each.path).parent) for each in jobs)
    return [replace(each, has_folder_to_itself=folders[str(Path(each.path).parent)] == 1) for each in jobs]


def _step(fence: Fence, shown: Sequence[Fence], timeout: float) -> Step:
    said = fence.directives
    act, reason = what_is_done(said)
    return Step(
        id=fence.id,
        line=fence.line,
        end_line=fence.end_line,
        code_line=fence.code_line,
        code=fence.code,
        act=act,
        reason=reason,
        form=Form.CONSOLE if _is_console(fence.code) else Form.SCRIPT,
        namespace=said.namespace,
        alone=said.alone,
        timeout=timeout if said.timeout is None else said.timeout,
        promise=_promise(fence, shown),
        part=_part(said),
        proves=said.proves,
        not_proves=said.not_proves,
        writes=said.writes,
        hint=fence.hint,
    )


def _with_figure(step: Step, fence: Fence, lesson: Lesson) -> Step:
    """The step with the figure that it promises; the graph of an expression is not drawn yet."""
    said = fence.directives
    if not said.figure:
        return step
    step = replace(step, figure=said.figure, of=said.of)
    if said.of:
        return step
    file = f"{FIGURES}/{said.figure}.svg"
    expected = Expected(Shown.FIGURE, _text_of(lesson.path.parent / file), fence.line, file=file)
    return replace(step, promise=replace(step.promise, expected=(*step.promise.expected, expected)))


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _with_prose(step: Step, fence: Fence, lesson: Lesson) -> Step:
    """The step with the claims and quiz keys that stand between its fence and the next that leaves names."""
    if not fence.leaves_names or not (lesson.claims or lesson.boxes):
        return step
    after = (other.line for other in lesson.fences if other.line > fence.line and other.leaves_names)
    end = next(after, sys.maxsize)
    claims = (claim for claim in lesson.claims if fence.line < claim.line < end)
    options = ((box, option) for box in lesson.boxes for option in box.options if fence.line < option.line < end)
    return replace(
        step,
        claims=tuple(job.Claim(claim.line, claim.token, expression_of(claim.body)) for claim in claims),
        keys=tuple(
            Key(option.line, box.name, option.key, option.is_marked)
            for box, option in options
            if option.key is not None
        ),
    )


def _in_running_order(steps: list[Step]) -> list[Step]:
    """An exercise's check before the first answer that it is for, and last the fences that have a process alone."""
    return sorted(_checks_first(steps), key=lambda step: step.alone)


def _checks_first(steps: list[Step]) -> list[Step]:
    if not any(step.part for step in steps):
        return steps
    ordered: list[Step] = []
    for step in steps:
        if step.part and step.part.role is not job.Role.CHECK:
            name = step.part.name
            checks = [each for each in steps if each.part == Part(job.Role.CHECK, name) and each not in ordered]
            ordered += checks
        if step not in ordered:
            ordered.append(step)
    return ordered


def what_is_done(said: Directives) -> tuple[Act, str]:
    """Whether a fence runs, and why where it does not."""
    if said.skip:
        return Act.SKIP, said.skip
    if said.show:
        return Act.SHOW, said.show
    if said.when and (reason := unmet(said.when)):
        return Act.COMPILE, reason
    return Act.RUN, ""


def _is_console(code: str) -> bool:
    return code.lstrip().startswith(">>>")


def _promise(fence: Fence, shown: Sequence[Fence]) -> Promise:
    said = fence.directives
    comparing = said.output or next((fence.directives.output for fence in shown if fence.directives.output), "")
    return Promise(
        raises=said.raises,
        match="" if said.wrong else said.match,
        expected=(*_prints(fence), *_texts(shown)),
        comparing=Comparing(comparing or "exact"),
        rtol=_first_said(said.rtol, *(below.directives.rtol for below in shown)),
        atol=_first_said(said.atol, *(below.directives.atol for below in shown)),
    )


def _first_said(*numbers: float | None) -> float | None:
    return next((number for number in numbers if number is not None), None)


def _prints(fence: Fence) -> Iterator[Expected]:
    first = fence.code_line - 1
    for each in print_comments(fence.code)[0]:
        yield Expected(Shown.PRINT, each.text, first + each.line, first + each.call_line)


def _texts(shown: Sequence[Fence]) -> Iterator[Expected]:
    for fence in shown:
        yield Expected(Shown.ERROR if fence.role is Role.ERROR else Shown.OUTPUT, fence.code, fence.code_line)


def _shown_below(fences: Sequence[Fence], number: int) -> list[Fence]:
    """The output and error fences that follow a fence."""
    shown = []
    for fence in fences[number + 1 :]:
        if fence.role not in (Role.OUTPUT, Role.ERROR):
            break
        shown.append(fence)
    return shown


def _part(said: Directives) -> Part | None:
    if said == NONE_SAID:
        return None
    for role in job.Role:
        if name := getattr(said, role.value):
            return Part(role, name, said.match if role is job.Role.WRONG else "")
    return None


def _is_pinned(torch: str) -> bool:
    """True where the torch that is here is the one the course names, so that texts must be equal."""
    installed = installed_version("torch")
    return not torch or not installed or installed.partition("+")[0] == torch.partition("+")[0]
