"""A value used twice needs both shares: `+=`, not `=`."""

OLD = "operand.grad += share"
NEW = "operand.grad = share"
CAUGHT_BY = "test_a_value_used_twice_gets_both_shares"
