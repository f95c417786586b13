"""A set loses the order of the operands and the second use of the same one."""

OLD = "self._prev = tuple(_children)"
NEW = "self._prev = tuple(set(_children))"
CAUGHT_BY = "test_operands_keep_their_order"
