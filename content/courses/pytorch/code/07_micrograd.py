"""Lab 07: reverse-mode automatic differentiation on single numbers, held against torch.

`Value` wraps one float and remembers how it was made. `backward()` on a result walks those memories from the result
to the leaves, and adds to each leaf's `grad` the derivative of the result with respect to that leaf.

Beside torch's words: `_op` is the name of a `grad_fn`, `_prev` its `next_functions`, a Value without operands is a
leaf, and the last `+=` of `backward` is `AccumulateGrad`.

Left out: tensors and broadcasting, freeing what nodes saved, version counters, grad modes, second derivatives.
Where a float overflows, `exp` and `**` raise OverflowError; torch gives inf. Agreement with torch is shown in
float64 only; in float32 expect differences near 1e-7.

Importing this file needs the standard library alone. Running it compares the engine with torch.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import torch

T = TypeVar("T")
Pullback = Callable[[float], tuple[float, ...]]


class Value:
    """One number, the operands it came from, and in `grad` the derivative that `backward()` found for it.

    Raises TypeError for data that is not one int or float.
    """

    def __init__(self, data: float, _children: tuple[Value, ...] = (), _op: str = "") -> None:
        if not isinstance(data, (int, float)):
            raise TypeError(f"a Value holds one int or float, not {data!r}")
        self.data = float(data)
        self.grad = 0.0
        # In order, one entry an operand: x * x has two. A set would order operands by memory address, and the last
        # bit of a gradient would change from run to run.
        self._prev = tuple(_children)
        self._op = _op
        self._backward: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        made_by = f", op={self._op!r}" if self._op else ""
        return f"Value({self.data:.6g}, grad={self.grad:.6g}{made_by})"

    # Each operation records its result and a pullback: given g = dL/d(result), what to add to each operand's grad.
    # A pullback uses floats saved by the forward pass, so a later write to `.data` cannot spoil a gradient.
    # (torch saves a reference to the tensor, and needs a version counter to notice such a write.)

    def __add__(self, other: Value | float) -> Value:
        other = as_value(other)
        return record(self.data + other.data, (self, other), "+", lambda g: (g, g))

    def __sub__(self, other: Value | float) -> Value:
        other = as_value(other)
        return record(self.data - other.data, (self, other), "-", lambda g: (g, -g))

    def __mul__(self, other: Value | float) -> Value:
        other = as_value(other)
        x, y = self.data, other.data
        return record(x * y, (self, other), "*", lambda g: (g * y, g * x))

    def __truediv__(self, other: Value | float) -> Value:
        other = as_value(other)
        x, y = self.data, other.data
        if y == 0:
            raise ZeroDivisionError(f"{x} / {y}: the divisor of a Value must not be 0")
        return record(x / y, (self, other), "/", lambda g: (g / y, -g * x / y / y))

    def __pow__(self, exponent: float) -> Value:
        if not isinstance(exponent, (int, float)):
            raise TypeError(f"the exponent must be an int or a float, not {exponent!r}")
        x = self.data
        if x == 0 and exponent < 0:
            raise ZeroDivisionError(f"{x} ** {exponent}: a negative power of 0 divides by 0")
        if x < 0 and not float(exponent).is_integer():
            raise ValueError(f"({x}) ** {exponent}: a negative base needs a whole exponent")
        return record(x**exponent, (self,), f"**{exponent}", lambda g: (g * power_slope(x, exponent),))

    def __neg__(self) -> Value:
        return record(-self.data, (self,), "neg", lambda g: (-g,))

    # Python calls these for `2 + v`, `2 - v`, `2 * v` and `2 / v`. The number on the left becomes a leaf.

    def __radd__(self, other: float) -> Value:
        return as_value(other) + self

    def __rsub__(self, other: float) -> Value:
        return as_value(other) - self

    def __rmul__(self, other: float) -> Value:
        return as_value(other) * self

    def __rtruediv__(self, other: float) -> Value:
        return as_value(other) / self

    # What to save is a choice. The derivatives of exp, tanh and relu follow from the output alone: save it, and
    # nothing is computed twice. The derivative of log is 1/x: save the input. torch chooses the same, which is why
    # overwriting the *result* of a tanh spoils its backward pass, and overwriting the result of a log does not.

    def exp(self) -> Value:
        y = math.exp(self.data)
        return record(y, (self,), "exp", lambda g: (g * y,))

    def tanh(self) -> Value:
        y = math.tanh(self.data)
        return record(y, (self,), "tanh", lambda g: (g * (1 - y * y),))

    def relu(self) -> Value:
        y = max(0.0, self.data)
        return record(y, (self,), "relu", lambda g: (g if y > 0 else 0.0,))  # 0 at 0, as torch has it

    def log(self) -> Value:
        x = self.data
        if x <= 0:
            raise ValueError(f"log({x}): the logarithm needs a number above 0")
        return record(math.log(x), (self,), "log", lambda g: (g / x,))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf below; every other node keeps that of this call alone."""
        order = topological_order(self)
        leaves = [node for node in order if not node._prev]
        earlier = [leaf.grad for leaf in leaves]
        for node in order:
            node.grad = 0.0
        self.grad = 1.0  # d(self)/d(self)
        for node in reversed(order):
            node._backward()
        # A leaf gets the finished sum in one addition, so a second call doubles it to the last bit.
        for leaf, before in zip(leaves, earlier, strict=True):
            leaf.grad += before


