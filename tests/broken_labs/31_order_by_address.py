"""Looping over a set brings memory addresses into the order, and into the last bit of a sum."""

OLD = "stack.append((unseen, iter(unseen._prev)))"
NEW = "stack.append((unseen, iter(set(unseen._prev))))"
CAUGHT_BY = "test_children_come_before_parents"
