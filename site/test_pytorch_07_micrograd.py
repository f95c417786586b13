"""The contracts of lab 07, the scalar autograd engine.

Run it under pytest, or as `python site/test_pytorch_07_micrograd.py [test_name ...]`, which prints one line a test and
exits 1 when one fails. The environment variable RUNTHROUGH_LAB names a file to test in the place of the lab.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import operator
import os
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LAB = Path(os.environ.get("RUNTHROUGH_LAB") or ROOT / "content/courses/pytorch/code/07_micrograd.py")
AGREEMENT = 1e-9  # with torch, in float64
SEEDS = range(1, 31)  # of random expressions; the script shows the first five


def load_lab() -> Any:
    """Import the lab by its path: no import statement can name a module that begins with a digit."""
    spec = importlib.util.spec_from_file_location("micrograd_lab", LAB)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


lab = load_lab()
Value = lab.Value

# An operation on a Value, the same on a float, and inputs to try.
OPERATIONS: dict[str, tuple[Callable[[Any], Any], Callable[[float], float], tuple[float, ...]]] = {
    "v + 2": (lambda v: v + 2, lambda x: x + 2, (-1.5, 0.0, 4.0)),
    "2 + v": (lambda v: 2 + v, lambda x: 2 + x, (-1.5, 0.0, 4.0)),
    "v - 2": (lambda v: v - 2, lambda x: x - 2, (-1.5, 0.0, 4.0)),
    "2 - v": (lambda v: 2 - v, lambda x: 2 - x, (-1.5, 0.0, 4.0)),
    "v * 3": (lambda v: v * 3, lambda x: x * 3, (-1.5, 0.0, 4.0)),
    "3 * v": (lambda v: 3 * v, lambda x: 3 * x, (-1.5, 0.0, 4.0)),
    "v / 4": (lambda v: v / 4, lambda x: x / 4, (-1.5, 0.0, 4.0)),
    "2 / v": (lambda v: 2 / v, lambda x: 2 / x, (-1.5, 0.5, 4.0)),
    "-v": (lambda v: -v, lambda x: -x, (-1.5, 0.0, 4.0)),
    "v**0": (lambda v: v**0, lambda x: 1.0, (-1.5, 0.0, 4.0)),
    "v**3": (lambda v: v**3, lambda x: x * x * x, (-1.5, 0.0, 4.0)),
    "v**-2": (lambda v: v**-2, lambda x: 1 / (x * x), (-1.5, 0.5, 4.0)),
    "v**0.5": (lambda v: v**0.5, math.sqrt, (0.25, 1.0, 9.0)),
    "exp": (lambda v: v.exp(), math.exp, (-1.5, 0.0, 2.0)),
    "log": (lambda v: v.log(), math.log, (0.25, 1.0, 9.0)),
    "tanh": (lambda v: v.tanh(), math.tanh, (-1.5, 0.0, 0.5)),
    "relu": (lambda v: v.relu(), lambda x: max(x, 0.0), (-1.5, 0.5, 4.0)),
}


def slope_at(function: Callable[[float], float], x: float, h: float = 1e-5) -> float:
    """Return the central difference (f(x + h) - f(x - h)) / 2h."""
    return (function(x + h) - function(x - h)) / (2 * h)


def message_of(kind: type[Exception], call: Callable[[], object]) -> str:
    """Return the message of the error that `call` must raise."""
    try:
        result = call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}, but {result!r}")


def test_the_gradient_of_a_times_b_plus_a() -> None:
    """On L = a*b + a, dL/da is b + 1 and dL/db is a."""
    for a_, b_ in ((2, 3), (2, -3), (-0.5, 4.25)):
        a, b = Value(a_), Value(b_)
        loss = a * b + a
        loss.backward()
        assert loss.data == a_ * b_ + a_
        assert a.grad == b_ + 1
        assert b.grad == a_


def test_a_value_used_twice_gets_both_shares() -> None:
    """A derivative is the sum over all paths, through the same operand twice and through a diamond."""
    x = Value(3)
    (x * x).backward()
    assert x.grad == 6
    x = Value(3)
    u = 2 * x
    (u * u + u).backward()  # 4x² + 2x
    assert u.grad == 13
    assert x.grad == 26


def test_equal_numbers_are_different_nodes() -> None:
    """Values that hold the same number, leaves or results, each get their own derivative."""
    a, b = Value(2), Value(2)
    (3 * a - 3 * b).backward()
    assert (a.grad, b.grad) == (3, -3)


def test_a_number_may_stand_on_the_left() -> None:
    """`2 + v`, `2 - v`, `3 * v` and `2 / v` at v = 4 mean what they say."""
    for name, result, slope in (("2 + v", 6, 1), ("2 - v", -2, -1), ("3 * v", 12, 3), ("2 / v", 0.5, -0.125)):
        v = Value(4)
        out = OPERATIONS[name][0](v)
        out.backward()
        assert (out.data, v.grad) == (result, slope), name


def test_each_operation_against_central_differences() -> None:
    """Every operation gives Python's number, and a derivative that a difference quotient confirms."""
    for name, (on_value, on_float, points) in OPERATIONS.items():
        for x in points:
            v = Value(x)
            out = on_value(v)
            out.backward()
            expected = slope_at(on_float, x)
            assert math.isclose(out.data, on_float(x), rel_tol=1e-14), f"{name} at {x} is {out.data}"
            assert math.isclose(v.grad, expected, rel_tol=1e-6, abs_tol=1e-8), f"{name} at {x}: {v.grad}, {expected}"