def record(data: float, operands: tuple[Value, ...], op: str, pullback: Pullback) -> Value:
    """Make the Value of an operation; its `_backward` adds the pullback of its own grad to the operands' grads."""
    out = Value(data, operands, op)

    def _backward() -> None:
        for operand, share in zip(operands, pullback(out.grad), strict=True):
            operand.grad += share  # a value used twice gets both shares: total derivatives are sums over paths

    out._backward = _backward
    return out


def as_value(number: Value | float) -> Value:
    """Return a Value as it is, and a number as a new leaf."""
    return number if isinstance(number, Value) else Value(number)


def power_slope(x: float, exponent: float) -> float:
    """Return d(x ** exponent)/dx, at x = 0 too: 0 for a constant, infinite for a root, as torch has it."""
    if exponent == 0:
        return 0.0
    if x == 0 and exponent < 1:
        return math.inf
    return float(exponent * x ** (exponent - 1))


def topological_order(root: Value) -> list[Value]:
    """Return `root` and all it was computed from, each once, every operand before the results made of it.

    Read backwards, a node comes after everything that uses it: its grad is complete when its turn comes.
    """
    order: list[Value] = []
    seen = {root}  # asked for membership only; looping over it would bring memory addresses into the order
    # A stack of our own, for a chain of a thousand operations is deeper than Python's recursion limit.
    stack = [(root, iter(root._prev))]
    while stack:
        node, operands = stack[-1]
        unseen = next((operand for operand in operands if operand not in seen), None)
        if unseen is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(unseen)
            stack.append((unseen, iter(unseen._prev)))
    return order


class Neuron:
    """tanh(w·x + b), with weights and bias drawn from uniform(-1, 1)."""

    def __init__(self, inputs: int, rng: random.Random) -> None:
        self.weights = [Value(rng.uniform(-1, 1)) for _ in range(inputs)]
        self.bias = Value(rng.uniform(-1, 1))

    def __call__(self, inputs: Sequence[Value]) -> Value:
        total = self.bias
        for weight, x in zip(self.weights, inputs, strict=True):
            total = total + weight * x
        return total.tanh()


class MLP:
    """Fully connected layers of tanh neurons. `MLP((3, 4, 4, 1), rng)` has 41 parameters."""

    def __init__(self, sizes: Sequence[int], rng: random.Random) -> None:
        self.layers = [[Neuron(n, rng) for _ in range(m)] for n, m in itertools.pairwise(sizes)]

    def __call__(self, inputs: Sequence[float]) -> list[Value]:
        signals = [as_value(x) for x in inputs]
        for layer in self.layers:
            signals = [neuron(signals) for neuron in layer]
        return signals

    def parameters(self) -> list[Value]:
        """Return every weight and bias: layer by layer, neuron by neuron, a neuron's weights before its bias."""
        return [p for layer in self.layers for neuron in layer for p in (*neuron.weights, neuron.bias)]


