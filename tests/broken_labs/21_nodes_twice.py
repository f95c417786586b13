"""A node that stands in the order twice sends its gradient back twice."""

OLD = "if operand not in seen), None)"
NEW = "), None)"
CAUGHT_BY = "test_a_value_used_twice_gets_both_shares"
