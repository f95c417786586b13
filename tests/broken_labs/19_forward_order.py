"""Backward starts at the result."""

OLD = "for node in reversed(order):"
NEW = "for node in order:"
CAUGHT_BY = "test_the_gradient_of_a_times_b_plus_a"