def test_random_expressions_against_central_differences() -> None:
    """The gradient of a random expression is what moving one input a little says."""
    for seed in SEEDS:
        inputs, result = lab.random_expression(seed, Value)
        result.backward()
        for i in range(3):

            def moved(step: float, seed: int = seed, i: int = i) -> float:
                turn = itertools.count()
                _, out = lab.random_expression(seed, lambda x: Value(x + step if next(turn) == i else x))
                return float(out.data)

            expected = slope_at(moved, 0.0, 1e-6)
            found = inputs[i].grad
            assert math.isclose(found, expected, rel_tol=1e-5, abs_tol=1e-6), f"seed {seed}: {found}, {expected}"


def test_derivatives_at_zero() -> None:
    """At 0, relu passes nothing back, a constant power has slope 0, and a root has an infinite one."""
    v = Value(0)
    v.relu().backward()
    assert v.grad == 0
    for exponent, expected in ((0, 0.0), (1, 1.0), (2, 0.0), (0.5, math.inf)):
        v = Value(0)
        (v**exponent).backward()
        assert v.grad == expected, f"0 ** {exponent}"


def test_a_number_outside_the_domain_is_refused() -> None:
    """log of 0 or less, a root of a negative number and a division by 0 say what was asked and what is allowed."""
    assert "above 0" in message_of(ValueError, lambda: Value(0).log())
    assert "log(-2.0)" in message_of(ValueError, lambda: Value(-2).log())
    assert "(-2.0) ** 0.5" in message_of(ValueError, lambda: Value(-2) ** 0.5)
    assert "divides by 0" in message_of(ZeroDivisionError, lambda: Value(0) ** -1)
    assert "must not be 0" in message_of(ZeroDivisionError, lambda: 1 / Value(0))
    assert "must not be 0" in message_of(ZeroDivisionError, lambda: Value(1) / 0)


def test_what_is_no_number_is_refused() -> None:
    """Data that is no int or float, and an exponent that is a Value, raise a TypeError that shows it."""
    assert "'3'" in message_of(TypeError, lambda: Value("3"))
    assert "[1.0]" in message_of(TypeError, lambda: Value(2) * [1.0])
    assert "exponent" in message_of(TypeError, lambda: Value(2) ** Value(3))


def test_operands_keep_their_order() -> None:
    """`_prev` holds the operands as they were written, once for each time they were used."""
    values = [Value(i) for i in range(1, 9)]  # of so many pairs a set would turn some round
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv):
        for a, b in itertools.product(values, repeat=2):
            assert operation(a, b)._prev == (a, b)


