"""A second call must not send back again what the first left in the middle of the graph."""

OLD = """\
        for node in order:
            node.grad = 0.0
"""
NEW = """\
        for leaf in leaves:
            leaf.grad = 0.0
"""
CAUGHT_BY = "test_two_backward_calls_double_the_leaves"
