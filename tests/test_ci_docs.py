"""The workflow of the documentation is one that GitHub reads."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from command import runthrough

DOCS = Path(__file__).parents[1] / "docs"
WORKFLOWS = sorted((DOCS / "workflows").glob("*.yml"))
SCHEMA = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / "github-workflows.json"


def problems(workflow: dict[str, Any]) -> list[str]:
    """What GitHub's schema finds wrong with a workflow."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(workflow)]


def loaded(file: Path) -> dict[str, Any]:
    """A workflow as GitHub loads it: `on` is a word there, and in YAML 1.1 it is true."""
    workflow: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in workflow.items()}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_to_copy_is_valid(file: Path) -> None:
    """Each workflow in the documentation keeps to the schema of GitHub's workflows, and a broken one would not."""
    workflow = loaded(file)
    assert problems(workflow) == []
    assert problems({**workflow, "jobs": {"check": {"steps": [{"runs": "misspelt"}]}}})


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_no_input_of_a_workflow_is_pasted_into_a_script(file: Path) -> None:
    """A caller's words reach a script by the environment, where a shell does not read them as code."""
    steps = [step for job in loaded(file)["jobs"].values() for step in job["steps"]]
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_cancels_only_its_own_older_runs(file: Path) -> None:
    """The group has a word of its own, the workflow that called it, the branch and the call: no other is cancelled."""
    group = loaded(file)["concurrency"]["group"]
    assert re.findall(r"\$\{\{ (\S+) \}\}", group) == ["github.workflow", "github.ref", "inputs.name"]
    assert re.match(r"[a-z]+-", group)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_can_be_called_twice_by_another(file: Path) -> None:
    """Each call keeps its reports under the name it is given: a run refuses a second artifact of the same name."""
    steps = [step for job in loaded(file)["jobs"].values() for step in job["steps"]]
    kept = [step["with"]["name"] for step in steps if "upload-artifact" in step.get("uses", "")]
    assert kept
    assert all("inputs.name" in name for name in kept)


def test_every_option_in_the_documentation_of_ci_is_one_of_check() -> None:
    """What docs/ci.md and its workflow type is what `runthrough check --help` tells."""
    told = runthrough("check", "--help").out
    pages = [DOCS / "ci.md", *WORKFLOWS]
    commands = re.findall(r"runthrough check .*", "\n".join(page.read_text(encoding="utf-8") for page in pages))
    options = {word for command in commands for word in command.split() if word.startswith("--")}
    assert options >= {"--github", "--junit"}
    assert [option for option in sorted(options) if option not in told] == []