def test_children_come_before_parents() -> None:
    """The order holds each node under the root once, operands before results, left before right, the root last."""
    for a, b in itertools.permutations([Value(i) for i in range(8)], 2):
        product = a * b
        total = product + a
        assert lab.topological_order(total) == [a, b, product, total]
    u = 2 * a
    late = u.exp() + u  # breadth first, u would come too early on the way back
    for root in (late, lab.sum_of_squares(lab.new_network()), lab.random_expression(1, Value)[1]):
        order = lab.topological_order(root)
        place = {node: i for i, node in enumerate(order)}
        assert len(place) == len(order), "a node stands in the order twice"
        assert order[-1] is root
        for node in order:
            for operand in node._prev:
                assert place[operand] < place[node]


def test_two_backward_calls_double_the_leaves() -> None:
    """A second backward() adds the same again to every leaf, and starts every other node afresh."""
    a, b = Value(2), Value(3)
    product = a * b
    loss = product + a
    loss.backward()
    assert (a.grad, b.grad, product.grad, loss.grad) == (4, 2, 1, 1)
    loss.backward()
    assert (a.grad, b.grad, product.grad, loss.grad) == (8, 4, 1, 1)
    leaf = Value(5)
    leaf.backward()
    leaf.backward()
    assert leaf.grad == 2


def test_two_losses_may_share_a_part() -> None:
    """What one loss left in a shared node does not leak into the gradient of the next."""
    x = Value(3)
    shared = x * x
    (2 * shared).backward()
    (5 * shared).backward()
    assert x.grad == (2 + 5) * 6


def test_a_later_write_does_not_reach_back() -> None:
    """A node keeps the numbers of its own forward pass, so writing to an input changes no recorded derivative."""
    for name, (operation, _, points) in OPERATIONS.items():
        untouched, written = Value(points[-1]), Value(points[-1])
        operation(untouched).backward()
        out = operation(written)
        written.data = 100.0
        out.backward()
        assert written.grad == untouched.grad, name
    a, b = Value(2), Value(3)
    quotient, product = a / b, a * b
    a.data = b.data = 100.0
    quotient.backward()
    assert math.isclose(b.grad, -2 / 9)
    product.backward()
    assert math.isclose(a.grad, 1 / 3 + 3)


def test_ten_thousand_operations_in_a_chain() -> None:
    """A graph may be deeper than Python's recursion limit."""
    x = y = Value(1)
    for _ in range(5_000):
        y = y * 0.9999 + 0.25
    order = lab.topological_order(y)
    assert sum(bool(node._prev) for node in order) == 10_000
    y.backward()
    assert math.isclose(x.grad, 0.9999**5_000, rel_tol=1e-9)


def test_the_graph_of_one_step() -> None:
    """One step's loss has 362 nodes: 304 operations, 41 parameters, 12 inputs, 4 targets and one 0."""
    network = lab.new_network()
    assert len(network.parameters()) == 41
    order = lab.topological_order(lab.sum_of_squares(network))
    assert len(order) == 362
    operations = Counter(node._op for node in order if node._prev)
    assert operations == {"+": 132, "*": 128, "tanh": 36, "-": 4, "**2": 4}
    assert len(order) - operations.total() == 41 + 12 + 4 + 1


def test_training_lowers_the_loss() -> None:
    """Sixty steps bring the loss of the four points below 0.3 of the first."""
    losses = lab.train(lab.new_network())
    assert len(losses) == 60
    assert losses[-1] < 0.3 * losses[0]


def bits() -> str:
    """Return every gradient of one step and every loss of sixty, to the last bit, and whether torch was loaded."""
    network = lab.new_network()
    lab.sum_of_squares(network).backward()
    numbers = [p.grad for p in network.parameters()] + lab.train(network)
    for seed in SEEDS:
        inputs, result = lab.random_expression(seed, Value)
        result.backward()
        numbers += [v.grad for v in inputs]
    return " ".join(x.hex() for x in numbers) + f"\ntorch loaded: {'torch' in sys.modules}"


