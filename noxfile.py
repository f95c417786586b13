"""Everything that is done with this project, each in an environment of its own.

python3 -m nox -s lessons     run every fence of the course under the torch it pins
python3 -m nox -s tests       test the harness
python3 -m nox --list         see the rest
"""

from __future__ import annotations

import nox

PYPROJECT = nox.project.load_toml("pyproject.toml")
PINNED_TORCH = "2.13.0"
OTHER_TORCH = ("2.8.0", "2.9.0", "2.15.0")

PLUGIN_TESTS = tuple(f"tests/test_pytest_{part}.py" for part in ("plugin", "processes", "xdist", "parity"))
LAB = "content/courses/pytorch/code/07_micrograd.py"
LAB_TEST = "site/test_pytorch_07_micrograd.py"

nox.needs_version = ">=2024.10"
# uv does not find a CPU build of torch on every machine.
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = True


@nox.session
@nox.parametrize("torch", [PINNED_TORCH])
def lessons(session: nox.Session, torch: str) -> None:
    """Run every fence of every lesson; words after `--` go to `runthrough check`."""
    _install(session, f"torch-{torch}")
    session.run("runthrough", "check", "content", "-v", *session.posargs)


def _lessons_on(release: str) -> None:
    """A session for one more release of torch, which `-s lessons` alone does not run."""

    @nox.session(name=f"lessons(torch='{release}')", default=False)
    def on_release(session: nox.Session) -> None:
        """The same on another release of torch; its texts may differ from the page's."""
        lessons.func(session, torch=release)


for other in OTHER_TORCH:
    _lessons_on(other)


@nox.session
def tests(session: nox.Session) -> None:
    """Test the harness; words after `--` go to pytest."""
    _install(session, "tests")
    session.run("pytest", *session.posargs)


@nox.session(default=False)
@nox.parametrize("pytest", ["8.0.*", "9.*"], ids=["pytest-8", "pytest-9"])
def plugin(session: nox.Session, pytest: str) -> None:
    """Test the pytest plugin on the oldest and the newest pytest it serves, with xdist."""
    _install(session, "tests")
    session.install(f"pytest=={pytest}")
    session.run("pytest", *PLUGIN_TESTS, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting and types."""
    _install(session, "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
def labs(session: nox.Session) -> None:
    """Run the lab as a script, then its test, then its test against every broken engine."""
    _install(session, "tests")
    session.run("python", LAB)
    session.run("python", LAB_TEST)
    session.run("pytest", "tests/test_broken_labs.py", *session.posargs)


@nox.session(default=False)
def notebooks(session: nox.Session) -> None:
    """Execute both editions of the notebooks as a student does, where torch and Jupyter are, and nothing of ours."""
    session.install(*nox.project.dependency_groups(PYPROJECT, "notebooks"))
    # Beside the environment, so that the command can be run from there and no kernel can import it.
    ours = session.create_tmp() + "/runthrough"
    session.install("--quiet", "--upgrade", "--target", ours, ".")
    for edition in ("student", "instructor"):
        folder = f"build/notebooks/{edition}"
        words = ["notebooks", "content", "--to", folder, "--edition", edition, "--force"]
        session.run("python", "-m", "runthrough", *words, env={"PYTHONPATH": ours})
        session.run("python", "tests/stock_jupyter.py", folder)


@nox.session(default=False)
def benchmarks(session: nox.Session) -> None:
    """Time this harness in turns with other tools, each in an environment of its own; takes one to two hours.

    Words after `--` measure a part, as `--lessons 20` or `--reading 3000`: files listed beside a mere block parsing.
    """
    session.install("psutil>=6")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(default=False)
def false_greens(session: nox.Session) -> None:
    """Ask other tools about pages that do not hold, and write docs/false-greens.md; takes half an hour."""
    session.install("psutil>=6")
    session.run("python", "-m", "benchmarks.false_greens", *session.posargs)


def _install(session: nox.Session, group: str) -> None:
    """Install this package as it stands here, with a dependency group of pyproject.toml."""
    session.install("-e", ".", *nox.project.dependency_groups(PYPROJECT, group))
