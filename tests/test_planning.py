"""What a page says of its fences becomes what is done with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import LESSONS
from runthrough.job import Act, Form, Job, Role, Step
from runthrough.lesson.document import Lesson
from runthrough.lesson.read import read_lesson
from runthrough.lesson.when import unmet
from runthrough.plan import plan

PAGE = LESSONS / "planned" / "page.md"
SHAPES, JVP = "torch.fx.experimental.symbolic_shapes", "torch._decomp.decompositions_for_jvp"
DYNAMO = "torch._dynamo"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return read_lesson(PAGE, "page.md", None)


@pytest.fixture(scope="module")
def job(lesson: Lesson) -> Job:
    assert lesson.problems == ()
    return plan(lesson, timeout=30.0)


def step(job: Job, name: str) -> Step:
    return next(step for step in job.steps if step.id == name)


def test_a_fence_whose_condition_does_not_hold_is_only_compiled(job: Job) -> None:
    """`when` compares what is installed, and its reason says what is needed and what is here."""
    later, elsewhere = step(job, "later"), step(job, "elsewhere")
    assert (later.act, elsewhere.act) == (Act.COMPILE, Act.COMPILE)
    assert later.reason.startswith("needs torch>=99, ")
    assert elsewhere.reason == "needs sys_platform == 'nowhere'"
    assert (step(job, "here").act, step(job, "here").reason) == (Act.RUN, "")


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("torch>=2.9", "needs torch>=2.9, here 2.8.0"),
        ("torch>=2.8, numpy<2", "needs numpy<2, here 2.1"),
        ("torch>=2.8,<2.9", ""),
        ("torch==2.8.0", ""),
        ("torch", ""),
    ],
)
def test_conditions_compare_releases(condition: str, reason: str) -> None:
    """Requirements are parted by commas, bounds of one requirement are not, and a local version is its release."""
    assert unmet(condition, {"torch": "2.8.0+cpu", "numpy": "2.1"}).replace("+cpu", "") == reason


def test_a_fence_has_its_own_limit_or_the_lessons(job: Job) -> None:
    """`timeout=` is for its fence alone."""
    assert (step(job, "here").timeout, step(job, "apart").timeout) == (5.0, 30.0)


def test_a_check_runs_before_the_answers_it_is_for(job: Job) -> None:
    """The check of an exercise comes before its starter, which stands above it on the page."""
    assert [s.part.role for s in job.steps if s.part] == [Role.CHECK, Role.STARTER, Role.SOLUTION, Role.WRONG]
    assert [s.part.match for s in job.steps if s.part and s.part.match] == ["one"]


def test_claims_and_keys_stand_behind_the_fence_whose_names_they_use(job: Job) -> None:
    """A claim is evaluated after the last fence above it that leaves names: none that runs apart."""
    assert [len(s.claims) for s in job.steps if s.claims] == [len(TOKENS)]
    assert len(step(job, "here").claims) == len(TOKENS)
    keys = [(s.part.role if s.part else None, key.body, key.is_marked) for s in job.steps for key in s.keys]
    assert keys == [(Role.SOLUTION, "x > 1", True), (Role.SOLUTION, "x < 1", False)]


TOKENS = ["1.25", "1.25", "1.25", "1.25", "1.25", "125%", "1.25", "(1, 2)", "1.25", "1.25", "1.25"]


def test_a_claims_token_is_found_where_it_stands(lesson: Lesson) -> None:
    """A token is the inside of code, bold or a formula, or a run without spaces and the sentence's punctuation."""
    assert [claim.token for claim in lesson.claims] == TOKENS
    lines = lesson.text.split("\n")
    for claim in lesson.claims:
        assert lesson.text[claim.start : claim.end] == claim.token
        assert lines[claim.line - 1][claim.column - 1 :].startswith(claim.token)


def test_a_session_in_a_python_fence_is_a_console(job: Job) -> None:
    """A Python fence that begins with `>>>` is run as a session; a fence in a not-run box is shown."""
    session, boxed = sorted(job.steps, key=lambda step: step.line)[-2:]
    assert (session.form, session.act) == (Form.CONSOLE, Act.RUN)
    assert (boxed.act, boxed.reason) == (Act.SHOW, "stands in a not-run box")


@pytest.mark.parametrize(
    ("code", "ahead"),
    [
        ("import os", []),
        ("import torch, os\nx.sum().backward()", ["torch"]),
        ("import torch\ny.backward(f(a, b)[0])", ["torch", SHAPES]),
        ("import torch\ntorch.autograd.grad((m @ x).sum(), (x, y), create_graph=True)", ["torch"]),
        ("import torch\ntorch.autograd.grad(y, x, torch.ones(2))", ["torch", SHAPES]),
        ("import torch\ntorch.autograd.grad(\n    y, x, retain_graph=True, grad_outputs=c)", ["torch", SHAPES]),
        ("import torch\ndef backward(ctx, g): ...", ["torch"]),
        ("import torch\ntorch.autograd.functional.vjp(f, x)", ["torch", SHAPES]),
        ("import torch\nwith torch.autograd.forward_ad.dual_level(): ...", ["torch", JVP]),
        (">>> 1 + 1\n2", ["doctest"]),
    ],
)
def test_what_a_lesson_will_import_is_told_from_its_text(code: str, ahead: list[str], tmp_path: Path) -> None:
    """What torch imports on first use is named where a fence uses it, so that a warm server has it ready."""
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n```python\n{code}\n```\n", encoding="utf-8")
    assert list(plan(read_lesson(page, "page.md", None)).modules) == ahead


@pytest.mark.parametrize(
    ("module", "used"),
    [
        *(
            (DYNAMO, f"torch.{name}")
            for name in ("optim.SGD", "utils.checkpoint", "func.vmap", "func.hessian", "compile(f)")
        ),
        *(
            (DYNAMO, name)
            for name in ("jacfwd(f)", "jacrev(f)", "TorchDispatchMode", "FlopCounterMode()", "profiler.profile()")
        ),
        *((JVP, name) for name in ("jvp(f)", "forward_ad", "make_dual(x, t)", "hessian(f)", "jacfwd(f)")),
        *(
            (SHAPES, name)
            for name in ("assert_close(a, b)", "gradcheck(f, x)", "grad_check", "gradgradcheck(f, x)", "vjp(f)")
        ),
    ],
)
def test_each_use_that_makes_torch_import_more_is_known(module: str, used: str, tmp_path: Path) -> None:
    """A word of the lesson's code is enough to have ready what torch imports for it."""
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n```python\nimport torch\n{used}\n```\n", encoding="utf-8")
    assert module in plan(read_lesson(page, "page.md", None)).modules
