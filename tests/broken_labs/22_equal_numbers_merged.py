"""Two values that hold the same number are not the same node."""

OLD = "if operand not in seen), None)"
NEW = "if operand.data not in {s.data for s in seen}), None)"
CAUGHT_BY = "test_equal_numbers_are_different_nodes"
