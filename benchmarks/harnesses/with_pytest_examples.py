"""pytest-examples as its documentation uses it, on the pages that the variable PAGES names."""

from __future__ import annotations

import os
from itertools import groupby
from typing import Any

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples  # type: ignore[import-not-found,unused-ignore]

EXAMPLES = list(find_examples(*os.environ["PAGES"].split(os.pathsep)))
PAGES = {str(path): list(examples) for path, examples in groupby(EXAMPLES, key=lambda example: example.path)}


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, eval_example: EvalExample) -> None:
    """The fences of a page run in order in one namespace; those with `#>` comments are compared."""
    names: dict[str, Any] = {}
    for example in PAGES[page]:
        run = eval_example.run_print_check if _shows_output(example) else eval_example.run
        names.update(run(example, module_globals=names))


def _shows_output(example: CodeExample) -> bool:
    return "#>" in example.source
