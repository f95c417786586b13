"""Assertions mean on a page what they mean in Python, and a failure that leaves its fence tells what it saw."""

from __future__ import annotations

import pytest

from checked import Checked, check
from command import LESSONS


@pytest.fixture(scope="module")
def run() -> Checked:
    """All pages of assertions, in one run."""
    return check(LESSONS / "asserting")


def notes(run: Checked, name: str) -> list[list[str]]:
    """The notes of each fence of a page, all of which failed by an error of their own."""
    assert set(run.outcomes(name)) == {"failed"}
    return [fence["error"]["notes"] for fence in run.fences(name)]


def test_a_function_with_an_assertion_compiles_in_one_graph(run: Checked) -> None:
    """torch.compile finds in a function's assertion nothing that would break its graph."""
    assert run.printed("compiled.md") == ["[2.0, 2.0]\n"]


def test_a_function_has_the_names_that_are_written(run: Checked) -> None:
    """locals() and the code object of a function know nothing of how its assertion is told."""
    own = "('a', 'b') ('sorted', 'locals', 'names', '__code__', 'co_varnames', 'co_names')\n"
    assert run.printed("as_written.md")[0] == own


def test_a_functions_code_runs_where_the_command_is_not(run: Checked) -> None:
    """Code that was marshalled needs only the builtins that Python has."""
    assert run.printed("as_written.md")[1] == "3\n"


def test_a_functions_assertion_holds_no_reference(run: Checked) -> None:
    """Within one condition a value has as many references as in Python."""
    assert run.printed("as_written.md")[2] == "counted\n"


def test_an_assertion_in_an_enum_makes_no_member(run: Checked) -> None:
    """The body of a class has the names that are written in it."""
    assert run.printed("as_written.md")[3] == "['RED', 'GREEN']\n"


def test_a_fence_finds_its_own_names_alone(run: Checked) -> None:
    """globals() neither changes during an assertion nor holds anything after a failed one."""
    assert run.printed("around.md")[0] == "True\n"


def test_what_an_assertion_saw_lives_no_longer_than_its_error(run: Checked) -> None:
    """Objects that failed assertions looked at are gone once the errors are."""
    assert run.printed("around.md")[1] == "[None, None]\nNone\n"


def test_an_operand_is_evaluated_anew(run: Checked) -> None:
    """Where an assertion broke off, the next one sees nothing of it, and the next fence keeps nothing."""
    assert run.printed("around.md")[2:5] == ["broke off\n", "", "None\n"]


def test_the_error_of_an_assertion_can_be_pickled(run: Checked) -> None:
    """It can, whatever its operands are."""
    assert run.printed("around.md")[5] == "not the same\n"


def test_the_compiler_warns_as_ever(run: Checked) -> None:
    """An assertion of a tuple and a comparison by `is` with a literal give the warnings that Python gives, once."""
    told = [[warning["message"] for warning in fence["warnings"]] for fence in run.fences("warned.md")]
    assert told[0] == ["assertion is always true, perhaps remove parentheses?"]
    # Newer versions of Python name the literal's type.
    begins = [[message.partition(" with ")[0] for message in messages] for messages in told[1:]]
    assert begins == [['"is"'], ['"is not"'], ['"is not"']]


def test_repr_is_called_only_for_a_failure_that_is_told(run: Checked) -> None:
    """A failure that the fence catches calls no repr and says only its own message."""
    caught, told = run.fences("caught.md")
    assert (caught["outcome"], caught["stdout"]) == ("passed", "''\n" * 3)
    assert (told["stdout"], told["error"]["notes"]) == ("repr was called\n", ["loud = Loud"])


def test_a_repr_that_exits_is_no_exit(run: Checked) -> None:
    """The error stays the assertion's, and `raises=SystemExit` is not fulfilled by telling it."""
    (fence,) = run.fences("exits.md")
    assert (fence["outcome"], fence["error"]["type"]) == ("failed", "AssertionError")
    assert fence["error"]["notes"] == ["ends = <repr raised SystemExit>"]


def test_operands_of_one_text_are_told_by_value(run: Checked) -> None:
    """Two values of the same text are both told; the same value is told once."""
    different, same = notes(run, "operands.md")[:2]
    assert different == ["next(it) = 1", "next(it) = 2"]
    assert same == ["x = nan"]


def test_an_operand_that_was_not_reached_is_not_told(run: Checked) -> None:
    """The assertion may stand in any block of the fence."""
    assert notes(run, "operands.md")[2] == ["a = 0"]


def test_telling_goes_round_what_a_page_has_replaced(run: Checked) -> None:
    """Neither a repr that gives a text of its own kind nor a broken `ast.unparse` keeps the value from being told."""
    odd, _, replaced = notes(run, "operands.md")[3:]
    assert odd == ["value = a value"]
    assert replaced == ["an operand on line 70 = 1"]


def test_telling_warns_of_nothing(run: Checked) -> None:
    """What Python warned of when it compiled a fence is not warned of again."""
    fence = run.fences("operands.md")[4]
    assert fence["error"]["notes"] == ["'\\\\d' + end = '\\\\dd'", "end = 'd'"]
    assert {warning["line"] for warning in fence["warnings"]} <= {56}


def test_names_are_told_of_an_assertion_in_a_function_or_class(run: Checked) -> None:
    """The plain names of its condition are told: arguments, names of outer functions, of classes and of the fence."""
    function, lines, closure, parts, whole, one_line, klass = notes(run, "names.md")[:7]
    assert function == ["a = 1", "scale = 2", "b = 5", "tol = 0.5"]
    assert lines == ["größe = 2"]
    assert closure == ["values = [1, 9]", "limit = 5"]
    assert parts == ["a = 1", "b = 1"]
    assert whole == ["a = 0", "b = 1"]
    # Of an assertion that begins no line, the part that Python points at may be all that is found.
    assert {"b = 2", "c = 1"} <= set(one_line)
    assert klass == ["size = 3"]


def test_names_are_told_of_assertions_alone(run: Checked) -> None:
    """An AssertionError that was raised, or that another module's assertion or a function in C raised, tells none."""
    assert notes(run, "names.md")[7:] == [[], [], []]


def test_what_cannot_be_told_of_an_error_is_left_out(run: Checked) -> None:
    """Notes that are no list, raise as a property or as a note, and a class without a name: the rest is told."""
    no_list, private, note, nameless = run.fences("untold.md")[:4]
    assert (no_list["error"]["message"], no_list["error"]["notes"]) == ("no list", [])
    assert (private["error"]["message"], private["error"]["notes"]) == ("a property", [])
    assert (note["error"]["message"], note["error"]["notes"]) == ("a note", ["first", "third"])
    assert (nameless["error"]["message"], nameless["error"]["type"]) == ("a name", "Nameless")


def test_an_error_is_told_without_linecache(run: Checked) -> None:
    """Where a page broke `linecache`, the line and the values of a failed assertion are told all the same."""
    error = run.fences("untold.md")[4]["error"]
    assert (error["message"], error["line"]) == ("lines", 58)
    assert error["notes"] == ["an operand on line 58 = 1"]
