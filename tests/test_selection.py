"""What `-k` chooses."""

from __future__ import annotations

import pytest

from runthrough.job import Act, Job, Step
from runthrough.selection import SelectionError, matcher, select


def job(name: str, *ids: str) -> Job:
    """A lesson with fences of these ids."""
    steps = tuple(Step(id=id_, line=n, end_line=n, code_line=n, code="", act=Act.RUN) for n, id_ in enumerate(ids, 1))
    return Job(path=f"/{name}", name=name, title=name.upper(), steps=steps)


JOBS = [job("06_leaves.md", "leaf-a", "graph-b", "leaf-c"), job("07_graph.md", "vjp", "double")]


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("07", {"07_graph.md": ["vjp", "double"]}),
        ("vjp", {"07_graph.md": ["vjp"]}),
        ("graph", {"06_leaves.md": ["leaf-a", "graph-b"], "07_graph.md": ["vjp", "double"]}),
        ("06 and not leaf-c", {"06_leaves.md": ["leaf-a", "graph-b"]}),
        ("LEAF-A or (07 and vjp)", {"06_leaves.md": ["leaf-a"], "07_graph.md": ["vjp"]}),
        ("nowhere", {}),
    ],
)
def test_a_lesson_runs_up_to_the_last_fence_chosen(expression: str, chosen: dict[str, list[str]]) -> None:
    """A word is looked for in path, title and id; the fences before a chosen one run too, those after do not."""
    assert {job.name: [step.id for step in job.steps] for job in select(JOBS, expression)} == chosen


@pytest.mark.parametrize("expression", ["", "and", "a or", "(a", "a b", "a )", "not"])
def test_an_expression_that_cannot_be_read_is_refused(expression: str) -> None:
    """A broken expression is an error and never an empty choice."""
    with pytest.raises(SelectionError):
        matcher(expression)