POINTS = ((2.0, 3.0, -1.0), (3.0, -1.0, 0.5), (0.5, 1.0, 1.0), (1.0, 1.0, -1.0))
TARGETS = (1.0, -1.0, -1.0, 1.0)
STEPS, LEARNING_RATE = 60, 0.05


def new_network() -> MLP:
    """Return the 3→4→4→1 network, with the same start every time."""
    return MLP((3, 4, 4, 1), random.Random(7))


def sum_of_squares(network: MLP) -> Value:
    """Return the loss of the four points, Σ (prediction - target)²."""
    return sum(((network(x)[0] - y) ** 2 for x, y in zip(POINTS, TARGETS, strict=True)), Value(0))


def train(network: MLP) -> list[float]:
    """Take 60 steps of gradient descent; return the loss before each of them."""
    losses = []
    for _ in range(STEPS):
        loss = sum_of_squares(network)
        for p in network.parameters():
            p.grad = 0.0  # backward() adds to what it finds; torch: optimizer.zero_grad()
        loss.backward()
        for p in network.parameters():
            p.data -= LEARNING_RATE * p.grad  # torch: optimizer.step()
        losses.append(loss.data)
    return losses


# One text for both sides: what a move does is written once, and given first Values, then tensors.
# Guards keep every number in its domain: u*u + 1 is above 0, and tanh keeps exp and the cube small.
MOVES: tuple[Callable[[Any, Any], Any], ...] = (
    lambda u, v: u + v,
    lambda u, v: u - v,
    lambda u, v: u * v,
    lambda u, v: u / (v * v + 1),
    lambda u, v: 2 - u,
    lambda u, v: 3 / (u * u + 1),
    lambda u, v: -u,
    lambda u, v: (u - v).relu(),
    lambda u, v: u.tanh() ** 3,
    lambda u, v: u.tanh().exp(),
    lambda u, v: (u * u + 1).log(),
)


def random_expression(seed: int, leaf: Callable[[float], T], moves: int = 12) -> tuple[list[T], T]:
    """Return three inputs, made by `leaf`, and the result of a dozen moves on them. One seed, one expression."""
    rng = random.Random(seed)
    inputs = [leaf(rng.uniform(-2, 2)) for _ in range(3)]
    numbers: list[Any] = list(inputs)
    for k in range(moves):
        numbers.append(rng.choice(MOVES)(numbers[k], rng.choice(numbers)))  # the k-th number, and any one so far
    return inputs, numbers[-3] + numbers[-2] + numbers[-1]  # the three that no move has taken: nothing is unused


# From here on torch is needed, and imported where it is used.


def leaf_tensor(x: float) -> torch.Tensor:
    """Return a leaf as near to a Value as torch has one: float64, without dimensions."""
    import torch

    return torch.tensor(x, dtype=torch.float64, requires_grad=True)


def gradient_difference(seed: int) -> float:
    """Return the largest |our gradient - torch's| over the three inputs of one random expression."""
    import torch

    ours, result = random_expression(seed, Value)
    theirs, torch_result = random_expression(seed, leaf_tensor)
    result.backward()
    gradients = torch.autograd.grad(torch_result, theirs)
    return max(abs(v.grad - g.item()) for v, g in zip(ours, gradients, strict=True))


def torch_twin(network: MLP) -> torch.nn.Sequential:
    """Return a float64 `nn.Sequential` that starts from the numbers `network` has now."""
    import torch

    modules: list[torch.nn.Module] = []
    for layer in network.layers:
        linear = torch.nn.Linear(len(layer[0].weights), len(layer), dtype=torch.float64)
        weight = [[w.data for w in neuron.weights] for neuron in layer]
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(weight, dtype=torch.float64))
            linear.bias.copy_(torch.tensor([neuron.bias.data for neuron in layer], dtype=torch.float64))
        modules += [linear, torch.nn.Tanh()]
    return torch.nn.Sequential(*modules)


def torch_loss(model: torch.nn.Module) -> torch.Tensor:
    """Return the same loss, all four points in one batch."""
    import torch

    predictions: torch.Tensor = model(torch.tensor(POINTS, dtype=torch.float64))
    targets = torch.tensor(TARGETS, dtype=torch.float64).unsqueeze(1)
    return (predictions - targets).square().sum()


