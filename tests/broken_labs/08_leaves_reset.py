"""Leaves accumulate from call to call."""

OLD = "leaf.grad += before"
NEW = "leaf.grad += 0.0 * before"
CAUGHT_BY = "test_two_backward_calls_double_the_leaves"