def bits_of_a_fresh_process(hash_seed: int) -> str:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, __file__, "--bits"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_each_run_gives_the_same_bits() -> None:
    """Gradients and losses are the same to the last bit in every process, whatever its hash seed."""
    first, *others = (bits_of_a_fresh_process(seed) for seed in (0, 1, 2))
    assert len(first.split()) > 41 + 60
    for other in others:
        assert other == first


def test_the_engine_needs_no_torch() -> None:
    """Importing the lab and training with it loads no torch."""
    assert "torch loaded: False" in bits_of_a_fresh_process(0)


def test_gradients_agree_with_torch() -> None:
    """A random expression has torch's value, and torch's gradient at every input, within 1e-9."""
    for seed in SEEDS:
        ours, theirs = lab.random_expression(seed, Value)[1], lab.random_expression(seed, lab.leaf_tensor)[1]
        assert abs(ours.data - theirs.item()) < AGREEMENT, f"seed {seed}"
        assert lab.gradient_difference(seed) < AGREEMENT, f"seed {seed}"


def test_two_backward_calls_add_up_as_in_torch() -> None:
    """Each leaf holds after one call, and doubled after two, what torch holds with its graph retained."""
    for seed in SEEDS:
        ours, result = lab.random_expression(seed, Value)
        theirs, torch_result = lab.random_expression(seed, lab.leaf_tensor)
        after = []
        for calls in (1, 2):
            result.backward()
            torch_result.backward(retain_graph=True)
            after.append([v.grad for v in ours])
            for v, t in zip(ours, theirs, strict=True):
                assert abs(v.grad - t.grad.item()) < AGREEMENT, f"seed {seed}, call {calls}"
        assert after[1] == [2 * grad for grad in after[0]], f"seed {seed}"


def test_training_agrees_with_torch_at_each_step() -> None:
    """Sixty losses, and the 41 parameters that remain, are torch's within 1e-9."""
    network = lab.new_network()
    twin = lab.torch_twin(network)
    theirs, ours = lab.torch_train(twin), lab.train(network)
    for step, (a, b) in enumerate(zip(ours, theirs, strict=True), 1):
        assert abs(a - b) < AGREEMENT, f"step {step}: {a}, {b}"
    for layer, linear in zip(network.layers, list(twin)[::2], strict=True):
        for neuron, weights, bias in zip(layer, linear.weight.tolist(), linear.bias.tolist(), strict=True):
            for ours_, theirs_ in zip((*neuron.weights, neuron.bias), (*weights, bias), strict=True):
                assert abs(ours_.data - theirs_) < AGREEMENT


def test_torch_records_one_node_a_layer() -> None:
    """For the same loss torch's graph holds one AddmmBackward0 a layer."""
    nodes = lab.torch_nodes(lab.torch_loss(lab.torch_twin(lab.new_network())))
    assert nodes["AddmmBackward0"] == 3
    assert nodes["AccumulateGrad"] == 6


def test_the_script_prints_its_three_parts() -> None:
    """As a script the lab shows expressions, training and graph, in this order, and ends well."""
    command = [sys.executable, str(LAB)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    headings = [line[:2] for line in run.stdout.splitlines() if not line.startswith(" ")]
    assert headings == ["1.", "2.", "3."]
    assert "the largest of all five: " in run.stdout
    assert "largest difference over all 60 steps: " in run.stdout
    assert "362 nodes" in run.stdout
    assert "every operand stands before the results made of it: yes" in run.stdout


def main(names: list[str]) -> int:
    """Run the tests named, or all of them; print a line for each; return the exit code."""
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    unknown = [name for name in names if name not in tests]
    if unknown:
        print(f"no such test: {', '.join(unknown)}", file=sys.stderr)
        return 2
    failures = 0
    for name in names or tests:
        try:
            tests[name]()
        except Exception as error:  # noqa: BLE001 - a test may fail in any way, and the next still runs
            failures += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}".rstrip(": "))
            frame = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__][-1]
            print(f"     line {frame.lineno}: {frame.line}", flush=True)
        else:
            print(f"ok   {name}", flush=True)
    print(f"{len(names or tests) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--bits"]:
        print(bits())
    else:
        sys.exit(main(sys.argv[1:]))