def torch_train(model: torch.nn.Module) -> list[float]:
    """Take the same 60 steps in torch; return the loss before each of them."""
    import torch

    optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    losses = []
    for _ in range(STEPS):
        loss = torch_loss(model)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    return losses


def torch_nodes(loss: torch.Tensor) -> Counter[str]:
    """Count by name the nodes of the graph that torch recorded for `loss`."""
    waiting, seen = [loss.grad_fn], []
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.append(node)
            waiting += [parent for parent, _ in node.next_functions]
    return Counter(node.name().removeprefix("torch::autograd::") for node in seen)


def show_expressions() -> None:
    print("1. Gradients of five random expressions, 12 moves on 3 inputs each, against 0-d float64 tensors")
    differences = {seed: gradient_difference(seed) for seed in range(1, 6)}
    for seed, difference in differences.items():
        print(f"   seed {seed}: largest |our gradient - torch's| over the inputs  {difference:.1e}")
    print(f"   the largest of all five: {max(differences.values()):.1e} (neighbouring floats near 1 lie 2.2e-16 apart)")


def show_training() -> None:
    print(f"2. {STEPS} SGD steps (lr {LEARNING_RATE}) of a 3-4-4-1 tanh network and of its twin in torch")
    network = new_network()
    theirs = torch_train(torch_twin(network))
    ours = train(network)
    print("   step   our loss           torch's loss       difference")
    for step in (1, 2, 5, 10, 20, 40, 60):
        a, b = ours[step - 1], theirs[step - 1]
        print(f"   {step:4}   {a:.15f}  {b:.15f}  {abs(a - b):.1e}")
    worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    print(f"   largest difference over all {STEPS} steps: {worst:.1e}")
    print(f"   our last loss is {ours[-1] / ours[0]:.4f} of the first; the network now says, for each target:")
    print("  ", ", ".join(f"{network(x)[0].data:+.2f} for {y:+.0f}" for x, y in zip(POINTS, TARGETS, strict=True)))


def show_graph() -> None:
    print("3. The graph of one step's loss")
    network = new_network()
    parameters, biases = network.parameters(), [neuron.bias for layer in network.layers for neuron in layer]
    order = topological_order(sum_of_squares(network))
    operations = Counter(node._op for node in order if node._prev)
    leaves = len(order) - operations.total()
    print(f"   {len(order)} nodes: {operations.total()} operations and {leaves} leaves")
    by_name = ", ".join(f"{count} {op}" for op, count in operations.most_common())
    print(f"   operations: {by_name} (a subtraction is one node, and so is a square)")
    print(
        f"   leaves: {len(parameters)} parameters, 12 inputs (each wrapped once), 4 targets, the 0 the sum starts from"
    )
    place = {node: position for position, node in enumerate(order)}
    kept = all(place[operand] < place[node] for node in order for operand in node._prev)
    print(f"   every operand stands before the results made of it: {'yes' if kept else 'NO'}")
    names = dict.fromkeys(parameters, "w") | dict.fromkeys(biases, "b")
    words = [node._op or names.get(node, f"{node.data:g}") for node in order]
    print("   the order begins", " ".join(words[:14]), "... and ends ...", " ".join(words[-8:]))
    print("   backward() walks it from its end: the loss first, each node after all that use it")


def show_torch_graph() -> None:
    nodes = torch_nodes(torch_loss(torch_twin(new_network())))
    print(f"   torch records {nodes.total()} nodes: one AddmmBackward0 a layer does every neuron on all four points")
    print(f"   ({', '.join(f'{count} {name}' for name, count in nodes.most_common())})")


def main() -> None:
    """Print the three parts; without torch, what can be said without it."""
    with_torch = importlib.util.find_spec("torch") is not None
    if with_torch:
        show_expressions()
        show_training()
    else:
        print("torch is not installed here: parts 1 and 2, which compare with it, are left out")
    show_graph()
    if with_torch:
        show_torch_graph()


if __name__ == "__main__":
    main()
