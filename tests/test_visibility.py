"""A lesson sees the modules that its own imports bring, and draws the same numbers however its libraries came."""

from __future__ import annotations

from typing import Any

import pytest

from checked import Checked, check
from command import LESSONS

FOLDER = LESSONS / "visible"
PAGES, DRAWS = FOLDER / "pages", FOLDER / "draws"
MODES = {"warm": (), "fresh": ("--spawn",)}
FORGOTTEN = {
    "forgets_pyplot.md": ["AttributeError"],
    "says_in_a_comment.md": ["AttributeError"],
    "imports_later.md": ["AttributeError", None],
    "forgets_stdlib.md": ["AttributeError", "AttributeError", "AttributeError", "NameError"],
}


@pytest.fixture(scope="module")
def runs() -> dict[str, Checked]:
    """All lessons in one run of one seed, in forks of a warm process and in fresh interpreters."""
    return {mode: check(FOLDER, *words, "--keep-going", "--seed", "7") for mode, words in MODES.items()}


@pytest.fixture(params=MODES)
def run(request: pytest.FixtureRequest, runs: dict[str, Checked]) -> Checked:
    """One mode's run."""
    return runs[request.param]


def names(run: Checked) -> list[str]:
    """The file names of the lessons of a run."""
    return [lesson["path"].rpartition("/")[2] for lesson in run.report["lessons"]]


def told(run: Checked, name: str) -> list[tuple[Any, ...]]:
    """What each fence of a lesson came to, printed and raised."""
    return [(fence["outcome"], fence["stdout"], fence["error"]) for fence in run.fences(name)]


def errors(run: Checked, name: str) -> list[str | None]:
    """The class of the error of each fence of a lesson."""
    return [fence["error"] and fence["error"]["type"] for fence in run.fences(name)]


@pytest.mark.parametrize("name", FORGOTTEN)
def test_a_forgotten_import_is_red_beside_lessons_that_have_it(run: Checked, name: str) -> None:
    """A submodule that only other lessons import, or a later fence, is missing as in a process of the lesson's own."""
    assert errors(run, name) == FORGOTTEN[name]


def test_a_forgotten_import_is_as_red_in_company_as_alone(runs: dict[str, Checked]) -> None:
    """A lesson that is checked by itself comes out as it does among others."""
    for name in FORGOTTEN:
        alone = check(PAGES / name, "--keep-going")
        assert told(alone, name) == told(runs["warm"], name)


def test_both_ways_of_running_show_the_same_modules(runs: dict[str, Checked]) -> None:
    """Every fence comes out the same, forked or fresh: its outcome, what it prints, what it raises."""
    warm, fresh = runs["warm"], runs["fresh"]
    assert names(warm) == names(fresh)
    assert {name: told(warm, name) for name in names(warm)} == {name: told(fresh, name) for name in names(fresh)}


def test_an_import_finds_what_is_loaded_and_out_of_sight(run: Checked) -> None:
    """Import statements of every form, `import_module` and pickle bring a module, on its package too."""
    assert run.printed("plots.md") == ["matplotlib.pyplot\nmatplotlib.image\n"]
    modules = ["email.message email.message\n", "unittest.mock\n", "importlib.metadata\n", "xml.dom\nxml.dom\n"]
    assert run.printed("uses_stdlib.md") == modules
    assert run.printed("pickles.md") == ["3/4\n", "tensor([1., 1.])\n"]


def test_torch_works_with_its_parts_out_of_sight(run: Checked) -> None:
    """Checkpoints, optimizers, pickled tensors and forward mode, whose modules torch imports when they are used."""
    gradient, trained = "tensor([2.7183, 2.7183])\n", "tensor([-0.3591, -0.3591])\n"
    unpickled, tangent = "tensor([1., 1.])\n", "(tensor([1.]), tensor([1.]))\n"
    assert run.printed("trains.md") == [gradient, trained, unpickled, tangent]


def test_a_module_brought_back_is_as_its_own_loader_left_it(run: Checked) -> None:
    """It can be reloaded, read, deleted and imported anew, looked for, and imported by several threads."""
    reloaded, read, anew, looked_for, threads = run.printed("reloads.md")
    assert reloaded == "True False\n"
    assert read == "SourceFileLoader True\nclass _Call(tuple):\n"
    assert anew == "False\n"
    assert looked_for == "plistlib.py\n"
    assert threads == "['difflib', 'tarfile']\n"


def test_a_name_that_its_package_loads_when_asked_is_there(run: Checked) -> None:
    """What such a package kept of a part that is out of sight is asked for anew, and brings the part."""
    assert run.printed("lazy.md") == ["1\nThreadPoolExecutor\n"]


def test_a_package_keeps_its_own_names_when_a_part_is_out_of_sight(run: Checked) -> None:
    """What numpy has from its import stays, though it is said to be of a part that only another lesson imports."""
    assert run.printed("all_names.md") == ["[]\n", "numpy.rec\n"]


def test_what_looks_at_modules_without_importing_them_finds_their_files(run: Checked) -> None:
    """A spec, its loader, `runpy` and `pkgutil` say of a module out of sight what they say of any."""
    found = "True True ModuleSpec True\nFalse # Orig\n"
    assert run.printed("looked_at.md") == [found, "FMT_XML\nTrue\n"]


def test_a_package_imported_anew_gets_none_of_its_old_parts(run: Checked) -> None:
    """Where the lesson has deleted a package from `sys.modules`, its parts are loaded again too."""
    assert run.printed("anew.md") == ["a True\n"]


@pytest.mark.parametrize("name", ["local.md", "named.md"])
def test_a_file_beside_the_lesson_comes_before_what_others_loaded(run: Checked, name: str) -> None:
    """A lesson's own plistlib.py or sympy.py is what it imports, though other lessons have loaded the installed one."""
    assert run.printed(name) == ["beside the lesson\n"]


def test_one_seed_draws_the_same_however_a_library_came(runs: dict[str, Checked]) -> None:
    """Loaded ahead for others, by the lesson itself, or in a fresh interpreter: the numbers are those of the seed."""
    alone = check(DRAWS, "--seed", "7")
    drawn = {name: alone.printed(name) for name in names(alone)}
    assert len(drawn) == len({numbers[1] for numbers in drawn.values()}) == 5
    for run in runs.values():
        assert {name: run.printed(name) for name in drawn} == drawn


def test_another_seed_draws_other_numbers(runs: dict[str, Checked]) -> None:
    """A library that the lesson is the first to load follows the run's seed."""
    other = check(DRAWS, "--seed", "8")
    for name in names(other):
        assert other.printed(name)[1] != runs["warm"].printed(name)[1]


def test_a_late_library_keeps_its_own_loader(run: Checked) -> None:
    """What seeds torch as it is loaded leaves no trace in the module."""
    assert run.printed("torch_on_a_line.md")[2] == "SourceFileLoader True\n"
